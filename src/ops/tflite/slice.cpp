// Parts of a tensor: SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK, and what puts parts together.
#include <algorithm>

#include "ops/onnx/entry.h"
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// --- SLICE: begin and size for each axis, size -1 = the rest ---

Result<void> InferSlice(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), in.known_rank() ? UnknownDims(in.rank()) : Shape{});
  const auto& begins = op.in(1).ints;
  const auto& sizes = op.in(2).ints;
  if (!in.known_rank() || !sizes.has_value()) return {};
  if (sizes->size() != in.rank()) return op.Problem("begin and size do not fit the rank");
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool rest = (*sizes)[i] == Dim(-1);
    const bool begins_known = begins.has_value() && begins->size() == in.rank();
    Dim& out = (*op.out(0).shape.dims)[i];
    if (!rest) {
      out = (*sizes)[i];
    } else if (begins_known) {
      out = op.dims().Sub((*in.dims)[i], (*begins)[i]);
    }
  }
  const auto from = SmallShape(in);
  const auto to = SmallShape(op.out(0).shape);
  const auto starts = IntegersOf(op, 1);
  if (!from || !to || !starts || starts->size() != from->size()) return {};
  const std::vector<std::int64_t> strides = Strides(*from);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < from->size(); ++i) {
    if ((*starts)[i] < 0 || (*starts)[i] + (*to)[i] > (*from)[i])
      return op.Problem("the part lies outside of axis " + std::to_string(i));
    offset += (*starts)[i] * strides[i];
  }
  MoveElements(op.in(0), op.out(0), StridedSource(*to, strides, offset));
  return {};
}

// --- STRIDED_SLICE ---

// Bits of the masks belong to positions of begin, end and strides: a range taken as open, a new
// axis of 1, an axis that goes, or (ellipsis) as many whole axes as are left.
struct Masks {
  std::int64_t begin, end, ellipsis, new_axis, shrink;
  static bool Has(std::int64_t mask, std::size_t i) { return i < 31 && (mask >> i & 1) != 0; }
};

// What happens to one axis of the input.
struct AxisRange {
  std::int64_t begin = 0, stride = 1;
  bool known = false;  // begin and the size are numbers
};

class StridedSlice {
 public:
  explicit StridedSlice(OpContext& op)
      : op_(op),
        masks_{op.IntOr("begin_mask", 0), op.IntOr("end_mask", 0), op.IntOr("ellipsis_mask", 0),
               op.IntOr("new_axis_mask", 0), op.IntOr("shrink_axis_mask", 0)},
        relative_end_(op.IntOr("offset", 0) != 0) {}

