// A pull reader for JSON: no tree, exact integers, input of any size through windows.
//
// Lenient where real profilers are: bare NaN/Infinity/inf, a comma before a closing bracket, raw
// control characters, unknown escapes and half surrogate pairs in strings, a byte-order mark; each
// leniency used is counted in `repairs()`. Bytes of strings that are not UTF-8 pass as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace opscope {

enum class JsonKind : std::uint8_t {
  kBeginObject,
  kEndObject,
  kBeginArray,
  kEndArray,
  kKey,
  kString,
  kNumber,
  kBool,
  kNull,
  kEnd
};

struct JsonToken {
  JsonKind kind = JsonKind::kEnd;
  std::string_view text;  // decoded string or key; number as written; valid until the next Next()
  bool boolean = false;
  std::uint64_t offset = 0;  // of the token's first byte

  // The number as an exact int64; nullopt for fractions, exponents that do not end up integral,
  // and anything out of range. Also accepts a string token that holds a decimal integer.
  std::optional<std::int64_t> AsInt64() const;
  std::optional<double> AsDouble() const;  // also of "nan", "inf" and their kin: nullopt
};

class JsonReader {
 public:
  // Reads a whole text, which must outlive the reader.
  explicit JsonReader(std::string_view text);
  // Reads a source from `offset` on through windows; nobody else may use the source meanwhile.
  explicit JsonReader(Source& source, std::uint64_t offset = 0);

  // The next token; kEnd after the last one of the top-level value.
  // Errors: json.truncated, json.syntax, json.depth (256), json.string (longer than 64 MiB).
  Result<JsonToken> Next();
  // The next token, which must be of this kind: else json.unexpected.
  Result<JsonToken> Expect(JsonKind kind);
  // Skips the value that begins with `first` (an object, an array or a scalar). Inside, only
  // strings and the nesting are checked, and nothing is counted in repairs().
  Result<void> Skip(const JsonToken& first);
  // Calls `field(key)` -> Result<void> for every key of the object just begun. What `field` leaves
  // of the value is skipped. `key` is valid until the first call to the reader.
  template <class Field>
  Result<void> ForEachField(Field&& field);
  // Calls `element(first token)` -> Result<void> for every element of the array just begun. What
  // `element` leaves of the element is skipped.
  template <class Element>
  Result<void> ForEachElement(Element&& element);
  // The value that begins with `first` as compact text of its own (to hand it on unchanged);
  // numbers that JSON does not know become null.
  Result<std::string> Raw(const JsonToken& first);

  std::uint64_t offset() const { return window_offset_ + at_; }
  std::int64_t repairs() const { return repairs_; }

 private:
  enum class State : std::uint8_t {
    kValue,
    kFirstElement,
    kElement,
    kFirstKey,
    kKey,
    kColon,
    kAfterValue,
    kDone
  };

  int Peek();
  bool Grow();
  bool SkipMark();
  Result<JsonToken> Begin(char bracket);
  Result<JsonToken> End(int bracket);
  Result<JsonToken> Value(int first);
  Result<JsonToken> String(JsonKind kind);
  Result<JsonToken> Word();
  std::size_t StringEnd(bool& escaped);
  Error EndlessString() const;
  std::string_view Unescape(std::string_view raw);
  void UnescapeHex(std::string_view& rest);
  Result<void> SkipTo(std::size_t depth);
  // Behind a whole value, `depth` levels deep.
  bool At(std::size_t depth) const { return nest_.size() == depth && state_ == State::kAfterValue; }
  Result<void> SkipRest(std::size_t depth);
  bool Closes(int bracket) const;
  Error NotClosed(int found) const;
  Error TooDeep() const;
  void ValueEnded() { state_ = nest_.empty() ? State::kDone : State::kAfterValue; }
  Error Unexpected(int found, const char* wanted) const;
  Error NoValue(std::string_view word) const;
  Error Damage(const char* code, std::string message) const;

  Source* source_ = nullptr;
  std::string_view window_;
  std::size_t at_ = 0;
  std::uint64_t window_offset_ = 0;
  std::optional<Error> read_error_;
  std::vector<char> nest_;  // '{' or '['
  State state_ = State::kValue;
  std::string scratch_;
  std::int64_t repairs_ = 0;
};

template <class Field>
Result<void> JsonReader::ForEachField(Field&& field) {
  const std::size_t depth = nest_.size();
  while (true) {
    TRY_ASSIGN(const JsonToken token, Next());
    if (token.kind != JsonKind::kKey) return {};
    TRY(field(token.text));
    if (!At(depth)) TRY(SkipRest(depth));
  }
}

template <class Element>
Result<void> JsonReader::ForEachElement(Element&& element) {
  const std::size_t depth = nest_.size();
  while (true) {
    TRY_ASSIGN(const JsonToken token, Next());
    if (token.kind == JsonKind::kEndArray || token.kind == JsonKind::kEndObject ||
        token.kind == JsonKind::kEnd)
      return {};
    TRY(element(token));
    if (!At(depth)) TRY(SkipRest(depth));
  }
}

}  // namespace opscope
