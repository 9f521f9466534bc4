// What is known of symbols beside their names: equalities and upper bounds.
#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "model/dim_ring.h"

namespace opscope {

std::optional<AtomId> DimRing::Lone(Dim dim) const {
  if (!dim.is_expression()) return std::nullopt;
  const Polynomial& polynomial = polynomials_[dim.expression()];
  if (polynomial.size() != 1 || polynomial[0].coefficient != 1) return std::nullopt;
  const auto& factors = monomials_[polynomial[0].monomial].factors;
  return factors.size() == 1 ? std::optional(factors[0]) : std::nullopt;
}

// Atoms nest at most kMaxDepth deep.
bool DimRing::Contains(Dim dim, AtomId atom) const {
  if (!dim.is_expression()) return false;
  for (const Term& term : polynomials_[dim.expression()]) {
    for (const AtomId factor : monomials_[term.monomial].factors) {
      if (factor == atom) return true;
      for (const Dim& operand : atoms_[factor].operands)
        if (Contains(operand, atom)) return true;
    }
  }
  return false;
}

// min(512, seq) = seq: the minimum goes, since seq is part of it. N = M: the one met later goes.
// total = past + seq: total goes. Of a symbol and an expression without it the symbol goes.
std::optional<std::pair<AtomId, Dim>> DimRing::Replacement(Dim a, Dim b) const {
  const auto candidate = [&](Dim gone, Dim stays) -> std::optional<AtomId> {
    const auto atom = Lone(gone);
    return atom && !Contains(stays, *atom) ? atom : std::nullopt;
  };
  const auto first = candidate(a, b);
  const auto second = candidate(b, a);
  const auto is_symbol = [&](AtomId id) { return atoms_[id].kind == AtomKind::kSymbol; };
  bool take_first = first.has_value();
  if (first && second) {
    take_first = is_symbol(*first) == is_symbol(*second) ? *second < *first : is_symbol(*first);
  }
  if (take_first) return std::pair(*first, b);
  return second ? std::optional(std::pair(*second, a)) : std::nullopt;
}

bool DimRing::Equate(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return false;
  a = Resolve(a);
  b = Resolve(b);
  if (a == b) return true;
  if ((a.is_number() && a.number() < 0) || (b.is_number() && b.number() < 0)) return false;
  const auto replacement = Replacement(a, b);
  if (!replacement || replaced_.size() >= kMaxFacts) return false;
  replaced_.insert(*replacement);
  resolved_.clear();
  return true;
}

// What grows beyond the limits stays as it was.
Dim DimRing::Resolve(Dim dim) {
  if (!dim.is_expression() || replaced_.empty()) return dim;
  const auto known = resolved_.find(dim.expression());
  if (known != resolved_.end()) return known->second;
  const Dim result = Bind(dim, {});
  const Dim kept = result.is_unknown() ? dim : result;
  resolved_.emplace(dim.expression(), kept);
  return kept;
}

bool DimRing::Mentions(Dim dim, const Bounds& bounds) const {
  if (!dim.is_expression()) return false;
  for (const Term& term : polynomials_[dim.expression()]) {
    for (const AtomId factor : monomials_[term.monomial].factors) {
      const Atom& atom = atoms_[factor];
      if (atom.kind == AtomKind::kSymbol && bounds.count(atom.name) > 0) return true;
      for (const Dim& operand : atom.operands)
        if (Mentions(operand, bounds)) return true;
    }
  }
  return false;
}

// Minimum, maximum and a floor division by what is not bounded grow with their operands.
Dim DimRing::AtMostOf(AtomId id, const Bounds& bounds) {
  const Atom& atom = atoms_[id];
  if (atom.kind == AtomKind::kSymbol) {
    const auto bound = bounds.find(atom.name);
    return bound == bounds.end() ? ToDim(Polynomial{{InternMonomial({id}), 1}}) : bound->second;
  }
  if (atom.kind == AtomKind::kFloorDiv) {
    if (Mentions(atom.operands[1], bounds)) return {};
    const Dim top = AtMost(atom.operands[0], bounds);
    return top.is_unknown() ? top
                            : FloorQuotient(ToPolynomial(top), ToPolynomial(atom.operands[1]));
  }
  Dim result;
  for (std::size_t i = 0; i < atom.operands.size(); ++i) {
    const Dim operand = AtMost(atom.operands[i], bounds);
    if (operand.is_unknown()) return {};
    result = i == 0 ? operand : Extremum(atom.kind, result, operand);
    if (result.is_unknown()) return {};
  }
  return result;
}

Dim DimRing::AtMost(Dim dim, const Bounds& bounds) {
  if (!Mentions(dim, bounds)) return dim;
  Polynomial sum;
  const Polynomial polynomial = polynomials_[dim.expression()];
  for (const Term& term : polynomial) {
    const Dim alone = ToDim(Polynomial{{term.monomial, 1}});
    std::optional<Polynomial> product = Polynomial{term};
    if (Mentions(alone, bounds)) {
      // A factor below 0 would turn the bound around.
      if (term.coefficient < 0) return {};
      product = Polynomial{{kOne, term.coefficient}};
      const std::vector<AtomId> factors = monomials_[term.monomial].factors;
      for (const AtomId factor : factors) {
        const Polynomial low{{InternMonomial({factor}), 1}};
        const Dim high =
            factors.size() == 1 || NeverNegative(low) ? AtMostOf(factor, bounds) : Dim();
        if (high.is_unknown()) return {};
        product = Mul(*product, ToPolynomial(high));
        if (!product) return {};
      }
    }
    auto next = Add(sum, *product);
    if (!next) return {};
    sum = std::move(*next);
  }
  return ToDim(std::move(sum));
}

}  // namespace opscope
