#include "base/checked.h"

#include <algorithm>
#include <charconv>

namespace opscope {

std::string ToDecimal(Int128 value) {
  std::string digits;
  const bool negative = value < 0;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<Int128> ParseInt128(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  Int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    // Counted downwards: the smallest value has no positive counterpart.
    const auto tens = CheckedMul<Int128>(value, 10);
    const auto next = tens ? CheckedSub<Int128>(*tens, c - '0') : std::nullopt;
    if (!next) return std::nullopt;
    value = *next;
  }
  return negative ? value : CheckedSub<Int128>(0, value);
}

std::optional<std::int64_t> ParseInt64(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace opscope
