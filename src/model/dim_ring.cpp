#include "model/dim_ring.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "base/checked.h"

namespace opscope {

namespace {

void Mix(std::size_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  hash ^= hash >> 29;
}

// Floor division of integers; `b` > 0.
Int128 FloorOf(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

__extension__ typedef unsigned __int128 UInt128;

UInt128 SizeOf(Int128 value) {
  return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

UInt128 Gcd(UInt128 a, UInt128 b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

std::size_t HashOf(const Atom& atom) {
  std::size_t hash = std::hash<std::string>()(atom.name);
  Mix(hash, static_cast<std::uint64_t>(atom.kind));
  for (const Dim& dim : atom.operands)
    Mix(hash, dim.is_number() ? static_cast<std::uint64_t>(dim.number()) * 2
                              : std::uint64_t{dim.expression().value} * 2 + 1);
  return hash;
}

std::size_t HashOf(const Monomial& monomial) {
  std::size_t hash = monomial.factors.size();
  for (const AtomId factor : monomial.factors) Mix(hash, factor.value);
  return hash;
}

std::size_t HashOf(const Polynomial& polynomial) {
  std::size_t hash = polynomial.size();
  for (const Term& term : polynomial) {
    Mix(hash, term.monomial.value);
    Mix(hash, static_cast<std::uint64_t>(term.coefficient));
    Mix(hash, static_cast<std::uint64_t>(term.coefficient >> 64));
  }
  return hash;
}

DimRing::DimRing() { InternMonomial({}); }

Polynomial DimRing::ToPolynomial(Dim dim) const {
  CHECK(!dim.is_unknown());
  if (dim.is_expression()) return polynomials_[dim.expression()];
  if (dim.number() == 0) return {};
  return {{kOne, dim.number()}};
}

Dim DimRing::ToDim(std::optional<Polynomial> polynomial) {
  if (!polynomial || polynomial->size() > kMaxTerms || Weight(*polynomial) > kMaxWeight) return {};
  if (const auto value = ConstantOf(*polynomial);
      value && *value == static_cast<std::int64_t>(*value))
    return Dim(static_cast<std::int64_t>(*value));
  return Dim::FromExpression(polynomials_.Intern(std::move(*polynomial)));
}

std::size_t DimRing::Weight(const Polynomial& polynomial) const {
  std::size_t weight = 0;
  for (const Term& term : polynomial) weight += monomials_[term.monomial].weight;
  return weight;
}

Dim DimRing::Symbol(std::string_view name) {
  return AtomDim({.kind = AtomKind::kSymbol, .name = std::string(name), .operands = {}});
}

// The atom as an expression; unknown when its operands are, or nest too deep.
Dim DimRing::AtomDim(Atom atom) {
  for (const Dim& operand : atom.operands) {
    if (operand.is_unknown()) return {};
    for (const Term& term : ToPolynomial(operand)) {
      atom.weight += monomials_[term.monomial].weight;
      for (const AtomId factor : monomials_[term.monomial].factors)
        atom.depth = std::max(atom.depth, atoms_[factor].depth + 1);
    }
  }
  if (atom.depth > kMaxDepth || atom.weight > kMaxWeight) return {};
  const AtomId id = atoms_.Intern(std::move(atom));
  if (const auto replaced = replaced_.find(id); replaced != replaced_.end())
    return Resolve(replaced->second);
  return ToDim(Polynomial{{InternMonomial({id}), 1}});
}

MonomialId DimRing::InternMonomial(std::vector<AtomId> factors) {
  Monomial monomial{.factors = std::move(factors)};
  for (const AtomId factor : monomial.factors) monomial.weight += atoms_[factor].weight;
  return monomials_.Intern(std::move(monomial));
}

std::optional<Int128> DimRing::ConstantOf(const Polynomial& polynomial) {
  if (polynomial.empty()) return Int128{0};
  if (polynomial.size() == 1 && polynomial[0].monomial == kOne) return polynomial[0].coefficient;
  return std::nullopt;
}

bool DimRing::Greater(MonomialId a, MonomialId b) const {
  const auto& left = monomials_[a].factors;
  const auto& right = monomials_[b].factors;
  if (left.size() != right.size()) return left.size() > right.size();
  return left < right;
}

const Term& DimRing::Leading(const Polynomial& polynomial) const {
  CHECK(!polynomial.empty());
  return *std::max_element(polynomial.begin(), polynomial.end(), [&](const Term& a, const Term& b) {
    return Greater(b.monomial, a.monomial);
  });
}

MonomialId DimRing::Times(MonomialId a, MonomialId b) {
  if (a == kOne) return b;
  if (b == kOne) return a;
  const auto& left = monomials_[a].factors;
  const auto& right = monomials_[b].factors;
  if (left.size() + right.size() > kMaxDegree) return {};
  std::vector<AtomId> factors;
  std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(factors));
  return InternMonomial(std::move(factors));
}

MonomialId DimRing::Over(MonomialId a, MonomialId b) {
  if (b == kOne) return a;
  if (a == b) return kOne;
  const auto& left = monomials_[a].factors;
  const auto& right = monomials_[b].factors;
  if (!std::includes(left.begin(), left.end(), right.begin(), right.end())) return {};
  std::vector<AtomId> factors;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(factors));
  return InternMonomial(std::move(factors));
}

MonomialId DimRing::Without(MonomialId id, AtomId factor) {
  std::vector<AtomId> factors = monomials_[id].factors;
  factors.erase(std::find(factors.begin(), factors.end(), factor));
  return InternMonomial(std::move(factors));
}

std::optional<Polynomial> DimRing::Add(const Polynomial& a, const Polynomial& b) const {
  Polynomial sum;
  sum.reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->monomial < right->monomial)) {
      sum.push_back(*left++);
    } else if (left == a.end() || right->monomial < left->monomial) {
      sum.push_back(*right++);
    } else {
      const auto coefficient = CheckedAdd(left->coefficient, right->coefficient);
      if (!coefficient) return std::nullopt;
      if (*coefficient != 0) sum.push_back({left->monomial, *coefficient});
      ++left, ++right;
    }
  }
  return sum;
}

