// One line of the graph text, read word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opscope {

class GraphTextLine {
 public:
  GraphTextLine(std::string_view text, int number) : text_(text), number_(number) {}

  bool AtEnd();
  // Skips blanks; true and past it when `mark` comes next.
  bool Accept(char mark);
  bool AcceptWord(std::string_view word);
  char Peek();  // the next character that is not blank, or 0
  // A bare word: ends at a blank or one of , ( ) [ ] = " #
  std::string Word();
  Result<std::string> Quoted();
  // A bare word or a quoted text.
  Result<std::string> Name();
  Result<std::int64_t> Integer();
  Result<double> Float();
  Result<void> Expect(char mark);
  // "(a, , "c")" as names; an element may be empty.
  Result<std::vector<std::string>> Names();
  Error Problem(const std::string& message) const;
  std::size_t position() const { return at_; }
  void Rewind(std::size_t position) { at_ = position; }

 private:
  void SkipBlanks();

  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
};

}  // namespace opscope
