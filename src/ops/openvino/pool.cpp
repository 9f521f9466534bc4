// Pooling over windows, and over parts of an input so that a stated size comes out.
#include "ops/onnx/window.h"
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"
#include "ops/openvino/windows.h"

namespace opscope::openvino {

namespace {

AsOnnx Pool(const OpContext& op, std::string_view name) {
  AsOnnx as(op, name, {0});
  SetWindow(op, as);
  // "ceil" is another rounding than that of ai.onnx (below).
  as.Set("ceil_mode", std::int64_t{op.String("rounding_type").value_or("floor") == "ceil_torch"});
  return as;
}

// Rounded up, and a last window that begins behind the input stays: ceil((in + pads - reach) /
// stride) + 1.
Result<void> RoundUp(OpContext& op, const OpContext& as) {
  const Shape in = op.in(0).shape;
  TRY_ASSIGN(Dims kernel, onnx::KernelShape(as, in.rank() - 2));
  TRY_ASSIGN(const onnx::Window window, onnx::ReadWindow(as, std::move(kernel)));
  if (window.auto_pad != onnx::AutoPad::kNotSet) return {};
  DimTable& dims = op.dims();
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const Dim room = dims.Sub(dims.Add((*in.dims)[2 + i], onnx::PadsOf(window, i)),
                              onnx::ReachOf(as, window, i));
    for (const std::size_t output : {std::size_t{0}, std::size_t{1}})
      if (op.has_output(output))
        (*op.out(output).shape.dims)[2 + i] = dims.Add(dims.CeilDiv(room, window.strides[i]), 1);
  }
  return {};
}

template <const std::string_view& kName>
Result<void> InferPool(OpContext& op) {
  const AsOnnx as = Pool(op, kName);
  TRY(as.Infer());
  if (op.has_output(1)) op.out(1).dtype = TypeAttribute(op, "index_element_type", DType::kInt64);
  const bool up = op.String("rounding_type").value_or("floor") == "ceil";
  if (!up || !op.in(0).shape.known_rank()) return {};
  return RoundUp(op, as.context());
}

template <const std::string_view& kName>
Work PoolWork(const OpContext& op) {
  return Pool(op, kName).Work();
}

constexpr std::string_view kAverage = "AveragePool";
constexpr std::string_view kMaximum = "MaxPool";

// Input 1 states the spatial dims.
Result<void> InferAdaptive(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  SetOutput(op, 1, TypeAttribute(op, "index_element_type", DType::kInt64), {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  if (out.size() < 3) return op.Problem("rank " + std::to_string(out.size()) + ", needs 3");
  const auto& sizes = op.in(1).ints;
  for (std::size_t i = 2; i < out.size(); ++i)
    out[i] = sizes && sizes->size() == out.size() - 2 ? (*sizes)[i - 2] : Dim();
  op.out(1).shape = ShapeOf(out);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Every part has as many points, rounded up; parts overlap where the sizes do not divide.
template <bool kMax>
Work AdaptiveWork(const OpContext& op) {
  const Dim points = op.dims().CeilDiv(PointsOf(op, op.in(0).shape), PointsOf(op, op.out(0).shape));
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, kMax};
}

constexpr OpEntry Pooling(std::string_view op, InferFn infer, WorkFn work, std::string_view like) {
  return {.op = op, .infer = infer, .work = work, .rule = "pooling", .roles = "xc", .like = like};
}

constexpr OpEntry kOps[] = {
    Pooling("AdaptiveAvgPool", InferAdaptive, AdaptiveWork<false>, "AveragePool"),
    Pooling("AdaptiveMaxPool", InferAdaptive, AdaptiveWork<true>, "MaxPool"),
    Pooling("AvgPool", InferPool<kAverage>, PoolWork<kAverage>, "AveragePool"),
    Pooling("MaxPool", InferPool<kMaximum>, PoolWork<kMaximum>, "MaxPool"),
};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }

}  // namespace opscope::openvino
