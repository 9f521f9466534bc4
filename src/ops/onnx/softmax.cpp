// Softmax, LogSoftmax, Hardmax.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// Opset 13 on: over one axis, the last one unless said otherwise.
Work AxisSoftmax(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Softmax{};
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", -1), shape.rank());
  if (!axis.has_value()) return work::Softmax{};
  const Dim before = ProductOf(op, shape, 0, *axis);
  const Dim after = ProductOf(op, shape, *axis + 1, shape.rank());
  return work::Softmax{op.dims().Mul(before, after), (*shape.dims)[*axis]};
}

// Below opset 13: the input is taken as a matrix whose columns are all dims from `axis` on.
Work FlattenedSoftmax(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Softmax{};
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", 1), shape.rank());
  if (!axis.has_value()) return work::Softmax{};
  return work::Softmax{ProductOf(op, shape, 0, *axis), ProductOf(op, shape, *axis, shape.rank())};
}

constexpr OpEntry Flattened(std::string_view op) {
  return {.op = op, .until = 12, .infer = SameAsInput, .work = FlattenedSoftmax, .rule = "softmax"};
}

constexpr OpEntry OverAxis(std::string_view op) {
  return {.op = op, .since = 13, .infer = SameAsInput, .work = AxisSoftmax, .rule = "softmax"};
}

constexpr OpEntry kOps[] = {
    Flattened("Hardmax"),   OverAxis("Hardmax"),  Flattened("LogSoftmax"),
    OverAxis("LogSoftmax"), Flattened("Softmax"), OverAxis("Softmax"),
};

}  // namespace

std::span<const OpEntry> SoftmaxOps() { return kOps; }

}  // namespace opscope::onnx
