// One input, one output of the same shape.
#include "ops/onnx/entry.h"
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// Input 0 to the dtype of the file.
Result<void> InferCast(OpContext& op) {
  TRY(InferSame(op));
  FoldCast(op);
  return {};
}

// Float16 weights become float32, quantised ones real.
Work DequantiseWork(const OpContext& op) {
  if (IsFloating(op.in(0).dtype)) return onnx::CastWork(op);
  return work::Quantise{ElementsOf(op, op.out(0).shape)};
}

std::string_view DequantiseLike(const Model& model, const Node& node) {
  const bool cast = !node.inputs.empty() && node.inputs[0].valid() &&
                    IsFloating(model.tensor(node.inputs[0]).declared.dtype);
  return cast ? "Cast" : "DequantizeLinear";
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

// Over the channels of every point.
Work L2Work(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const bool known = in.known_rank() && in.rank() > 0;
  return work::Normalisation{.rows = known ? ProductOf(op, in, 0, in.rank() - 1) : Dim(),
                             .n = known ? in.dims->back() : Dim(),
                             .folded = true,
                             .centred = false};
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() == 0) return work::Softmax{};
  return work::Softmax{ProductOf(op, in, 0, in.rank() - 1), in.dims->back()};
}

// Elements are followed where the counterpart in ai.onnx follows them.
Result<void> InferAbs(OpContext& op) { return InferAs(op, "Abs"); }
Result<void> InferCeil(OpContext& op) { return InferAs(op, "Ceil"); }
Result<void> InferFloor(OpContext& op) { return InferAs(op, "Floor"); }
Result<void> InferNeg(OpContext& op) { return InferAs(op, "Neg"); }
Result<void> InferNot(OpContext& op) { return InferAs(op, "Not"); }
Result<void> InferRelu(OpContext& op) { return InferAs(op, "Relu"); }
Result<void> InferRound(OpContext& op) { return InferAs(op, "Round"); }
Result<void> InferSqrt(OpContext& op) { return InferAs(op, "Sqrt"); }

// Without a counterpart the op has a row of its own in the element-wise table.
constexpr OpEntry Unary(std::string_view op, std::string_view like = "",
                        InferFn infer = InferSame) {
  return entry::Pointwise(op, like, infer);
}

constexpr OpEntry kOps[] = {
    Unary("ABS", "Abs", InferAbs),
    Unary("CEIL", "Ceil", InferCeil),
    Unary("COMPLEX_ABS"),
    Unary("COS", "Cos"),
    Unary("ELU", "Elu"),
    Unary("EXP", "Exp"),
    Unary("FAKE_QUANT"),
    Unary("FLOOR", "Floor", InferFloor),
    Unary("GELU", "Gelu"),
    Unary("HARD_SWISH", "HardSwish"),
    Unary("LEAKY_RELU", "LeakyRelu"),
    Unary("LOG", "Log"),
    Unary("LOGICAL_NOT", "Not", InferNot),
    Unary("LOGISTIC", "Sigmoid"),
    Unary("NEG", "Neg", InferNeg),
    Unary("RELU", "Relu", InferRelu),
    Unary("RELU6", "Clip"),
    Unary("RELU_0_TO_1", "Clip"),
    Unary("RELU_N1_TO_1", "Clip"),
    Unary("ROUND", "Round", InferRound),
    Unary("RSQRT"),
    Unary("SIGN", "Sign"),
    Unary("SIN", "Sin"),
    Unary("SQRT", "Sqrt", InferSqrt),
    Unary("SQUARE"),
    Unary("TANH", "Tanh"),
    {.op = "CAST", .infer = InferCast, .work = onnx::CastWork, .rule = "movement", .like = "Cast"},
    {.op = "DEQUANTIZE",
     .infer = InferSame,
     .work = DequantiseWork,
     .rule = "quantise",
     .roles = "w",
     .like_of = DequantiseLike},
    {.op = "L2_NORMALIZATION",
     .infer = InferSame,
     .work = L2Work,
     .rule = "normalisation",
     .like = "LpNormalization"},
    {.op = "LOCAL_RESPONSE_NORMALIZATION",
     .infer = InferSame,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .like = "LRN"},
    {.op = "LOG_SOFTMAX",
     .infer = InferSame,
     .work = SoftmaxWork,
     .rule = "softmax",
     .like = "LogSoftmax"},
    {.op = "QUANTIZE",
     .infer = InferSame,
     .work = QuantiseWork,
     .rule = "quantise",
     .like = "QuantizeLinear"},
    {.op = "SOFTMAX",
     .infer = InferSame,
     .work = SoftmaxWork,
     .rule = "softmax",
     .like = "Softmax"},
};

}  // namespace

std::span<const OpEntry> UnaryOps() { return kOps; }

}  // namespace opscope::tflite
