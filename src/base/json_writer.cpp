#include "base/json_writer.h"

#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/checked.h"
#include "base/text_utf8.h"

namespace opscope {

namespace {

constexpr Int128 kExactInDouble = static_cast<Int128>(1) << 53;

// 1 for the bytes that stand for themselves in a JSON string: printable ASCII but " and \.
constexpr bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

// Marks that turn the direction of text on a terminal: names in files are hostile.
constexpr bool IsBidi(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// C0 and C1 control characters, DEL.
constexpr bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

void AppendEscape(char32_t c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(c >> shift) & 15];
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint c = NextCodePoint(text);
    if (IsControl(c.value) || IsBidi(c.value) || c.value == '"' || c.value == '\\') {
      AppendEscape(c.value, out);
    } else {
      AppendUtf8(c.value, out);
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendQuoted(text, out);
  return out;
}

JsonWriter::JsonWriter(Sink& sink, JsonStyle style) : sink_(&sink), style_(style) {}

void JsonWriter::NewLine() {
  if (style_ == JsonStyle::kCompact) return;
  sink_->Append('\n');
  for (std::size_t i = 0; i < levels_.size(); ++i) sink_->Append("  ");
}

// What stands before a value: nothing behind a key, else a comma and a new line.
void JsonWriter::Before() {
  if (levels_.empty()) {
    CHECK(!complete_);
    complete_ = true;
    return;
  }
  if (!levels_.back().array) {
    CHECK(after_key_);
    after_key_ = false;
    return;
  }
  if (!levels_.back().first) sink_->Append(',');
  levels_.back().first = false;
  NewLine();
}

void JsonWriter::Open(char bracket) {
  Before();
  sink_->Append(bracket);
  levels_.push_back({bracket == '[', true});
}

void JsonWriter::Close(char bracket) {
  CHECK(!levels_.empty() && levels_.back().array == (bracket == ']') && !after_key_);
  const bool empty = levels_.back().first;
  levels_.pop_back();
  if (!empty) NewLine();
  sink_->Append(bracket);
}

void JsonWriter::BeginObject() { Open('{'); }
void JsonWriter::EndObject() { Close('}'); }
void JsonWriter::BeginArray() { Open('['); }
void JsonWriter::EndArray() { Close(']'); }

void JsonWriter::Key(std::string_view key) {
  CHECK(!levels_.empty() && !levels_.back().array && !after_key_);
  if (!levels_.back().first) sink_->Append(',');
  levels_.back().first = false;
  NewLine();
  after_key_ = true;
  sink_->Append(JsonQuote(key));
  sink_->Append(style_ == JsonStyle::kCompact ? ":" : ": ");
}

void JsonWriter::String(std::string_view text) { Raw(JsonQuote(text)); }

void JsonWriter::Integer(Int128 value) {
  const std::string digits = ToDecimal(value);
  const bool exact = value <= kExactInDouble && value >= -kExactInDouble;
  Raw(exact ? digits : JsonQuote(digits));
}

void JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  Raw({digits, static_cast<std::size_t>(end - digits)});
}

void JsonWriter::Bool(bool value) { Raw(value ? "true" : "false"); }
void JsonWriter::Null() { Raw("null"); }

void JsonWriter::Raw(std::string_view json) {
  Before();
  sink_->Append(json);
}

}  // namespace opscope
