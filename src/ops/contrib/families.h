// The families of ONNX Runtime's own operators (domain com.microsoft where nothing else is said):
// one file each, each a table. `dialects.cpp` lists them.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::contrib {

std::span<const Dialect> Dialects();

std::span<const OpEntry> AttentionOps();
std::span<const OpEntry> CacheAttentionOps();
std::span<const OpEntry> ConvOps();
std::span<const OpEntry> DecodeOps();
std::span<const OpEntry> ElementwiseOps();
std::span<const OpEntry> ExpertOps();
std::span<const OpEntry> MatMulOps();
std::span<const OpEntry> MoveOps();
std::span<const OpEntry> NamedOps();
std::span<const OpEntry> NBitsOps();
std::span<const OpEntry> NormOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> QuantiseOps();
std::span<const OpEntry> StateOps();
// com.microsoft.nchwc and com.ms.internal.nhwc.
std::span<const OpEntry> NchwcOps();
std::span<const OpEntry> NhwcOps();

}  // namespace opscope::contrib
