// Shapes as values and views: Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Identity; and the
// ops that repeat an input into a wanted shape: Expand, Tile.
#include "ops/onnx/shape.h"

#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- Shape, Size ---

// From opset 15 on a slice [start, end) of the dims; both may count from the back and are clamped.
Result<void> InferShape(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, DType::kInt64, UnknownDims(1));
  if (!in.known_rank()) return {};
  const auto rank = static_cast<std::int64_t>(in.rank());
  const auto clamp = [rank](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = clamp(op.IntOr("start", 0));
  const std::int64_t end = std::max(begin, clamp(op.IntOr("end", rank)));
  op.out(0).shape = ShapeOf({end - begin});
  op.out(0).ints.emplace(in.dims->begin() + begin, in.dims->begin() + end);
  return {};
}

Result<void> InferSize(OpContext& op) {
  SetOutput(op, 0, DType::kInt64, ShapeOf({}));
  op.out(0).ints = {ElementsOf(op, op.in(0).shape)};
  return {};
}

// --- views ---

void SetView(OpContext& op, Shape shape) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, std::move(shape));
  CopyElements(in, op.out(0));
  ShareInput(op);
}

// A view has the elements of its input, also where its shape does not tell how many.
void KeepElements(OpContext& op) {
  TensorFact& out = op.out(0);
  if (Elements(op.dims(), out.shape).is_unknown()) out.elements = Elements(op.dims(), op.in(0));
}

// The one dim of a Reshape that the others leave open: the elements of the input over those of
// the rest. Dims copied from the input cancel, so that they need not be known.
Result<Dim> OpenDim(const OpContext& op, Dim elements, Dim rest) {
  if (rest == Dim(0)) return Dim(0);
  const std::optional<Dim> exact = op.dims().ExactQuotient(elements, rest);
  if (exact.has_value()) return *exact;
  if (elements.is_number() && rest.is_number()) {
    return op.Problem(std::to_string(elements.number()) + " elements do not divide by " +
                      std::to_string(rest.number()));
  }
  return op.dims().FloorDiv(elements, rest);
}

// The wanted shape: an attribute below opset 5, an input from there on; nullopt = of unknown rank.
std::optional<Dims> WantedShape(const OpContext& op) {
  if (const auto values = op.Ints("shape"); values.has_value() && op.opset() < 5) {
    return Dims(values->begin(), values->end());
  }
  if (op.in(1).ints.has_value()) return op.in(1).ints;
  const std::optional<std::size_t> rank = KnownLength(op.in(1));
  if (!rank.has_value() || *rank > kMaxPropagated) return std::nullopt;
  return Dims(*rank);
}

Result<void> InferReshape(OpContext& op) {
  SetView(op, {});
  const std::optional<Dims> wanted = WantedShape(op);
  if (wanted.has_value()) {
    TRY_ASSIGN(op.out(0).shape,
               Reshaped(op, op.in(0).shape, *wanted, op.IntOr("allowzero", 0) != 0));
  }
  KeepElements(op);
  return {};
}

Result<void> InferFlatten(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetView(op, UnknownDims(2));
  KeepElements(op);
  if (!in.known_rank()) return {};
  std::size_t axis = in.rank();
  if (const std::int64_t stated = op.IntOr("axis", 1); stated != static_cast<std::int64_t>(axis)) {
    TRY_ASSIGN(axis, AxisOf(op, stated, in.rank()));
  }
  op.out(0).shape = ShapeOf({ProductOf(op, in, 0, axis), ProductOf(op, in, axis, in.rank())});
  return {};
}

// Without axes every dim of 1 goes; that needs all dims known.
Result<Shape> SqueezedAll(const Shape& in) {
  Dims out;
  for (const Dim dim : *in.dims) {
    if (!dim.is_number()) return Shape{};
    if (dim.number() != 1) out.push_back(dim);
  }
  return ShapeOf(std::move(out));
}

Result<Shape> Squeezed(const OpContext& op, const Shape& in) {
  const ListArgument axes = ListOf(op, "axes", 1);
  if (!in.known_rank()) return Shape{};
  if (!axes.given) return SqueezedAll(in);
  if (!axes.values.has_value()) {
    const std::optional<std::size_t> count = KnownLength(op.in(1));
    const bool known = count.has_value() && *count <= in.rank();
    return known ? UnknownDims(in.rank() - *count) : Shape{};
  }
  TRY_ASSIGN(const std::vector<std::size_t> gone, AxesOf(op, *axes.values, in.rank()));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const Dim dim = (*in.dims)[i];
    if (!std::binary_search(gone.begin(), gone.end(), i)) {
      out.push_back(dim);
    } else if (dim.is_number() && dim.number() != 1) {
      return op.Problem("axis " + std::to_string(i) + " has size " + std::to_string(dim.number()) +
                        " and cannot be squeezed");
    }
  }
  return ShapeOf(std::move(out));
}

Result<Shape> Unsqueezed(const OpContext& op, const Shape& in) {
  const ListArgument axes = ListOf(op, "axes", 1);
  if (!axes.given) return op.Problem("axes are missing");
  if (!in.known_rank()) return Shape{};
  if (!axes.values.has_value()) {
    const std::optional<std::size_t> count = KnownLength(op.in(1));
    const bool known = count.has_value() && *count <= kMaxPropagated;
    return known ? UnknownDims(in.rank() + *count) : Shape{};
  }
  const std::size_t rank = in.rank() + axes.values->size();
  TRY_ASSIGN(const std::vector<std::size_t> added, AxesOf(op, *axes.values, rank));
  Dims out;
  auto next = in.dims->begin();
  for (std::size_t i = 0; i < rank; ++i) {
    out.push_back(std::binary_search(added.begin(), added.end(), i) ? Dim(1) : *next++);
  }
  return ShapeOf(std::move(out));
}

