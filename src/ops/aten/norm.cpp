// Normalisations. The statistics that training keeps are outputs of some forms.
#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

bool Trains(const OpContext& op) {
  if (op.op() == "_native_batch_norm_legit_no_training") return false;
  return FlagArg(op, "training", FlagArg(op, "train")) || FlagArg(op, "use_input_stats") ||
         !op.has(3);
}

// input, weight, bias, running_mean, running_var. More outputs than one are statistics by channel.
Result<void> InferBatch(OpContext& op) {
  TRY(SameAsInput(op));
  const bool trains = Trains(op);
  for (std::size_t i = 1; i < op.outputs(); ++i) {
    const Dim channels = trains ? DimAt(op.in(0).shape, 1) : Dim(0);
    SetOutput(op, i, DType::kFloat32, ShapeOf({channels}));
  }
  return {};
}

Work BatchWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  return work::Normalisation{.rows = DimAt(shape, 1),
                             .n = op.dims().Mul(DimAt(shape, 0), PointsOf(op, shape)),
                             .affine = true,
                             .folded = !Trains(op)};
}

Work InstanceWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  return work::Normalisation{
      .rows = ProductOf(op, shape, 0, 2), .n = PointsOf(op, shape), .affine = op.has(1)};
}

// group_norm(input, num_groups, weight, bias); native_group_norm(…, N, C, HxW, group, eps).
Result<void> InferGroup(OpContext& op) {
  TRY(SameAsInput(op));
  const Dim groups = DimArg(op, "group", 1);
  for (std::size_t i = 1; i < op.outputs(); ++i)
    SetOutput(op, i, op.in(0).dtype, ShapeOf({DimAt(op.in(0).shape, 0), groups}));
  return {};
}
Work GroupWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  const Dim groups = DimArg(op, "num_groups", DimArg(op, "group", Dim()));
  const Dim channels = op.dims().FloorDiv(DimAt(shape, 1), groups);
  return work::Normalisation{.rows = op.dims().Mul(DimAt(shape, 0), groups),
                             .n = op.dims().Mul(channels, PointsOf(op, shape)),
                             .affine = op.has(1)};
}

// Over the last axes, as many as normalized_shape has.
std::size_t FirstAxis(const OpContext& op) {
  const auto sizes = DimsArg(op, "normalized_shape");
  const std::size_t rank = op.in(0).shape.known_rank() ? op.in(0).shape.rank() : 0;
  const std::size_t count = sizes.has_value() ? sizes->size() : 1;
  return count > rank ? 0 : rank - count;
}
Result<void> InferLayer(OpContext& op) {
  TRY(SameAsInput(op));
  const Shape& in = op.in(0).shape;
  for (std::size_t i = 1; i < op.outputs(); ++i) {
    Shape shape;
    if (in.known_rank()) {
      shape = in;
      for (std::size_t axis = FirstAxis(op); axis < in.rank(); ++axis) (*shape.dims)[axis] = 1;
    }
    SetOutput(op, i, DType::kFloat32, std::move(shape));
  }
  return {};
}
template <bool kCentred>
Work LayerWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Normalisation{};
  const std::size_t first = FirstAxis(op);
  return work::Normalisation{.rows = ProductOf(op, shape, 0, first),
                             .n = ProductOf(op, shape, first, shape.rank()),
                             .affine = op.has(1),
                             .centred = kCentred};
}

constexpr OpEntry Batch(std::string_view op) {
  return {.op = op,
          .infer = InferBatch,
          .work = BatchWork,
          .rule = "normalisation",
          .roles = "xwwssc",
          .like = "BatchNormalization"};
}
constexpr OpEntry Norm(std::string_view op, std::string_view like, InferFn infer, WorkFn work) {
  return {.op = op,
          .infer = infer,
          .work = work,
          .rule = "normalisation",
          .roles = "xwwc",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Batch("batch_norm"),
    Batch("native_batch_norm"),
    Batch("_native_batch_norm_legit"),
    Batch("_native_batch_norm_legit_functional"),
    Batch("_native_batch_norm_legit_no_training"),
    Batch("_batch_norm_impl_index"),
    Batch("_batch_norm_with_update"),
    Norm("instance_norm", "InstanceNormalization", InferBatch, InstanceWork),
    Norm("group_norm", "GroupNormalization", InferGroup, GroupWork),
    Norm("native_group_norm", "GroupNormalization", InferGroup, GroupWork),
    Norm("layer_norm", "LayerNormalization", InferLayer, LayerWork<true>),
    Norm("native_layer_norm", "LayerNormalization", InferLayer, LayerWork<true>),
    Norm("rms_norm", "RMSNormalization", InferLayer, LayerWork<false>),
    Norm("_fused_rms_norm", "RMSNormalization", InferLayer, LayerWork<false>),
};

}  // namespace

std::span<const OpEntry> NormOps() { return kOps; }

}  // namespace opscope::aten
