// The arithmetic behind DimTable: polynomials with 128-bit coefficients over atoms. Private to the
// folder; everybody else uses model/dim.h.
//
// An atom is a symbol, a floor division, a minimum or a maximum. A monomial is a product of atoms,
// a polynomial a sum of monomials with coefficients. All three are interned, so equality is a
// comparison of ids. `std::nullopt` = over a limit (128 bits, or one of those below): unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.h"
#include "model/dim.h"
#include "opscope/int128.h"

namespace opscope {

using AtomId = Id<struct AtomTag>;
using MonomialId = Id<struct MonomialTag>;

// Limits that keep hostile shapes cheap; real models stay a hundred times below them.
constexpr std::size_t kMaxTerms = 1024;   // of one polynomial
constexpr std::size_t kMaxDegree = 24;    // of one monomial
constexpr std::size_t kMaxWeight = 4096;  // atoms and terms of an expression written out as text
constexpr std::size_t kMaxDepth = 32;     // of atoms inside atoms
constexpr std::size_t kMaxOperands = 16;  // of one min or max
constexpr std::size_t kMaxFacts = 256;    // equalities of one table

struct Term {
  MonomialId monomial;
  Int128 coefficient = 0;

  bool operator==(const Term& other) const {
    return monomial == other.monomial && coefficient == other.coefficient;
  }
};
using Polynomial = std::vector<Term>;  // ascending by monomial id, no zero coefficients

enum class AtomKind : std::uint8_t { kSymbol, kFloorDiv, kMin, kMax };

struct Atom {
  AtomKind kind = AtomKind::kSymbol;
  std::string name;           // of a symbol
  std::vector<Dim> operands;  // {numerator, divisor}, or those of min and max
  std::size_t weight = 1;
  std::size_t depth = 0;

  bool operator==(const Atom& other) const {
    return kind == other.kind && name == other.name && operands == other.operands;
  }
};

struct Monomial {
  std::vector<AtomId> factors;  // ascending, repeated for powers
  std::size_t weight = 1;

  bool operator==(const Monomial& other) const { return factors == other.factors; }
};

std::size_t HashOf(const Atom& atom);
std::size_t HashOf(const Monomial& monomial);
std::size_t HashOf(const Polynomial& polynomial);

// Values stored once; references stay valid.
template <class T, class IdType>
class Interner {
 public:
  IdType Intern(T value) {
    const std::size_t hash = HashOf(value);
    const auto [begin, end] = index_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (values_[it->second.index()] == value) return it->second;
    const IdType id{static_cast<std::uint32_t>(values_.size())};
    values_.push_back(std::move(value));
    index_.emplace(hash, id);
    return id;
  }
  const T& operator[](IdType id) const { return values_[id.index()]; }

 private:
  std::deque<T> values_;
  std::unordered_multimap<std::size_t, IdType> index_;
};

struct Division {
  Polynomial quotient;
  Polynomial rest;
};

class DimRing {
 public:
  DimRing();

  const Atom& atom(AtomId id) const { return atoms_[id]; }
  const Monomial& monomial(MonomialId id) const { return monomials_[id]; }
  static constexpr MonomialId kOne{0};  // the empty product

  // Of a known Dim.
  Polynomial ToPolynomial(Dim dim) const;
  // Unknown for nullopt.
  Dim ToDim(std::optional<Polynomial> polynomial);
  Dim Symbol(std::string_view name);

  std::optional<Polynomial> Add(const Polynomial& a, const Polynomial& b) const;
  std::optional<Polynomial> Sub(const Polynomial& a, const Polynomial& b) const;
  std::optional<Polynomial> Mul(const Polynomial& a, const Polynomial& b);
  std::optional<Polynomial> Scale(const Polynomial& a, Int128 factor) const;
  // a = quotient * b + rest; no term of the rest is divisible by b's leading term with a quotient
  // other than 0. `b` has a positive leading coefficient.
  std::optional<Division> Divide(const Polynomial& a, const Polynomial& b);

  // Canonical floor(a / b); unknown for b = 0.
  Dim FloorQuotient(Polynomial a, Polynomial b);
  // Minimum or maximum: operands that are provably never the answer are dropped.
  Dim Extremum(AtomKind kind, Dim a, Dim b);
  // True only when provable for all symbol values >= 0.
  bool NeverNegative(const Polynomial& polynomial, Int128 symbols_from = 0);

  Dim Bind(Dim dim, const Bindings& bindings);

  // dim_facts.cpp
  bool Equate(Dim a, Dim b);
  bool has_facts() const { return !replaced_.empty(); }
  Dim Resolve(Dim dim);
  using Bounds = std::map<std::string, Dim, std::less<>>;
  Dim AtMost(Dim dim, const Bounds& bounds);

  // The value of a polynomial without symbols.
  static std::optional<Int128> ConstantOf(const Polynomial& polynomial);
  const Term& Leading(const Polynomial& polynomial) const;
  // Greater in the graded order: total degree first.
  bool Greater(MonomialId a, MonomialId b) const;
  // Invalid where the degree is over the limit, or the division not exact.
  MonomialId Times(MonomialId a, MonomialId b);
  MonomialId Over(MonomialId a, MonomialId b);
  // The monomial without one factor.
  MonomialId Without(MonomialId id, AtomId factor);

 private:
  Dim AtomDim(Atom atom);
  Dim Fraction(Polynomial rest, Polynomial divisor);
  void CancelCommonFactors(Polynomial& rest, Polynomial& divisor);
  std::optional<Division> Unnest(const Polynomial& rest, Int128 divisor);
  std::vector<Dim> Operands(AtomKind kind, Dim a, Dim b) const;
  Dim BindAtom(AtomId id, const Bindings& bindings);
  // The atom when `dim` is nothing else.
  std::optional<AtomId> Lone(Dim dim) const;
  bool Contains(Dim dim, AtomId atom) const;
  // What `a` and `b` are when they are equal: {the atom that goes, what stands for it}.
  std::optional<std::pair<AtomId, Dim>> Replacement(Dim a, Dim b) const;
  Dim AtMostOf(AtomId id, const Bounds& bounds);
  bool Mentions(Dim dim, const Bounds& bounds) const;
  std::size_t Weight(const Polynomial& polynomial) const;
  MonomialId InternMonomial(std::vector<AtomId> factors);

  Interner<Atom, AtomId> atoms_;
  Interner<Monomial, MonomialId> monomials_;
  Interner<Polynomial, ExprId> polynomials_;
  std::unordered_map<AtomId, Dim, IdHash> replaced_;  // by the facts
  std::unordered_map<ExprId, Dim, IdHash> resolved_;  // under the facts so far
};

}  // namespace opscope
