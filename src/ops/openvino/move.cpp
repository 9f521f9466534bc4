// The same elements elsewhere: parts, joins, other orders, other sizes.
#include <algorithm>
#include <numeric>

#include "ops/onnx/entry.h"
#include "ops/onnx/slice.h"
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// --- Transpose, Split ---

// The order is input 1; empty = reversed.
Result<void> InferTranspose(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, in.known_rank() ? UnknownDims(in.rank()) : Shape{});
  const auto order = KnownIntegers(op.in(1));
  if (!order.has_value()) return {};
  AsOnnx as(op, "Transpose", {0});
  if (!order->empty()) as.Set("perm", *order);
  return as.Infer();
}

void SetParts(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(0).dtype, {});
}

Result<void> InferSplit(OpContext& op) {
  SetParts(op);
  const auto axis = SingleInteger(op.in(1));
  if (!axis.has_value()) return {};
  return AsOnnx(op, "Split", {0}).Set("axis", *axis).Infer();
}

// One length may be -1: what the others leave.
Result<void> InferVariadicSplit(OpContext& op) {
  SetParts(op);
  const Shape in = op.in(0).shape;
  const auto stated = SingleInteger(op.in(1));
  if (!stated.has_value() || !in.known_rank() || !op.in(2).ints.has_value()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.rank()));
  Dims lengths = *op.in(2).ints;
  if (lengths.size() != op.outputs())
    return op.Problem(std::to_string(lengths.size()) + " lengths for " +
                      std::to_string(op.outputs()) + " outputs");
  const auto open = std::find(lengths.begin(), lengths.end(), Dim(-1));
  if (open != lengths.end()) {
    *open = 0;
    *open = op.dims().Sub((*in.dims)[axis], op.dims().Sum(lengths));
  }
  std::vector<std::int64_t> numbers;
  for (const Dim length : lengths)
    if (length.is_number()) numbers.push_back(length.number());
  if (numbers.size() == lengths.size())
    return AsOnnx(op, "Split", {0}).Set("axis", *stated).Set("split", numbers).Infer();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    op.out(i).shape = in;
    (*op.out(i).shape.dims)[axis] = lengths[i];
  }
  return {};
}

// --- Slice, StridedSlice ---

// data, start, stop, step, axes; ai.onnx has the axes before the steps.
Result<void> InferSlice(OpContext& op) { return AsOnnx(op, "Slice", {0, 1, 2, 4, 3}).Infer(); }

// What the five masks say of each place of the bounds. 1 in begin_mask or end_mask: that bound is
// not used; in new_axis_mask: an axis of 1 comes in here; in shrink_axis_mask: the axis goes, one
// element is taken; in ellipsis_mask: all axes that are left.
struct Masks {
  std::vector<std::int64_t> begin, end, added, gone, rest;

  static bool At(const std::vector<std::int64_t>& mask, std::size_t i) {
    return i < mask.size() && mask[i] != 0;
  }
};

Masks MasksOf(const OpContext& op) {
  const auto list = [&](std::string_view name) {
    return ListAttribute(op, name).value_or(std::vector<std::int64_t>());
  };
  return {list("begin_mask"), list("end_mask"), list("new_axis_mask"), list("shrink_axis_mask"),
          list("ellipsis_mask")};
}

// What happens to the axes of input 0, in the order of the output.
struct Plan {
  onnx::SliceRanges ranges;     // by axis of the input
  std::vector<bool> gone;       // by axis of the input
  std::vector<std::size_t> at;  // of the input: before which axis a new one comes in
};

Result<Plan> PlanOf(const OpContext& op, std::size_t rank, const Dims& begin, const Dims& end,
                    const std::optional<std::vector<std::int64_t>>& strides) {
  const Masks masks = MasksOf(op);
  Plan plan{onnx::SliceRanges(rank), std::vector<bool>(rank, false), {}};
  std::size_t used = 0;
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (!Masks::At(masks.added, i) && !Masks::At(masks.rest, i)) ++used;
  if (used > rank) return op.Problem("more bounds than axes");
  std::size_t axis = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (Masks::At(masks.rest, i)) {
      axis += rank - used;
      used = rank;
      continue;
    }
    if (Masks::At(masks.added, i)) {
      plan.at.push_back(axis);
      continue;
    }
    if (axis >= rank) return op.Problem("more bounds than axes");
    onnx::SliceRange range;
    range.step = strides ? (i < strides->size() ? (*strides)[i] : 1) : 1;
    if (range.step == 0) return op.Problem("a step is 0");
    constexpr std::int64_t kFar = INT64_MAX / 4;
    const bool back = range.step < 0;
    range.start = Masks::At(masks.begin, i) ? Dim(back ? kFar : 0) : begin[i];
    range.end = Masks::At(masks.end, i) ? Dim(back ? -kFar : kFar) : end[i];
    if (Masks::At(masks.gone, i)) {
      range.step = 1;
      range.start = begin[i];
      range.end = begin[i] == Dim(-1) ? Dim(kFar) : op.dims().Add(begin[i], 1);
      plan.gone[axis] = true;
    }
    if (!strides) range.start = Dim();
    plan.ranges[axis++] = range;
  }
  return plan;
}

