// Narrow floating types as bit patterns, rounded to nearest, ties to even (IEEE 754).
#pragma once

#include <cstdint>
#include <cstring>

namespace opscope::child {

inline std::uint32_t FloatBits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// bfloat16: the upper half of a float. 1.0f -> 0x3f80. NaN stays NaN.
inline std::uint16_t BrainBits(float value) {
  const std::uint32_t bits = FloatBits(value);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// float16. 1.0f -> 0x3c00, 65520.0f -> 0x7c00 (infinity), 2^-24 -> 0x0001.
inline std::uint16_t HalfBits(float value) {
  const std::uint32_t bits = FloatBits(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
  const auto rounded = [](std::uint32_t number, std::uint32_t shift) {
    const std::uint32_t kept = number >> shift;
    const std::uint32_t rest = number & ((1U << shift) - 1), half = 1U << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1U)) ? 1U : 0U);
  };
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent >= 113)  // normal: 2^-14 and up
    return static_cast<std::uint16_t>(sign | rounded(magnitude - (112U << 23), 13));
  if (exponent < 102) return static_cast<std::uint16_t>(sign);
  const std::uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
  return static_cast<std::uint16_t>(sign | rounded(mantissa, 126 - exponent));
}

}  // namespace opscope::child
