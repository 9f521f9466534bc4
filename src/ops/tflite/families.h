// Families of TFLite's operators (domains "tflite" and, of custom ones, "tflite.custom").
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::tflite {

std::span<const Dialect> Dialects();

std::span<const OpEntry> BinaryOps();
std::span<const OpEntry> ControlOps();
std::span<const OpEntry> ConvOps();
std::span<const OpEntry> CustomOps();  // tflite.custom
std::span<const OpEntry> MatMulOps();
std::span<const OpEntry> MoveOps();
std::span<const OpEntry> NamedOps();
std::span<const OpEntry> PoolOps();
std::span<const OpEntry> ReduceOps();
std::span<const OpEntry> RnnOps();
std::span<const OpEntry> ShapeOps();
std::span<const OpEntry> SliceOps();
std::span<const OpEntry> StableHloOps();
std::span<const OpEntry> UnaryOps();

}  // namespace opscope::tflite
