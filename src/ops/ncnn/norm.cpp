// Norms, softmax, reductions.
#include <algorithm>

#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

// Rows of n elements that share their statistics.
Work Rows(const OpContext& op, Dim n, bool affine, bool centred = true) {
  const Dim all = ElementsOf(op, op.in(0).shape);
  return work::Normalisation{
      .rows = op.dims().FloorDiv(all, n), .n = n, .affine = affine, .centred = centred};
}

// The elements of one channel; of a vector or a matrix, its rows.
Dim OfChannel(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  return in.known_rank() && in.rank() > 0 ? ProductOf(op, in, 1, in.rank()) : Dim();
}

Work BatchWork(const OpContext& op) {
  return work::Normalisation{
      .rows = DimAt(op.in(0).shape, 0), .n = OfChannel(op), .affine = true, .folded = true};
}

template <bool kCentred>
Work LayerWork(const OpContext& op) {
  const std::int64_t size = Param(op, "0");
  return Rows(op, size > 0 ? Dim(size) : Dim(), Param(op, "2", 1) != 0, kCentred);
}

Work InstanceWork(const OpContext& op) { return Rows(op, OfChannel(op), Param(op, "2", 1) != 0); }

Work GroupWork(const OpContext& op) {
  const Dim all = ElementsOf(op, op.in(0).shape);
  const std::int64_t groups = std::max<std::int64_t>(Param(op, "0", 1), 1);
  return Rows(op, op.dims().FloorDiv(all, groups), Param(op, "3", 1) != 0);
}

Work MvnWork(const OpContext& op) {
  return Rows(op, Param(op, "1") != 0 ? ElementsOf(op, op.in(0).shape) : OfChannel(op), false);
}

Work NormalizeWork(const OpContext& op) {
  const bool space = Param(op, "0") != 0;
  const bool channels = Param(op, "4", 1) != 0;
  const Dim n = space && channels ? ElementsOf(op, op.in(0).shape)
                : space           ? OfChannel(op)
                                  : DimAt(op.in(0).shape, 0);
  return Rows(op, n, Param(op, "3") != 0, false);
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return work::Softmax{};
  const auto axis = AxisOf(op, Param(op, "0"), in.rank());
  if (!axis.has_value()) return work::Softmax{};
  const Dim n = (*in.dims)[*axis];
  return work::Softmax{op.dims().FloorDiv(ElementsOf(op, in), n), n};
}

Result<void> InferSoftmax(OpContext& op) {
  TRY(Same(op));
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Param(op, "0"), in.rank()));
  (void)axis;
  return {};
}

Result<void> InferReduction(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const bool keep = Param(op, "4") != 0;
  if (!in.known_rank()) return {};
  std::vector<std::int64_t> listed = List(op, "3");
  if (Param(op, "1", 1) != 0) {
    listed.clear();
    for (std::size_t i = 0; i < in.rank(); ++i) listed.push_back(static_cast<std::int64_t>(i));
  }
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, listed, in.rank()));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), i);
    if (!gone || keep) out.push_back(gone ? Dim(1) : (*in.dims)[i]);
  }
  if (out.empty()) out.push_back(1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ReductionWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

std::string_view ReductionName(const Model& model, const Node& node) {
  constexpr std::string_view kNames[] = {
      "ReduceSum",  "ReduceL1", "ReduceSumSquare", "ReduceMean",   "ReduceMax",      "ReduceMin",
      "ReduceProd", "ReduceL1", "ReduceL2",        "ReduceLogSum", "ReduceLogSumExp"};
  const Attribute* found = FindAttribute(model, node, "0");
  const auto* kind = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return kind != nullptr && *kind >= 0 && *kind < 11 ? kNames[*kind] : kNames[0];
}

// The k largest of all elements, their places, and both in two rows.
Result<void> InferArgMax(OpContext& op) {
  const Dim topk = Param(op, "1", 1);
  SetOutput(op, 0, op.in(0).dtype, Param(op, "0") != 0 ? ShapeOf({2, topk}) : ShapeOf({topk}));
  return {};
}

constexpr OpEntry Norm(std::string_view op, WorkFn work, std::string_view like) {
  return {
      .op = op, .infer = Same, .work = work, .rule = "normalisation", .roles = "xw", .like = like};
}

constexpr OpEntry kOps[] = {{.op = "BatchNorm",
                             .infer = Same,
                             .work = BatchWork,
                             .rule = "normalisation",
                             .roles = "xwssw",
                             .like = "BatchNormalization"},
                            Norm("GroupNorm", GroupWork, "GroupNormalization"),
                            Norm("InstanceNorm", InstanceWork, "InstanceNormalization"),
                            Norm("LayerNorm", LayerWork<true>, "LayerNormalization"),
                            Norm("MVN", MvnWork, "MeanVarianceNormalization"),
                            Norm("Normalize", NormalizeWork, "LpNormalization"),
                            Norm("RMSNorm", LayerWork<false>, "RMSNormalization"),
                            {.op = "LRN",
                             .infer = Same,
                             .work = onnx::ElementwiseWork,
                             .rule = "elementwise",
                             .like = "LRN"},
                            {.op = "Softmax",
                             .infer = InferSoftmax,
                             .work = SoftmaxWork,
                             .rule = "softmax",
                             .like = "Softmax"},
                            {.op = "Reduction",
                             .infer = InferReduction,
                             .work = ReductionWork,
                             .rule = "reduction",
                             .like = "ReduceSum",
                             .like_of = ReductionName},
                            {.op = "ArgMax",
                             .infer = InferArgMax,
                             .work = ReductionWork,
                             .rule = "reduction",
                             .like = "ArgMax"}};

}  // namespace

std::span<const OpEntry> NormOps() { return kOps; }

}  // namespace opscope::ncnn
