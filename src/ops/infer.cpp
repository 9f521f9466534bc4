#include "ops/infer.h"

#include <algorithm>

namespace opscope {

namespace {

Result<Dim> BroadcastDim(const OpContext& op, Dim a, Dim b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.is_number() && b.is_number()) {
    return op.Problem("inputs do not broadcast: " + std::to_string(a.number()) + " against " +
                      std::to_string(b.number()));
  }
  if (a.is_number()) return a;
  if (b.is_number()) return b;
  if (a.is_unknown() || b.is_unknown()) return Dim();
  return op.TakeEqual(a, b, "broadcasting");
}

}  // namespace

void SetOutput(OpContext& op, std::size_t output, DType dtype, Shape shape) {
  TensorFact& fact = op.out(output);
  fact.dtype = dtype;
  fact.shape = std::move(shape);
}

Result<void> SameAsInput(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  op.out(0).elements = op.in(0).elements;
  return {};
}

DType CommonDType(const OpContext& op, std::size_t first) {
  for (std::size_t i = first; i < op.inputs(); ++i) {
    if (op.in(i).dtype != DType::kUnknown) return op.in(i).dtype;
  }
  return DType::kUnknown;
}

Result<Shape> Broadcast(const OpContext& op, const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank()) return Shape{};
  const std::size_t rank = std::max(a.rank(), b.rank());
  const auto at = [rank](const Shape& shape, std::size_t i) {
    const std::size_t missing = rank - shape.rank();
    return i < missing ? Dim(1) : (*shape.dims)[i - missing];
  };
  Dims out(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    TRY_ASSIGN(out[i], BroadcastDim(op, at(a, i), at(b, i)));
  }
  return ShapeOf(std::move(out));
}

Result<Shape> BroadcastInputs(const OpContext& op, std::size_t first, std::size_t last) {
  Shape shape = op.in(first).shape;
  for (std::size_t i = first + 1; i <= last; ++i) {
    TRY_ASSIGN(shape, Broadcast(op, shape, op.in(i).shape));
  }
  return shape;
}

Dim BetterKnown(const OpContext& op, Dim a, Dim b) {
  if (a == b || a.is_number() || b.is_unknown()) return a;
  if (b.is_number() || a.is_unknown()) return b;
  return op.dims().ToText(b).size() < op.dims().ToText(a).size() ? b : a;
}

Result<Dim> SameDim(const OpContext& op, Dim a, Dim b, std::string_view what) {
  if (a == b || b.is_unknown()) return a;
  if (a.is_unknown()) return b;
  if (a.is_number() && b.is_number()) {
    return op.Problem(std::string(what) + ": " + std::to_string(a.number()) + " against " +
                      std::to_string(b.number()));
  }
  return op.TakeEqual(a, b, std::string(what) + ":");
}

Result<std::size_t> AxisOf(const OpContext& op, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return op.Problem("axis " + std::to_string(axis) + " of a tensor of rank " +
                      std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<std::vector<std::size_t>> AxesOf(const OpContext& op, std::span<const std::int64_t> axes,
                                        std::size_t rank) {
  if (axes.size() > rank) {
    return op.Problem(std::to_string(axes.size()) + " axes for a tensor of rank " +
                      std::to_string(rank));
  }
  std::vector<std::size_t> out;
  for (const std::int64_t axis : axes) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, rank));
    out.push_back(index);
  }
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    return op.Problem("an axis is named twice");
  }
  return out;
}

std::optional<std::vector<std::int64_t>> KnownIntegers(const TensorFact& fact) {
  if (!fact.ints.has_value()) return std::nullopt;
  std::vector<std::int64_t> out;
  out.reserve(fact.ints->size());
  for (const Dim dim : *fact.ints) {
    if (!dim.is_number()) return std::nullopt;
    out.push_back(dim.number());
  }
  return out;
}

Dim SingleDim(const TensorFact& fact) {
  return fact.ints.has_value() && fact.ints->size() == 1 ? fact.ints->front() : Dim();
}

std::optional<std::int64_t> SingleInteger(const TensorFact& fact) {
  const Dim dim = SingleDim(fact);
  return dim.is_number() ? std::optional(dim.number()) : std::nullopt;
}

std::optional<double> SingleFloat(const TensorFact& fact) {
  const std::optional<std::vector<double>> values = KnownFloats(fact);
  return values.has_value() && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

std::optional<std::vector<double>> KnownFloats(const TensorFact& fact) {
  if (fact.floats.has_value()) return fact.floats;
  const std::optional<std::vector<std::int64_t>> whole = KnownIntegers(fact);
  if (!whole.has_value()) return std::nullopt;
  std::vector<double> out;
  out.reserve(whole->size());
  for (const std::int64_t value : *whole) out.push_back(static_cast<double>(value));
  return out;
}

std::optional<std::size_t> KnownLength(const TensorFact& fact) {
  if (!fact.shape.known_rank() || fact.shape.rank() != 1) return std::nullopt;
  const Dim dim = fact.shape.dims->front();
  if (!dim.is_number() || dim.number() < 0) return std::nullopt;
  return static_cast<std::size_t>(dim.number());
}

ListArgument ListOf(const OpContext& op, std::string_view attribute, std::size_t input) {
  if (const auto values = op.Ints(attribute); values.has_value()) {
    return {true, std::vector<std::int64_t>(values->begin(), values->end())};
  }
  if (op.has(input)) return {true, KnownIntegers(op.in(input))};
  return {};
}

Dim ProductOf(const OpContext& op, const Shape& shape, std::size_t begin, std::size_t end) {
  if (!shape.known_rank()) return {};
  const std::span<const Dim> dims(*shape.dims);
  begin = std::min(begin, dims.size());
  end = std::clamp(end, begin, dims.size());
  return op.dims().Product(dims.subspan(begin, end - begin));
}

Dim ElementsOf(const OpContext& op, const Shape& shape) { return Elements(op.dims(), shape); }

Dim PointsOf(const OpContext& op, const Shape& shape) {
  return shape.known_rank() ? ProductOf(op, shape, 2, shape.rank()) : Dim();
}

Dim DimAt(const Shape& shape, std::size_t axis) {
  return shape.known_rank() && axis < shape.rank() ? (*shape.dims)[axis] : Dim();
}

}  // namespace opscope
