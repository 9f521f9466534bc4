// Views: the same bytes in another shape, and parts of them. Arguments: model/aten/call.h.
#include <algorithm>
#include <limits>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"
#include "ops/onnx/entry.h"
#include "ops/onnx/shape.h"

namespace opscope::aten {

namespace {

using onnx::ShareInput;
using onnx::ViewWork;

Result<void> SetView(OpContext& op, Shape shape) {
  SetOutput(op, 0, op.in(0).dtype, std::move(shape));
  op.out(0).elements = op.in(0).elements;
  CopyElements(op.in(0), op.out(0));
  ShareInput(op);
  return {};
}
// The shape of something that holds a part of the elements, or other ones at their places.
Result<void> SetPart(OpContext& op, Shape shape) {
  SetOutput(op, 0, op.in(0).dtype, std::move(shape));
  ShareInput(op);
  return {};
}

Result<void> InferSame(OpContext& op) { return SetView(op, op.in(0).shape); }

// view(self, size), reshape(self, shape); view(self, dtype) looks at the bytes in another way.
Result<void> InferReshape(OpContext& op) {
  const std::string_view name = Given(op, "shape") ? "shape" : "size";
  TRY(SetView(op, {}));
  if (Given(op, "dtype")) {
    const DType to = DTypeArg(op, "dtype", DType::kUnknown);
    TRY(SetPart(op, Bits(to) == Bits(op.in(0).dtype) ? op.in(0).shape : Shape{}));
    op.out(0).dtype = to;
    return {};
  }
  const std::optional<Dims> wanted = DimsArg(op, name);
  if (!wanted.has_value()) return {};
  TRY_ASSIGN(Shape shape, onnx::Reshaped(op, op.in(0).shape, *wanted, true));
  return SetView(op, std::move(shape));
}
Result<void> InferLike(OpContext& op) { return SetView(op, op.in(1).shape); }

Result<void> InferFlatten(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return SetView(op, {});
  if (in.rank() == 0) return SetView(op, ShapeOf({1}));
  std::size_t first = 0, last = in.rank() - 1;
  if (op.op() == "flatten") {
    TRY_ASSIGN(first, AxisArg(op, "start_dim", 0, in.rank()));
    TRY_ASSIGN(last, AxisArg(op, "end_dim", -1, in.rank()));
  }
  if (first > last) return op.Problem("start_dim lies behind end_dim");
  Dims out(in.dims->begin(), in.dims->begin() + static_cast<std::ptrdiff_t>(first));
  out.push_back(ProductOf(op, in, first, last + 1));
  out.insert(out.end(), in.dims->begin() + static_cast<std::ptrdiff_t>(last) + 1, in.dims->end());
  return SetView(op, ShapeOf(std::move(out)));
}

Result<void> InferUnflatten(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const auto sizes = DimsArg(op, "sizes");
  if (!in.known_rank() || !sizes.has_value()) return SetView(op, {});
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  const Shape one = ShapeOf({DimAt(in, axis)});
  TRY_ASSIGN(const Shape parts, onnx::Reshaped(op, one, *sizes, true));
  Dims out = *in.dims;
  const auto at = out.begin() + static_cast<std::ptrdiff_t>(axis);
  out.insert(out.erase(at), parts.dims->begin(), parts.dims->end());
  return SetView(op, ShapeOf(std::move(out)));
}

Result<void> SetOrder(OpContext& op, const std::vector<std::size_t>& order) {
  Dims out;
  for (const std::size_t axis : order) out.push_back((*op.in(0).shape.dims)[axis]);
  return SetPart(op, ShapeOf(std::move(out)));
}
Result<void> InferPermute(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const auto dims = IntsArg(op, "dims");
  if (!in.known_rank() || !dims.has_value()) return SetPart(op, {});
  if (dims->size() != in.rank())
    return op.Problem(std::to_string(dims->size()) + " axes for a tensor of rank " +
                      std::to_string(in.rank()));
  TRY(AxesOf(op, *dims, in.rank()));
  std::vector<std::size_t> order;
  for (const std::int64_t axis : *dims) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, in.rank()));
    order.push_back(index);
  }
  return SetOrder(op, order);
}
// transpose(self, dim0, dim1), t, mT, adjoint.
Result<void> InferTranspose(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() < 2) return SetView(op, in);
  const bool named = op.op() != "t" && op.op() != "numpy_T" && op.op() != "mT";
  std::size_t a = in.rank() - 2, b = in.rank() - 1;
  if (named) {
    const char* first = Given(op, "axis0") ? "axis0" : "dim0";
    const char* second = Given(op, "axis1") ? "axis1" : "dim1";
    TRY_ASSIGN(a, AxisArg(op, first, -2, in.rank()));
    TRY_ASSIGN(b, AxisArg(op, second, -1, in.rank()));
  }
  std::vector<std::size_t> order(in.rank());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::swap(order[a], order[b]);
  return SetOrder(op, order);
}
Result<void> InferMoveAxes(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const auto from = IntsArg(op, "source");
  const auto to = IntsArg(op, "destination");
  if (!in.known_rank() || !from.has_value() || !to.has_value()) return SetPart(op, {});
  if (from->size() != to->size()) return op.Problem("source and destination differ in length");
  TRY(AxesOf(op, *from, in.rank()));
  TRY(AxesOf(op, *to, in.rank()));
  std::vector<std::size_t> order(in.rank(), in.rank());
  std::vector<bool> moved(in.rank(), false);
  for (std::size_t i = 0; i < from->size(); ++i) {
    TRY_ASSIGN(const std::size_t source, AxisOf(op, (*from)[i], in.rank()));
    TRY_ASSIGN(const std::size_t place, AxisOf(op, (*to)[i], in.rank()));
    order[place] = source;
    moved[source] = true;
  }
  std::size_t next = 0;
  for (std::size_t& axis : order) {
    if (axis < in.rank()) continue;
    while (moved[next]) ++next;
    axis = next++;
  }
  return SetOrder(op, order);
}

