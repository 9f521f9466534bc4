// Between real and quantised numbers.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

// Layouts of the GPU's int8 products; the shape stays.
Result<void> InferWithOrder(OpContext& op) {
  SetOutput(op, 0, DType::kInt8, op.in(0).shape);
  return {};
}

Result<void> InferFromOrder(OpContext& op) {
  SetOutput(op, 0, DTypeAttribute(op, "to", DType::kFloat32), op.in(0).shape);
  return {};
}

// Block floating point: bytes whose number the block format decides; the shape travels beside them.
Result<void> InferToBlocks(OpContext& op) {
  SetOutput(op, 0, DType::kUInt8, ShapeOf({op.DataDependent("bytes")}));
  const Shape& in = op.in(0).shape;
  const Shape list = ShapeOf({in.known_rank() ? Dim(static_cast<std::int64_t>(in.rank())) : Dim()});
  SetOutput(op, 1, DType::kInt64, list);
  SetOutput(op, 2, DType::kInt64, list);
  if (in.known_rank()) op.out(1).ints = *in.dims;
  return {};
}

Result<void> InferFromBlocks(OpContext& op) {
  const auto& shape = op.in(1).ints;
  SetOutput(op, 0, DTypeAttribute(op, "dtype", DType::kFloat32),
            shape.has_value() ? ShapeOf(*shape) : Shape{});
  return {};
}

constexpr OpEntry Quantise(std::string_view op, InferFn infer, std::string_view roles) {
  return {.op = op, .infer = infer, .work = QuantiseWork, .rule = "quantise", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Quantise("DequantizeBFP", InferFromBlocks, "xcc"),
    Quantise(
        "DequantizeLinear", [](OpContext& op) { return InferAs(op, "DequantizeLinear"); }, "www"),
    Quantise("DequantizeWithOrder", InferFromOrder, "xw"),
    Quantise("QuantizeBFP", InferToBlocks, "x"),
    Quantise(
        "QuantizeLinear", [](OpContext& op) { return InferAs(op, "QuantizeLinear"); }, "xww"),
    Quantise("QuantizeWithOrder", InferWithOrder, "xw"),
};

}  // namespace

std::span<const OpEntry> QuantiseOps() { return kOps; }

}  // namespace opscope::contrib