  Result<void> Run() {
    const Shape& in = op_.in(0).shape;
    const std::optional<std::size_t> length = KnownLength(op_.in(1));
    const auto strides = IntegersOf(op_, 3);
    if (!in.known_rank() || !length || !strides || strides->size() != *length) return {};
    strides_ = *strides;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < *length; ++i)
      if (!Masks::Has(masks_.new_axis, i) && !Masks::Has(masks_.ellipsis, i)) ++taken;
    if (taken > in.rank()) return op_.Problem("more ranges than axes");
    for (std::size_t i = 0; i < *length; ++i) {
      if (Masks::Has(masks_.ellipsis, i)) {
        for (std::size_t whole = in.rank() - taken; whole > 0; --whole) TakeWhole();
      } else if (Masks::Has(masks_.new_axis, i)) {
        out_.push_back(1);
      } else {
        TRY(TakeRange(i));
      }
    }
    while (axis_ < in.rank()) TakeWhole();
    op_.out(0).shape = ShapeOf(std::move(out_));
    Move();
    return {};
  }

 private:
  void TakeWhole() {
    const Dim size = DimAt(op_.in(0).shape, axis_++);
    out_.push_back(size);
    ranges_.push_back({0, 1, size.is_number()});
    kept_.push_back(size);
  }

  Dim ElementOf(std::size_t input, std::size_t i) const {
    const auto& ints = op_.in(input).ints;
    return ints.has_value() && i < ints->size() ? (*ints)[i] : Dim();
  }

  // Counted from the end when negative, and kept inside.
  static std::int64_t Clamped(std::int64_t at, std::int64_t size, bool backward) {
    if (at < 0) at += size;
    return std::clamp<std::int64_t>(at, backward ? -1 : 0, backward ? size - 1 : size);
  }

  Result<void> TakeRange(std::size_t i) {
    const Dim size = DimAt(op_.in(0).shape, axis_++);
    const std::int64_t stride = strides_[i];
    if (stride == 0) return op_.Problem("a stride of 0");
    const Dim begin = ElementOf(1, i);
    Dim end = ElementOf(2, i);
    if (relative_end_) end = op_.dims().Add(begin, end);
    if (Masks::Has(masks_.shrink, i)) {
      const bool known = begin.is_number() && size.is_number();
      ranges_.push_back({known ? Clamped(begin.number(), size.number(), false) : 0, 1, known});
      kept_.push_back(1);
      return {};
    }
    AxisRange range;
    const Dim kept = SizeOf(size, begin, end, i, range);
    ranges_.push_back(range);
    kept_.push_back(kept);
    out_.push_back(kept);
    return {};
  }

  Dim SizeOf(Dim size, Dim begin, Dim end, std::size_t i, AxisRange& range) const {
    DimTable& dims = op_.dims();
    const std::int64_t stride = strides_[i];
    const bool open_begin = Masks::Has(masks_.begin, i);
    const bool open_end = Masks::Has(masks_.end, i);
    range.stride = stride;
    if (size.is_number() && (open_begin || begin.is_number()) && (open_end || end.is_number())) {
      const std::int64_t n = size.number();
      const bool back = stride < 0;
      const std::int64_t from = open_begin ? (back ? n - 1 : 0) : Clamped(begin.number(), n, back);
      const std::int64_t to = open_end ? (back ? -1 : n) : Clamped(end.number(), n, back);
      range.begin = from;
      range.known = true;
      const std::int64_t room = back ? from - to : to - from;
      const std::int64_t step = back ? -stride : stride;
      return room <= 0 ? 0 : (room - 1) / step + 1;
    }
    if (stride < 0) return open_begin && open_end ? dims.CeilDiv(size, -stride) : Dim();
    const Dim from = open_begin ? Dim(0) : begin;
    const bool whole = from == Dim(0) && open_end;
    if (whole) return dims.CeilDiv(size, stride);
    if (!from.is_number() || from.number() < 0) return {};
    Dim to = open_end ? size : end;
    if (to.is_number() && to.number() < 0) to = dims.Add(size, to);
    return dims.CeilDiv(dims.Sub(to, from), stride);
  }

  void Move() {
    const auto from = SmallShape(op_.in(0).shape);
    if (!from || !HasElements(op_.in(0))) return;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides = Strides(*from);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (!ranges_[i].known || !kept_[i].is_number()) return;
      if (kept_[i].number() > 0 && (ranges_[i].begin < 0 || ranges_[i].begin >= (*from)[i])) return;
      sizes.push_back(kept_[i].number());
      offset += ranges_[i].begin * strides[i];
      strides[i] *= ranges_[i].stride;
    }
    MoveElements(op_.in(0), op_.out(0), StridedSource(sizes, strides, offset));
  }

  OpContext& op_;
  Masks masks_;
  bool relative_end_;
  std::vector<std::int64_t> strides_;
  Dims out_;                       // of the output
  std::vector<AxisRange> ranges_;  // by axis of the input
  Dims kept_;                      // how much of each
  std::size_t axis_ = 0;
};

Result<void> InferStridedSlice(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), {});
  return StridedSlice(op).Run();
}

// --- SPLIT, SPLIT_V, UNPACK ---

