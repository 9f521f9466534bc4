// Quantisation as torch writes it into graphs: the numbers beside the tensor are arguments.
#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

Result<void> InferQuantise(OpContext& op) {
  SetOutput(op, 0, DTypeArg(op, "dtype", DType::kInt8), op.in(0).shape);
  return {};
}
Result<void> InferDequantise(OpContext& op) {
  SetOutput(op, 0, DTypeArg(op, "out_dtype", DType::kFloat32), op.in(0).shape);
  return {};
}
Result<void> InferSame(OpContext& op) { return SameAsInput(op); }
// Scale and zero point of a tensor.
Result<void> InferChoose(OpContext& op) {
  SetOutput(op, 0, DType::kFloat64, ShapeOf({1}));
  SetOutput(op, 1, DType::kInt64, ShapeOf({1}));
  return {};
}
Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }
Work ChooseWork(const OpContext& op) { return work::Reduction{ElementsOf(op, op.in(0).shape), 1}; }

constexpr OpEntry Step(std::string_view op, InferFn infer, std::string_view like) {
  return {.op = op,
          .infer = infer,
          .work = QuantiseWork,
          .rule = "quantise",
          .roles = "xww",
          .like = like};
}
constexpr OpEntry Choose(std::string_view op) {
  return {
      .op = op, .infer = InferChoose, .work = ChooseWork, .rule = "reduction", .like = "ReduceMax"};
}

constexpr OpEntry kOps[] = {
    Step("quantize_per_tensor", InferQuantise, "QuantizeLinear"),
    Step("quantize_per_channel", InferQuantise, "QuantizeLinear"),
    Step("quantize_per_channel_group", InferQuantise, "QuantizeLinear"),
    Step("quantize_per_token", InferQuantise, "QuantizeLinear"),
    Step("dequantize_per_tensor", InferDequantise, "DequantizeLinear"),
    Step("dequantize_per_channel", InferDequantise, "DequantizeLinear"),
    Step("dequantize_per_channel_group", InferDequantise, "DequantizeLinear"),
    Step("dequantize_per_token", InferDequantise, "DequantizeLinear"),
    Step("fake_quant_per_channel", InferSame, "QuantizeLinear"),
    Choose("choose_qparams"),
    Choose("choose_qparams_symmetric"),
};

}  // namespace

std::span<const OpEntry> QuantisedOps() { return kOps; }

}  // namespace opscope::aten
