#include "model/dim.h"

#include <set>
#include <utility>

#include "base/checked.h"
#include "model/dim_ring.h"

namespace opscope {

namespace {

bool AnyUnknown(Dim a, Dim b) { return a.is_unknown() || b.is_unknown(); }
bool Numbers(Dim a, Dim b) { return a.is_number() && b.is_number(); }

void CollectSymbols(const DimRing& ring, Dim dim, std::set<std::string>& names) {
  if (!dim.is_expression()) return;
  for (const Term& term : ring.ToPolynomial(dim)) {
    for (const AtomId factor : ring.monomial(term.monomial).factors) {
      const Atom& atom = ring.atom(factor);
      if (atom.kind == AtomKind::kSymbol) names.insert(atom.name);
      for (const Dim& operand : atom.operands) CollectSymbols(ring, operand, names);
    }
  }
}

}  // namespace

DimTable::DimTable() : ring_(std::make_unique<DimRing>()) {}
DimTable::~DimTable() = default;
DimTable::DimTable(DimTable&&) noexcept = default;
DimTable& DimTable::operator=(DimTable&&) noexcept = default;

Dim DimTable::Symbol(std::string_view name) { return ring_->Symbol(name); }

Dim DimTable::Integer(Int128 value) {
  return ring_->ToDim(value == 0 ? Polynomial{} : Polynomial{{DimRing::kOne, value}});
}

Dim DimTable::Add(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b)) {
    if (const auto sum = CheckedAdd(a.number(), b.number())) return Dim(*sum);
  }
  return ring_->ToDim(ring_->Add(ring_->ToPolynomial(a), ring_->ToPolynomial(b)));
}

Dim DimTable::Sub(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b)) {
    if (const auto difference = CheckedSub(a.number(), b.number())) return Dim(*difference);
  }
  return ring_->ToDim(ring_->Sub(ring_->ToPolynomial(a), ring_->ToPolynomial(b)));
}

Dim DimTable::Mul(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b)) {
    if (const auto product = CheckedMul(a.number(), b.number())) return Dim(*product);
  }
  return ring_->ToDim(ring_->Mul(ring_->ToPolynomial(a), ring_->ToPolynomial(b)));
}

Dim DimTable::FloorDiv(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b) && b.number() > 0) {
    const std::int64_t quotient = a.number() / b.number();
    return Dim(a.number() % b.number() < 0 ? quotient - 1 : quotient);
  }
  return ring_->FloorQuotient(ring_->ToPolynomial(a), ring_->ToPolynomial(b));
}

Dim DimTable::CeilDiv(Dim a, Dim b) {
  // For an integer: floor((a + b - 1) / b), which reads better than -floor(-a / b).
  if (b.is_number() && b.number() > 0) return FloorDiv(Add(a, Dim(b.number() - 1)), b);
  return Sub(0, FloorDiv(Sub(0, a), b));
}

Dim DimTable::Min(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b)) return a.number() < b.number() ? a : b;
  return ring_->Extremum(AtomKind::kMin, a, b);
}

Dim DimTable::Max(Dim a, Dim b) {
  if (AnyUnknown(a, b)) return {};
  if (Numbers(a, b)) return a.number() > b.number() ? a : b;
  return ring_->Extremum(AtomKind::kMax, a, b);
}

Dim DimTable::Product(std::span<const Dim> dims) {
  Dim product = 1;
  for (const Dim& dim : dims) product = Mul(product, dim);
  return product;
}

Dim DimTable::Sum(std::span<const Dim> dims) {
  Dim sum = 0;
  for (const Dim& dim : dims) sum = Add(sum, dim);
  return sum;
}

std::optional<Int128> DimTable::Value(Dim dim) const {
  if (dim.is_unknown()) return std::nullopt;
  if (dim.is_number()) return dim.number();
  return DimRing::ConstantOf(ring_->ToPolynomial(dim));
}

std::optional<Dim> DimTable::ExactQuotient(Dim dim, Dim factor) {
  if (AnyUnknown(dim, factor)) return std::nullopt;
  Polynomial divisor = ring_->ToPolynomial(factor);
  if (divisor.empty()) return std::nullopt;
  std::optional<Polynomial> dividend = ring_->ToPolynomial(dim);
  if (ring_->Leading(divisor).coefficient < 0) {
    auto negative = ring_->Scale(divisor, -1);
    dividend = ring_->Scale(*dividend, -1);
    if (!negative || !dividend) return std::nullopt;
    divisor = std::move(*negative);
  }
  auto division = ring_->Divide(*dividend, divisor);
  if (!division || !division->rest.empty()) return std::nullopt;
  const Dim quotient = ring_->ToDim(std::move(division->quotient));
  return quotient.is_unknown() ? std::nullopt : std::optional<Dim>(quotient);
}

bool DimTable::AtLeast(Dim dim, std::int64_t bound, std::int64_t symbols_from) const {
  if (dim.is_unknown()) return false;
  if (dim.is_number()) return dim.number() >= bound;
  const auto difference = ring_->Sub(ring_->ToPolynomial(dim), ring_->ToPolynomial(Dim(bound)));
  return difference && ring_->NeverNegative(*difference, symbols_from);
}

bool DimTable::Equate(Dim a, Dim b) { return ring_->Equate(a, b); }
bool DimTable::has_facts() const { return ring_->has_facts(); }
Dim DimTable::Resolve(Dim dim) { return ring_->Resolve(dim); }

Dim DimTable::AtMost(Dim dim, const std::map<std::string, Dim, std::less<>>& bounds) {
  return ring_->AtMost(dim, bounds);
}

Dim DimTable::Bind(Dim dim, const Bindings& bindings) { return ring_->Bind(dim, bindings); }

std::vector<std::string> DimTable::Symbols(Dim dim) const {
  std::set<std::string> names;
  CollectSymbols(*ring_, dim, names);
  return {names.begin(), names.end()};
}

}  // namespace opscope
