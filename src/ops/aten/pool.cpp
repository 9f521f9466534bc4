// Pooling over windows, and adaptive pooling.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

// The number of axes that are pooled is in the op's name: max_pool2d_with_indices.
std::size_t SpatialRank(const OpContext& op) {
  const std::string_view name = op.op();
  const std::size_t digit = name.find_first_of("123");
  return digit == std::string_view::npos ? 2 : static_cast<std::size_t>(name[digit] - '0');
}

std::vector<std::int64_t> Spread(const OpContext& op, std::string_view name, std::size_t rank,
                                 std::int64_t otherwise) {
  std::vector<std::int64_t> values = IntsArg(op, name).value_or(std::vector<std::int64_t>());
  if (values.empty()) values.push_back(otherwise);
  if (values.size() == 1) values.resize(rank, values.front());
  return values;
}

template <bool kMaximum>
Form PoolForm(const OpContext& op) {
  Form form(op, kMaximum ? "MaxPool" : "AveragePool", {0});
  const std::size_t rank = SpatialRank(op);
  std::vector<std::int64_t> kernel = Spread(op, "kernel_size", rank, 1);
  std::vector<std::int64_t> strides = IntsArg(op, "stride").value_or(std::vector<std::int64_t>());
  if (strides.empty()) strides = kernel;
  if (strides.size() == 1) strides.resize(rank, strides.front());
  std::vector<std::int64_t> pads = Spread(op, "padding", rank, 0);
  const std::vector<std::int64_t> once = pads;
  pads.insert(pads.end(), once.begin(), once.end());
  form.Set("kernel_shape", std::move(kernel)).Set("strides", std::move(strides));
  form.Set("pads", std::move(pads)).Set("ceil_mode", IntArg(op, "ceil_mode", 0));
  return form.Set("dilations", Spread(op, "dilation", rank, 1));
}

// A picture without a batch has one axis less than the ONNX op.
template <bool kMaximum>
Result<void> InferPool(OpContext& op) {
  const TensorFact& in = op.in(0);
  if (!in.shape.known_rank() || in.shape.rank() != SpatialRank(op) + 1)
    return PoolForm<kMaximum>(op).Infer();
  Shape& shape = op.FactOf(op.node().inputs[0]).shape;
  shape.dims->insert(shape.dims->begin(), Dim(1));
  Result<void> done = PoolForm<kMaximum>(op).Infer();
  shape.dims->erase(shape.dims->begin());
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    Shape& out = op.out(i).shape;
    if (out.known_rank() && out.rank() > 0) out.dims->erase(out.dims->begin());
  }
  return done;
}

// output_size: a size for each axis; one that is left out stays as it is.
Result<void> InferAdaptive(OpContext& op) {
  const TensorFact& in = op.in(0);
  for (std::size_t i = 0; i < op.outputs(); ++i)
    SetOutput(op, i, i == 0 ? in.dtype : DType::kInt64, {});
  const std::size_t rank = SpatialRank(op);
  if (!in.shape.known_rank() || in.shape.rank() < rank) return {};
  Dims out = *in.shape.dims;
  const auto sizes = DimsArg(op, "output_size");
  for (std::size_t i = 0; i < rank; ++i) {
    Dim& dim = out[out.size() - rank + i];
    if (!sizes.has_value() || sizes->empty()) {
      dim = Dim();
    } else {
      dim = sizes->size() == 1 ? sizes->front() : DimAt(ShapeOf(*sizes), i);
    }
  }
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).shape = ShapeOf(out);
  return {};
}

// Windows share the input between them: points of the input over points of the output, rounded up
// by axis.
template <bool kMaximum>
Work AdaptiveWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  Dim points = 1;
  const std::size_t rank = SpatialRank(op);
  if (!in.known_rank() || !out.known_rank() || in.rank() < rank || out.rank() != in.rank())
    return work::Pooling{{}, {}, kMaximum};
  for (std::size_t i = in.rank() - rank; i < in.rank(); ++i)
    points = op.dims().Mul(points, op.dims().CeilDiv((*in.dims)[i], (*out.dims)[i]));
  return work::Pooling{ElementsOf(op, out), points, kMaximum};
}

// One size of 1: what ONNX calls global.
std::string_view AdaptiveLike(const Model& model, const Node& node) {
  const Attribute* size = FindAttribute(model, node, "output_size");
  const auto* values =
      size == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&size->value);
  const bool global = values != nullptr && std::all_of(values->begin(), values->end(),
                                                       [](std::int64_t v) { return v == 1; });
  const bool maximum = model.text(node.op).find("max") != std::string_view::npos;
  if (global) return maximum ? "GlobalMaxPool" : "GlobalAveragePool";
  return maximum ? "MaxPool" : "AveragePool";
}

constexpr OpEntry Max(std::string_view op) {
  return {.op = op,
          .infer = InferPool<true>,
          .work = FormWork<PoolForm<true>>,
          .rule = "pooling",
          .like = "MaxPool"};
}
constexpr OpEntry Average(std::string_view op) {
  return {.op = op,
          .infer = InferPool<false>,
          .work = FormWork<PoolForm<false>>,
          .rule = "pooling",
          .like = "AveragePool"};
}
template <bool kMaximum>
constexpr OpEntry Adaptive(std::string_view op) {
  return {.op = op,
          .infer = InferAdaptive,
          .work = AdaptiveWork<kMaximum>,
          .rule = "pooling",
          .like_of = AdaptiveLike};
}

constexpr OpEntry kOps[] = {
    Max("max_pool1d"),
    Max("max_pool2d"),
    Max("max_pool3d"),
    Max("max_pool1d_with_indices"),
    Max("max_pool2d_with_indices"),
    Max("max_pool3d_with_indices"),
    Average("avg_pool1d"),
    Average("avg_pool2d"),
    Average("avg_pool3d"),
    Adaptive<false>("adaptive_avg_pool1d"),
    Adaptive<false>("adaptive_avg_pool2d"),
    Adaptive<false>("adaptive_avg_pool3d"),
    Adaptive<false>("_adaptive_avg_pool2d"),
    Adaptive<false>("_adaptive_avg_pool3d"),
    Adaptive<true>("adaptive_max_pool1d"),
    Adaptive<true>("adaptive_max_pool2d"),
    Adaptive<true>("adaptive_max_pool3d"),
};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }

}  // namespace opscope::aten