std::optional<Polynomial> DimRing::Scale(const Polynomial& a, Int128 factor) const {
  if (factor == 0) return Polynomial{};
  Polynomial scaled = a;
  for (Term& term : scaled) {
    const auto coefficient = CheckedMul(term.coefficient, factor);
    if (!coefficient) return std::nullopt;
    term.coefficient = *coefficient;
  }
  return scaled;
}

std::optional<Polynomial> DimRing::Sub(const Polynomial& a, const Polynomial& b) const {
  const auto negative = Scale(b, -1);
  return negative ? Add(a, *negative) : std::nullopt;
}

std::optional<Polynomial> DimRing::Mul(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return Polynomial{};
  if (b.size() == 1 && b[0].monomial == kOne) return Scale(a, b[0].coefficient);
  if (a.size() * b.size() > kMaxTerms * 4) return std::nullopt;
  std::map<MonomialId, Int128> sum;
  for (const Term& left : a) {
    for (const Term& right : b) {
      const MonomialId monomial = Times(left.monomial, right.monomial);
      const auto product = CheckedMul(left.coefficient, right.coefficient);
      if (!monomial.valid() || !product) return std::nullopt;
      Int128& slot = sum[monomial];
      const auto total = CheckedAdd(slot, *product);
      if (!total) return std::nullopt;
      slot = *total;
    }
  }
  Polynomial result;
  for (const auto& [monomial, coefficient] : sum)
    if (coefficient != 0) result.push_back({monomial, coefficient});
  return result;
}

std::optional<Division> DimRing::Divide(const Polynomial& a, const Polynomial& b) {
  const Term lead = Leading(b);
  CHECK(lead.coefficient > 0);
  const auto greater = [this](MonomialId x, MonomialId y) { return Greater(x, y); };
  std::map<MonomialId, Int128, decltype(greater)> rest(greater);
  for (const Term& term : a) rest.emplace(term.monomial, term.coefficient);
  Division division;
  // What a step subtracts lies at or below the current monomial, so one walk downwards is enough.
  std::size_t steps = 0;
  for (auto it = rest.begin(); it != rest.end(); ++it) {
    const MonomialId over = Over(it->first, lead.monomial);
    const Int128 times = over.valid() ? FloorOf(it->second, lead.coefficient) : 0;
    if (times == 0) continue;
    if (++steps > kMaxTerms || rest.size() > kMaxTerms) return std::nullopt;
    division.quotient.push_back({over, times});
    for (const Term& term : b) {
      const MonomialId monomial = Times(term.monomial, over);
      const auto product = CheckedMul(term.coefficient, times);
      if (!monomial.valid() || !product) return std::nullopt;
      Int128& slot = rest[monomial];
      const auto difference = CheckedSub(slot, *product);
      if (!difference) return std::nullopt;
      slot = *difference;
    }
  }
  for (const auto& [monomial, coefficient] : rest)
    if (coefficient != 0) division.rest.push_back({monomial, coefficient});
  const auto by_id = [](const Term& x, const Term& y) { return x.monomial < y.monomial; };
  std::sort(division.quotient.begin(), division.quotient.end(), by_id);
  std::sort(division.rest.begin(), division.rest.end(), by_id);
  return division;
}

