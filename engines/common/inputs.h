// Inputs by type: what a model of this kind would see, from a seed, the same bytes on every
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/common/engine.h"

namespace opscope::child {

// The values of one input, dense, row-major, in the machine's byte order.
struct Array {
  std::vector<std::int64_t> shape;
  std::string bytes;                 // of all dtypes but string
  std::vector<std::string> strings;  // of dtype string
  std::string fill;                  // in words, for the report: "ids 0..30521"
};

// Bits of an element; 0 for strings and for what is no dtype of ours.
int BitsOf(std::string_view dtype);
// Bytes of `count` elements (4-bit and 2-bit ones are packed); an error when it overflows or is
// beyond what any machine holds.
Result<std::size_t> BytesOf(std::string_view dtype, const std::vector<std::int64_t>& shape);

// By name, type and shape; `given` may be null. Errors: "input" (no such dtype, too large).
Result<Array> MakeArray(const Value& input, const GivenValues* given, std::uint64_t seed);

}  // namespace opscope::child
