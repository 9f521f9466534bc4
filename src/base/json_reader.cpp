#include "base/json_reader.h"

#include <algorithm>
#include <charconv>

#include "base/decimal.h"
#include "base/json_scan.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/text_utf8.h"

namespace opscope {

namespace {

using namespace json;  // NOLINT: the scanner is this file's own

constexpr std::size_t kMaxDepth = 256;
constexpr std::size_t kMaxString = 64 << 20;
constexpr std::size_t kStep = 256 * 1024;

std::optional<char32_t> ParseHex4(std::string_view text) {
  unsigned value = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (error != std::errc() || end != text.data() + 4) return std::nullopt;
  return value;
}

const char* NameOf(JsonKind kind) {
  switch (kind) {
    case JsonKind::kBeginObject:
      return "an object";
    case JsonKind::kEndObject:
      return "the end of an object";
    case JsonKind::kBeginArray:
      return "an array";
    case JsonKind::kEndArray:
      return "the end of an array";
    case JsonKind::kKey:
      return "a key";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kBool:
      return "true or false";
    case JsonKind::kNull:
      return "null";
    case JsonKind::kEnd:
      break;
  }
  return "the end";
}

}  // namespace

std::optional<std::int64_t> JsonToken::AsInt64() const {
  if (kind != JsonKind::kNumber && kind != JsonKind::kString) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  return ParseIntegral(text);
}

std::optional<double> JsonToken::AsDouble() const {
  if ((kind != JsonKind::kNumber && kind != JsonKind::kString) || !IsNumber(text))
    return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

JsonReader::JsonReader(std::string_view text) : window_(text) {}
JsonReader::JsonReader(Source& source, std::uint64_t offset)
    : source_(&source), window_offset_(offset) {}

Error JsonReader::Damage(const char* code, std::string message) const {
  return {code, std::move(message), "byte " + std::to_string(offset())};
}

Error JsonReader::Unexpected(int found, const char* wanted) const {
  if (found >= 0) {
    const char c = static_cast<char>(found);
    return Damage("json.syntax", std::string("expected ") + wanted + ", found '" +
                                     Printable(std::string_view(&c, 1)) + "'");
  }
  if (read_error_) return *read_error_;
  return Damage("json.truncated",
                std::string("the text ends where ") + wanted + " should stand: the file was cut");
}

// Reads on; what stands from at_ on is kept. False at the end and where a token is too long.
bool JsonReader::Grow() {
  const std::size_t kept = window_.size() - at_;
  if (source_ == nullptr || read_error_ || kept >= Source::kMaxWindow) return false;
  auto window = source_->Window(offset(), std::max(kStep, 2 * kept));
  window_offset_ = offset();
  at_ = 0;
  if (!window) read_error_ = std::move(window.error());
  window_ = window ? *window : std::string_view();
  return window_.size() > kept;
}

// The first byte that is not blank, or -1 at the end.
int JsonReader::Peek() {
  do {
    at_ = FindToken(window_, at_);
    if (at_ < window_.size()) return static_cast<unsigned char>(window_[at_]);
  } while (Grow());
  return -1;
}

// Skips a byte-order mark.
bool JsonReader::SkipMark() {
  while (window_.size() - at_ < 3 && Grow()) {
  }
  if (!window_.substr(at_).starts_with("\xef\xbb\xbf")) return false;
  at_ += 3;
  ++repairs_;
  return true;
}

Result<JsonToken> JsonReader::Next() {
  int c = Peek();
  if (state_ == State::kAfterValue) {
    if (c != ',') return End(c);
    ++at_;
    c = Peek();
    state_ = nest_.back() == '{' ? State::kKey : State::kElement;
  } else if (state_ == State::kColon) {
    if (c != ':') return Unexpected(c, "':'");
    ++at_;
    c = Peek();
    return Value(c);
  }
  switch (state_) {
    case State::kKey:
    case State::kFirstKey:
      if (c == '"') return String(JsonKind::kKey);
      if (c != '}') return Unexpected(c, "a key");
      repairs_ += state_ == State::kKey ? 1 : 0;
      return End(c);
    case State::kElement:
    case State::kFirstElement:
      if (c != ']') return Value(c);
      repairs_ += state_ == State::kElement ? 1 : 0;
      return End(c);
    case State::kDone:
      if (c != -1 || read_error_) return Unexpected(c, "the end of the text");
      return JsonToken{JsonKind::kEnd, {}, false, offset()};
    default:
      return c == 0xef && SkipMark() ? Value(Peek()) : Value(c);
  }
}

Result<JsonToken> JsonReader::Value(int first) {
  switch (first) {
    case '"':
      return String(JsonKind::kString);
    case '{':
    case '[':
      return Begin(static_cast<char>(first));
    default:
      return Word();
  }
}

Error JsonReader::TooDeep() const {
  return Damage("json.depth", "nested deeper than " + std::to_string(kMaxDepth) + " levels");
}

bool JsonReader::Closes(int bracket) const { return bracket == (nest_.back() == '{' ? '}' : ']'); }

Error JsonReader::NotClosed(int found) const {
  return Unexpected(found, nest_.back() == '{' ? "',' or '}'" : "',' or ']'");
}

Result<JsonToken> JsonReader::Begin(char bracket) {
  if (nest_.size() == kMaxDepth) return TooDeep();
  const bool object = bracket == '{';
  const JsonToken token{
      object ? JsonKind::kBeginObject : JsonKind::kBeginArray, {}, false, offset()};
  nest_.push_back(bracket);
  state_ = object ? State::kFirstKey : State::kFirstElement;
  ++at_;
  return token;
}

Result<JsonToken> JsonReader::End(int bracket) {
  if (!Closes(bracket)) return NotClosed(bracket);
  const JsonToken token{
      bracket == '}' ? JsonKind::kEndObject : JsonKind::kEndArray, {}, false, offset()};
  nest_.pop_back();
  ++at_;
  ValueEnded();
  return token;
}

// The closing quote of the string that opens at at_, or npos. The window may move.
std::size_t JsonReader::StringEnd(bool& escaped) {
  std::size_t length = 1;
  while (length < kMaxString) {
    const std::size_t found = FindSpecial(window_, std::min(at_ + length, window_.size()));
    if (found == window_.size()) {
      length = std::max(length, found - at_);
      if (length < kMaxString && !Grow()) break;
    } else if (window_[found] == '"') {
      return found;
    } else if (window_[found] == '\\') {
      escaped = true;
      length = found - at_ + 2;
    } else {
      ++repairs_;
      length = found - at_ + 1;
    }
  }
  return std::string_view::npos;
}

Error JsonReader::EndlessString() const {
  if (window_.size() - at_ < kMaxString) return Unexpected(-1, "the end of a string");
  return Damage("json.string", "a string is longer than " + std::to_string(kMaxString) + " bytes");
}

Result<JsonToken> JsonReader::String(JsonKind kind) {
  JsonToken token{kind, {}, false, offset()};
  bool escaped = false;
  const std::size_t end = StringEnd(escaped);
  if (end == std::string_view::npos) return EndlessString();
  token.text = window_.substr(at_ + 1, end - at_ - 1);
  if (escaped) token.text = Unescape(token.text);
  at_ = end + 1;
  if (kind == JsonKind::kKey) {
    state_ = State::kColon;
  } else {
    ValueEnded();
  }
  return token;
}

// Unknown escapes stay as they are written: "C:\models" is a path that nobody escaped.
std::string_view JsonReader::Unescape(std::string_view raw) {
  constexpr std::string_view kFrom = "\"\\/bfnrt";
  constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
  scratch_.clear();
  while (true) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    scratch_.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (raw.empty()) return scratch_;
    const std::size_t known = kFrom.find(raw[1]);
    raw.remove_prefix(1);
    if (known != std::string_view::npos) {
      scratch_.push_back(kTo[known]);
      raw.remove_prefix(1);
    } else if (raw[0] == 'u') {
      UnescapeHex(raw);
    } else {
      ++repairs_;
      scratch_.push_back('\\');
    }
  }
}

// u00e9, or two of them for a character beyond U+FFFF: ud83d\ude80
void JsonReader::UnescapeHex(std::string_view& rest) {
  const auto first = ParseHex4(rest.substr(1));
  if (!first) {
    ++repairs_;
    scratch_.push_back('\\');
    return;
  }
  rest.remove_prefix(5);
  char32_t c = *first;
  if (c >= 0xd800 && c <= 0xdbff && rest.starts_with("\\u")) {
    const auto second = ParseHex4(rest.substr(2));
    if (second && *second >= 0xdc00 && *second <= 0xdfff) {
      c = 0x10000 + ((c - 0xd800) << 10) + (*second - 0xdc00);
      rest.remove_prefix(6);
    }
  }
  const bool lone = c >= 0xd800 && c <= 0xdfff;
  repairs_ += lone ? 1 : 0;
  AppendUtf8(lone ? kReplacement : c, scratch_);
}

Error JsonReader::NoValue(std::string_view word) const {
  if (word.empty()) return Unexpected(static_cast<unsigned char>(window_[at_]), "a value");
  return Damage("json.syntax", "expected a value, found '" + CutMiddle(word, 40) + "'");
}

// A number, true, false, null, or one of the words for what is no number.
Result<JsonToken> JsonReader::Word() {
  std::size_t length = 0;
  do {
    length = FindNot(window_, at_ + length, kWordByte) - at_;
  } while (at_ + length == window_.size() && Grow());
  const std::string_view text = window_.substr(at_, length);
  JsonToken token{JsonKind::kNumber, text, false, offset()};
  if (!IsNumber(text)) {
    if (text == "true" || text == "false") {
      token = {JsonKind::kBool, {}, text == "true", offset()};
    } else if (text == "null") {
      token = {JsonKind::kNull, {}, false, offset()};
    } else if (IsNotFinite(text)) {
      ++repairs_;
    } else if (at_ + length == window_.size()) {
      return Unexpected(-1, "a value");
    } else {
      return NoValue(text);
    }
  }
  at_ += length;
  ValueEnded();
  return token;
}

Result<JsonToken> JsonReader::Expect(JsonKind kind) {
  TRY_ASSIGN(const JsonToken token, Next());
  if (token.kind == kind) return token;
  return Error{"json.unexpected",
               std::string("expected ") + NameOf(kind) + ", found " + NameOf(token.kind),
               "byte " + std::to_string(token.offset)};
}

Result<void> JsonReader::Skip(const JsonToken& first) {
  const bool nested = first.kind == JsonKind::kBeginObject || first.kind == JsonKind::kBeginArray;
  return nested ? SkipTo(nest_.size() - 1) : Result<void>();
}

// Ends the containers that are open beyond `depth`.
Result<void> JsonReader::SkipTo(std::size_t depth) {
  if (nest_.size() <= depth) return {};
  const std::int64_t repairs = repairs_;
  while (nest_.size() > depth) {
    at_ = Find(window_, at_, kStructural);
    if (at_ == window_.size()) {
      if (!Grow()) return NotClosed(-1);
      continue;
    }
    const char c = window_[at_];
    if (c == '"') {
      bool escaped = false;
      const std::size_t end = StringEnd(escaped);
      if (end == std::string_view::npos) return EndlessString();
      at_ = end;
    } else if (c == '{' || c == '[') {
      if (nest_.size() == kMaxDepth) return TooDeep();
      nest_.push_back(c);
    } else {
      if (!Closes(c)) return NotClosed(c);
      nest_.pop_back();
    }
    ++at_;
  }
  repairs_ = repairs;
  ValueEnded();
  return {};
}

// Skips what a call-back left of its value.
Result<void> JsonReader::SkipRest(std::size_t depth) {
  if (nest_.size() == depth && state_ == State::kColon) {
    TRY_ASSIGN(const JsonToken first, Next());
    return Skip(first);
  }
  if (nest_.size() < depth) return Damage("json.unexpected", "a value ends before it should");
  return SkipTo(depth);
}

Result<std::string> JsonReader::Raw(const JsonToken& first) {
  std::string out;
  const std::size_t depth = nest_.size();
  const bool nested = first.kind == JsonKind::kBeginObject || first.kind == JsonKind::kBeginArray;
  const std::size_t until = nested ? depth - 1 : depth;
  JsonToken token = first;
  while (true) {
    const bool ends = token.kind == JsonKind::kEndObject || token.kind == JsonKind::kEndArray;
    if (!ends && !out.empty() && std::string_view("{[:").find(out.back()) == std::string_view::npos)
      out += ',';
    switch (token.kind) {
      case JsonKind::kBeginObject:
        out += '{';
        break;
      case JsonKind::kEndObject:
        out += '}';
        break;
      case JsonKind::kBeginArray:
        out += '[';
        break;
      case JsonKind::kEndArray:
        out += ']';
        break;
      case JsonKind::kKey:
        out += JsonQuote(token.text) + ':';
        break;
      case JsonKind::kString:
        out += JsonQuote(token.text);
        break;
      case JsonKind::kNumber:
        out += IsNumber(token.text) ? token.text : "null";
        break;
      case JsonKind::kBool:
        out += token.boolean ? "true" : "false";
        break;
      case JsonKind::kNull:
      case JsonKind::kEnd:
        out += "null";
        break;
    }
    if (nest_.size() <= until) return out;
    TRY_ASSIGN(token, Next());
  }
}

}  // namespace opscope
