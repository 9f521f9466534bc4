// Between real and quantised numbers.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// The dtype of the zero point, else of the attribute (opset 21 on), else uint8.
Result<void> InferQuantise(OpContext& op) {
  DType dtype = op.in(2).dtype;
  if (dtype == DType::kUnknown && !op.has(2)) {
    dtype = op.IntOr("output_dtype", 0) == 0 ? DType::kUInt8
                                             : DTypeAttribute(op, "output_dtype", dtype);
  }
  SetOutput(op, 0, dtype, op.in(0).shape);
  return {};
}

// The dtype of the scale, unless the attribute says otherwise (opset 23 on).
Result<void> InferDequantise(OpContext& op) {
  const bool stated = op.IntOr("output_dtype", 0) != 0;
  const DType scale = op.in(1).dtype;
  SetOutput(op, 0, stated ? DTypeAttribute(op, "output_dtype", scale) : scale, op.in(0).shape);
  return {};
}

// Scale and zero point are computed from the data.
Result<void> InferDynamicQuantise(OpContext& op) {
  SetOutput(op, 0, DType::kUInt8, op.in(0).shape);
  SetOutput(op, 1, DType::kFloat32, ShapeOf({}));
  SetOutput(op, 2, DType::kUInt8, ShapeOf({}));
  return {};
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

constexpr OpEntry kOps[] = {
    {.op = "DequantizeLinear",
     .infer = InferDequantise,
     .work = QuantiseWork,
     .rule = "quantise",
     .roles = "www"},
    {.op = "DynamicQuantizeLinear",
     .infer = InferDynamicQuantise,
     .work = QuantiseWork,
     .rule = "quantise"},
    {.op = "QuantizeLinear",
     .infer = InferQuantise,
     .work = QuantiseWork,
     .rule = "quantise",
     .roles = "xww"},
};

}  // namespace

std::span<const OpEntry> QuantiseOps() { return kOps; }

}  // namespace opscope::onnx
