#include "ops/fold.h"

#include <cmath>

#include "base/checked.h"

namespace opscope {

namespace {

// Doubles outside are not exact integers.
constexpr double kMaxWhole = 9007199254740992.0;  // 2^53

void SetFloats(TensorFact& fact, std::vector<double> values) {
  if (values.size() > kMaxPropagatedFloats) return;
  for (double& value : values) value = RoundTo(fact.dtype, value);
  fact.floats = std::move(values);
}

Dim Negated(DimTable& dims, Dim a) { return dims.Sub(0, a); }

bool NotNegative(DimTable& dims, Dim a) {
  return a.is_number() ? a.number() >= 0 : dims.AtLeast(a, 0);
}

Dim Truth(bool value) { return value ? 1 : 0; }

}  // namespace

std::optional<std::vector<std::int64_t>> SmallShape(const Shape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  std::vector<std::int64_t> out;
  std::int64_t elements = 1;
  for (const Dim dim : *shape.dims) {
    if (!dim.is_number() || dim.number() < 0) return std::nullopt;
    const std::optional<std::int64_t> product = CheckedMul(elements, dim.number());
    if (!product.has_value()) return std::nullopt;
    elements = *product;
    out.push_back(dim.number());
  }
  if (elements > static_cast<std::int64_t>(kMaxPropagated)) return std::nullopt;
  return out;
}

std::vector<std::int64_t> Strides(std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

std::vector<std::size_t> StridedSource(std::span<const std::int64_t> dims,
                                       std::span<const std::int64_t> strides, std::int64_t offset) {
  std::size_t elements = 1;
  for (const std::int64_t dim : dims) elements *= static_cast<std::size_t>(dim);
  std::vector<std::size_t> out;
  out.reserve(elements);
  std::vector<std::int64_t> index(dims.size(), 0);
  std::int64_t at = offset;
  for (std::size_t n = 0; n < elements; ++n) {
    out.push_back(static_cast<std::size_t>(at));
    for (std::size_t i = dims.size(); i-- > 0;) {
      at += strides[i];
      if (++index[i] < dims[i]) break;
      at -= strides[i] * dims[i];
      index[i] = 0;
    }
  }
  return out;
}

std::vector<std::size_t> BroadcastSource(std::span<const std::int64_t> from,
                                         std::span<const std::int64_t> to) {
  const std::vector<std::int64_t> own = Strides(from);
  std::vector<std::int64_t> strides(to.size(), 0);
  const std::size_t missing = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) strides[missing + i] = own[i];
  }
  return StridedSource(to, strides);
}

void CopyElements(const TensorFact& from, TensorFact& to) {
  to.ints = from.ints;
  to.floats = from.floats;
}

void MoveElements(const TensorFact& from, TensorFact& to, std::span<const std::size_t> source) {
  const auto move = [source](const auto& values) {
    auto out = std::decay_t<decltype(values)>();
    out.reserve(source.size());
    for (const std::size_t i : source) {
      if (i >= values.size()) return std::optional<std::decay_t<decltype(values)>>();
      out.push_back(values[i]);
    }
    return std::optional(std::move(out));
  };
  if (source.size() > kMaxPropagated) return;
  if (from.ints.has_value()) to.ints = move(*from.ints);
  if (from.floats.has_value() && source.size() <= kMaxPropagatedFloats) {
    to.floats = move(*from.floats);
  }
}

std::optional<std::vector<Dim>> WholeElements(const TensorFact& fact) {
  if (fact.ints.has_value()) return fact.ints;
  if (!fact.floats.has_value()) return std::nullopt;
  std::vector<Dim> out;
  out.reserve(fact.floats->size());
  for (const double value : *fact.floats) {
    const bool whole = std::abs(value) <= kMaxWhole && std::trunc(value) == value;
    out.push_back(whole ? Dim(static_cast<std::int64_t>(value)) : Dim());
  }
  return out;
}

double RoundTo(DType dtype, double value) {
  return dtype == DType::kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
}

