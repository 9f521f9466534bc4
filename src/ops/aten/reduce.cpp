// Reductions, softmax, running sums, sorting.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

Shape Reduced(const Shape& in, std::span<const std::size_t> axes, bool keep) {
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone) {
      out.push_back((*in.dims)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  return ShapeOf(std::move(out));
}

Result<Shape> ReducedShape(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return Shape{};
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesArg(op, "dim", in.rank()));
  return Reduced(in, axes, FlagArg(op, "keepdim"));
}

bool IsWhole(DType dtype) { return IsInteger(dtype) || dtype == DType::kBool; }

// Sums of whole numbers are int64.
Result<void> InferSum(OpContext& op) {
  const DType own = op.in(0).dtype;
  SetOutput(op, 0, DTypeArg(op, "dtype", IsWhole(own) ? DType::kInt64 : own), {});
  TRY_ASSIGN(op.out(0).shape, ReducedShape(op));
  return {};
}
Result<void> InferReduce(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i)
    SetOutput(op, i, DTypeArg(op, "dtype", op.in(0).dtype), {});
  TRY_ASSIGN(const Shape shape, ReducedShape(op));
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).shape = shape;
  return {};
}
Result<void> InferFlag(OpContext& op) {
  SetOutput(op, 0, DType::kBool, {});
  TRY_ASSIGN(op.out(0).shape, ReducedShape(op));
  return {};
}
Result<void> InferPlace(OpContext& op) {
  SetOutput(op, 0, DType::kInt64, {});
  TRY_ASSIGN(op.out(0).shape, ReducedShape(op));
  return {};
}
// max(self), max(self, dim, keepdim) -> (values, indices), max(self, other).
Result<void> InferExtreme(OpContext& op) {
  if (op.has(1)) {
    TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(1).shape));
    SetOutput(op, 0, Promoted(op, 2), std::move(shape));
    return {};
  }
  TRY(InferReduce(op));
  if (op.outputs() > 1) op.out(1).dtype = DType::kInt64;
  return {};
}
Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}
Work ExtremeWork(const OpContext& op) {
  if (op.has(1)) return work::Elementwise{ElementsOf(op, op.out(0).shape), 2, true};
  return ReduceWork(op);
}
std::string_view ExtremeLike(const Model& model, const Node& node) {
  const bool pair = node.inputs.size() > 1;
  if (model.text(node.op) == "max") return pair ? "Max" : "ReduceMax";
  return pair ? "Min" : "ReduceMin";
}

// --- softmax ---

Result<void> InferSoftmax(OpContext& op) {
  const DType own = op.in(0).dtype;
  SetOutput(op, 0, DTypeArg(op, "dtype", own), op.in(0).shape);
  if (FlagArg(op, "half_to_float")) op.out(0).dtype = DType::kFloat32;
  return {};
}
Work SoftmaxWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Softmax{};
  const Result<std::size_t> axis = AxisArg(op, "dim", -1, shape.rank());
  if (!axis.has_value() || *axis >= shape.rank()) return work::Softmax{1, 1};
  const Dim before = ProductOf(op, shape, 0, *axis);
  return work::Softmax{op.dims().Mul(before, ProductOf(op, shape, *axis + 1, shape.rank())),
                       (*shape.dims)[*axis]};
}

// --- running sums, sorting ---

Result<void> InferRunning(OpContext& op) {
  const DType own = op.in(0).dtype;
  SetOutput(op, 0, DTypeArg(op, "dtype", IsWhole(own) ? DType::kInt64 : own), op.in(0).shape);
  SetOutput(op, 1, DType::kInt64, op.in(0).shape);
  return {};
}
// topk(self, k, dim); sort, argsort and kthvalue.
Result<void> InferTop(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, in);
  if (in.known_rank() && in.rank() > 0) {
    TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", -1, in.rank()));
    (*op.out(0).shape.dims)[axis] = DimArg(op, "k", Dim());
  }
  SetOutput(op, 1, DType::kInt64, op.out(0).shape);
  return {};
}
Result<void> InferSort(OpContext& op) {
  const bool places = op.op() == "argsort";
  SetOutput(op, 0, places ? DType::kInt64 : op.in(0).dtype, op.in(0).shape);
  SetOutput(op, 1, DType::kInt64, op.in(0).shape);
  return {};
}

