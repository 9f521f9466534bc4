// Strict, typed reading of a small JSON text that we wrote ourselves (a line of a protocol): what
// is not of the expected type is an error that quotes the text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"

namespace opscope {

class JsonFields {
 public:
  // `text` must outlive the reader. Every error has `code`.
  JsonFields(std::string_view text, std::string code)
      : text_(text), code_(std::move(code)), reader_(text) {}

  using Field = std::function<Result<void>(std::string_view key)>;

  // The whole text is one object; field(key) reads the value of each key, or skips it.
  Result<void> Whole(const Field& field);
  // The next value is an array of objects: begin() is called, then `field` for each of its keys.
  Result<void> Objects(const std::function<void()>& begin, const Field& field);
  // The next value as the type that is named.
  Result<std::string> Text();
  Result<std::int64_t> Integer();
  Result<std::optional<std::int64_t>> IntegerOrNull();
  Result<double> Number();
  Result<bool> Flag();
  Result<std::vector<std::string>> Texts();
  Result<std::vector<std::int64_t>> Integers();
  Result<std::string> RawObject();  // an object as text of its own
  Result<void> Elements(const std::function<Result<void>(const JsonToken& first)>& element);
  Result<void> Skip();

  // "…: not an integer: '{"id":…'".
  Error Wrong(std::string_view what) const;

 private:
  Result<JsonToken> Token();
  Result<void> Own(Result<void> result) const;

  std::string_view text_;
  std::string code_;
  JsonReader reader_;
};

}  // namespace opscope
