#include "base/decimal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/checked.h"

namespace opscope {

namespace {

// digits * 10^exponent. Digits behind the 25th are dropped (`exact` is then false): they are beyond
// any time in nanoseconds and cannot move a rounding that the first 25 decide.
struct Decimal {
  Int128 digits = 0;
  std::int64_t exponent = 0;
  bool negative = false;
  bool exact = true;
};

constexpr int kMaxDigits = 25;
constexpr std::int64_t kMaxExponent = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

// Takes digits off the front of `text`; how many there were.
std::size_t TakeDigits(std::string_view& text, bool fraction, int& kept, Decimal& out) {
  std::size_t count = 0;
  for (; count < text.size() && IsDigit(text[count]); ++count) {
    if (kept < kMaxDigits) {
      out.digits = out.digits * 10 + (text[count] - '0');
      kept += out.digits != 0 ? 1 : 0;
      out.exponent -= fraction ? 1 : 0;
    } else {
      out.exact = out.exact && text[count] == '0';
      out.exponent += fraction ? 0 : 1;
    }
  }
  text.remove_prefix(count);
  return count;
}

std::optional<std::int64_t> ParseExponent(std::string_view text) {
  const bool negative = TakeSign(text);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = std::min(value * 10 + (c - '0'), kMaxExponent);
  }
  return negative ? -value : value;
}

// [+-] digits [. digits] [e [+-] digits], at least one digit before the exponent
std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal out;
  int kept = 0;
  out.negative = TakeSign(text);
  std::size_t count = TakeDigits(text, false, kept, out);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    count += TakeDigits(text, true, kept, out);
  }
  if (count == 0) return std::nullopt;
  if (text.empty()) return out;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  const auto exponent = ParseExponent(text.substr(1));
  if (!exponent) return std::nullopt;
  out.exponent += *exponent;
  return out;
}

// value * 10^exponent, rounded to the nearest integer, halves up; `exact` turns false if it was.
std::optional<Int128> Shift(Int128 value, std::int64_t exponent, bool& exact) {
  if (value == 0) return value;
  for (; exponent > 0; --exponent) {
    const auto next = CheckedMul<Int128>(value, 10);
    if (!next) return std::nullopt;
    value = *next;
  }
  int last = 0;
  for (; exponent < 0 && (value != 0 || last != 0); ++exponent) {
    exact = exact && last == 0;
    last = static_cast<int>(value % 10);
    value /= 10;
  }
  exact = exact && last == 0;
  return last >= 5 ? value + 1 : value;
}

std::optional<std::int64_t> ToInt64(const Decimal& decimal, std::int64_t unit, bool& exact) {
  const auto scaled = CheckedMul<Int128>(decimal.digits, unit);
  const auto whole = scaled ? Shift(*scaled, decimal.exponent, exact) : std::nullopt;
  if (!whole) return std::nullopt;
  const Int128 value = decimal.negative ? -*whole : *whole;
  using Limits = std::numeric_limits<std::int64_t>;
  if (value < Limits::min() || value > Limits::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The first eight characters as a number; nullopt: they are not all digits. In steps: digits become
// pairs, pairs fours, fours all eight, each step for all of them at once.
std::optional<std::int64_t> EightDigits(std::string_view text) {
  constexpr std::uint64_t kEach = 0x0101010101010101;  // a one in each byte
  if (std::endian::native != std::endian::little || text.size() < 8) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, text.data(), sizeof(value));
  // '0' to '9' are 0x30 to 0x39: the high half is 3, and stays so when 6 is added.
  const std::uint64_t high = kEach * 0xf0, zeros = kEach * 0x30;
  if ((value & high) != zeros || ((value + kEach * 6) & high) != zeros) return std::nullopt;
  value -= zeros;
  value = (value * 10 + (value >> 8)) & 0x00ff00ff00ff00ff;
  value = (value * 100 + (value >> 16)) & 0x0000ffff0000ffff;
  value = (value * 10'000 + (value >> 32)) & 0xffffffff;
  return static_cast<std::int64_t>(value);
}

// What nearly all numbers of a trace look like, without 128-bit arithmetic: at most 18 digits, and
// as few behind the point as the unit has zeros ("1428625731622.25" in units of 1000). Nullopt: the
// general way has to look at it.
std::optional<std::int64_t> ParsePlain(std::string_view text, std::int64_t unit) {
  constexpr int kMostDigits = 18;  // of 19 not all fit 64 bits
  std::int64_t digits = 0;
  int count = 0;
  bool fraction = false;
  if (const auto eight = EightDigits(text)) {
    digits = *eight;
    count = 8;
    text.remove_prefix(8);
  }
  for (const char c : text) {
    if (IsDigit(c)) {
      if (++count > kMostDigits) return std::nullopt;
      digits = digits * 10 + (c - '0');
      if (!fraction) continue;
      if (unit % 10 != 0) return std::nullopt;
      unit /= 10;
    } else if (c == '.' && !fraction) {
      fraction = true;
    } else {
      return std::nullopt;
    }
  }
  if (count == 0) return std::nullopt;
  return CheckedMul<std::int64_t>(digits, unit);
}

}  // namespace

std::optional<Nanos> ParseDecimalTime(std::string_view text, std::int64_t unit_ns) {
  if (const auto plain = ParsePlain(text, unit_ns)) return Nanos{*plain};
  const auto decimal = ParseDecimal(text);
  if (!decimal) return std::nullopt;
  bool exact = decimal->exact;
  const auto value = ToInt64(*decimal, unit_ns, exact);
  return value ? std::optional(Nanos{*value}) : std::nullopt;
}

std::optional<std::int64_t> ParseIntegral(std::string_view text) {
  if (const auto plain = ParsePlain(text, 1)) return plain;
  const auto decimal = ParseDecimal(text);
  if (!decimal) return std::nullopt;
  bool exact = decimal->exact;
  const auto value = ToInt64(*decimal, 1, exact);
  return exact ? value : std::nullopt;
}

}  // namespace opscope
