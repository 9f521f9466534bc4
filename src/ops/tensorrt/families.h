// The layers of TensorRT engines (domain tensorrt): their shapes stand in the file, their work
// follows from shapes and parameters.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::tensorrt {

std::span<const Dialect> Dialects();

std::span<const OpEntry> ComputeOps();
std::span<const OpEntry> ElementOps();

}  // namespace opscope::tensorrt
