// Parts of a tensor and tensors around a part: Slice, Split, Pad, CenterCropPad.
#include "ops/onnx/slice.h"

#include <algorithm>
#include <limits>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- Slice ---

// Exporters write "to the end" as the largest integer of some width.
constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();

// Symbols are sizes, and a size of 0 would hide what a slice means: x[:, 1:] of N leaves N - 1.
bool NotNegative(const OpContext& op, Dim dim) {
  constexpr std::int64_t kSymbolsFrom = 1;
  return dim.is_number() ? dim.number() >= 0 : op.dims().AtLeast(dim, 0, kSymbolsFrom);
}

Dim Least(const OpContext& op, Dim a, Dim b) {
  DimTable& dims = op.dims();
  if (NotNegative(op, dims.Sub(b, a))) return a;
  if (NotNegative(op, dims.Sub(a, b))) return b;
  return dims.Min(a, b);
}

Dim ZeroOrMore(const OpContext& op, Dim dim) {
  return NotNegative(op, dim) ? dim : op.dims().Max(dim, 0);
}

// A bound as an index in [0, size]: negative ones count from the back.
Dim BoundOf(OpContext& op, Dim bound, Dim size) {
  if (bound.is_unknown() || size.is_unknown()) return {};
  DimTable& dims = op.dims();
  if (bound.is_number() && bound.number() >= kEnd && !size.is_number()) return size;
  if (NotNegative(op, bound)) return Least(op, bound, size);
  if (NotNegative(op, dims.Sub(0, bound))) return ZeroOrMore(op, dims.Add(size, bound));
  op.Note("a slice takes " + dims.ToText(bound) + " to be at least 0");
  return Least(op, bound, size);
}

// Sizes beyond are damage; twice this still fits.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 61;

// Backwards: the first index is clamped to [0, size - 1], the one after the last to [-1, size - 1].
std::int64_t BackwardLength(std::int64_t start, std::int64_t end, std::int64_t step,
                            std::int64_t size) {
  const auto clamp = [size](std::int64_t at, std::int64_t low) {
    return std::clamp(at < 0 ? at + size : at, low, size - 1);
  };
  if (size == 0) return 0;
  const std::int64_t first = clamp(std::max(start, -size - 1), 0);
  const std::int64_t last = clamp(std::max(end, -size - 1), -1);
  return std::max<std::int64_t>(0, (first - last - step - 1) / -step);
}

using Range = SliceRange;
using Ranges = SliceRanges;

Dim BackwardDim(const OpContext& op, const Range& range, Dim size) {
  if (!range.start.is_number() || !range.end.is_number()) return {};
  const std::int64_t start = range.start.number();
  const std::int64_t end = range.end.number();
  if (size.is_number()) {
    const bool sane = size.number() >= 0 && size.number() < kMaxSize;
    return sane ? Dim(BackwardLength(start, end, range.step, size.number())) : Dim();
  }
  // The whole axis, the only case that does not hang on the size.
  if ((start == -1 || start >= kEnd) && end <= -kEnd) return op.dims().CeilDiv(size, -range.step);
  return {};
}

Dim SlicedDim(OpContext& op, const Range& range, Dim size) {
  if (range.step < 0) return BackwardDim(op, range, size);
  const Dim begin = BoundOf(op, range.start, size);
  const Dim end = BoundOf(op, range.end, size);
  return op.dims().CeilDiv(ZeroOrMore(op, op.dims().Sub(end, begin)), range.step);
}

// Attributes below opset 10, inputs from there on; nullopt when not even their number is known.
std::optional<Dims> Bounds(const OpContext& op, std::string_view attribute, std::size_t input) {
  if (op.opset() >= 10) {
    if (op.in(input).ints.has_value()) return op.in(input).ints;
    const std::optional<std::size_t> length = KnownLength(op.in(input));
    if (!length.has_value() || *length > kMaxPropagated) return std::nullopt;
    return Dims(*length);
  }
  const auto values = op.Ints(attribute);
  if (!values.has_value()) return std::nullopt;
  return Dims(values->begin(), values->end());
}