Result<void> InferSqueeze(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return SetView(op, {});
  const bool named = Given(op, "dim");
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesArg(op, "dim", in.rank()));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool meant = std::find(axes.begin(), axes.end(), i) != axes.end();
    const Dim dim = (*in.dims)[i];
    // An axis whose size is not known to be 1 stays.
    if (!(meant && dim == Dim(1))) out.push_back(dim);
    if (meant && named && dim.is_expression())
      op.Note("axis " + std::to_string(i) + " stays: its size " + op.dims().ToText(dim) +
              " is taken to be other than 1");
  }
  return SetView(op, ShapeOf(std::move(out)));
}
Result<void> InferUnsqueeze(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return SetView(op, {});
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank() + 1));
  Dims out = *in.dims;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
  return SetView(op, ShapeOf(std::move(out)));
}

// expand(self, size): -1 keeps a size; new axes stand in front.
Result<void> InferExpand(OpContext& op) {
  const Shape& in = op.in(0).shape;
  std::optional<Dims> sizes = DimsArg(op, "size");
  if (op.op() == "expand_as" && op.in(1).shape.known_rank()) sizes = *op.in(1).shape.dims;
  if (!sizes.has_value() || !in.known_rank() || sizes->size() < in.rank()) return SetPart(op, {});
  const std::size_t added = sizes->size() - in.rank();
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    Dim& size = (*sizes)[i];
    const Dim own = i < added ? Dim(1) : (*in.dims)[i - added];
    if (size == Dim(-1)) {
      size = own;
    } else if (own.is_number() && size.is_number() && own != size && own != Dim(1)) {
      return op.Problem("axis of size " + std::to_string(own.number()) + " cannot become " +
                        std::to_string(size.number()));
    }
  }
  return SetPart(op, ShapeOf(std::move(*sizes)));
}

// --- parts ---

// Where a part begins or ends: counted from the end when negative, inside the axis.
Dim Inside(DimTable& dims, Dim place, Dim size) {
  if (place.is_number() && place.number() < 0) {
    const Dim counted = dims.Add(size, place);
    return dims.AtLeast(counted, 0, 1) ? counted : dims.Max(counted, 0);
  }
  const bool open = place.is_number() && place.number() >= std::numeric_limits<std::int32_t>::max();
  return open ? size : dims.Min(place, size);
}

