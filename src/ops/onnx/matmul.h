// A matrix product as numpy has it, of shapes that a dialect may have transposed.
#pragma once

#include "ops/infer.h"

namespace opscope::onnx {

Result<Shape> ProductShape(const OpContext& op, const Shape& a, const Shape& b);
// Needs the shape of output 0.
work::MatrixProduct ProductWork(const OpContext& op, const Shape& a, const Shape& b);

}  // namespace opscope::onnx
