#include "ops/fact.h"

#include "base/checked.h"

namespace opscope {

namespace {

// The number of elements when it is at most `most`.
std::optional<std::size_t> CountUpTo(const std::vector<std::int64_t>& dims, std::size_t most) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    const std::optional<std::int64_t> product = CheckedMul(count, dim);
    if (!product.has_value() || dim < 0) return std::nullopt;
    count = *product;
  }
  return static_cast<std::uint64_t>(count) <= most ? std::optional<std::size_t>(count)
                                                   : std::nullopt;
}

}  // namespace

TensorFact FactOf(const Payload& payload) {
  TensorFact fact;
  fact.dtype = payload.dtype;
  fact.shape.dims.emplace(payload.dims.begin(), payload.dims.end());
  // Narrow integers are quantised weights and masks; no shape hangs on many of them.
  const bool wide = Bits(payload.dtype).value_or(0) >= 32;
  const bool floating = IsFloating(payload.dtype);
  const std::size_t most = floating ? kMaxPropagatedFloats : wide ? kMaxPropagated : kFewElements;
  if (payload.sparse || !CountUpTo(payload.dims, most).has_value()) return fact;
  if (floating) {
    fact.floats = FloatsOf(payload);
  } else if (const auto values = IntegersOf(payload)) {
    fact.ints.emplace(values->begin(), values->end());
  }
  return fact;
}

Shape Common(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return {};
  Shape out = a;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if ((*a.dims)[i] != (*b.dims)[i]) (*out.dims)[i] = Dim();
  }
  return out;
}

TensorFact Common(const TensorFact& a, const TensorFact& b) {
  TensorFact out;
  out.kind = a.kind;
  if (a.dtype == b.dtype) out.dtype = a.dtype;
  out.runtime = a.runtime || b.runtime;
  out.shape = Common(a.shape, b.shape);
  if (a.elements == b.elements) out.elements = a.elements;
  if (a.floats == b.floats) out.floats = a.floats;
  if (a.ints && b.ints && a.ints->size() == b.ints->size()) {
    out.ints = a.ints;
    for (std::size_t i = 0; i < a.ints->size(); ++i) {
      if ((*a.ints)[i] != (*b.ints)[i]) (*out.ints)[i] = Dim();
    }
  }
  if (!a.sequence || !b.sequence) return out;
  // An empty sequence says nothing of the tensors of the other.
  if (LengthOf(a) == Dim(0)) out.shape = b.shape;
  if (LengthOf(b) == Dim(0)) out.shape = a.shape;
  if (a.sequence == b.sequence) {
    out.sequence = a.sequence;
  } else if (LengthOf(a) == LengthOf(b)) {
    out.sequence = std::make_shared<SequenceFact>(SequenceFact{LengthOf(a), std::nullopt});
  }
  return out;
}

Dim LengthOf(const TensorFact& fact) { return fact.sequence ? fact.sequence->length : Dim(); }

Dim Elements(DimTable& dims, const Shape& shape) {
  return shape.known_rank() ? dims.Product(*shape.dims) : Dim();
}

Dim Elements(DimTable& dims, const TensorFact& fact) {
  const Dim product = Elements(dims, fact.shape);
  return product.is_unknown() ? fact.elements : product;
}

Dim BytesOf(DimTable& dims, const TensorFact& fact) {
  const Dim elements = Elements(dims, fact);
  if (const BlockLayout* block = BlockOf(fact.dtype))
    return dims.Mul(dims.CeilDiv(elements, block->elements), block->bytes);
  const std::optional<std::int64_t> bits = Bits(fact.dtype);
  if (!bits.has_value()) return {};
  if (*bits % 8 == 0) return dims.Mul(elements, *bits / 8);
  return dims.CeilDiv(dims.Mul(elements, *bits), 8);
}

}  // namespace opscope
