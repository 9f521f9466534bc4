// {"name": "void f<"a">(int)", "pid": 0}   ->   {"name": "void f<\"a\">(int)", "pid": 0}
#include "trace/formats/chrome/lenient_walk.h"

namespace opscope::chrome {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class Escaper {
 public:
  explicit Escaper(std::string_view text) : text_(text) {}

  std::string Run(std::vector<std::size_t>& inserted) {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (in_string_ && c == '\\' && at + 1 < text_.size()) {
        out_ += c;
        out_ += text_[++at];
        continue;
      }
      if (c == '"' && in_string_ && !Closes(at + 1)) {
        inserted.push_back(out_.size());
        out_ += '\\';
      } else if (c == '"') {
        in_string_ = !in_string_;
      } else if (!in_string_) {
        Structure(c);
      }
      out_ += c;
    }
    return std::move(out_);
  }

 private:
  void Structure(char c) {
    if (c == '{' || c == '[') nest_.push_back(c);
    if ((c == '}' || c == ']') && !nest_.empty()) nest_.pop_back();
    is_key_ =
        !nest_.empty() && nest_.back() == '{' && (c == '{' || c == ',' || (is_key_ && c != ':'));
  }

  std::size_t Next(std::size_t at) const { return text_.find_first_not_of(kBlanks, at); }
  char At(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // Whether a quote with this behind it can be the end of the string.
  bool Closes(std::size_t behind) const {
    const std::size_t next = Next(behind);
    if (is_key_) return At(next) == ':';
    const bool in_array = !nest_.empty() && nest_.back() == '[';
    if (At(next) != ',')
      return next == std::string_view::npos || At(next) == (in_array ? ']' : '}');
    return in_array || IsKey(Next(next + 1));
  }

  bool IsKey(std::size_t at) const {
    if (At(at) == '}') return true;  // a comma too many
    if (At(at) != '"') return false;
    const std::size_t end = text_.find('"', at + 1);
    return end != std::string_view::npos && At(Next(end + 1)) == ':';
  }

  std::string_view text_;
  std::string out_;
  std::string nest_;
  bool in_string_ = false;
  bool is_key_ = false;
};

}  // namespace

std::string EscapeQuotes(std::string_view text, std::vector<std::size_t>& inserted) {
  return Escaper(text).Run(inserted);
}

}  // namespace opscope::chrome
