// Pooling over windows, resizing.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

Result<void> InferPool(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (!in.shape.known_rank()) return {};
  if (in.shape.rank() != 4)
    return op.Problem("an input of rank " + std::to_string(in.shape.rank()) + ", needs 4");
  const std::int64_t height = op.IntOr("filter_height", 0);
  const std::int64_t width = op.IntOr("filter_width", 0);
  if (height < 1 || width < 1) return op.Problem("a window without size");
  TRY_ASSIGN(const onnx::Window window, ReadWindow(op, {height, width}, "hw"));
  Dims out = *in.shape.dims;
  for (std::size_t i = 0; i < 2; ++i) {
    TRY_ASSIGN(out[1 + i], onnx::PlacesOf(op, window, i, (*in.shape.dims)[1 + i]));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <bool kMaximum>
Work PoolWork(const OpContext& op) {
  return work::Pooling{ElementsOf(op, op.out(0).shape),
                       op.dims().Mul(op.IntOr("filter_height", 0), op.IntOr("filter_width", 0)),
                       kMaximum, FusedActivation(op)};
}

// [N, height, width, C]; input 1 holds height and width.
Result<void> InferResize(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, StoredDType(op, 0), in.shape);
  Shape& out = op.out(0).shape;
  if (!out.known_rank()) return {};
  if (out.rank() != 4)
    return op.Problem("an input of rank " + std::to_string(out.rank()) + ", needs 4");
  const auto& size = op.in(1).ints;
  const bool known = size.has_value() && size->size() == 2;
  for (std::size_t i = 0; i < 2; ++i) (*out.dims)[1 + i] = known ? (*size)[i] : Dim();
  return {};
}

template <bool kLinear>
Work ResizeWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), kLinear ? "linear" : "nearest"};
}

constexpr OpEntry kOps[] = {
    {.op = "AVERAGE_POOL_2D",
     .infer = InferPool,
     .work = PoolWork<false>,
     .rule = "pooling",
     .like = "AveragePool"},
    {.op = "L2_POOL_2D",
     .infer = InferPool,
     .work = PoolWork<false>,
     .rule = "pooling",
     .like = "LpPool"},
    {.op = "MAX_POOL_2D",
     .infer = InferPool,
     .work = PoolWork<true>,
     .rule = "pooling",
     .like = "MaxPool"},
    {.op = "RESIZE_BILINEAR",
     .infer = InferResize,
     .work = ResizeWork<true>,
     .rule = "resampling",
     .roles = "xc",
     .like = "Resize"},
    {.op = "RESIZE_NEAREST_NEIGHBOR",
     .infer = InferResize,
     .work = ResizeWork<false>,
     .rule = "resampling",
     .roles = "xc",
     .like = "Resize"},
};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }

}  // namespace opscope::tflite
