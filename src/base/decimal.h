// Decimal text to integers without a double in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace opscope {

// "12.345" in units of `unit_ns` nanoseconds (ms: 1'000'000, us: 1'000) as exact nanoseconds;
// digits below a nanosecond are rounded half up. Accepts sign and exponent; nullopt for anything
// else and out of range.
std::optional<Nanos> ParseDecimalTime(std::string_view text, std::int64_t unit_ns);

}  // namespace opscope
