// Tensors from nothing or from a few numbers: Constant, ConstantOfShape, Range, EyeLike.
#include <algorithm>
#include <cmath>

#include "ops/fold.h"
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

void SetInts(OpContext& op, std::span<const std::int64_t> values, bool scalar) {
  SetOutput(op, 0, DType::kInt64,
            ShapeOf(scalar ? Dims() : Dims{static_cast<std::int64_t>(values.size())}));
  if (values.size() <= kMaxPropagated) op.out(0).ints.emplace(values.begin(), values.end());
}

void SetFloats(OpContext& op, std::span<const float> values, bool scalar) {
  SetOutput(op, 0, DType::kFloat32,
            ShapeOf(scalar ? Dims() : Dims{static_cast<std::int64_t>(values.size())}));
  if (values.size() <= kMaxPropagatedFloats) {
    op.out(0).floats.emplace(values.begin(), values.end());
  }
}

// Exactly one of the value attributes is there.
Result<void> InferConstant(OpContext& op) {
  const Payload* payload = op.PayloadAttribute("value");
  if (payload == nullptr) payload = op.PayloadAttribute("sparse_value");
  if (payload != nullptr) {
    op.out(0) = FactOf(*payload);
  } else if (const auto integer = op.Int("value_int")) {
    SetInts(op, {&*integer, 1}, true);
  } else if (const auto integers = op.Ints("value_ints")) {
    SetInts(op, *integers, false);
  } else if (const auto real = op.Float("value_float")) {
    const auto value = static_cast<float>(*real);
    SetFloats(op, {&value, 1}, true);
  } else if (const auto reals = op.Floats("value_floats")) {
    SetFloats(op, *reals, false);
  } else if (op.String("value_string")) {
    SetOutput(op, 0, DType::kString, ShapeOf({}));
  } else {
    SetOutput(op, 0, DType::kString, UnknownDims(1));  // value_strings
  }
  return {};
}

Result<void> InferConstantOfShape(OpContext& op) {
  TensorFact value;  // a single float 0 unless the attribute says otherwise
  value.dtype = DType::kFloat32;
  value.floats = {0.0};
  if (const Payload* payload = op.PayloadAttribute("value")) value = FactOf(*payload);
  TensorFact& out = op.out(0);
  out.dtype = value.dtype;
  if (op.in(0).ints.has_value()) {
    out.shape = ShapeOf(*op.in(0).ints);
  } else if (const auto rank = KnownLength(op.in(0)); rank && *rank <= kMaxPropagated) {
    out.shape = UnknownDims(*rank);
  }
  if (const auto dims = SmallShape(out.shape)) {
    const std::vector<std::int64_t> still(dims->size(), 0);
    MoveElements(value, out, StridedSource(*dims, still));
  }
  return {};
}

// max(ceil((limit - start) / delta), 0) elements.
Dim RangeLength(const OpContext& op, Dim start, Dim limit, Dim delta) {
  DimTable& dims = op.dims();
  if (!delta.is_number() || delta.number() == 0) return {};
  const bool up = delta.number() > 0;
  const Dim span = up ? dims.Sub(limit, start) : dims.Sub(start, limit);
  const Dim length = dims.CeilDiv(span, up ? delta : dims.Sub(0, delta));
  return dims.AtLeast(length, 0) ? length : dims.Max(length, 0);
}

// The one element of a floating tensor, where it is a whole number (Cast of a size).
Dim WholeDim(const TensorFact& fact) {
  const auto elements = WholeElements(fact);
  return elements.has_value() && elements->size() == 1 ? elements->front() : Dim();
}

void FoldRange(OpContext& op, Dim start, Dim delta) {
  TensorFact& out = op.out(0);
  if (!SmallShape(out.shape) || start.is_unknown() || !IsInteger(out.dtype)) return;
  out.ints.emplace();
  Dim value = start;
  for (std::int64_t i = 0; i < (*out.shape.dims)[0].number(); ++i) {
    out.ints->push_back(value);
    value = op.dims().Add(value, delta);
  }
}

Result<void> InferRange(OpContext& op) {
  SetOutput(op, 0, CommonDType(op), UnknownDims(1));
  Dim& length = (*op.out(0).shape.dims)[0];
  if (IsFloating(op.out(0).dtype)) {
    const auto start = SingleFloat(op.in(0));
    const auto limit = SingleFloat(op.in(1));
    const auto delta = SingleFloat(op.in(2));
    if (start && limit && delta && *delta != 0) {
      const double count = std::max(0.0, std::ceil((*limit - *start) / *delta));
      if (count < 9e15) length = static_cast<std::int64_t>(count);
    } else {
      length = RangeLength(op, WholeDim(op.in(0)), WholeDim(op.in(1)), WholeDim(op.in(2)));
    }
  } else {
    length = RangeLength(op, SingleDim(op.in(0)), SingleDim(op.in(1)), SingleDim(op.in(2)));
  }
  if (length.is_unknown()) length = op.DataDependent("length");
  FoldRange(op, SingleDim(op.in(0)), SingleDim(op.in(2)));
  return {};
}

Result<void> InferEyeLike(OpContext& op) {
  SetOutput(op, 0, DTypeAttribute(op, "dtype", op.in(0).dtype), op.in(0).shape);
  return {};
}

constexpr OpEntry kOps[] = {
    {.op = "Constant", .infer = InferConstant, .work = NoWork, .rule = "nothing"},
    {.op = "ConstantOfShape",
     .infer = InferConstantOfShape,
     .work = MovementWork,
     .rule = "movement",
     .roles = "c"},
    {.op = "EyeLike",
     .infer = InferEyeLike,
     .work = MovementWork,
     .rule = "movement",
     .roles = "c"},
    {.op = "Range", .infer = InferRange, .work = MovementWork, .rule = "movement", .roles = "c"},
};

}  // namespace

std::span<const OpEntry> ConstantOps() { return kOps; }

}  // namespace opscope::onnx
