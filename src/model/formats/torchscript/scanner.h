// The characters of TorchScript's code: lines, marks, words. Line ends count outside of brackets
// only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace opscope::torchscript {

inline bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Error Wrong(const std::string& what) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return {"torchscript.code", what, "line " + std::to_string(line + 1)};
  }

  // To the first word of the next line that holds something; its indentation is column_.
  bool NextLine() {
    while (at_ < text_.size()) {
      std::size_t begin = at_;
      while (begin < text_.size() && text_[begin] == ' ') ++begin;
      if (begin < text_.size() && text_[begin] != '\n' && text_[begin] != '#') {
        column_ = begin - at_;
        at_ = begin;
        return true;
      }
      at_ = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
    }
    column_ = 0;
    return false;
  }
  void SkipLine() {
    at_ = std::min(std::min(text_.find('\n', at_), text_.size()) + 1, text_.size());
  }
  void Blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (nest_ > 0 && c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      } else if (c != ' ' && (nest_ == 0 || (c != '\n' && c != '\t'))) {
        return;
      }
    }
  }
  bool Is(std::string_view mark) {
    Blanks();
    if (text_.substr(at_, mark.size()) != mark) return false;
    const std::size_t end = at_ + mark.size();
    return !IsWord(mark[0]) || end >= text_.size() || !IsWord(text_[end]);
  }
  bool Take(std::string_view mark) {
    if (!Is(mark)) return false;
    at_ += mark.size();
    return true;
  }
  Result<void> Need(std::string_view mark) {
    if (Take(mark)) return {};
    return Wrong("expected \"" + std::string(mark) + "\" before \"" +
                 Printable(text_.substr(at_, 20)) + "\"");
  }
  std::string Word() {
    Blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  // A type, up to a mark of `ends` that stands outside all brackets.
  std::string Type(std::string_view ends) {
    Blanks();
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && ends.find(c) != std::string_view::npos) break;
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      if (depth < 0) break;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

 protected:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  int nest_ = 0;
};

}  // namespace opscope::torchscript
