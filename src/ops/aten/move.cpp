// Bytes moved: joining, repeating, padding, copies, casts, rearranged pictures.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"
#include "ops/onnx/entry.h"

namespace opscope::aten {

namespace {

using onnx::CastWork;
using onnx::MovementWork;
using onnx::PointwiseWork;

std::vector<int> Listed(const OpContext& op) {
  std::vector<int> inputs;
  for (const auto& input : TensorsArg(op, "tensors"))
    if (input.has_value()) inputs.push_back(static_cast<int>(*input));
  return inputs;
}

// cat(tensors, dim). Tensors of shape [0] are passed over.
Form JoinForm(const OpContext& op) {
  std::vector<int> inputs = Listed(op);
  const auto empty = [&](int input) {
    const Shape& shape = op.in(static_cast<std::size_t>(input)).shape;
    return shape.known_rank() && shape.rank() == 1 && (*shape.dims)[0] == Dim(0);
  };
  if (!std::all_of(inputs.begin(), inputs.end(), empty))
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(), empty), inputs.end());
  Form form(op, "Concat", std::move(inputs));
  return form.Set("axis", IntArg(op, "dim", 0));
}
Result<void> InferJoin(OpContext& op) {
  DType dtype = DType::kUnknown;
  for (const int input : Listed(op))
    dtype = Wider(dtype, op.in(static_cast<std::size_t>(input)).dtype);
  TRY(JoinForm(op).Infer());
  op.out(0).dtype = dtype;
  return {};
}
Result<void> InferStack(OpContext& op) {
  const std::vector<int> inputs = Listed(op);
  if (inputs.empty()) return op.Problem("no tensors");
  const TensorFact& first = op.in(static_cast<std::size_t>(inputs[0]));
  SetOutput(op, 0, first.dtype, {});
  if (!first.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, first.shape.rank() + 1));
  Dims out = *first.shape.dims;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis),
             Dim(static_cast<std::int64_t>(inputs.size())));
  op.out(0).shape = ShapeOf(std::move(out));
  if (first.shape.rank() != 0) return {};
  Dims values;
  for (const int input : inputs)
    values.push_back(SingleDim(op.in(static_cast<std::size_t>(input))));
  if (!IsFloating(first.dtype)) op.out(0).ints = std::move(values);
  return {};
}

// repeat(self, repeats): a number for each axis, new ones in front. tile(self, dims).
Result<void> InferRepeat(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const auto repeats = DimsArg(op, op.op() == "tile" ? "dims" : "repeats");
  if (!repeats.has_value() || !in.shape.known_rank()) return {};
  const std::size_t rank = std::max(repeats->size(), in.shape.rank());
  Dims out(rank, Dim(1));
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t missing = rank - in.shape.rank();
    const std::size_t once = rank - repeats->size();
    const Dim own = i < missing ? Dim(1) : (*in.shape.dims)[i - missing];
    out[i] = op.dims().Mul(own, i < once ? Dim(1) : (*repeats)[i - once]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}
// repeat_interleave(self, repeats, dim): repeats a number, or a tensor that only the data know.
Result<void> InferInterleave(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  const auto times = IntArg(op, "repeats");
  const bool flat = !Given(op, "dim");
  Dims out = flat ? Dims{ElementsOf(op, in.shape)} : *in.shape.dims;
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, out.size()));
  if (out.empty()) return {};
  const Dim stated = DimArg(op, "output_size", Dim());
  out[axis] = times.has_value()     ? op.dims().Mul(out[axis], *times)
              : stated.is_unknown() ? op.DataDependent("repeats")
                                    : stated;
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// pad, constant_pad_nd: pairs of (before, after) from the last axis on.
Result<void> InferPad(OpContext& op) {
  TRY(SameAsInput(op));
  const auto pads = DimsArg(op, Given(op, "pad") ? "pad" : "padding");
  Shape& shape = op.out(0).shape;
  if (!shape.known_rank()) return {};
  if (!pads.has_value()) {
    shape = UnknownDims(shape.rank());
    return {};
  }
  if (pads->size() % 2 != 0 || pads->size() / 2 > shape.rank())
    return op.Problem("\"pad\" has " + std::to_string(pads->size()) +
                      " values for a tensor of rank " + std::to_string(shape.rank()));
  DimTable& dims = op.dims();
  for (std::size_t i = 0; i < pads->size() / 2; ++i) {
    Dim& dim = (*shape.dims)[shape.rank() - 1 - i];
    dim = dims.Add(dim, dims.Add((*pads)[2 * i], (*pads)[2 * i + 1]));
  }
  return {};
}

// --- copies, casts ---

Result<void> InferCopy(OpContext& op) {
  TRY(SameAsInput(op));
  CopyElements(op.in(0), op.out(0));
  return {};
}
// to(self, dtype), _to_copy, type_as: nothing happens when the type is the same already.
DType Target(const OpContext& op) {
  if (op.op() == "type_as" || (op.op() == "to" && op.has(1) && !Given(op, "dtype")))
    return op.in(1).dtype;
  if (op.op() == "float") return DType::kFloat32;
  return DTypeArg(op, "dtype", op.in(0).dtype);
}
Result<void> InferCast(OpContext& op) {
  const DType to = Target(op);
  SetOutput(op, 0, to, op.in(0).shape);
  op.out(0).elements = op.in(0).elements;
  FoldCast(op);
  if (to == op.in(0).dtype && op.op() != "_to_copy" && !FlagArg(op, "copy")) onnx::ShareInput(op);
  return {};
}
Work ToWork(const OpContext& op) {
  const bool same = op.out(0).dtype == op.in(0).dtype && op.op() != "_to_copy";
  return same && !FlagArg(op, "copy") ? Work(work::View{}) : CastWork(op);
}
// copy(self, src): self's shape and type.
Result<void> InferSame(OpContext& op) { return SameAsInput(op); }

