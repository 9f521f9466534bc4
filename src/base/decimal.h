// Decimal text to integers without a double in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace opscope {

// "12.345" in units of `unit_ns` nanoseconds (ms: 1'000'000, us: 1'000) as exact nanoseconds;
// what is below a nanosecond is rounded to the nearest, halves away from zero. Accepts sign and
// exponent; nullopt for anything else and out of range.
std::optional<Nanos> ParseDecimalTime(std::string_view text, std::int64_t unit_ns);

// A decimal number that is integral: "12", "12.0", "1.2e1"; nullopt for anything else.
std::optional<std::int64_t> ParseIntegral(std::string_view text);

}  // namespace opscope
