// The op families of the ONNX dialect: one file each, each a table. `dialects.cpp` lists them.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::onnx {

std::span<const Dialect> Dialects();

std::span<const OpEntry> BinaryOps();
std::span<const OpEntry> ConstantOps();
std::span<const OpEntry> ControlOps();
std::span<const OpEntry> ConvOps();
std::span<const OpEntry> EinsumOps();
std::span<const OpEntry> AttentionOps();
std::span<const OpEntry> DetectionOps();
std::span<const OpEntry> GatherOps();
std::span<const OpEntry> LossOps();
std::span<const OpEntry> MatMulOps();
std::span<const OpEntry> MoveOps();
std::span<const OpEntry> NormalisationOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> QuantiseOps();
std::span<const OpEntry> RandomOps();
std::span<const OpEntry> ReduceOps();
std::span<const OpEntry> ResizeOps();
std::span<const OpEntry> RnnOps();
std::span<const OpEntry> SequenceOps();
std::span<const OpEntry> ShapeOps();
std::span<const OpEntry> SignalOps();
std::span<const OpEntry> SliceOps();
std::span<const OpEntry> SoftmaxOps();
std::span<const OpEntry> StateOps();
std::span<const OpEntry> TextOps();
std::span<const OpEntry> UnaryOps();
// Of the domain ai.onnx.ml.
std::span<const OpEntry> MlOps();
std::span<const OpEntry> TreeOps();
// Of ai.onnx.preview and ai.onnx.preview.training.
std::span<const OpEntry> PreviewOps();
std::span<const OpEntry> TrainingOps();

}  // namespace opscope::onnx
