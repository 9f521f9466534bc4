// Reshaping, for every dialect.
#pragma once

#include <span>

#include "ops/infer.h"

namespace opscope::onnx {

// `in` as the shape `wanted`: -1 = what is left, 0 = the input's dim at the same place unless
// zeros are allowed, anything else is taken. An unknown element is like -1 when it is the only one.
Result<Shape> Reshaped(const OpContext& op, const Shape& in, std::span<const Dim> wanted,
                       bool allow_zero);

}  // namespace opscope::onnx
