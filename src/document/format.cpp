#include "document/format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/checked.h"

namespace opscope {
namespace {

struct Prefix {
  std::string_view name;
  double factor;
};

// Decimals that leave `digits` significant digits of a value of at least 1.
int DecimalsFor(double value, int digits) {
  double bound = 10;
  int decimals = digits - 1;
  while (decimals > 0 && std::abs(value) >= bound) {
    bound *= 10;
    --decimals;
  }
  return decimals;
}

// The value in the largest prefix that leaves at least 1, rounding included: 999.9996 k is 1.00 M.
template <std::size_t N>
std::string WithPrefix(double value, const std::array<Prefix, N>& prefixes, int digits,
                       std::string_view unit) {
  std::size_t at = 0;
  while (at + 1 < N) {
    const double scaled = std::abs(value) / prefixes[at].factor;
    const double limit = prefixes[at + 1].factor / prefixes[at].factor;
    if (scaled < limit && FormatFixed(scaled, 0) != FormatFixed(limit, 0)) break;
    ++at;
  }
  const double scaled = value / prefixes[at].factor;
  const int decimals = at == 0 ? 0 : DecimalsFor(scaled, digits);
  std::string out = FormatFixed(scaled, decimals);
  if (prefixes[at].name.empty() && unit.empty()) return out;
  return out + " " + std::string(prefixes[at].name) + std::string(unit);
}

}  // namespace

std::string FormatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  // 1e300 with all its digits is 301 characters.
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  std::string out(buffer.data(), end);
  // -0.00 is 0.00.
  if (out.front() == '-' && out.find_first_not_of("-0.") == std::string::npos) out.erase(0, 1);
  return out;
}

TimeUnit TimeUnitFor(std::int64_t largest_ns, int digits) {
  constexpr std::array<TimeUnit, 4> kUnits = {
      {{"ns", 1, 0}, {"us", 1'000, 0}, {"ms", 1'000'000, 0}, {"s", 1'000'000'000, 0}}};
  TimeUnit best = kUnits.front();
  for (const TimeUnit& unit : kUnits) {
    if (largest_ns >= unit.nanos) best = unit;
  }
  if (best.nanos > 1)
    best.decimals =
        DecimalsFor(static_cast<double>(largest_ns) / static_cast<double>(best.nanos), digits);
  return best;
}

std::string TimeIn(const TimeUnit& unit, std::int64_t nanos) {
  return FormatFixed(static_cast<double>(nanos) / static_cast<double>(unit.nanos), unit.decimals);
}

std::string FormatTime(std::int64_t nanos) {
  constexpr std::array<Prefix, 4> kPrefixes = {{{"n", 1}, {"u", 1e3}, {"m", 1e6}, {"", 1e9}}};
  return WithPrefix(static_cast<double>(nanos), kPrefixes, 4, "s");
}

std::string FormatCount(Int128 value, std::string_view unit) {
  constexpr std::array<Prefix, 7> kPrefixes = {
      {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}}};
  return WithPrefix(static_cast<double>(value), kPrefixes, 3, unit);
}

std::string FormatBytes(Int128 bytes) {
  constexpr double kKi = 1024;
  constexpr std::array<Prefix, 6> kPrefixes = {{{"", 1},
                                                {"Ki", kKi},
                                                {"Mi", kKi * kKi},
                                                {"Gi", kKi * kKi * kKi},
                                                {"Ti", kKi * kKi * kKi * kKi},
                                                {"Pi", kKi * kKi * kKi * kKi * kKi}}};
  const double value = static_cast<double>(bytes);
  std::size_t at = 0;
  while (at + 1 < kPrefixes.size() && std::abs(value) / kPrefixes[at].factor >= 1023.5) ++at;
  const double scaled = value / kPrefixes[at].factor;
  const int decimals = at == 0 || std::abs(scaled) >= 99.95 ? 0 : 1;
  return FormatFixed(scaled, decimals) + " " + std::string(kPrefixes[at].name) + "B";
}

std::string FormatInteger(Int128 value) {
  std::string out = ToDecimal(value);
  const std::size_t first = out.front() == '-' ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) {
    at -= 3;
    out.insert(at, 1, ',');
  }
  return out;
}

std::string FormatPercent(double share, int decimals) {
  return FormatFixed(share * 100, decimals) + " %";
}

std::string FormatChange(double share, int decimals) {
  const std::string out = FormatPercent(share, decimals);
  return out.front() == '-' || out.front() == 'n' ? out : "+" + out;
}

std::string FormatNumber(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "n/a";
  const double size = std::abs(value);
  int decimals = DecimalsFor(size, digits);
  for (double bound = 1; decimals < 12 && size < bound; bound /= 10) ++decimals;
  std::string out = FormatFixed(value, decimals);
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

}  // namespace opscope