// Nullopt where the axes or the number of ranges are known only at run time.
Result<std::optional<Ranges>> RangesOf(const OpContext& op, std::size_t rank) {
  const std::optional<Dims> starts = Bounds(op, "starts", 1);
  const std::optional<Dims> ends = Bounds(op, "ends", 2);
  const ListArgument axes = ListOf(op, "axes", 3);
  const ListArgument steps = ListOf(op, "steps", 4);
  std::optional<Ranges> ranges;
  if (!starts || !ends || (axes.given && !axes.values)) return ranges;
  const std::size_t count = starts->size();
  if (ends->size() != count || (axes.given && axes.values->size() != count) ||
      (steps.values && steps.values->size() != count) || count > rank) {
    return op.Problem("starts, ends, axes and steps differ in length, or exceed the rank");
  }
  ranges.emplace(rank);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t axis = i;
    if (axes.given) {
      TRY_ASSIGN(axis, AxisOf(op, (*axes.values)[i], rank));
    }
    Range range = {(*starts)[i], (*ends)[i], 1};
    if (steps.given && !steps.values) range.start = Dim();
    if (steps.values) range.step = (*steps.values)[i];
    if (range.step == 0 || range.step < -kEnd) return op.Problem("a step is 0");
    (*ranges)[axis] = range;
  }
  return ranges;
}

// Where the first element of a known range lies.
std::int64_t FirstIndex(const Range& range, std::int64_t size) {
  std::int64_t start = range.start.number();
  if (start < 0) start = std::max<std::int64_t>(start, -size) + size;
  return std::min(start, range.step < 0 ? size - 1 : size);
}

void FoldSlice(OpContext& op, const Ranges& ranges) {
  const TensorFact& in = op.in(0);
  const auto from = SmallShape(in.shape);
  const auto to = SmallShape(op.out(0).shape);
  if (!from || !to || !HasElements(in)) return;
  std::vector<std::int64_t> strides = Strides(*from);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].has_value()) continue;
    if (!ranges[i]->start.is_number()) return;
    offset += FirstIndex(*ranges[i], (*from)[i]) * strides[i];
    strides[i] = (*to)[i] > 1 ? strides[i] * ranges[i]->step : 0;
  }
  MoveElements(in, op.out(0), StridedSource(*to, strides, offset));
}

Result<void> InferSlice(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const auto ranges, RangesOf(op, in.shape.rank()));
  op.out(0).shape = UnknownDims(in.shape.rank());
  if (ranges.has_value()) TakeRanges(op, *ranges);
  return {};
}

// --- Split ---

// Sizes are an attribute or an input; without them the parts are equal, and from opset 18 on the
// last one is smaller where the size does not divide.
Result<Dims> PartsOf(const OpContext& op, Dim size) {
  const std::size_t count = op.outputs();
  DimTable& dims = op.dims();
  Dims parts(count);
  if (op.has(1) || op.Ints("split").has_value()) {
    const auto stated = op.Ints("split");
    const std::optional<Dims> sizes =
        stated.has_value() ? std::optional(Dims(stated->begin(), stated->end())) : op.in(1).ints;
    if (!sizes.has_value()) return parts;
    if (sizes->size() != count) {
      return op.Problem(std::to_string(sizes->size()) + " sizes for " + std::to_string(count) +
                        " outputs");
    }
    return *sizes;
  }
  const auto divisor = static_cast<std::int64_t>(count);
  if (op.opset() < 18) {
    for (Dim& part : parts) part = dims.FloorDiv(size, divisor);
    if (size.is_number() && size.number() % divisor != 0) {
      return op.Problem(std::to_string(size.number()) + " does not split into " +
                        std::to_string(count) + " equal parts");
    }
    return parts;
  }
  const Dim chunk = dims.CeilDiv(size, divisor);
  for (std::size_t i = 0; i < count; ++i) {
    const Dim left = dims.Sub(size, dims.Mul(chunk, static_cast<std::int64_t>(i)));
    parts[i] = i + 1 < count && !size.is_number() ? chunk : ZeroOrMore(op, Least(op, left, chunk));
  }
  return parts;
}

