// Losses over classes: the class axis is 1, what follows are points.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// Unreduced: the shape of the targets, which is that of the scores without their class axis.
Result<Shape> LossShape(const OpContext& op) {
  if (op.String("reduction").value_or("mean") != "none") return ShapeOf({});
  const Shape& scores = op.in(0).shape;
  if (!scores.known_rank()) return op.in(1).shape;
  if (scores.rank() < 2) return op.Problem("scores of rank " + std::to_string(scores.rank()));
  Dims out = *scores.dims;
  out.erase(out.begin() + 1);
  return ShapeOf(std::move(out));
}

Result<void> InferLoss(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  TRY_ASSIGN(Shape loss, LossShape(op));
  SetOutput(op, 0, op.in(0).dtype, std::move(loss));
  SetOutput(op, 1, op.in(0).dtype, op.in(0).shape);  // SoftmaxCrossEntropyLoss's log_prob
  return {};
}

// One element is picked for each target.
Work PickWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(1).shape), ElementsOf(op, op.out(0).shape)};
}

// A softmax over the classes, and the logarithm of what is picked.
Work CrossEntropyWork(const OpContext& op) {
  return work::Softmax{ElementsOf(op, op.in(1).shape), DimAt(op.in(0).shape, 1)};
}

constexpr OpEntry kOps[] = {
    {.op = "NegativeLogLikelihoodLoss",
     .infer = InferLoss,
     .work = PickWork,
     .rule = "reduction",
     .roles = "xcw"},
    {.op = "SoftmaxCrossEntropyLoss",
     .infer = InferLoss,
     .work = CrossEntropyWork,
     .rule = "softmax",
     .roles = "xcw"},
};

}  // namespace

std::span<const OpEntry> LossOps() { return kOps; }

}  // namespace opscope::onnx
