// A pull reader for JSON: no tree, exact integers, input of any size through windows.
//
// Lenient where real profilers are: bare NaN/Infinity/inf, a comma before a closing bracket, raw
// control characters in strings, a byte-order mark; each leniency used is counted in `repairs()`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace opscope {

enum class JsonKind : std::uint8_t {
  kBeginObject, kEndObject, kBeginArray, kEndArray, kKey, kString, kNumber, kBool, kNull, kEnd
};

struct JsonToken {
  JsonKind kind = JsonKind::kEnd;
  std::string_view text;      // decoded string or key; number as written; valid until the next Next()
  bool boolean = false;
  std::uint64_t offset = 0;   // of the token's first byte

  // The number as an exact int64; nullopt for fractions, exponents that do not end up integral,
  // and anything out of range. Also accepts a string token that holds a decimal integer.
  std::optional<std::int64_t> AsInt64() const;
  std::optional<double> AsDouble() const;  // also of "nan", "inf" and their kin: nullopt
};

class JsonReader {
 public:
  // Reads a whole text.
  explicit JsonReader(std::string_view text);
  // Reads a source from `offset` on through windows.
  explicit JsonReader(Source& source, std::uint64_t offset = 0);

  // Errors: json.truncated, json.syntax, json.depth (256), json.string (longer than 64 MiB).
  Result<JsonToken> Next();
  // Skips the value that begins with `first` (an object, an array or a scalar).
  Result<void> Skip(const JsonToken& first);
  // Calls `field(key)` for every key of the object just begun; `field` must consume the value
  // (Next, Skip or a nested ForEachField).
  Result<void> ForEachField(const std::function<Result<void>(std::string_view key)>& field);
  // Calls `element(first token)` for every element of the array just begun.
  Result<void> ForEachElement(const std::function<Result<void>(const JsonToken& first)>& element);
  // The value that begins with `first` as compact text of its own (to hand it on unchanged).
  Result<std::string> Raw(const JsonToken& first);

  std::uint64_t offset() const;
  std::int64_t repairs() const { return repairs_; }

 private:
  bool Refill();
  int Peek();
  void SkipBlanks();
  Result<JsonToken> Value();
  Result<JsonToken> String(JsonKind kind);
  Error Damage(std::string code, std::string message) const;

  Source* source_ = nullptr;
  std::string_view window_;
  std::size_t at_ = 0;
  std::uint64_t window_offset_ = 0;
  std::vector<char> nest_;          // '{' or '['
  bool expect_key_ = false;
  bool after_value_ = false;
  bool done_ = false;
  std::string scratch_;
  std::int64_t repairs_ = 0;
};

}  // namespace opscope