void FoldSplit(OpContext& op, std::size_t axis) {
  const TensorFact& in = op.in(0);
  const auto from = SmallShape(in.shape);
  if (!from || !HasElements(in)) return;
  const std::vector<std::int64_t> strides = Strides(*from);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const auto to = SmallShape(op.out(i).shape);
    if (!to || begin > (*from)[axis] - (*to)[axis]) return;
    MoveElements(in, op.out(i), StridedSource(*to, strides, begin * strides[axis]));
    begin += (*to)[axis];
  }
}

Result<void> InferSplit(OpContext& op) {
  const TensorFact in = op.in(0);
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, in.dtype, {});
  if (!in.shape.known_rank() || op.outputs() == 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), in.shape.rank()));
  TRY_ASSIGN(const Dims parts, PartsOf(op, (*in.shape.dims)[axis]));
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    if (!op.has_output(i)) continue;
    op.out(i).shape = in.shape;
    (*op.out(i).shape.dims)[axis] = parts[i];
  }
  FoldSplit(op, axis);
  return {};
}

// --- Pad, CenterCropPad ---

// Begins, then ends: attribute `paddings` (opset 1) or `pads` (2), an input from opset 11 on.
std::optional<Dims> PadsOf(const OpContext& op) {
  if (op.opset() >= 11) return op.in(1).ints;
  const auto values = op.Ints(op.opset() < 2 ? "paddings" : "pads");
  if (!values.has_value()) return std::nullopt;
  return Dims(values->begin(), values->end());
}

Result<void> InferPad(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  const std::size_t rank = in.shape.rank();
  const ListArgument axes_argument = ListOf(op, "axes", 3);
  const std::optional<Dims> pads = PadsOf(op);
  op.out(0).shape = UnknownDims(rank);
  if (!pads.has_value() || (axes_argument.given && !axes_argument.values)) return {};
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; !axes_argument.given && i < rank; ++i) axes.push_back(i);
  if (axes_argument.given) {
    for (const std::int64_t axis : *axes_argument.values) {
      TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, rank));
      axes.push_back(index);
    }
  }
  if (pads->size() != 2 * axes.size()) {
    return op.Problem("\"pads\" has " + std::to_string(pads->size()) + " values, needs " +
                      std::to_string(2 * axes.size()));
  }
  Dims out = *in.shape.dims;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim both = op.dims().Add((*pads)[i], (*pads)[axes.size() + i]);
    out[axes[i]] = op.dims().Add(out[axes[i]], both);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferCenterCropPad(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  const std::size_t rank = in.shape.rank();
  Dims out = *in.shape.dims;
  const auto axes = op.Ints("axes");
  const std::size_t count = axes.has_value() ? axes->size() : rank;
  const Dims sizes = op.in(1).ints.value_or(Dims(count));
  if (sizes.size() != count) return op.Problem("\"shape\" and \"axes\" differ in length");
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t axis = i;
    if (axes.has_value()) {
      TRY_ASSIGN(axis, AxisOf(op, (*axes)[i], rank));
    }
    out[axis] = sizes[i];
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

constexpr OpEntry kOps[] = {
    {.op = "CenterCropPad",
     .infer = InferCenterCropPad,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xc"},
    {.op = "Pad", .infer = InferPad, .work = MovementWork, .rule = "movement", .roles = "xc"},
    {.op = "Slice", .infer = InferSlice, .work = ReadOutputWork, .rule = "movement", .roles = "xc"},
    {.op = "Split", .infer = InferSplit, .work = MovementWork, .rule = "movement", .roles = "xc"},
};

}  // namespace

void TakeRanges(OpContext& op, const SliceRanges& ranges) {
  const TensorFact& in = op.in(0);
  Dims out = *in.shape.dims;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (ranges[i].has_value()) out[i] = SlicedDim(op, *ranges[i], out[i]);
  op.out(0).shape = ShapeOf(std::move(out));
  FoldSlice(op, ranges);
}

std::span<const OpEntry> SliceOps() { return kOps; }

}  // namespace opscope::onnx
