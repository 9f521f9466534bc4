// Internal to base: how the JSON reader looks at bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace opscope::json {

enum ByteClass : unsigned char {
  kBlank = 1,       // between tokens
  kWordByte = 2,    // numbers and bare words; everything else ends them
  kStructural = 4,  // strings and brackets: all that skipping looks at
  kSpecial = 8,     // inside strings: the end, escapes and what should have been escaped
};

inline constexpr std::array<unsigned char, 256> kClasses = [] {
  std::array<unsigned char, 256> table{};
  const auto add = [&](std::string_view bytes, ByteClass what) {
    for (const char c : bytes) table[static_cast<unsigned char>(c)] |= what;
  };
  add(" \n\r\t", kBlank);
  add("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+.", kWordByte);
  add("\"{}[]", kStructural);
  add("\"\\", kSpecial);
  for (int c = 0; c < 0x20; ++c) table[static_cast<unsigned char>(c)] |= kSpecial;
  return table;
}();

inline bool Is(char c, ByteClass what) {
  return (kClasses[static_cast<unsigned char>(c)] & what) != 0;
}
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The first byte at or behind `at` that is (not) of a class, or the end.
inline std::size_t FindNot(std::string_view text, std::size_t at, ByteClass what) {
  while (at < text.size() && Is(text[at], what)) ++at;
  return at;
}
inline std::size_t Find(std::string_view text, std::size_t at, ByteClass what) {
  while (at < text.size() && !Is(text[at], what)) ++at;
  return at;
}

// Sixteen bytes at once, by the vector types of gcc and clang.
using Block = unsigned char __attribute__((vector_size(16)));
inline constexpr std::size_t kBlock = sizeof(Block);

inline Block LoadBlock(std::string_view text, std::size_t at) {
  Block block;
  std::memcpy(&block, text.data() + at, kBlock);
  return block;
}

// The first lane that a comparison found; kBlock when there is none.
template <class Mask>
inline std::size_t FirstOf(const Mask& found) {
  std::uint64_t halves[2];
  static_assert(sizeof halves == sizeof found);
  std::memcpy(halves, &found, sizeof halves);
  if constexpr (std::endian::native == std::endian::big)
    for (std::uint64_t& half : halves) half = __builtin_bswap64(half);
  if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
  if (halves[1] != 0) return 8 + static_cast<std::size_t>(std::countr_zero(halves[1])) / 8;
  return kBlock;
}

// The first quote, backslash or control character at or behind `at`, or the end.
inline std::size_t FindSpecial(std::string_view text, std::size_t at) {
  for (; at + kBlock <= text.size(); at += kBlock) {
    const Block bytes = LoadBlock(text, at);
    const std::size_t found = FirstOf((bytes == '"') | (bytes == '\\') | (bytes < 0x20));
    if (found != kBlock) return at + found;
  }
  return Find(text, at, kSpecial);
}

// The first byte that is not blank at or behind `at`, or the end.
inline std::size_t FindToken(std::string_view text, std::size_t at) {
  if (at < text.size() && !Is(text[at], kBlank)) return at;
  for (; at + kBlock <= text.size(); at += kBlock) {
    const Block bytes = LoadBlock(text, at);
    const std::size_t found =
        FirstOf((bytes != ' ') & (bytes != '\n') & (bytes != '\r') & (bytes != '\t'));
    if (found != kBlock) return at + found;
  }
  return FindNot(text, at, kBlank);
}

// RFC 8259: [-] int [. digits] [e [+-] digits], without leading zeros
inline bool IsNumber(std::string_view text) {
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
inline bool IsNotFinite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string lower(text.substr(0, 9));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace opscope::json
