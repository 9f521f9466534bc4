// Normalisations: batch, instance, layer, group, RMS, Lp, mean-variance, local response.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- batch ---

// Statistics are inputs unless the node trains: training_mode from opset 14 on, is_test = 0
// below 7.
bool Trains(const OpContext& op) {
  if (op.opset() >= 14) return op.IntOr("training_mode", 0) != 0;
  return op.opset() < 7 && op.IntOr("is_test", 0) == 0 && op.outputs() > 1;
}

Result<void> InferBatch(OpContext& op) {
  TRY(SameAsInput(op));
  for (std::size_t i = 1; i < op.outputs(); ++i) {
    SetOutput(op, i, op.in(3).dtype, op.in(3).shape);
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

// --- instance, group ---

Work InstanceWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  return work::Normalisation{
      .rows = ProductOf(op, shape, 0, 2), .n = PointsOf(op, shape), .affine = true};
}

Work GroupWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  const Dim groups = op.Int("num_groups").value_or(0);
  if (groups == Dim(0)) return work::Unknown{"attribute \"num_groups\" is missing"};
  const Dim channels = op.dims().FloorDiv(DimAt(shape, 1), groups);
  return work::Normalisation{.rows = op.dims().Mul(DimAt(shape, 0), groups),
                             .n = op.dims().Mul(channels, PointsOf(op, shape)),
                             .affine = true};
}

// --- layer, RMS, Lp: over trailing axes or over one ---

Result<void> InferLayer(OpContext& op) {
  TRY(SameAsInput(op));
  const Shape& in = op.in(0).shape;
  if (op.outputs() < 2 || !in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", -1), in.rank()));
  Dims statistics = *in.dims;
  std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), Dim(1));
  const DType dtype = DTypeFromNumber(op.IntOr("stash_type", 1));
  for (std::size_t i = 1; i < op.outputs(); ++i) SetOutput(op, i, dtype, ShapeOf(statistics));
  return {};
}

template <bool kCentred>
Work TrailingWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Normalisation{};
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", -1), shape.rank());
  if (!axis.has_value()) return work::Normalisation{};
  return work::Normalisation{.rows = ProductOf(op, shape, 0, *axis),
                             .n = ProductOf(op, shape, *axis, shape.rank()),
                             .affine = op.has(1),
                             .centred = kCentred};
}

Work LpWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Normalisation{};
  const Result<std::size_t> axis = AxisOf(op, op.IntOr("axis", -1), shape.rank());
  if (!axis.has_value()) return work::Normalisation{};
  const Dim rows =
      op.dims().Mul(ProductOf(op, shape, 0, *axis), ProductOf(op, shape, *axis + 1, shape.rank()));
  return work::Normalisation{.rows = rows, .n = (*shape.dims)[*axis], .centred = false};
}

// Over the axes of `axes`, 0, 2 and 3 unless said otherwise.
Work MeanVarianceWork(const OpContext& op) {
  constexpr std::int64_t kDefault[] = {0, 2, 3};
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return work::Normalisation{};
  const auto axes = AxesOf(op, op.Ints("axes").value_or(kDefault), shape.rank());
  if (!axes.has_value()) return work::Normalisation{};
  Dim rows = 1;
  Dim n = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool folded = std::binary_search(axes->begin(), axes->end(), i);
    Dim& factor = folded ? n : rows;
    factor = op.dims().Mul(factor, (*shape.dims)[i]);
  }
  return work::Normalisation{.rows = rows, .n = n};
}

constexpr OpEntry Norm(std::string_view op, InferFn infer, WorkFn work, std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "normalisation", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Norm("BatchNormalization", InferBatch, BatchWork, "xwwss"),
    Norm("GroupNormalization", SameAsInput, GroupWork, "xww"),
    Norm("InstanceNormalization", SameAsInput, InstanceWork, "xww"),
    Norm("LayerNormalization", InferLayer, TrailingWork<true>, "xww"),
    Norm("LpNormalization", SameAsInput, LpWork, "x"),
    Norm("MeanVarianceNormalization", SameAsInput, MeanVarianceWork, "x"),
    Norm("RMSNormalization", InferLayer, TrailingWork<false>, "xw"),
    // Not of the specification: ONNX Runtime writes it into this domain.
    Norm("SimplifiedLayerNormalization", InferLayer, TrailingWork<false>, "xw"),
    {.op = "LRN", .infer = SameAsInput, .work = ElementwiseWork, .rule = "elementwise"},
};

}  // namespace

std::span<const OpEntry> NormalisationOps() { return kOps; }

}  // namespace opscope::onnx