Result<void> InferSlice(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return SetPart(op, {});
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  if (in.rank() == 0) return op.Problem("a tensor of no axes has no parts");
  DimTable& dims = op.dims();
  const Dim size = (*in.dims)[axis];
  const Dim begin = Inside(dims, DimArg(op, "start", 0), size);
  const Dim end = Inside(dims, DimArg(op, "end", std::numeric_limits<std::int64_t>::max()), size);
  const std::int64_t step = std::max<std::int64_t>(IntArg(op, "step", 1), 1);
  Dim count = dims.CeilDiv(dims.Sub(end, begin), step);
  if (!dims.AtLeast(count, 0, 1)) count = dims.Max(count, 0);
  Dims out = *in.dims;
  out[axis] = count;
  TRY(SetPart(op, ShapeOf(std::move(out))));
  if (in.rank() == 1 && begin.is_number() && count.is_number() && HasElements(op.in(0))) {
    const std::int64_t counts[] = {count.number()};
    const std::int64_t strides[] = {step};
    if (count.number() <= static_cast<std::int64_t>(kMaxPropagated))
      MoveElements(op.in(0), op.out(0), StridedSource(counts, strides, begin.number()));
  }
  return {};
}
// narrow(self, dim, start, length).
Result<void> InferNarrow(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() == 0) return SetPart(op, {});
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  Dims out = *in.dims;
  out[axis] = DimArg(op, "length", Dim());
  return SetPart(op, ShapeOf(std::move(out)));
}
Result<void> InferSelect(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return SetPart(op, {});
  if (in.rank() == 0) return op.Problem("a tensor of no axes has no parts");
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  Dims out = *in.dims;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  TRY(SetPart(op, ShapeOf(std::move(out))));
  const auto index = IntArg(op, "index");
  const Dim size = (*in.dims)[axis];
  if (in.rank() == 1 && index.has_value() && size.is_number() && HasElements(op.in(0))) {
    const std::int64_t place = *index < 0 ? *index + size.number() : *index;
    if (place < 0 || place >= size.number()) return op.Problem("the index lies outside");
    const std::size_t source[] = {static_cast<std::size_t>(place)};
    MoveElements(op.in(0), op.out(0), source);
  }
  return {};
}
// unfold(self, dimension, size, step): windows along an axis, their elements last.
Result<void> InferUnfold(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() == 0) return SetPart(op, {});
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dimension", 0, in.rank()));
  DimTable& dims = op.dims();
  const Dim size = DimArg(op, "size", Dim());
  Dims out = *in.dims;
  out[axis] = dims.Add(dims.FloorDiv(dims.Sub(out[axis], size), DimArg(op, "step", 1)), 1);
  out.push_back(size);
  return SetPart(op, ShapeOf(std::move(out)));
}
Result<void> InferStrided(OpContext& op) {
  const auto sizes = DimsArg(op, "size");
  return SetPart(op, sizes.has_value() ? ShapeOf(*sizes) : Shape{});
}
Result<void> InferDiagonal(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() < 2) return SetPart(op, {});
  TRY_ASSIGN(const std::size_t a, AxisArg(op, "dim1", 0, in.rank()));
  TRY_ASSIGN(const std::size_t b, AxisArg(op, "dim2", 1, in.rank()));
  const std::int64_t offset = IntArg(op, "offset", 0);
  DimTable& dims = op.dims();
  const Dim rows = dims.Sub((*in.dims)[a], std::max<std::int64_t>(-offset, 0));
  const Dim columns = dims.Sub((*in.dims)[b], std::max<std::int64_t>(offset, 0));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i)
    if (i != a && i != b) out.push_back((*in.dims)[i]);
  out.push_back(dims.Max(dims.Min(rows, columns), 0));
  return SetPart(op, ShapeOf(std::move(out)));
}
Result<void> InferAsReal(OpContext& op) {
  Shape shape = op.in(0).shape;
  const bool real = op.op() == "view_as_real";
  const DType from = op.in(0).dtype;
  if (shape.known_rank() && real) shape.dims->push_back(2);
  if (shape.known_rank() && !real && shape.rank() > 0) shape.dims->pop_back();
  TRY(SetPart(op, std::move(shape)));
  const bool wide = from == DType::kComplex128 || from == DType::kFloat64;
  op.out(0).dtype = real ? (wide ? DType::kFloat64 : DType::kFloat32)
                         : (wide ? DType::kComplex128 : DType::kComplex64);
  return {};
}

using entry::View;

constexpr OpEntry kOps[] = {
    View("view", "Reshape", InferReshape),
    View("reshape", "Reshape", InferReshape),
    View("_unsafe_view", "Reshape", InferReshape),
    View("_reshape_alias", "Reshape", InferReshape),
    View("view_as", "Reshape", InferLike),
    View("reshape_as", "Reshape", InferLike),
    View("flatten", "Flatten", InferFlatten),
    View("ravel", "Flatten", InferFlatten),
    View("unflatten", "Reshape", InferUnflatten),
    View("squeeze", "Squeeze", InferSqueeze),
    View("unsqueeze", "Unsqueeze", InferUnsqueeze),
    View("permute", "Transpose", InferPermute),
    View("transpose", "Transpose", InferTranspose),
    View("swapaxes", "Transpose", InferTranspose),
    View("swapdims", "Transpose", InferTranspose),
    View("t", "Transpose", InferTranspose),
    View("numpy_T", "Transpose", InferTranspose),
    View("mT", "Transpose", InferTranspose),
    View("movedim", "Transpose", InferMoveAxes),
    View("moveaxis", "Transpose", InferMoveAxes),
    View("expand", "Expand", InferExpand),
    View("expand_as", "Expand", InferExpand),
    View("broadcast_to", "Expand", InferExpand),
    View("slice", "Slice", InferSlice),
    View("narrow", "Slice", InferNarrow),
    View("select", "Gather", InferSelect),
    View("unfold", "Slice", InferUnfold),
    View("as_strided", "Reshape", InferStrided),
    View("diagonal", "Slice", InferDiagonal),
    View("view_as_real", "Identity", InferAsReal),
    View("view_as_complex", "Identity", InferAsReal),
    View("alias", "Identity", InferSame),
    View("detach", "Identity", InferSame),
    View("contiguous", "Identity", InferSame),
    View("lift_fresh", "Identity", InferSame),
    View("lift", "Identity", InferSame),
    View("resolve_conj", "Identity", InferSame),
    View("resolve_neg", "Identity", InferSame),
    View("requires_grad_", "Identity", InferSame),
};

}  // namespace

std::span<const OpEntry> ViewOps() { return kOps; }

}  // namespace opscope::aten
