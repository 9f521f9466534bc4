// Views and shape arithmetic.
#include <algorithm>

#include "ops/onnx/entry.h"
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// Input 1 holds the shape; old files have it as an option alone.
Result<void> InferReshape(OpContext& op) {
  if (op.has(1) && (op.in(1).ints.has_value() || !op.Ints("new_shape").has_value()))
    return InferAs(op, "Reshape");
  SetOutput(op, 0, StoredDType(op, 0), {});
  onnx::ShareInput(op);
  const auto wanted = op.Ints("new_shape");
  if (!wanted.has_value()) return {};
  Dims out(wanted->begin(), wanted->end());
  const auto open = std::find(out.begin(), out.end(), Dim(-1));
  if (open != out.end()) {
    *open = 1;
    const Dim rest = op.dims().Product(out);
    const Dim elements = ElementsOf(op, op.in(0).shape);
    *open = op.dims().ExactQuotient(elements, rest).value_or(Dim());
  }
  op.out(0).shape = ShapeOf(std::move(out));
  CopyElements(op.in(0), op.out(0));
  return {};
}

// Without axes every dim of 1 goes.
Result<void> InferSqueeze(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  onnx::ShareInput(op);
  if (!in.known_rank()) return {};
  const auto stated = op.Ints("squeeze_dims");
  const bool all = !stated.has_value() || stated->empty();
  std::vector<std::size_t> gone;
  if (!all) {
    TRY_ASSIGN(gone, AxesOf(op, *stated, in.rank()));
  }
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const Dim dim = (*in.dims)[i];
    const bool goes = all ? dim == Dim(1) : std::binary_search(gone.begin(), gone.end(), i);
    if (!goes) out.push_back(dim);
    if (goes && dim.is_number() && dim.number() != 1)
      return op.Problem("axis " + std::to_string(i) + " has size " + std::to_string(dim.number()) +
                        " and cannot be squeezed");
  }
  op.out(0).shape = ShapeOf(std::move(out));
  CopyElements(op.in(0), op.out(0));
  return {};
}

Result<void> InferExpandDims(OpContext& op) {
  TRY(InferAs(op, "Unsqueeze"));
  return {};
}

Result<void> InferShape(OpContext& op) { return InferAs(op, "Shape"); }

Result<void> InferRank(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), ShapeOf({}));
  const Shape& in = op.in(0).shape;
  if (in.known_rank()) op.out(0).ints = {Dim(static_cast<std::int64_t>(in.rank()))};
  return {};
}

// The same bytes as another dtype of the same width; others change the last dim.
Result<void> InferBitcast(OpContext& op) {
  const DType to = StoredDType(op, 0);
  const bool same = Bits(to) == Bits(op.in(0).dtype);
  SetOutput(op, 0, to, same ? op.in(0).shape : Shape{});
  onnx::ShareInput(op);
  return {};
}

// The shape that two shapes broadcast to.
Result<void> InferBroadcastArgs(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (!op.in(0).ints.has_value() || !op.in(1).ints.has_value()) return {};
  TRY_ASSIGN(Shape shape, Broadcast(op, ShapeOf(*op.in(0).ints), ShapeOf(*op.in(1).ints)));
  op.out(0).shape = ShapeOf({static_cast<std::int64_t>(shape.rank())});
  op.out(0).ints = std::move(*shape.dims);
  return {};
}

Result<void> InferRange(OpContext& op) { return InferAs(op, "Range"); }
Result<void> InferBroadcastTo(OpContext& op) { return InferAs(op, "Expand"); }

// Input 0 holds the shape, input 1 the value.
Result<void> InferFill(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0, 1), {});
  if (!op.in(0).ints.has_value()) return {};
  op.out(0).shape = ShapeOf(*op.in(0).ints);
  const auto sizes = SmallShape(op.out(0).shape);
  if (!sizes) return {};
  std::size_t count = 1;
  for (const std::int64_t size : *sizes)
    count *= static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
  if (HasElements(op.in(1))) MoveElements(op.in(1), op.out(0), std::vector<std::size_t>(count, 0));
  return {};
}

using entry::View;

constexpr OpEntry kOps[] = {
    View("BITCAST", "BitCast", InferBitcast),
    View("EXPAND_DIMS", "Unsqueeze", InferExpandDims),
    View("RESHAPE", "Reshape", InferReshape),
    View("SQUEEZE", "Squeeze", InferSqueeze),
    {.op = "BROADCAST_ARGS",
     .infer = InferBroadcastArgs,
     .work = NoWork,
     .rule = "nothing",
     .roles = "c"},
    {.op = "BROADCAST_TO",
     .infer = InferBroadcastTo,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xc",
     .like = "Expand"},
    {.op = "FILL",
     .infer = InferFill,
     .work = MovementWork,
     .rule = "movement",
     .roles = "cc",
     .like = "ConstantOfShape"},
    {.op = "RANGE",
     .infer = InferRange,
     .work = MovementWork,
     .rule = "movement",
     .roles = "c",
     .like = "Range"},
    {.op = "RANK", .infer = InferRank, .work = NoWork, .rule = "nothing"},
    {.op = "SHAPE", .infer = InferShape, .work = NoWork, .rule = "nothing", .like = "Shape"},
    {.op = "ZEROS_LIKE", .infer = InferSame, .work = MovementWork, .rule = "movement"},
};

}  // namespace

std::span<const OpEntry> ShapeOps() { return kOps; }

}  // namespace opscope::tflite
