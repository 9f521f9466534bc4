// Normalisations and softmax with what stands around them: a sum before, an activation after, the
// embeddings of a text model.
#include <algorithm>

#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// --- layer and RMS norms of the last dim ---

// Mean and inverse deviation have 1 where the input has its last dim; the sum of input, skip and
// bias is the fourth output.
Result<void> InferSkip(OpContext& op) {
  TRY(SameAsInput(op));
  const TensorFact& in = op.in(0);
  const Shape statistics = WithLast(in.shape, 1);
  SetOutput(op, 1, DType::kFloat32, statistics);
  SetOutput(op, 2, DType::kFloat32, statistics);
  SetOutput(op, 3, in.dtype, in.shape);
  return {};
}

template <bool kCentred>
Work LastWork(const OpContext& op) {
  const Shape& shape = op.out(0).shape;
  return work::Normalisation{.rows = RowsOf(op, shape),
                             .n = LastOf(shape),
                             .affine = op.inputs() > 1,
                             .centred = kCentred};
}

// Branches are read side by side: each is normalised by itself.
Work BranchWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const std::int64_t branches = std::max<std::int64_t>(op.IntOr("num_branches", 1), 1);
  const Shape& shape = op.in(0).shape;
  return work::Normalisation{.rows = dims.Mul(RowsOf(op, shape), branches),
                             .n = dims.FloorDiv(LastOf(shape), branches),
                             .affine = op.has(1),
                             .centred = false};
}

// [batch, length, heads, stride]: a slice of the last dim is normalised and rotated, and heads are
// joined to [batch, length, heads * width].
Result<void> InferNormRotary(OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  const std::int64_t stated = op.IntOr("input_width", 0);
  const Dim width = stated > 0 ? Dim(stated) : DimAt(in, 3);
  const Dim columns = dims.Mul(DimAt(in, 2), width);
  const DType dtype = op.IntOr("output_fp16", 0) != 0 ? DType::kFloat16 : DType::kBFloat16;
  const bool flat = op.IntOr("flatten_batch", 0) != 0;
  SetOutput(op, 0, dtype,
            flat ? ShapeOf({1, dims.Mul(DimAt(in, 0), DimAt(in, 1)), columns})
                 : ShapeOf({DimAt(in, 0), DimAt(in, 1), columns}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({DimAt(in, 0), DimAt(in, 1), DimAt(in, 2), width}));
  return {};
}

// --- group norm; channels stand last unless said otherwise ---

Result<void> InferGroup(OpContext& op) {
  TRY(SameAsInput(op));
  SetOutput(op, 1, op.in(0).dtype, op.in(0).shape);  // SkipGroupNorm's sum
  return {};
}

Work GroupWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const ChannelsFirst view(op, op.IntOr("channels_last", 1) != 0);
  const std::int64_t groups = op.IntOr("groups", 0);
  if (groups < 1) return work::Unknown{"attribute \"groups\" is missing"};
  const Shape& shape = op.in(0).shape;
  const Dim channels = dims.FloorDiv(DimAt(shape, 1), groups);
  return work::Normalisation{.rows = dims.Mul(DimAt(shape, 0), groups),
                             .n = dims.Mul(channels, PointsOf(op, shape)),
                             .affine = true,
                             .mode = op.IntOr("activation", 0) != 0 ? "silu" : ""};
}

// --- embeddings: rows of word, position and segment tables are added and normalised ---

template <bool kQuantised>
Result<void> InferEmbed(OpContext& op) {
  const Shape& ids = op.in(0).shape;
  const DType dtype = op.in(kQuantised ? 8 : 2).dtype;
  const Dim batch = DimAt(ids, 0);
  const Shape shape = ShapeOf({batch, DimAt(ids, 1), DimAt(op.in(2).shape, 1)});
  SetOutput(op, 0, dtype, shape);
  SetOutput(op, 1, DType::kInt32, ShapeOf({batch}));
  SetOutput(op, 2, dtype, shape);
  return {};
}

Work EmbedWork(const OpContext& op) {
  const Shape& shape = op.out(0).shape;
  return work::Normalisation{.rows = RowsOf(op, shape), .n = LastOf(shape), .affine = true};
}

// --- softmax ---

// Over all dims from `axis` on.
template <std::int64_t kDefault>
Work SoftmaxWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Softmax{};
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", kDefault), shape.rank());
  if (!axis.has_value()) return work::Softmax{};
  return work::Softmax{ProductOf(op, shape, 0, *axis), ProductOf(op, shape, *axis, shape.rank())};
}

// As ai.onnx.Softmax of the opset that the attribute names.
Work QLinearSoftmaxWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (op.IntOr("opset", 13) < 13 || !shape.known_rank()) return SoftmaxWork<1>(op);
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", -1), shape.rank());
  if (!axis.has_value()) return work::Softmax{};
  const Dim n = (*shape.dims)[*axis];
  const Dim before = ProductOf(op, shape, 0, *axis);
  return work::Softmax{op.dims().Mul(before, ProductOf(op, shape, *axis + 1, shape.rank())), n};
}

constexpr OpEntry Norm(std::string_view op, InferFn infer, WorkFn work, std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "normalisation", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Norm("BranchwiseRMSNorm", SameAsInput, BranchWork, "xw"),
    Norm("EmbedLayerNormalization", InferEmbed<false>, EmbedWork, "ccwwwwwcc"),
    Norm("GatedRMSNorm", SameAsInput, LastWork<false>, "xwx"),
    Norm("GroupNorm", InferGroup, GroupWork, "xww"),
    // ORT also writes these two into its own domain.
    Norm("LayerNormalization", InferSkip, LastWork<true>, "xww"),
    Norm("QEmbedLayerNormalization", InferEmbed<true>, EmbedWork, "ccwwwwwcw"),
    Norm("QOrderedLayerNormalization", SameAsInput, LastWork<true>, "xwwww"),
    Norm("RMSNormRotary", InferNormRotary, LastWork<false>, "xwccc"),
    Norm("SimplifiedLayerNormalization", InferSkip, LastWork<false>, "xw"),
    Norm("SkipGroupNorm", InferGroup, GroupWork, "xwwxw"),
    Norm("SkipLayerNormalization", InferSkip, LastWork<true>, "xxwww"),
    Norm("SkipSimplifiedLayerNormalization", InferSkip, LastWork<false>, "xxww"),
    {.op = "BiasSoftmax",
     .infer = SameAsInput,
     .work = SoftmaxWork<1>,
     .rule = "softmax",
     .roles = "xc"},
    {.op = "QLinearSoftmax",
     .infer = SameAsInput,
     .work = QLinearSoftmaxWork,
     .rule = "softmax",
     .roles = "xw"},
};

}  // namespace

std::span<const OpEntry> NormOps() { return kOps; }

}  // namespace opscope::contrib
