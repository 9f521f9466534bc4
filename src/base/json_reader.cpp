#include "base/json_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/decimal.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/text_utf8.h"

namespace opscope {

namespace {

constexpr std::size_t kMaxDepth = 256;
constexpr std::size_t kMaxString = 64 << 20;
constexpr std::size_t kStep = 256 * 1024;

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Numbers and bare words; everything else ends them.
bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.';
}

constexpr std::uint64_t Everywhere(unsigned char byte) { return 0x0101010101010101ULL * byte; }
// Non-zero where a byte of `word` is zero; a byte below `limit` (<= 128). Exact as a yes or no
// (Bit Twiddling Hacks, "Determine if a word has a zero byte").
constexpr std::uint64_t HasZero(std::uint64_t word) {
  return (word - Everywhere(1)) & ~word & Everywhere(0x80);
}
constexpr std::uint64_t HasLess(std::uint64_t word, unsigned char limit) {
  return (word - Everywhere(limit)) & ~word & Everywhere(0x80);
}

// The first quote, backslash or control character at or behind `at`, or the end.
std::size_t FindSpecial(std::string_view text, std::size_t at) {
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((HasZero(word ^ Everywhere('"')) | HasZero(word ^ Everywhere('\\')) |
         HasLess(word, 0x20)) != 0)
      break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<unsigned char>(text[at]) >= 0x20)
    ++at;
  return at;
}

// Strings and brackets: all that skipping looks at.
constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// RFC 8259: [-] int [. digits] [e [+-] digits], without leading zeros
bool IsNumber(std::string_view text) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && IsDigit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

// What printf and Python write where JSON has no number.
bool IsNotFinite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string lower(text.substr(0, 9));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

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
    while (at_ < window_.size() && IsBlank(window_[at_])) ++at_;
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

Result<void> JsonReader::Push(char bracket) {
  if (nest_.size() == kMaxDepth)
    return Damage("json.depth", "nested deeper than " + std::to_string(kMaxDepth) + " levels");
  nest_.push_back(bracket);
  ++at_;
  return {};
}

Result<void> JsonReader::Pop(char bracket) {
  const bool object = nest_.back() == '{';
  if (object != (bracket == '}')) return Unexpected(bracket, object ? "'}'" : "']'");
  nest_.pop_back();
  ++at_;
  ValueEnded();
  return {};
}

Result<JsonToken> JsonReader::Begin(char bracket) {
  const std::uint64_t start = offset();
  TRY(Push(bracket));
  const bool object = bracket == '{';
  state_ = object ? State::kFirstKey : State::kFirstElement;
  return JsonToken{object ? JsonKind::kBeginObject : JsonKind::kBeginArray, {}, false, start};
}

Result<JsonToken> JsonReader::End(int bracket) {
  const bool object = nest_.back() == '{';
  if (bracket != '}' && bracket != ']')
    return Unexpected(bracket, object ? "',' or '}'" : "',' or ']'");
  const std::uint64_t start = offset();
  TRY(Pop(static_cast<char>(bracket)));
  return JsonToken{object ? JsonKind::kEndObject : JsonKind::kEndArray, {}, false, start};
}

// The closing quote of the string that opens at at_, which stays the window's or moves to its
// beginning.
Result<std::size_t> JsonReader::StringEnd(bool& escaped) {
  std::size_t length = 1;
  while (true) {
    if (length >= kMaxString)
      return Damage("json.string",
                    "a string is longer than " + std::to_string(kMaxString) + " bytes");
    const std::size_t found = FindSpecial(window_, std::min(at_ + length, window_.size()));
    if (found == window_.size()) {
      length = std::max(length, found - at_);
      if (length < kMaxString && !Grow()) return Unexpected(-1, "the end of a string");
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
}

Result<JsonToken> JsonReader::String(JsonKind kind) {
  JsonToken token{kind, {}, false, offset()};
  bool escaped = false;
  TRY_ASSIGN(const std::size_t end, StringEnd(escaped));
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
    while (at_ + length < window_.size() && IsWordByte(window_[at_ + length])) ++length;
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
  const std::int64_t repairs = repairs_;
  while (nest_.size() > depth) {
    while (at_ < window_.size() && !kStructural[static_cast<unsigned char>(window_[at_])]) ++at_;
    if (at_ == window_.size()) {
      if (!Grow()) return Unexpected(-1, nest_.back() == '{' ? "'}'" : "']'");
      continue;
    }
    const char c = window_[at_];
    if (c == '"') {
      bool escaped = false;
      TRY_ASSIGN(const std::size_t end, StringEnd(escaped));
      at_ = end + 1;
    } else if (c == '{' || c == '[') {
      TRY(Push(c));
    } else {
      TRY(Pop(c));
    }
  }
  repairs_ = repairs;
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
