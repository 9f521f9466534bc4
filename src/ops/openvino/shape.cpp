// Shapes as values, views, and what is made from a shape.
#include <algorithm>

#include "ops/onnx/entry.h"
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

Result<void> InferShapeOf(OpContext& op) {
  TRY(AsOnnx(op, "Shape", {0}).Infer());
  op.out(0).dtype = TypeAttribute(op, "output_type", DType::kInt64);
  return {};
}

// special_zero: a 0 in the shape stands for the dim of the input.
Result<void> InferReshape(OpContext& op) {
  const std::int64_t special = op.IntOr("special_zero", 0);
  return AsOnnx(op, "Reshape", {0, 1}).Set("allowzero", std::int64_t{special == 0}).Infer();
}

// Input 1 is the output's shape, but for "bidirectional", where the shapes broadcast.
Result<void> InferBroadcast(OpContext& op) {
  if (op.String("mode").value_or("numpy") != "explicit")
    return AsOnnx(op, "Expand", {0, 1}).Infer();
  SetOutput(op, 0, op.in(0).dtype, {});
  if (op.in(1).ints.has_value()) op.out(0).shape = ShapeOf(*op.in(1).ints);
  return {};
}

// The shorter of shape and repeats is filled up with ones at the front.
Result<void> InferTile(OpContext& op) {
  const TensorFact& in = op.in(0);
  const auto& repeats = op.in(1).ints;
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank() || !repeats) return {};
  if (repeats->size() == in.shape.rank()) return AsOnnx(op, "Tile", {0, 1}).Infer();
  Dims dims = *in.shape.dims;
  Dims times = *repeats;
  const std::size_t rank = std::max(dims.size(), times.size());
  dims.insert(dims.begin(), rank - dims.size(), Dim(1));
  times.insert(times.begin(), rank - times.size(), Dim(1));
  for (std::size_t i = 0; i < rank; ++i) dims[i] = op.dims().Mul(dims[i], times[i]);
  op.out(0).shape = ShapeOf(std::move(dims));
  return {};
}

Result<void> InferRange(OpContext& op) {
  TRY(AsOnnx(op, "Range", {0, 1, 2}).Infer());
  op.out(0).dtype = TypeAttribute(op, "output_type", op.out(0).dtype);
  return {};
}

// Rows, columns, diagonal, and a batch shape perhaps.
Result<void> InferEye(OpContext& op) {
  SetOutput(op, 0, TypeAttribute(op, "output_type", DType::kUnknown), {});
  if (op.has(3) && !op.in(3).ints.has_value()) return {};
  Dims out = op.has(3) ? *op.in(3).ints : Dims();
  out.push_back(SingleDim(op.in(0)));
  out.push_back(SingleDim(op.in(1)));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferRandom(OpContext& op) {
  SetOutput(op, 0, TypeAttribute(op, "output_type", DType::kUnknown), {});
  if (op.in(0).ints.has_value()) op.out(0).shape = ShapeOf(*op.in(0).ints);
  return {};
}

constexpr OpEntry View(std::string_view op, InferFn infer) { return entry::View(op, op, infer); }

using entry::Move;

constexpr OpEntry kOps[] = {
    View("Reshape", InferReshape),
    View("Squeeze", InferLike),
    View("Unsqueeze", InferLike),
    Move("Broadcast", "Expand", InferBroadcast),
    Move("Eye", "EyeLike", InferEye),
    Move("Tile", "Tile", InferTile),
    {.op = "Multinomial",
     .infer = InferDeclared,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc",
     .like = "Multinomial"},
    {.op = "RandomUniform",
     .infer = InferRandom,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "c",
     .like = "RandomUniform"},
    {.op = "Range",
     .infer = InferRange,
     .work = WorkLike,
     .rule = "elementwise",
     .roles = "c",
     .like = "Range"},
    {.op = "ShapeOf", .infer = InferShapeOf, .work = NoWork, .rule = "nothing", .like = "Shape"},
};

}  // namespace

std::span<const OpEntry> ShapeOps() { return kOps; }

}  // namespace opscope::openvino
