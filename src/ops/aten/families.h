// The op families of PyTorch: one file each, each a table. `dialects.cpp` lists them.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::aten {

std::span<const Dialect> Dialects();

// Domain "aten".
std::span<const OpEntry> AttentionOps();
std::span<const OpEntry> ConvOps();
std::span<const OpEntry> CreateOps();
std::span<const OpEntry> GatherOps();
std::span<const OpEntry> LinearOps();
std::span<const OpEntry> MoveOps();
std::span<const OpEntry> NormOps();
std::span<const OpEntry> PointwiseOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> ReduceOps();
std::span<const OpEntry> ResampleOps();
std::span<const OpEntry> RnnOps();
std::span<const OpEntry> SplitOps();
std::span<const OpEntry> ViewOps();
// "higher_order": ops that take graphs.
std::span<const OpEntry> ControlOps();
std::span<const OpEntry> FlexOps();
// "operator": Python's arithmetic on sizes.
std::span<const OpEntry> ScalarOps();
// "quantized_decomposed".
std::span<const OpEntry> QuantisedOps();
// "torchvision".
std::span<const OpEntry> VisionOps();

// The dtypes and sizes of scalars of Python, also as ATen's ops (aten::mul.int of TorchScript).
Result<void> InferScalar(OpContext& op);

}  // namespace opscope::aten