// --- losses ---

Result<void> InferLoss(OpContext& op) {
  const bool each = IntArg(op, "reduction", 1) == 0;
  SetOutput(op, 0, op.in(0).dtype, each ? op.in(1).shape : ShapeOf({}));
  SetOutput(op, 1, op.in(0).dtype, ShapeOf({}));
  return {};
}

constexpr OpEntry Reduce(std::string_view op, std::string_view like, InferFn infer = InferReduce) {
  return {.op = op,
          .infer = infer,
          .work = ReduceWork,
          .rule = "reduction",
          .roles = "xc",
          .like = like};
}
constexpr OpEntry Softmax(std::string_view op, std::string_view like) {
  return {.op = op, .infer = InferSoftmax, .work = SoftmaxWork, .rule = "softmax", .like = like};
}
constexpr OpEntry Running(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferRunning,
          .work = onnx::ElementwiseWork,
          .rule = "elementwise",
          .roles = "xc",
          .like = like};
}
constexpr OpEntry Sorting(std::string_view op, InferFn infer) {
  return {.op = op,
          .infer = infer,
          .work = onnx::ElementwiseWork,
          .rule = "elementwise",
          .roles = "xc",
          .like = "TopK"};
}
constexpr OpEntry Extreme(std::string_view op) {
  return {.op = op,
          .infer = InferExtreme,
          .work = ExtremeWork,
          .rule = "reduction",
          .roles = "xx",
          .like_of = ExtremeLike};
}

constexpr OpEntry kOps[] = {
    Reduce("sum", "ReduceSum", InferSum),
    Reduce("nansum", "ReduceSum", InferSum),
    Reduce("prod", "ReduceProd", InferSum),
    Reduce("mean", "ReduceMean"),
    Reduce("nanmean", "ReduceMean"),
    Reduce("amax", "ReduceMax"),
    Reduce("amin", "ReduceMin"),
    Reduce("aminmax", "ReduceMax"),
    Reduce("var", "ReduceSumSquare"),
    Reduce("std", "ReduceSumSquare"),
    Reduce("var_mean", "ReduceSumSquare"),
    Reduce("std_mean", "ReduceSumSquare"),
    Reduce("norm", "ReduceL2"),
    Reduce("linalg_vector_norm", "ReduceL2"),
    Reduce("logsumexp", "ReduceLogSumExp"),
    Reduce("any", "ReduceMax", InferFlag),
    Reduce("all", "ReduceMin", InferFlag),
    Reduce("argmax", "ArgMax", InferPlace),
    Reduce("argmin", "ArgMin", InferPlace),
    Reduce("count_nonzero", "ReduceSum", InferPlace),
    Reduce("median", "ReduceMax", InferExtreme),
    Extreme("max"),
    Extreme("min"),
    Softmax("softmax", "Softmax"),
    Softmax("_softmax", "Softmax"),
    Softmax("_safe_softmax", "Softmax"),
    Softmax("log_softmax", "LogSoftmax"),
    Softmax("_log_softmax", "LogSoftmax"),
    Running("cumsum", "CumSum"),
    Running("cumprod", "CumProd"),
    Running("cummax", "CumSum"),
    Running("cummin", "CumSum"),
    Running("logcumsumexp", "CumSum"),
    Sorting("topk", InferTop),
    Sorting("sort", InferSort),
    Sorting("argsort", InferSort),
    Reduce("mse_loss", "ReduceSumSquare", InferLoss),
    Reduce("l1_loss", "ReduceL1", InferLoss),
    Reduce("smooth_l1_loss", "ReduceL1", InferLoss),
    Reduce("nll_loss", "NegativeLogLikelihoodLoss", InferLoss),
    Reduce("nll_loss_forward", "NegativeLogLikelihoodLoss", InferLoss),
    Reduce("nll_loss_nd", "NegativeLogLikelihoodLoss", InferLoss),
    Reduce("cross_entropy_loss", "SoftmaxCrossEntropyLoss", InferLoss),
    Reduce("binary_cross_entropy_with_logits", "ReduceSum", InferLoss),
};

}  // namespace

std::span<const OpEntry> ReduceOps() { return kOps; }

}  // namespace opscope::aten
