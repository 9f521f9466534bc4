// Random tensors, and Dropout.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// RandomNormal, RandomUniform: shape and dtype are attributes.
Result<void> InferRandom(OpContext& op) {
  const auto shape = op.Ints("shape");
  if (!shape.has_value()) return op.Problem("attribute \"shape\" is missing");
  SetOutput(op, 0, DTypeAttribute(op, "dtype", DType::kFloat32),
            ShapeOf({shape->begin(), shape->end()}));
  return {};
}

Result<void> InferRandomLike(OpContext& op) {
  SetOutput(op, 0, DTypeAttribute(op, "dtype", op.in(0).dtype), op.in(0).shape);
  return {};
}

// [batch, classes] of weights become [batch, sample_size] of class numbers.
Result<void> InferMultinomial(OpContext& op) {
  SetOutput(op, 0, DTypeAttribute(op, "dtype", DType::kInt32),
            ShapeOf({DimAt(op.in(0).shape, 0), op.IntOr("sample_size", 1)}));
  return {};
}

// It only acts in training: training_mode, an input from opset 12 on; is_test = 0 below 7.
bool Drops(const OpContext& op) {
  if (op.opset() < 7) return op.IntOr("is_test", 0) == 0 && op.has_output(1);
  return op.opset() >= 12 && op.has(2) && SingleInteger(op.in(2)) != 0;
}

// In inference output 0 is the input. The mask is bool from opset 10 on.
Result<void> InferDropout(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape);
  SetOutput(op, 1, op.opset() < 10 ? in.dtype : DType::kBool, in.shape);
  if (Drops(op)) return {};
  CopyElements(in, op.out(0));
  ShareInput(op);
  return {};
}

Work DropoutWork(const OpContext& op) { return Drops(op) ? PointwiseWork(op) : Work(work::View{}); }

constexpr OpEntry Random(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ElementwiseWork, .rule = "elementwise", .roles = "c"};
}

constexpr OpEntry kOps[] = {
    Random("Bernoulli", InferRandomLike),
    Random("Multinomial", InferMultinomial),
    Random("RandomNormal", InferRandom),
    Random("RandomNormalLike", InferRandomLike),
    Random("RandomUniform", InferRandom),
    Random("RandomUniformLike", InferRandomLike),
    {.op = "Dropout", .infer = InferDropout, .work = DropoutWork, .rule = "view", .roles = "xc"},
};

}  // namespace

std::span<const OpEntry> RandomOps() { return kOps; }

}  // namespace opscope::onnx
