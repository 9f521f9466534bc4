// Internal to base: UTF-8 code point by code point.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opscope {

inline constexpr char32_t kReplacement = 0xfffd;

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t bytes = 1;  // that it takes in the text; of an invalid sequence, those to replace
  bool valid = false;
};

// The code point at the beginning of `text`, which is not empty.
CodePoint NextCodePoint(std::string_view text);
void AppendUtf8(char32_t c, std::string& out);
// Columns on a terminal: 0, 1 or 2.
std::size_t CodePointWidth(char32_t c);

}  // namespace opscope
