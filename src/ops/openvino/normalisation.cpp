// Normalisations.
#include <algorithm>

#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// Until version 5, which has the data first: gamma, beta, data, mean, variance.
AsOnnx Batch(const OpContext& op) {
  if (op.IntOr("version", 5) < 5) return AsOnnx(op, "BatchNormalization", {2, 0, 1, 3, 4});
  return AsOnnx(op, "BatchNormalization", {0, 1, 2, 3, 4});
}

// Version 6 names the axes in input 1; before, all but the batch and perhaps the channels.
AsOnnx MeanVariance(const OpContext& op) {
  AsOnnx as(op, "MeanVarianceNormalization", {0});
  if (const auto axes = KnownIntegers(op.in(1)); op.has(1) && axes) {
    as.Set("axes", *axes);
    return as;
  }
  const Shape& in = op.in(0).shape;
  std::vector<std::int64_t> axes;
  const std::int64_t first = op.IntOr("across_channels", 0) != 0 ? 1 : 2;
  for (std::int64_t i = first; in.known_rank() && i < static_cast<std::int64_t>(in.rank()); ++i)
    axes.push_back(i);
  as.Set("axes", std::move(axes));
  return as;
}

// x / sqrt(sum of squares over the axes): no mean is taken out.
Work SquaresWork(const OpContext& op, const std::vector<std::int64_t>& stated) {
  const Shape& shape = op.in(0).shape;
  work::Normalisation norm;
  norm.centred = false;
  if (!shape.known_rank()) return norm;
  const auto axes = AxesOf(op, stated, shape.rank());
  if (!axes.has_value()) return norm;
  norm.rows = 1;
  norm.n = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    Dim& factor = std::binary_search(axes->begin(), axes->end(), i) ? norm.n : norm.rows;
    factor = op.dims().Mul(factor, (*shape.dims)[i]);
  }
  return norm;
}

Work NormalizeL2Work(const OpContext& op) {
  const auto axes = KnownIntegers(op.in(1));
  return SquaresWork(op, axes.value_or(std::vector<std::int64_t>()));
}

Work AcrossChannelsWork(const OpContext& op) { return SquaresWork(op, {1}); }

constexpr OpEntry Norm(std::string_view op, InferFn infer, WorkFn work, std::string_view roles,
                       std::string_view like) {
  return {.op = op,
          .infer = infer,
          .work = work,
          .rule = "normalisation",
          .roles = roles,
          .like = like};
}

Result<void> InferBatch(OpContext& op) { return Batch(op).Infer(); }
Work BatchWork(const OpContext& op) { return Batch(op).Work(); }
Work MeanVarianceWork(const OpContext& op) { return MeanVariance(op).Work(); }

constexpr OpEntry kOps[] = {
    Norm("BatchNormInference", InferBatch, BatchWork, "xwwss", "BatchNormalization"),
    Norm("GRN", SameAsInput, AcrossChannelsWork, "x", "LpNormalization"),
    Norm("GroupNormalization", SameAsInput, WorkLike, "xww", "GroupNormalization"),
    Norm("MVN", SameAsInput, MeanVarianceWork, "xc", "MeanVarianceNormalization"),
    Norm("NormalizeL2", SameAsInput, NormalizeL2Work, "xc", "LpNormalization"),
    {.op = "LRN",
     .infer = SameAsInput,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc",
     .like = "LRN"},
};

}  // namespace

std::span<const OpEntry> NormalisationOps() { return kOps; }

}  // namespace opscope::openvino
