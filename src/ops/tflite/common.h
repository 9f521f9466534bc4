// What the families of TFLite's operators share. Channels stand last (NHWC).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ops/onnx/common.h"
#include "ops/onnx/window.h"

namespace opscope::tflite {

using onnx::ElementwiseWork;
using onnx::MovementWork;
using onnx::NoWork;
using onnx::PointwiseWork;
using onnx::ReadOutputWork;
using onnx::ViewWork;

// Shape function of the newest ai.onnx op of that name, for ops that mean the same. The dtypes of
// the outputs are those of the file.
Result<void> InferAs(OpContext& op, std::string_view name);

// The dtype that the file has for an output, or that of input `input` where it has none.
DType StoredDType(const OpContext& op, std::size_t output, std::size_t input = 0);
// Shapes as the file has them.
Result<void> InferStored(OpContext& op);
// The shape of input 0, the dtype of the file.
Result<void> InferSame(OpContext& op);

// The op of ai.onnx behind `fused_activation_function`; empty for none.
work::Epilogue FusedActivation(const OpContext& op);

// A window over spatial dims that stand at axis 1 …; `names` are the letters of the attributes
// stride_h, dilation_h_factor ("hw", "dhw").
Result<onnx::Window> ReadWindow(const OpContext& op, Dims kernel, std::string_view names);

// Integers of an input, an error when one is negative or past the rank: axes as sorted indices.
std::optional<std::vector<std::int64_t>> IntegersOf(const OpContext& op, std::size_t input);

}  // namespace opscope::tflite
