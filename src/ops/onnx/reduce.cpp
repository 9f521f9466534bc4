// Reductions over axes, ArgMax and ArgMin, running sums.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// The shape after folding `axes`; unknown axes leave the rank when it is kept.
Shape ReducedShape(const Shape& in, std::span<const std::size_t> axes, bool keep) {
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) {
      out.push_back((*in.dims)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  return ShapeOf(std::move(out));
}

// `axes` is an attribute until opset 13 (ReduceSum) or 18 (all others), an input from there on.
// None, or an empty list, means all axes unless noop_with_empty_axes says otherwise.
template <const Fold2& kFold, Dim (*kStart)()>
Result<void> InferReduce(OpContext& op) {
  const TensorFact& in = op.in(0);
  const bool keep = op.IntOr("keepdims", 1) != 0;
  const ListArgument argument = ListOf(op, "axes", 1);
  if (!in.shape.known_rank()) {
    SetOutput(op, 0, in.dtype, {});
    return {};
  }
  const std::size_t rank = in.shape.rank();
  if (argument.given && !argument.values.has_value()) {
    const std::optional<std::size_t> count = KnownLength(op.in(1));
    const bool known = keep || (count.has_value() && *count > 0 && *count <= rank);
    SetOutput(op, 0, in.dtype, known ? UnknownDims(keep ? rank : rank - *count) : Shape{});
    return {};
  }
  std::vector<std::size_t> axes;
  if (argument.given && !argument.values->empty()) {
    TRY_ASSIGN(axes, AxesOf(op, *argument.values, rank));
  } else if (op.IntOr("noop_with_empty_axes", 0) == 0) {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  SetOutput(op, 0, in.dtype, ReducedShape(in.shape, axes, keep));
  FoldReduce(op, axes, kFold, kStart());
  return {};
}

Result<void> InferArg(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, DType::kInt64, {});
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), in.rank()));
  const std::size_t axes[] = {axis};
  op.out(0).shape = ReducedShape(in, axes, op.IntOr("keepdims", 1) != 0);
  return {};
}

// Of the matrices in the last two dims.
Result<void> InferDet(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!in.known_rank()) return {};
  if (in.rank() < 2) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 2");
  TRY(SameDim(op, (*in.dims)[in.rank() - 2], in.dims->back(), "rows against columns"));
  op.out(0).shape = ShapeOf({in.dims->begin(), in.dims->end() - 2});
  return {};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Dim Zero() { return 0; }
Dim One() { return 1; }
Dim First() { return {}; }

constexpr Fold2 kNotFollowed;
constexpr Fold2 kMax = {fold::Max, nullptr, fold::Max};
constexpr Fold2 kMin = {fold::Min, nullptr, fold::Min};
constexpr Fold2 kProduct = {fold::Mul, nullptr, fold::Mul};
constexpr Fold2 kSum = {fold::Add, nullptr, fold::Add};

constexpr OpEntry Reduce(std::string_view op, InferFn infer = InferReduce<kNotFollowed, First>) {
  return {.op = op, .infer = infer, .work = ReduceWork, .rule = "reduction", .roles = "xc"};
}

constexpr OpEntry kOps[] = {
    Reduce("ArgMax", InferArg),
    Reduce("ArgMin", InferArg),
    Reduce("Det", InferDet),
    Reduce("ReduceL1"),
    Reduce("ReduceL2"),
    Reduce("ReduceLogSum"),
    Reduce("ReduceLogSumExp"),
    Reduce("ReduceMax", InferReduce<kMax, First>),
    Reduce("ReduceMean"),
    Reduce("ReduceMin", InferReduce<kMin, First>),
    Reduce("ReduceProd", InferReduce<kProduct, One>),
    Reduce("ReduceSum", InferReduce<kSum, Zero>),
    Reduce("ReduceSumSquare"),
    {.op = "CumProd",
     .infer = SameAsInput,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc"},
    {.op = "CumSum",
     .infer = SameAsInput,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc"},
};

}  // namespace

std::span<const OpEntry> ReduceOps() { return kOps; }

}  // namespace opscope::onnx