Result<void> SetParts(OpContext& op, std::size_t data, std::optional<std::int64_t> axis,
                      const std::optional<Dims>& sizes) {
  const Shape& in = op.in(data).shape;
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, StoredDType(op, i, data), {});
  if (!in.known_rank() || !axis) return {};
  TRY_ASSIGN(const std::size_t index, AxisOf(op, *axis, in.rank()));
  const auto parts = static_cast<std::int64_t>(op.outputs());
  const Dim size = (*in.dims)[index];
  if (!sizes && size.is_number() && parts > 0 && size.number() % parts != 0)
    return op.Problem(std::to_string(size.number()) + " in " + std::to_string(parts) + " parts");
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    Shape out = in;
    if (sizes) {
      (*out.dims)[index] = i < sizes->size() ? (*sizes)[i] : Dim();
    } else {
      (*out.dims)[index] = op.dims().FloorDiv(size, parts);
    }
    op.out(i).shape = std::move(out);
  }
  return {};
}

Result<void> InferSplit(OpContext& op) {
  return SetParts(op, 1, SingleInteger(op.in(0)), std::nullopt);
}

// One size may be -1: what is left.
Result<void> InferSplitV(OpContext& op) {
  const auto axis = SingleInteger(op.in(2));
  const Shape& in = op.in(0).shape;
  std::optional<Dims> sizes = op.in(1).ints;
  if (sizes && axis && in.known_rank()) {
    const auto open = std::find(sizes->begin(), sizes->end(), Dim(-1));
    if (open != sizes->end()) {
      TRY_ASSIGN(const std::size_t index, AxisOf(op, *axis, in.rank()));
      *open = 0;
      *open = op.dims().Sub((*in.dims)[index], op.dims().Sum(*sizes));
    }
  }
  if (!sizes) sizes = Dims(op.outputs());
  return SetParts(op, 0, axis, sizes);
}

Result<void> InferUnpack(OpContext& op) {
  const Shape& in = op.in(0).shape;
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, StoredDType(op, i), {});
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), in.rank()));
  Dims out = *in.dims;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    op.out(i).shape = ShapeOf(out);
    if (in.rank() == 1 && op.in(0).ints.has_value() && i < op.in(0).ints->size())
      op.out(i).ints = {(*op.in(0).ints)[i]};
  }
  return {};
}

// --- PACK, CONCATENATION ---

// Inputs of one shape, side by side along a new axis.
Result<void> InferPack(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (op.inputs() == 0) return op.Problem("no inputs");
  Shape one = op.in(0).shape;
  if (!one.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), one.rank() + 1));
  one.dims->insert(one.dims->begin() + static_cast<std::ptrdiff_t>(axis),
                   static_cast<std::int64_t>(op.inputs()));
  const bool scalars = one.rank() == 1;
  op.out(0).shape = std::move(one);
  if (!scalars || !IsInteger(op.out(0).dtype)) return {};
  std::vector<Dim> elements;
  for (std::size_t i = 0; i < op.inputs(); ++i) elements.push_back(SingleDim(op.in(i)));
  op.out(0).ints = std::move(elements);
  return {};
}

Result<void> InferConcatenation(OpContext& op) { return InferAs(op, "Concat"); }

// --- DYNAMIC_UPDATE_SLICE: the operand with a part of it replaced ---

using entry::Move;

constexpr OpEntry kOps[] = {
    Move("CONCATENATION", "Concat", InferConcatenation, "x"),
    Move("DYNAMIC_UPDATE_SLICE", "", InferSame, "xxc"),
    Move("PACK", "", InferPack, "x"),
    Move("SLICE", "Slice", InferSlice, "xcc", ReadOutputWork),
    Move("SPLIT", "Split", InferSplit, "cx"),
    Move("SPLIT_V", "Split", InferSplitV, "xcc"),
    Move("STRIDED_SLICE", "Slice", InferStridedSlice, "xccc", ReadOutputWork),
    Move("UNPACK", "Split", InferUnpack, "x"),
};

}  // namespace

std::span<const OpEntry> SliceOps() { return kOps; }

}  // namespace opscope::tflite