void FoldUnary(OpContext& op, const Fold1& fold) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  if (in.floats.has_value() && fold.real != nullptr) {
    std::vector<double> values = *in.floats;
    for (double& value : values) value = fold.real(value);
    SetFloats(out, std::move(values));
    return;
  }
  const auto function = IsFloating(in.dtype) ? fold.whole : fold.integer;
  if (!in.ints.has_value() || function == nullptr) return;
  out.ints = in.ints;
  for (Dim& dim : *out.ints) dim = function(op.dims(), dim);
}

void FoldBinary(OpContext& op, const TensorFact& a, const TensorFact& b, TensorFact& out,
                const Fold2& fold) {
  if (!HasElements(a) || !HasElements(b)) return;
  const auto shape = SmallShape(out.shape);
  const auto shape_a = SmallShape(a.shape);
  const auto shape_b = SmallShape(b.shape);
  if (!shape || !shape_a || !shape_b) return;
  const std::vector<std::size_t> from_a = BroadcastSource(*shape_a, *shape);
  const std::vector<std::size_t> from_b = BroadcastSource(*shape_b, *shape);
  const bool floating = IsFloating(a.dtype);
  if (floating && fold.real != nullptr) {
    const auto values_a = KnownFloats(a);
    const auto values_b = KnownFloats(b);
    if (values_a && values_b) {
      std::vector<double> values;
      for (std::size_t i = 0; i < from_a.size(); ++i) {
        values.push_back(fold.real((*values_a)[from_a[i]], (*values_b)[from_b[i]]));
      }
      if (out.dtype == DType::kBool) {
        out.ints.emplace();
        for (const double value : values) out.ints->push_back(Truth(value != 0));
      } else {
        SetFloats(out, std::move(values));
      }
      return;
    }
  }
  const auto function = floating ? fold.whole : fold.integer;
  const auto dims_a = WholeElements(a);
  const auto dims_b = WholeElements(b);
  if (function == nullptr || !dims_a || !dims_b) return;
  std::vector<Dim> values;
  for (std::size_t i = 0; i < from_a.size(); ++i) {
    values.push_back(function(op.dims(), (*dims_a)[from_a[i]], (*dims_b)[from_b[i]]));
  }
  out.ints = std::move(values);
}

void FoldCast(OpContext& op) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  if (!HasElements(in)) return;
  if (IsFloating(out.dtype)) {
    if (auto values = KnownFloats(in)) {
      SetFloats(out, std::move(*values));
    } else {
      out.ints = in.ints;
    }
  } else if (IsInteger(out.dtype)) {
    if (in.ints.has_value()) {
      out.ints = in.ints;
      return;
    }
    TensorFact truncated = in;
    for (double& value : *truncated.floats) value = std::trunc(value);
    out.ints = WholeElements(truncated);
  } else if (out.dtype == DType::kBool) {
    out.ints = WholeElements(in);
    for (Dim& dim : *out.ints) {
      const Dim zero = fold::Equal(op.dims(), dim, 0);
      dim = op.dims().Sub(1, zero);
    }
  }
}

void FoldWhere(OpContext& op) {
  TensorFact& out = op.out(0);
  const auto shape = SmallShape(out.shape);
  if (!shape || !op.in(0).ints || !HasElements(op.in(1)) || !HasElements(op.in(2))) return;
  std::optional<std::vector<Dim>> values[3];
  std::vector<std::size_t> source[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto own = SmallShape(op.in(i).shape);
    values[i] = WholeElements(op.in(i));
    if (!own || !values[i]) return;
    source[i] = BroadcastSource(*own, *shape);
  }
  std::vector<Dim> chosen;
  for (std::size_t i = 0; i < source[0].size(); ++i) {
    const Dim condition = (*values[0])[source[0][i]];
    const Dim yes = (*values[1])[source[1][i]];
    const Dim no = (*values[2])[source[2][i]];
    chosen.push_back(fold::Select(op.dims(), condition, yes, no));
  }
  out.ints = std::move(chosen);
}