Dim DimRing::FloorQuotient(Polynomial a, Polynomial b) {
  if (b.empty()) return {};
  if (Leading(b).coefficient < 0) {
    auto negative_a = Scale(a, -1);
    auto negative_b = Scale(b, -1);
    if (!negative_a || !negative_b) return {};
    a = std::move(*negative_a);
    b = std::move(*negative_b);
  }
  auto division = Divide(a, b);
  if (!division) return {};
  // An integer divisor leaves coefficients in [0, b): a constant rest is no more than that.
  const bool done = division->rest.empty() || (ConstantOf(b) && ConstantOf(division->rest));
  if (done) return ToDim(std::move(division->quotient));
  const Dim fraction = Fraction(std::move(division->rest), std::move(b));
  if (fraction.is_unknown()) return {};
  return ToDim(Add(division->quotient, ToPolynomial(fraction)));
}

// floor(rest / divisor) of what Divide has left.
Dim DimRing::Fraction(Polynomial rest, Polynomial divisor) {
  const bool was_number = ConstantOf(divisor).has_value();
  CancelCommonFactors(rest, divisor);
  if (const auto number = ConstantOf(divisor)) {
    if (!was_number) return FloorQuotient(std::move(rest), std::move(divisor));
    if (auto flat = Unnest(rest, *number))
      return FloorQuotient(std::move(flat->rest), std::move(flat->quotient));
  }
  const Dim numerator = ToDim(std::move(rest));
  const Dim denominator = ToDim(std::move(divisor));
  return AtomDim({.kind = AtomKind::kFloorDiv, .name = {}, .operands = {numerator, denominator}});
}

// An integer divisor: (g*x + c) // (g*y) = (x + c // g) // y. Otherwise whole common factors.
void DimRing::CancelCommonFactors(Polynomial& rest, Polynomial& divisor) {
  const bool number = ConstantOf(divisor).has_value();
  UInt128 gcd = 0;  // fits 127 bits: the divisor's leading coefficient is positive
  for (const Polynomial* part : {&rest, &divisor})
    for (const Term& term : *part)
      if (!number || part == &divisor || term.monomial != kOne)
        gcd = Gcd(gcd, SizeOf(term.coefficient));
  std::vector<AtomId> common = monomials_[rest[0].monomial].factors;
  for (const Polynomial* part : {&rest, &divisor}) {
    for (const Term& term : *part) {
      const auto& factors = monomials_[term.monomial].factors;
      std::vector<AtomId> both;
      std::set_intersection(common.begin(), common.end(), factors.begin(), factors.end(),
                            std::back_inserter(both));
      common = std::move(both);
    }
  }
  const MonomialId monomial = InternMonomial(std::move(common));
  for (Polynomial* part : {&rest, &divisor}) {
    for (Term& term : *part)
      term = {Over(term.monomial, monomial), FloorOf(term.coefficient, static_cast<Int128>(gcd))};
    std::erase_if(*part, [](const Term& term) { return term.coefficient == 0; });
    std::sort(part->begin(), part->end(),
              [](const Term& x, const Term& y) { return x.monomial < y.monomial; });
  }
}

// (x // k + p) // m = (x + p*k) // (k*m): {k*m, x + p*k} when exactly one term of `rest` is a plain
// floor division by an integer k.
std::optional<Division> DimRing::Unnest(const Polynomial& rest, Int128 divisor) {
  const Term* floor_term = nullptr;
  for (const Term& term : rest) {
    const auto& factors = monomials_[term.monomial].factors;
    if (term.coefficient != 1 || factors.size() != 1) continue;
    const Atom& atom = atoms_[factors[0]];
    if (atom.kind != AtomKind::kFloorDiv || !ConstantOf(ToPolynomial(atom.operands[1]))) continue;
    if (floor_term != nullptr) return std::nullopt;
    floor_term = &term;
  }
  if (floor_term == nullptr) return std::nullopt;
  const Atom& atom = atoms_[monomials_[floor_term->monomial].factors[0]];
  const Int128 inner = *ConstantOf(ToPolynomial(atom.operands[1]));
  Polynomial others = rest;
  std::erase(others, *floor_term);
  const auto scaled = Scale(others, inner);
  const auto product = CheckedMul(inner, divisor);
  if (!scaled || !product) return std::nullopt;
  auto numerator = Add(ToPolynomial(atom.operands[0]), *scaled);
  if (!numerator) return std::nullopt;
  return Division{Polynomial{{kOne, *product}}, std::move(*numerator)};
}

