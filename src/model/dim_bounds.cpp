// When an expression is provably never negative.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "model/dim_ring.h"

namespace opscope {

namespace {

// Searches for a proof by replacing floor, min and max by what bounds them; `steps` bounds the
// work, so it is conservative: false = not proved.
class Prover {
 public:
  // Symbols are at least `symbols_from` >= 0.
  Prover(DimRing& ring, Int128 symbols_from) : ring_(ring), symbols_from_(symbols_from) {}

  bool NeverNegative(const Polynomial& p) {
    if (--steps_ < 0 || p.size() > kMaxTermsToProve) return false;
    if (const auto low = LowerBound(p); low && *low >= 0) return true;
    for (const Term& term : p) {
      const auto& factors = ring_.monomial(term.monomial).factors;
      for (const AtomId factor : factors)
        if (ring_.atom(factor).kind != AtomKind::kSymbol && ByReplacing(p, term, factor))
          return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kMaxTermsToProve = 32;

  // Of a polynomial whose symbols all have positive coefficients.
  std::optional<Int128> LowerBound(const Polynomial& p) const {
    Int128 sum = 0;
    for (const Term& term : p) {
      std::optional<Int128> low = term.coefficient;
      const auto& factors = ring_.monomial(term.monomial).factors;
      if (!factors.empty() && term.coefficient < 0) return std::nullopt;
      for (const AtomId factor : factors) {
        const auto bound = LowerBound(factor);
        if (!bound || (*bound < 0 && factors.size() > 1)) return std::nullopt;
        low = CheckedMul(*low, *bound);
        if (!low) return std::nullopt;
      }
      const auto next = CheckedAdd(sum, *low);
      if (!next) return std::nullopt;
      sum = *next;
    }
    return sum;
  }

  std::optional<Int128> LowerBound(Dim dim) const { return LowerBound(ring_.ToPolynomial(dim)); }

  std::optional<Int128> LowerBound(AtomId id) const {
    const Atom& atom = ring_.atom(id);
    if (atom.kind == AtomKind::kSymbol) return symbols_from_;
    if (atom.kind == AtomKind::kFloorDiv) {
      const auto top = LowerBound(atom.operands[0]);
      const auto bottom = LowerBound(atom.operands[1]);
      if (!top || !bottom || *bottom < 0) return std::nullopt;
      if (*top >= 0) return Int128{0};
      // Rounded down: (x - 3) // 2 is at least -2.
      return *bottom > 0 ? std::optional<Int128>(-((-*top + *bottom - 1) / *bottom)) : std::nullopt;
    }
    std::optional<Int128> bound;
    for (const Dim& operand : atom.operands) {
      const auto low = LowerBound(operand);
      if (atom.kind == AtomKind::kMin && !low) return std::nullopt;
      if (!low) continue;
      const bool take = !bound || (atom.kind == AtomKind::kMin ? *low < *bound : *low > *bound);
      if (take) bound = low;
    }
    return bound;
  }

  // The factor bounded from below where its coefficient is positive, from above where negative.
  bool ByReplacing(const Polynomial& p, const Term& term, AtomId factor) {
    const MonomialId others = ring_.Without(term.monomial, factor);
    const auto low = LowerBound(Polynomial{{others, 1}});
    if (!low || *low < 0) return false;
    const Atom& atom = ring_.atom(factor);
    const bool below = term.coefficient > 0;
    if (atom.kind == AtomKind::kFloorDiv) {
      const auto divisor = DimRing::ConstantOf(ring_.ToPolynomial(atom.operands[1]));
      if (!divisor || *divisor <= 0) return false;
      // (x - (k-1)) / k <= x // k <= x / k
      Polynomial top = ring_.ToPolynomial(atom.operands[0]);
      if (below) {
        auto lower = ring_.Sub(top, Polynomial{{DimRing::kOne, *divisor - 1}});
        if (!lower) return false;
        std::erase_if(*lower, [](const Term& t) { return t.coefficient == 0; });
        top = std::move(*lower);
      }
      return ProveWith(p, term, others, top, *divisor);
    }
    // min <= each operand, max >= each: one is enough; else it must hold whichever it is.
    const bool one_is_enough = (atom.kind == AtomKind::kMax) == below;
    const auto holds = [&](const Dim& operand) {
      return ProveWith(p, term, others, ring_.ToPolynomial(operand), 1);
    };
    return one_is_enough ? std::any_of(atom.operands.begin(), atom.operands.end(), holds)
                         : std::all_of(atom.operands.begin(), atom.operands.end(), holds);
  }

  // p with the atom of `term` replaced by value / divisor, times divisor.
  bool ProveWith(const Polynomial& p, const Term& term, MonomialId others, const Polynomial& value,
                 Int128 divisor) {
    Polynomial rest = p;
    std::erase(rest, term);
    const auto scaled = ring_.Scale(rest, divisor);
    const auto replaced = ring_.Mul(value, Polynomial{{others, term.coefficient}});
    if (!scaled || !replaced) return false;
    const auto sum = ring_.Add(*scaled, *replaced);
    return sum && NeverNegative(*sum);
  }

  DimRing& ring_;
  Int128 symbols_from_;
  int steps_ = 48;
};

}  // namespace

bool DimRing::NeverNegative(const Polynomial& polynomial, Int128 symbols_from) {
  return Prover(*this, symbols_from).NeverNegative(polynomial);
}

}  // namespace opscope