template <Result<Shape> (*kShape)(const OpContext&, const Shape&)>
Result<void> InferView(OpContext& op) {
  SetView(op, {});
  TRY_ASSIGN(op.out(0).shape, kShape(op, op.in(0).shape));
  KeepElements(op);
  return {};
}

// Also of sequences and optionals.
Result<void> InferIdentity(OpContext& op) {
  op.out(0) = op.in(0);
  return {};
}

// --- Expand, Tile ---

Result<void> InferExpand(OpContext& op) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  SetOutput(op, 0, in.dtype, {});
  const std::optional<Dims> wanted = WantedShape(op);
  if (!wanted.has_value()) return {};
  TRY_ASSIGN(out.shape, Broadcast(op, in.shape, ShapeOf(*wanted)));
  const auto from = SmallShape(in.shape);
  const auto to = SmallShape(out.shape);
  if (from && to && HasElements(in)) MoveElements(in, out, BroadcastSource(*from, *to));
  return {};
}

// Below opset 6: how often along which axis, both as elements.
Result<void> InferOldTile(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape.known_rank() ? UnknownDims(in.shape.rank()) : Shape{});
  const std::optional<std::int64_t> stated = SingleInteger(op.in(2));
  if (!in.shape.known_rank() || !stated.has_value()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.shape.rank()));
  op.out(0).shape = in.shape;
  (*op.out(0).shape.dims)[axis] = op.dims().Mul((*in.shape.dims)[axis], SingleDim(op.in(1)));
  return {};
}

Result<void> InferTile(OpContext& op) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  SetOutput(op, 0, in.dtype, in.shape.known_rank() ? UnknownDims(in.shape.rank()) : Shape{});
  const std::optional<Dims> repeats = op.in(1).ints;
  if (!in.shape.known_rank() || !repeats.has_value()) return {};
  if (repeats->size() != in.shape.rank()) {
    return op.Problem(std::to_string(repeats->size()) + " repeats for rank " +
                      std::to_string(in.shape.rank()));
  }
  for (std::size_t i = 0; i < repeats->size(); ++i) {
    (*out.shape.dims)[i] = op.dims().Mul((*in.shape.dims)[i], (*repeats)[i]);
  }
  const auto from = SmallShape(in.shape);
  if (!from || !SmallShape(out.shape) || !HasElements(in)) return {};
  // Each dim becomes a pair: repeats, over which the source stands still, and the dim itself.
  const std::vector<std::int64_t> own = Strides(*from);
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < from->size(); ++i) {
    if (!(*repeats)[i].is_number()) return {};
    dims.insert(dims.end(), {(*repeats)[i].number(), (*from)[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  MoveElements(in, out, StridedSource(dims, strides));
  return {};
}

constexpr OpEntry View(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ViewWork, .rule = "view", .roles = "xc"};
}

constexpr OpEntry kOps[] = {
    View("Flatten", InferFlatten),
    View("Identity", InferIdentity),
    View("Reshape", InferReshape),
    View("Squeeze", InferView<Squeezed>),
    View("Unsqueeze", InferView<Unsqueezed>),
    {.op = "Expand", .infer = InferExpand, .work = MovementWork, .rule = "movement", .roles = "xc"},
    {.op = "Shape", .infer = InferShape, .work = NoWork, .rule = "nothing"},
    {.op = "Size", .infer = InferSize, .work = NoWork, .rule = "nothing"},
    {.op = "Tile",
     .until = 5,
     .infer = InferOldTile,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xc"},
    {.op = "Tile",
     .since = 6,
     .infer = InferTile,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xc"},
};

}  // namespace

Result<Shape> Reshaped(const OpContext& op, const Shape& in, std::span<const Dim> wanted,
                       bool allow_zero) {
  Dims out(wanted.begin(), wanted.end());
  std::vector<std::size_t> open;
  std::vector<bool> copied(out.size(), false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].is_unknown() || out[i] == Dim(-1)) {
      open.push_back(i);
      out[i] = Dim();
    } else if (out[i] == Dim(0) && !allow_zero) {
      if (in.known_rank() && i >= in.rank()) {
        return op.Problem("0 at place " + std::to_string(i) + " of the shape, input has rank " +
                          std::to_string(in.rank()));
      }
      out[i] = DimAt(in, i);
      copied[i] = true;
    } else if (out[i].is_number() && out[i].number() < 0) {
      return op.Problem("the shape holds " + std::to_string(out[i].number()));
    }
  }
  DimTable& dims = op.dims();
  Dim elements = 1;
  Dim rest = 1;
  if (in.known_rank()) {
    for (std::size_t i = 0; i < in.rank(); ++i) {
      if (i >= copied.size() || !copied[i]) elements = dims.Mul(elements, (*in.dims)[i]);
    }
  } else {
    const bool copies = std::find(copied.begin(), copied.end(), true) != copied.end();
    elements = copies ? Dim() : op.in(0).elements;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_open = std::find(open.begin(), open.end(), i) != open.end();
    if (!copied[i] && !is_open) rest = dims.Mul(rest, out[i]);
  }
  if (open.size() == 1) {
    TRY_ASSIGN(out[open[0]], OpenDim(op, elements, rest));
  } else if (open.empty() && elements.is_number() && rest.is_number() && elements != rest) {
    return op.Problem(std::to_string(elements.number()) + " elements as a shape of " +
                      std::to_string(rest.number()));
  }
  return ShapeOf(std::move(out));
}

std::span<const OpEntry> ShapeOps() { return kOps; }

}  // namespace opscope::onnx
