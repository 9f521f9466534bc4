// Reductions, ARG_MAX and ARG_MIN, CUMSUM, TOPK_V2.
#include <algorithm>

#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

constexpr Fold2 kNotFollowed;
constexpr Fold2 kProduct = {fold::Mul, nullptr, fold::Mul};
constexpr Fold2 kSum = {fold::Add, nullptr, fold::Add};
constexpr Fold2 kMax = {fold::Max, nullptr, fold::Max};
constexpr Fold2 kMin = {fold::Min, nullptr, fold::Min};
Dim Zero() { return 0; }
Dim One() { return 1; }
Dim First() { return {}; }

// Input 1 holds the axes.
template <const Fold2& kFold, Dim (*kStart)()>
Result<void> InferReduce(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  const auto stated = IntegersOf(op, 1);
  if (!in.known_rank()) return {};
  const bool keep = op.IntOr("keep_dims", 0) != 0;
  if (!stated) {
    if (keep) op.out(0).shape = UnknownDims(in.rank());
    return {};
  }
  // An axis may be there twice.
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : *stated) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, in.rank()));
    axes.push_back(index);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (!reduced) {
      out.push_back((*in.dims)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  op.out(0).shape = ShapeOf(std::move(out));
  FoldReduce(op, axes, kFold, kStart());
  return {};
}

Result<void> InferArg(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  const auto axis = SingleInteger(op.in(1));
  if (!in.known_rank() || !axis) return {};
  TRY_ASSIGN(const std::size_t index, AxisOf(op, *axis, in.rank()));
  Dims out = *in.dims;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Values and indices of the k largest of the last dim.
Result<void> InferTopK(OpContext& op) {
  Shape out = op.in(0).shape;
  if (out.known_rank()) {
    if (out.rank() == 0) return op.Problem("the input is a scalar");
    out.dims->back() = SingleDim(op.in(1));
  }
  SetOutput(op, 0, StoredDType(op, 0), out);
  SetOutput(op, 1, StoredDType(op, 1, 1), std::move(out));
  return {};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

// Each element is looked at once.
Work TopKWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry Reduce(std::string_view op, std::string_view like,
                         InferFn infer = InferReduce<kNotFollowed, First>) {
  return {.op = op,
          .infer = infer,
          .work = ReduceWork,
          .rule = "reduction",
          .roles = "xc",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Reduce("ARG_MAX", "ArgMax", InferArg),
    Reduce("ARG_MIN", "ArgMin", InferArg),
    Reduce("MEAN", "ReduceMean"),
    Reduce("REDUCE_ALL", ""),
    Reduce("REDUCE_ANY", ""),
    Reduce("REDUCE_MAX", "ReduceMax", InferReduce<kMax, First>),
    Reduce("REDUCE_MIN", "ReduceMin", InferReduce<kMin, First>),
    Reduce("REDUCE_PROD", "ReduceProd", InferReduce<kProduct, One>),
    Reduce("SUM", "ReduceSum", InferReduce<kSum, Zero>),
    {.op = "CUMSUM",
     .infer = InferSame,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc",
     .like = "CumSum"},
    {.op = "TOPK_V2",
     .infer = InferTopK,
     .work = TopKWork,
     .rule = "reduction",
     .roles = "xc",
     .like = "TopK"},
};

}  // namespace

std::span<const OpEntry> ReduceOps() { return kOps; }

}  // namespace opscope::tflite