// The operands of a nest of the same kind, without repeats.
std::vector<Dim> DimRing::Operands(AtomKind kind, Dim a, Dim b) const {
  std::vector<Dim> operands;
  for (const Dim dim : {a, b}) {
    const Polynomial polynomial = ToPolynomial(dim);
    const Atom* atom = nullptr;
    if (polynomial.size() == 1 && polynomial[0].coefficient == 1 &&
        monomials_[polynomial[0].monomial].factors.size() == 1)
      atom = &atoms_[monomials_[polynomial[0].monomial].factors[0]];
    const bool nested = atom != nullptr && atom->kind == kind;
    const std::vector<Dim> added = nested ? atom->operands : std::vector<Dim>{dim};
    for (const Dim& operand : added)
      if (std::find(operands.begin(), operands.end(), operand) == operands.end())
        operands.push_back(operand);
  }
  return operands;
}

Dim DimRing::Extremum(AtomKind kind, Dim a, Dim b) {
  std::vector<Dim> kept;
  for (const Dim& operand : Operands(kind, a, b)) {
    // True when `high` >= `low` makes `loser` superfluous.
    const auto decided = [&](const Dim& loser, const Dim& winner) {
      const Dim& high = kind == AtomKind::kMin ? loser : winner;
      const Dim& low = kind == AtomKind::kMin ? winner : loser;
      const auto difference = Sub(ToPolynomial(high), ToPolynomial(low));
      return difference && NeverNegative(*difference);
    };
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const Dim& other) { return decided(operand, other); }))
      continue;
    std::erase_if(kept, [&](const Dim& other) { return decided(other, operand); });
    kept.push_back(operand);
  }
  if (kept.size() == 1) return kept[0];
  if (kept.size() > kMaxOperands) return {};
  std::sort(kept.begin(), kept.end(), [](const Dim& x, const Dim& y) {
    if (x.is_number() != y.is_number()) return x.is_number();
    return x.is_number() ? x.number() < y.number() : x.expression() < y.expression();
  });
  return AtomDim({.kind = kind, .name = {}, .operands = std::move(kept)});
}

Dim DimRing::BindAtom(AtomId id, const Bindings& bindings) {
  const Atom& atom = atoms_[id];
  if (atom.kind == AtomKind::kSymbol) {
    const auto bound = bindings.find(atom.name);
    if (bound != bindings.end()) return Dim(bound->second);
    if (const auto replaced = replaced_.find(id); replaced != replaced_.end())
      return Bind(replaced->second, bindings);
    return ToDim(Polynomial{{InternMonomial({id}), 1}});
  }
  Dim result;
  for (std::size_t i = 0; i < atom.operands.size(); ++i) {
    const Dim operand = Bind(atom.operands[i], bindings);
    if (operand.is_unknown()) return {};
    if (i == 0)
      result = operand;
    else if (atom.kind == AtomKind::kFloorDiv)
      result = FloorQuotient(ToPolynomial(result), ToPolynomial(operand));
    else
      result = Extremum(atom.kind, result, operand);
    if (result.is_unknown()) return {};
  }
  return result;
}

Dim DimRing::Bind(Dim dim, const Bindings& bindings) {
  if (!dim.is_expression()) return dim;
  Polynomial sum;
  for (const Term& term : polynomials_[dim.expression()]) {
    std::optional<Polynomial> product = Polynomial{{kOne, term.coefficient}};
    for (const AtomId factor : monomials_[term.monomial].factors) {
      const Dim value = BindAtom(factor, bindings);
      if (value.is_unknown()) return {};
      product = Mul(*product, ToPolynomial(value));
      if (!product) return {};
    }
    auto next = Add(sum, *product);
    if (!next) return {};
    sum = std::move(*next);
  }
  return ToDim(std::move(sum));
}

}  // namespace opscope