void FoldReduce(OpContext& op, std::span<const std::size_t> axes, const Fold2& fold, Dim start) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  const auto shape = SmallShape(in.shape);
  const auto function = IsFloating(in.dtype) ? fold.whole : fold.integer;
  if (!shape || !HasElements(in) || function == nullptr) return;
  const auto values = WholeElements(in);
  // Element i goes to the output element whose index has the reduced axes left out.
  std::vector<std::int64_t> kept = *shape;
  for (const std::size_t axis : axes) kept[axis] = 1;
  const std::vector<std::size_t> target = BroadcastSource(kept, *shape);
  std::size_t outputs = 1;
  for (const std::int64_t dim : kept) outputs *= static_cast<std::size_t>(dim);
  if (outputs > kMaxPropagated) return;
  std::vector<Dim> sums(outputs, start);
  std::vector<bool> begun(outputs, !start.is_unknown());
  for (std::size_t i = 0; i < target.size(); ++i) {
    Dim& sum = sums[target[i]];
    sum = begun[target[i]] ? function(op.dims(), sum, (*values)[i]) : (*values)[i];
    begun[target[i]] = true;
  }
  out.ints = std::move(sums);
}

namespace fold {

Dim Add(DimTable& dims, Dim a, Dim b) { return dims.Add(a, b); }
Dim Sub(DimTable& dims, Dim a, Dim b) { return dims.Sub(a, b); }
Dim Mul(DimTable& dims, Dim a, Dim b) { return dims.Mul(a, b); }
Dim Min(DimTable& dims, Dim a, Dim b) { return dims.Min(a, b); }
Dim Max(DimTable& dims, Dim a, Dim b) { return dims.Max(a, b); }

Dim Truncate(DimTable& dims, Dim a, Dim b) {
  if (b.is_number() && b.number() < 0) return Truncate(dims, Negated(dims, a), Negated(dims, b));
  if (NotNegative(dims, a)) return dims.FloorDiv(a, b);
  // -7 / 2 = -(7 / 2); where the sign depends on the symbols both halves stand.
  const Dim negative = Negated(dims, a);
  if (NotNegative(dims, negative)) return Negated(dims, dims.FloorDiv(negative, b));
  return dims.Sub(dims.FloorDiv(dims.Max(a, 0), b), dims.FloorDiv(dims.Max(negative, 0), b));
}

Dim Exact(DimTable& dims, Dim a, Dim b) {
  if (b == Dim(0)) return {};
  return dims.ExactQuotient(a, b).value_or(Dim());
}

Dim FloorMod(DimTable& dims, Dim a, Dim b) { return dims.Sub(a, dims.Mul(b, dims.FloorDiv(a, b))); }

Dim TruncateMod(DimTable& dims, Dim a, Dim b) {
  return dims.Sub(a, dims.Mul(b, Truncate(dims, a, b)));
}

Dim Equal(DimTable& dims, Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return {};
  if (a == b) return 1;
  if (a.is_number() && b.is_number()) return 0;
  const Dim difference = dims.Sub(a, b);
  if (dims.AtLeast(difference, 1) || dims.AtLeast(Negated(dims, difference), 1)) return 0;
  // |a - b| is 0, or at least 1.
  return dims.Sub(1, dims.Min(1, dims.Max(difference, Negated(dims, difference))));
}

Dim Less(DimTable& dims, Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return {};
  if (a.is_number() && b.is_number()) return Truth(a.number() < b.number());
  const Dim difference = dims.Sub(b, a);
  if (dims.AtLeast(difference, 1)) return 1;
  if (dims.AtLeast(Negated(dims, difference), 0)) return 0;
  return dims.Max(0, dims.Min(1, difference));
}

Dim Select(DimTable& dims, Dim condition, Dim yes, Dim no) {
  if (condition.is_number()) return condition.number() != 0 ? yes : no;
  if (yes == no) return yes;
  return dims.Add(no, dims.Mul(condition, dims.Sub(yes, no)));
}

Dim LessOrEqual(DimTable& dims, Dim a, Dim b) { return dims.Sub(1, Less(dims, b, a)); }

}  // namespace fold

}  // namespace opscope
