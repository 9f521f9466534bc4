// Sequences and optionals. Of a sequence the dtype and the shape that all its elements share are
// known; its length is not.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// The shape that two tensors have in common.
Shape Common(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return {};
  Dims out = *a.dims;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != (*b.dims)[i]) out[i] = Dim();
  }
  return ShapeOf(std::move(out));
}

void SetSequence(OpContext& op, DType dtype, Shape shape) {
  SetOutput(op, 0, dtype, std::move(shape));
  op.out(0).kind = ValueKind::kSequence;
}

Result<void> InferConstruct(OpContext& op) {
  Shape shape = op.in(0).shape;
  for (std::size_t i = 1; i < op.inputs(); ++i) shape = Common(shape, op.in(i).shape);
  SetSequence(op, CommonDType(op), std::move(shape));
  return {};
}

// Nothing is known of the elements until one is inserted.
Result<void> InferEmpty(OpContext& op) {
  SetSequence(op, DTypeAttribute(op, "dtype", DType::kFloat32), {});
  return {};
}

Result<void> InferInsert(OpContext& op) {
  const TensorFact& sequence = op.in(0);
  SetSequence(op, CommonDType(op), Common(sequence.shape, op.in(1).shape));
  return {};
}

Result<void> InferErase(OpContext& op) {
  SetSequence(op, op.in(0).dtype, op.in(0).shape);
  return {};
}

Result<void> InferElement(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  return {};
}

Result<void> InferLength(OpContext& op) {
  SetOutput(op, 0, DType::kInt64, ShapeOf({}));
  return {};
}

// Joined along `axis`, whose size hangs on the length of the sequence; `new_axis` adds it.
Result<void> InferConcat(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  const bool added = op.IntOr("new_axis", 0) != 0;
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), out.size() + (added ? 1 : 0)));
  const Dim size = op.DataDependent("length");
  if (added) {
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), size);
  } else {
    out[axis] = size;
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Without sizes the parts have size 1, and the axis goes unless keepdims; a scalar gives the size
// of all parts (the last may be smaller), a list each one's.
Result<void> InferSplit(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetSequence(op, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), out.size()));
  if (op.has(1)) {
    const auto& sizes = op.in(1).ints;
    const bool equal =
        sizes && !sizes->empty() &&
        std::all_of(sizes->begin(), sizes->end(), [&](Dim size) { return size == sizes->front(); });
    const bool divides = equal && op.dims().ExactQuotient(out[axis], sizes->front()).has_value();
    out[axis] = divides ? sizes->front() : Dim();
  } else if (op.IntOr("keepdims", 1) != 0) {
    out[axis] = 1;
  } else {
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferOptional(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  op.out(0).kind = ValueKind::kOptional;
  return {};
}

Result<void> InferHasElement(OpContext& op) {
  SetOutput(op, 0, DType::kBool, ShapeOf({}));
  return {};
}

constexpr OpEntry Sequence(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement"};
}

constexpr OpEntry kOps[] = {
    Sequence("ConcatFromSequence", InferConcat),
    Sequence("Optional", InferOptional),
    Sequence("OptionalGetElement", InferElement),
    Sequence("SequenceAt", InferElement),
    Sequence("SequenceConstruct", InferConstruct),
    Sequence("SequenceEmpty", InferEmpty),
    Sequence("SequenceErase", InferErase),
    Sequence("SequenceInsert", InferInsert),
    Sequence("SplitToSequence", InferSplit),
    {.op = "OptionalHasElement", .infer = InferHasElement, .work = NoWork, .rule = "nothing"},
    {.op = "SequenceLength", .infer = InferLength, .work = NoWork, .rule = "nothing"},
};

}  // namespace

std::span<const OpEntry> SequenceOps() { return kOps; }

}  // namespace opscope::onnx