Result<void> InferStridedSlice(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const auto& begin = op.in(1).ints;
  const auto& end = op.in(2).ints;
  if (!in.shape.known_rank() || !begin || !end || begin->size() != end->size()) return {};
  const auto strides = op.has(3) ? KnownIntegers(op.in(3)) : std::vector<std::int64_t>();
  TRY_ASSIGN(const Plan plan, PlanOf(op, in.shape.rank(), *begin, *end, strides));
  onnx::TakeRanges(op, plan.ranges);
  const Dims taken = *op.out(0).shape.dims;
  Dims out;
  for (std::size_t axis = 0; axis <= taken.size(); ++axis) {
    for (const std::size_t added : plan.at)
      if (added == axis) out.push_back(1);
    if (axis < taken.size() && !plan.gone[axis]) out.push_back(taken[axis]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// --- Pad and blocks ---

Result<void> InferPad(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out(in.shape.rank());
  const auto& begin = op.in(1).ints;
  const auto& end = op.in(2).ints;
  if (begin && end && (begin->size() != out.size() || end->size() != out.size()))
    return op.Problem("pads and axes differ in number");
  for (std::size_t i = 0; begin && end && i < out.size(); ++i)
    out[i] = op.dims().Add((*in.shape.dims)[i], op.dims().Add((*begin)[i], (*end)[i]));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// data, block shape, pads or crops at begin and end: the first axis takes what the others lose.
template <bool kToBatch>
Result<void> InferBatchSpace(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  const auto& block = op.in(1).ints;
  const auto& begin = op.in(2).ints;
  const auto& end = op.in(3).ints;
  const bool known = block && begin && end && block->size() == out.size() &&
                     begin->size() == out.size() && end->size() == out.size() && !out.empty();
  op.out(0).shape = UnknownDims(out.size());
  if (!known) return {};
  DimTable& dims = op.dims();
  const Dim blocks = dims.Product(*block);
  for (std::size_t i = 1; i < out.size(); ++i) {
    const Dim rim = dims.Add((*begin)[i], (*end)[i]);
    out[i] = kToBatch ? dims.FloorDiv(dims.Add(out[i], rim), (*block)[i])
                      : dims.Sub(dims.Mul(out[i], (*block)[i]), rim);
  }
  out[0] = kToBatch ? dims.Mul(out[0], blocks) : dims.FloorDiv(out[0], blocks);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferDepthSpace(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (in.known_rank() && in.rank() != 4) return {};  // as declared
  return AsOnnx(op, StandardOp(op.model(), op.node()))
      .Set("blocksize", op.IntOr("block_size", 1))
      .Infer();
}

Result<void> InferConcat(OpContext& op) { return AsOnnx(op, "Concat").Infer(); }

// --- Interpolate ---

// Version 0 has a shape and attribute axes; 4 sizes, scales, axes; 11 one of the two, axes.
AsOnnx Resize(const OpContext& op) {
  const std::int64_t version = op.IntOr("version", 11);
  const bool scales = op.String("shape_calculation_mode").value_or("sizes") == "scales";
  constexpr int kNone = AsOnnx::kLeftOut;
  const int scale_input = version < 4 || !scales ? kNone : version < 11 ? 2 : 1;
  const int size_input = scale_input == kNone ? 1 : kNone;
  AsOnnx as(op, "Resize", {0, kNone, scale_input, size_input});
  const std::size_t axes_input = version < 11 ? 3 : 2;
  if (version < 4) {
    as.RenameList("axes", "axes");
  } else if (const auto axes = KnownIntegers(op.in(axes_input)); op.has(axes_input) && axes) {
    as.Set("axes", *axes);
  }
  const std::string_view mode = op.String("mode").value_or("nearest");
  const bool linear = mode.find("linear") != std::string_view::npos;
  const bool cubic = mode.find("cubic") != std::string_view::npos;
  as.Set("mode", std::string(linear ? "linear" : cubic ? "cubic" : "nearest"));
  return as;
}

bool PadsFirst(const OpContext& op) {
  for (const std::string_view name : {"pads_begin", "pads_end"})
    for (const std::int64_t pad : ListAttribute(op, name).value_or(std::vector<std::int64_t>()))
      if (pad != 0) return true;
  return false;
}

Result<void> InferInterpolate(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  const std::size_t axes_input = op.IntOr("version", 11) < 11 ? 3 : 2;
  const bool axes_open = op.has(axes_input) && !KnownIntegers(op.in(axes_input)).has_value();
  if (PadsFirst(op) || axes_open) return {};  // as declared
  return Resize(op).Infer();
}

using entry::Move;

using entry::Part;

constexpr OpEntry kOps[] = {
    Move("BatchToSpace", "", InferBatchSpace<false>),
    Move("Col2Im", "", InferDeclared),
    Move("Concat", "Concat", InferConcat, "x"),
    Move("DepthToSpace", "DepthToSpace", InferDepthSpace),
    Move("ExtractImagePatches", "", InferDeclared),
    Move("Pad", "Pad", InferPad),
    Move("ReorgYolo", "", InferDeclared),
    Move("Reverse", "", SameAsInput),
    Move("ReverseSequence", "ReverseSequence", SameAsInput),
    Move("Roll", "", SameAsInput),
    Move("ShuffleChannels", "", SameAsInput),
    Move("SpaceToBatch", "", InferBatchSpace<true>),
    Move("SpaceToDepth", "SpaceToDepth", InferDepthSpace),
    Move("Split", "Split", InferSplit),
    Move("StringTensorPack", "", InferDeclared),
    Move("StringTensorUnpack", "", InferDeclared),
    Move("Transpose", "Transpose", InferTranspose),
    Move("VariadicSplit", "Split", InferVariadicSplit),
    Part("Slice", "Slice", InferSlice),
    Part("StridedSlice", "Slice", InferStridedSlice),
    {.op = "Interpolate",
     .infer = InferInterpolate,
     .work = [](const OpContext& op) { return Resize(op).Work(); },
     .rule = "resampling",
     .roles = "xc",
     .like = "Resize"},
};

}  // namespace

std::span<const OpEntry> MoveOps() { return kOps; }

}  // namespace opscope::openvino
