// The families of ncnn's layers, and of the modules and functions that pnnx writes.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::ncnn {

std::span<const Dialect> Dialects();

std::span<const OpEntry> ConvOps();
std::span<const OpEntry> ElementwiseOps();
std::span<const OpEntry> MatMulOps();
std::span<const OpEntry> NormOps();
std::span<const OpEntry> PlainOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> ReshapeOps();
std::span<const OpEntry> ShapeOps();
std::span<const OpEntry> VisionOps();
std::span<const OpEntry> TracedOps();

}  // namespace opscope::ncnn