// --- pictures ---

// [.., C * r * r, H, W] becomes [.., C, H * r, W * r], and back.
Result<void> InferShuffle(OpContext& op) {
  TRY(SameAsInput(op));
  Shape& shape = op.out(0).shape;
  const bool back = op.op() == "pixel_unshuffle";
  if (!shape.known_rank() || shape.rank() < 3) return {};
  const Dim factor = DimArg(op, back ? "downscale_factor" : "upscale_factor", Dim());
  DimTable& dims = op.dims();
  const Dim squared = dims.Mul(factor, factor);
  Dims& out = *shape.dims;
  const std::size_t rank = out.size();
  out[rank - 3] = back ? dims.Mul(out[rank - 3], squared) : dims.FloorDiv(out[rank - 3], squared);
  for (const std::size_t axis : {rank - 2, rank - 1})
    out[axis] = back ? dims.FloorDiv(out[axis], factor) : dims.Mul(out[axis], factor);
  return {};
}
// im2col(self, kernel_size, dilation, padding, stride): [N, C * k, places].
Result<void> InferIm2Col(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  const auto kernel = IntsArg(op, "kernel_size");
  const auto dilation = IntsArg(op, "dilation");
  const auto padding = IntsArg(op, "padding");
  const auto stride = IntsArg(op, "stride");
  const bool given = kernel && dilation && padding && stride && kernel->size() == 2 &&
                     dilation->size() == 2 && padding->size() == 2 && stride->size() == 2;
  if (!given || !in.known_rank() || in.rank() < 3) return {};
  DimTable& dims = op.dims();
  Dim places = 1;
  const std::size_t rank = in.rank();
  for (std::size_t i = 0; i < 2; ++i) {
    if ((*stride)[i] <= 0) return op.Problem("a stride below 1");
    const Dim reach = dims.Add(dims.Mul((*dilation)[i], dims.Sub((*kernel)[i], 1)), 1);
    const Dim room =
        dims.Sub(dims.Add((*in.dims)[rank - 2 + i], dims.Mul(2, (*padding)[i])), reach);
    places = dims.Mul(places, dims.Add(dims.FloorDiv(room, (*stride)[i]), 1));
  }
  Dims out(in.dims->begin(), in.dims->end() - 3);
  out.push_back(dims.Mul((*in.dims)[rank - 3], dims.Mul((*kernel)[0], (*kernel)[1])));
  out.push_back(places);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}
Result<void> InferCol2Im(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  const auto size = DimsArg(op, "output_size");
  const auto kernel = DimsArg(op, "kernel_size");
  if (!in.known_rank() || in.rank() < 2 || !size || !kernel) return {};
  Dims out(in.dims->begin(), in.dims->end() - 2);
  out.push_back(op.dims().FloorDiv((*in.dims)[in.rank() - 2], op.dims().Product(*kernel)));
  out.insert(out.end(), size->begin(), size->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

using entry::Move;

constexpr OpEntry kOps[] = {
    {.op = "cat",
     .infer = InferJoin,
     .work = FormWork<JoinForm>,
     .rule = "movement",
     .like = "Concat"},
    {.op = "concat",
     .infer = InferJoin,
     .work = FormWork<JoinForm>,
     .rule = "movement",
     .like = "Concat"},
    {.op = "stack",
     .infer = InferStack,
     .work = FormWork<JoinForm>,
     .rule = "movement",
     .like = "Concat"},
    Move("repeat", "Tile", InferRepeat),
    Move("tile", "Tile", InferRepeat),
    Move("repeat_interleave", "Tile", InferInterleave),
    Move("pad", "Pad", InferPad),
    Move("constant_pad_nd", "Pad", InferPad),
    Move("reflection_pad1d", "Pad", InferPad),
    Move("reflection_pad2d", "Pad", InferPad),
    Move("reflection_pad3d", "Pad", InferPad),
    Move("replication_pad1d", "Pad", InferPad),
    Move("replication_pad2d", "Pad", InferPad),
    Move("replication_pad3d", "Pad", InferPad),
    Move("clone", "Identity", InferCopy),
    Move("lift_fresh_copy", "Identity", InferCopy),
    Move("copy", "Identity", InferSame),
    Move("_to_copy", "Cast", InferCast, "xc", ToWork),
    Move("to", "Cast", InferCast, "xc", ToWork),
    Move("type_as", "Cast", InferCast, "xc", ToWork),
    Move("float", "Cast", InferCast, "xc", ToWork),
    Move("flip", "Slice", InferSame),
    Move("roll", "Slice", InferSame),
    Move("channel_shuffle", "Transpose", InferSame),
    Move("native_channel_shuffle", "Transpose", InferSame),
    Move("tril", "Trilu", InferSame, "xc", PointwiseWork),
    Move("triu", "Trilu", InferSame, "xc", PointwiseWork),
    Move("pixel_shuffle", "DepthToSpace", InferShuffle),
    Move("pixel_unshuffle", "SpaceToDepth", InferShuffle),
    Move("im2col", "Gather", InferIm2Col),
    Move("col2im", "Col2Im", InferCol2Im),
};

}  // namespace

std::span<const OpEntry> MoveOps() { return kOps; }

}  // namespace opscope::aten
