#include "support/graph_text_line.h"

#include <charconv>
#include <utility>

namespace opscope {

namespace {

bool EndsWord(char c) { return std::string_view(" \t,()[]=\"#").find(c) != std::string_view::npos; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void GraphTextLine::SkipBlanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  if (at_ < text_.size() && text_[at_] == '#') at_ = text_.size();
}

bool GraphTextLine::AtEnd() {
  SkipBlanks();
  return at_ >= text_.size();
}

char GraphTextLine::Peek() { return AtEnd() ? '\0' : text_[at_]; }

bool GraphTextLine::Accept(char mark) {
  if (Peek() != mark) return false;
  ++at_;
  return true;
}

std::string GraphTextLine::Word() {
  SkipBlanks();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !EndsWord(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

bool GraphTextLine::AcceptWord(std::string_view word) {
  const std::size_t before = at_;
  if (Word() == word) return true;
  at_ = before;
  return false;
}

Result<std::string> GraphTextLine::Quoted() {
  TRY(Expect('"'));
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      c = text_[at_++];
      if (c == 'n') c = '\n';
      if (c == 'x' && at_ + 2 <= text_.size()) {
        c = static_cast<char>(HexDigit(text_[at_]) * 16 + HexDigit(text_[at_ + 1]));
        at_ += 2;
      }
    }
    out += c;
  }
  TRY(Expect('"'));
  return out;
}

Result<std::string> GraphTextLine::Name() {
  if (Peek() == '"') return Quoted();
  std::string word = Word();
  if (word.empty()) return Problem("a name is missing");
  return word;
}

Result<std::int64_t> GraphTextLine::Integer() {
  const std::string word = Word();
  const bool hex = word.rfind("0x", 0) == 0;
  const char* const end = word.data() + word.size();
  std::int64_t value = 0;
  auto parsed = std::from_chars(word.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (parsed.ec == std::errc::result_out_of_range) {
    std::uint64_t bits = 0;  // uint64 beyond int64
    parsed = std::from_chars(word.data() + (hex ? 2 : 0), end, bits, hex ? 16 : 10);
    value = static_cast<std::int64_t>(bits);
  }
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return Problem("not an integer: '" + word + "'");
  return value;
}

Result<double> GraphTextLine::Float() {
  const std::string word = Word();
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return Problem("not a number: '" + word + "'");
  return value;
}

Result<void> GraphTextLine::Expect(char mark) {
  // Inside a quoted text blanks count: the closing quote is looked for in place.
  if (mark == '"' && at_ < text_.size() && text_[at_] == '"') {
    ++at_;
    return {};
  }
  if (!Accept(mark)) return Problem(std::string("expected '") + mark + "'");
  return {};
}

Result<std::vector<std::string>> GraphTextLine::Names() {
  TRY(Expect('('));
  std::vector<std::string> names;
  if (Accept(')')) return names;
  while (true) {
    const bool empty = Peek() == ',' || Peek() == ')';
    std::string name;
    if (!empty) {
      TRY_ASSIGN(name, Name());
    }
    names.push_back(std::move(name));
    if (Accept(')')) return names;
    TRY(Expect(','));
  }
}

Error GraphTextLine::Problem(const std::string& message) const {
  return {"graph-text.syntax", message + " in '" + std::string(text_) + "'",
          "line " + std::to_string(number_)};
}

}  // namespace opscope
