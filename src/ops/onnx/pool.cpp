// Pooling over windows and over everything.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"
#include "ops/onnx/window.h"

namespace opscope::onnx {

namespace {

// With ceil_mode the last window may hang over the end, but the engine lets it start only inside
// the padded input; the specification says so from opset 22 on.
//   5 wide, kernel 1, stride 2, no pads: ceil(4 / 2) + 1 = 3 places; 0 2 4 all start inside.
//   4 wide, kernel 1, stride 2: ceil(3 / 2) + 1 = 3 places, the third starts at 4: outside, so 2.
Result<Dim> CeilPlaces(OpContext& op, const Window& window, std::size_t i, Dim in) {
  TRY_ASSIGN(const Dim floor, PlacesOf(op, window, i, in));
  if (window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower) {
    return floor;
  }
  DimTable& dims = op.dims();
  const std::int64_t stride = window.strides[i];
  const Dim room = dims.Sub(dims.Add(in, PadsOf(window, i)), ReachOf(op, window, i));
  const Dim stated = dims.Add(dims.CeilDiv(room, stride), 1);
  const Dim inside = dims.CeilDiv(dims.Add(in, window.pads_begin[i]), stride);
  const Dim places = dims.Min(stated, inside);
  if (places.is_number() && places != stated && op.opset() < 22) {
    op.Note("ceil_mode: the specification of opset " + std::to_string(op.opset()) + " gives " +
            dims.ToText(stated) + " places, the engine " + dims.ToText(places));
  }
  return places;
}

Result<void> InferPool(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  SetOutput(op, 1, DType::kInt64, {});  // MaxPool's indices
  const auto kernel = op.Ints("kernel_shape");
  if (!kernel.has_value()) return op.Problem("attribute \"kernel_shape\" is missing");
  if (in.shape.known_rank() && in.shape.rank() != kernel->size() + 2) {
    return op.Problem("attribute \"kernel_shape\" has " + std::to_string(kernel->size()) +
                      " values for an input of rank " + std::to_string(in.shape.rank()));
  }
  TRY_ASSIGN(Dims sizes, KernelShape(op, kernel->size()));
  TRY_ASSIGN(const Window window, ReadWindow(op, std::move(sizes)));
  const bool ceil = op.IntOr("ceil_mode", 0) != 0;
  Dims out = {DimAt(in.shape, 0), DimAt(in.shape, 1)};
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const Dim size = DimAt(in.shape, 2 + i);
    TRY_ASSIGN(const Dim places,
               ceil ? CeilPlaces(op, window, i, size) : PlacesOf(op, window, i, size));
    out.push_back(places);
  }
  op.out(1).shape = ShapeOf(out);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <bool kMaximum>
Work PoolWork(const OpContext& op) {
  Dim points = 1;
  for (const std::int64_t size :
       op.Ints("kernel_shape").value_or(std::span<const std::int64_t>())) {
    points = op.dims().Mul(points, size);
  }
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, kMaximum};
}

Result<void> InferGlobal(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape);
  Shape& shape = op.out(0).shape;
  if (!shape.known_rank()) return {};
  if (shape.rank() < 2) return op.Problem("rank " + std::to_string(shape.rank()) + ", needs 2");
  std::fill(shape.dims->begin() + 2, shape.dims->end(), Dim(1));
  return {};
}

template <bool kMaximum>
Work GlobalWork(const OpContext& op) {
  return work::Pooling{ElementsOf(op, op.out(0).shape), PointsOf(op, op.in(0).shape), kMaximum};
}

// Every value goes back to where MaxPool took it from; output_shape decides when it is known.
Result<void> InferUnpool(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape.known_rank() ? UnknownDims(in.shape.rank()) : Shape{});
  if (op.has(2)) {
    if (op.in(2).ints.has_value()) op.out(0).shape = ShapeOf(*op.in(2).ints);
    return {};
  }
  if (!in.shape.known_rank() || in.shape.rank() < 2) return {};
  const std::size_t spatial = in.shape.rank() - 2;
  TRY_ASSIGN(Dims sizes, KernelShape(op, spatial));
  TRY_ASSIGN(const Window window, ReadWindow(op, std::move(sizes)));
  Dims out = {(*in.shape.dims)[0], (*in.shape.dims)[1]};
  for (std::size_t i = 0; i < spatial; ++i) {
    DimTable& dims = op.dims();
    const Dim steps = dims.Mul(dims.Sub((*in.shape.dims)[2 + i], 1), window.strides[i]);
    out.push_back(dims.Sub(dims.Add(steps, window.kernel[i]), PadsOf(window, i)));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ScatterWork(const OpContext&) { return work::GatherScatter{}; }

constexpr OpEntry Pool(std::string_view op, InferFn infer, WorkFn work) {
  return {.op = op, .infer = infer, .work = work, .rule = "pooling"};
}

constexpr OpEntry kOps[] = {
    Pool("AveragePool", InferPool, PoolWork<false>),
    Pool("GlobalAveragePool", InferGlobal, GlobalWork<false>),
    Pool("GlobalLpPool", InferGlobal, GlobalWork<false>),
    Pool("GlobalMaxPool", InferGlobal, GlobalWork<true>),
    Pool("LpPool", InferPool, PoolWork<false>),
    Pool("MaxPool", InferPool, PoolWork<true>),
    {.op = "MaxUnpool",
     .infer = InferUnpool,
     .work = ScatterWork,
     .rule = "movement",
     .roles = "xcc"},
};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }

}  // namespace opscope::onnx
