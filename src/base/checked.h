// Integer arithmetic that says when it overflows. Sizes from files go through these.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "opscope/int128.h"

namespace opscope {

template <class T>
std::optional<T> CheckedAdd(T a, T b) {
  T out{};
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional<T>(out);
}

// The sum, or the limit that it passes.
inline std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  return CheckedAdd(a, b).value_or(b > 0 ? Limits::max() : Limits::min());
}

template <class T>
std::optional<T> CheckedSub(T a, T b) {
  T out{};
  return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional<T>(out);
}

template <class T>
std::optional<T> CheckedMul(T a, T b) {
  T out{};
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional<T>(out);
}

// Decimal text of a 128-bit integer, and back (nullopt unless the whole text is one integer).
std::string ToDecimal(Int128 value);
std::optional<Int128> ParseInt128(std::string_view text);
// The whole text as a signed 64-bit integer; nullopt for anything else, blanks included.
std::optional<std::int64_t> ParseInt64(std::string_view text);

}  // namespace opscope
