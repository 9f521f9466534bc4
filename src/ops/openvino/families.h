// Operators of OpenVINO (domain openvino) and the kinds of layers that its execution graphs are
// made of (domain openvino.executed).
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::openvino {

std::span<const Dialect> Dialects();

std::span<const OpEntry> AttentionOps();
std::span<const OpEntry> ControlOps();
std::span<const OpEntry> ConvOps();
std::span<const OpEntry> DetectionOps();
std::span<const OpEntry> ElementwiseOps();
std::span<const OpEntry> GatherOps();
std::span<const OpEntry> MatMulOps();
std::span<const OpEntry> MoveOps();
std::span<const OpEntry> NormalisationOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> ReduceOps();
std::span<const OpEntry> RnnOps();
std::span<const OpEntry> ShapeOps();
std::span<const OpEntry> SignalOps();
// Of openvino.executed.
std::span<const OpEntry> ExecutedOps();

}  // namespace opscope::openvino
