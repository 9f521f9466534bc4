// Numbers as people read them. Every rounding of every output happens here, so that no two outputs
// can disagree. ASCII only ("us", not a Greek letter) and without a locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opscope/int128.h"

namespace opscope {

// A unit of time for a whole column, chosen so that its largest value has `digits` digits.
struct TimeUnit {
  std::string_view name;  // "ns", "us", "ms", "s"
  std::int64_t nanos = 1;
  int decimals = 0;
};
TimeUnit TimeUnitFor(std::int64_t largest_ns, int digits = 4);
// "3.412" in that unit.
std::string TimeIn(const TimeUnit& unit, std::int64_t nanos);
// Four digits with the unit that suits the value: "24.12 ms", "850 ns", "1.203 s".
std::string FormatTime(std::int64_t nanos);

// Three digits with a decimal prefix: "1.09 G", "212 M", "999"; with a unit "1.09 GMAC".
std::string FormatCount(Int128 value, std::string_view unit = {});
// Two or three digits with a binary prefix: "5.7 MiB", "41.3 MiB", "512 B".
std::string FormatBytes(Int128 bytes);
// All digits, in groups: "1,235,496".
std::string FormatInteger(Int128 value);
// A share of 1: "13.9 %".
std::string FormatPercent(double share, int decimals = 1);
// Like FormatPercent with its sign: "+2 %".
std::string FormatChange(double share, int decimals = 0);
// `digits` significant digits, never an exponent below 1e15: "124.4", "0.0312".
std::string FormatNumber(double value, int digits = 4);
// Fixed decimals: "12.30".
std::string FormatFixed(double value, int decimals);

}  // namespace opscope
