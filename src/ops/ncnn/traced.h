// What pnnx writes: modules and functions of torch, with the types that the tracer saw.
#pragma once

#include "ops/infer.h"

namespace opscope::ncnn {

// Shapes are the traced ones as long as the inputs have theirs; else only the rank is known.
Result<void> InferTraced(OpContext& op);

}  // namespace opscope::ncnn
