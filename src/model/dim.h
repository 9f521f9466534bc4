// Dim: a dimension (or a count) that is a number, an expression over symbols, or unknown.
//
// A Dim is a 16-byte value. Integers that fit int64 are kept inline; everything else is interned in
// a DimTable as a canonical polynomial with 128-bit integer coefficients over symbols and atoms
// (floor and ceiling division, min, max, named unknowns). Terms are sorted and like terms joined,
// so two Dims of one table are equal exactly when they are identical.
//
// Laws (tests/property/dim_test.cpp checks each on random expressions under random bindings):
//   a+b = b+a   (a+b)+c = a+(b+c)   a*b = b*a   (a*b)*c = a*(b*c)   a*(b+c) = a*b+a*c
//   a+0 = a   a*1 = a   a*0 = 0   a-a = 0
//   (a*k + b) // k = a + b // k for every integer k > 0 (the part divisible by k leaves the floor)
//   ceil(a, k) = -((-a) // k)   (a // k) // m = a // (k*m)   a // 1 = a
//   min(a,a) = a   min(a,b) = min(b,a)   min is associative; likewise max
//   Bind(f(a, b)) = f(Bind(a), Bind(b)) for every operation f (where neither side is unknown)
// The first two lines hold as identities of Dims, the others as equality of values (min, max and
// floor division by an integer are brought to a common form where that is cheap).
// Symbols stand for sizes >= 0. Division is floor division; by zero it is unknown. A symbolic
// divisor is taken to be other than zero: N*64 // N = 64. Unknown absorbs, 0 * unknown included: an
// unknown is never turned into 0. What overflows 128 bits or grows beyond the limits of dim_ring.h
// is unknown.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/id.h"
#include "opscope/int128.h"

namespace opscope {

using ExprId = Id<struct ExprTag>;

class Dim {
 public:
  Dim() = default;                                                                 // unknown
  constexpr Dim(std::int64_t number) : number_(number), state_(State::kNumber) {}  // NOLINT

  bool is_unknown() const { return state_ == State::kUnknown; }
  bool is_number() const { return state_ == State::kNumber; }
  bool is_expression() const { return state_ == State::kExpression; }
  std::int64_t number() const {
    CHECK(is_number());
    return number_;
  }
  ExprId expression() const {
    CHECK(is_expression());
    return {static_cast<std::uint32_t>(number_)};
  }
  friend bool operator==(const Dim&, const Dim&) = default;

 private:
  friend class DimRing;
  enum class State : std::uint8_t { kUnknown, kNumber, kExpression };
  static Dim FromExpression(ExprId id) {
    Dim dim;
    dim.number_ = id.value;
    dim.state_ = State::kExpression;
    return dim;
  }
  std::int64_t number_ = 0;
  State state_ = State::kUnknown;
};

// symbol name -> value
using Bindings = std::map<std::string, std::int64_t, std::less<>>;

class DimRing;

class DimTable {
 public:
  DimTable();
  ~DimTable();
  DimTable(DimTable&&) noexcept;
  DimTable& operator=(DimTable&&) noexcept;

  Dim Symbol(std::string_view name);
  Dim Integer(Int128 value);

  Dim Add(Dim a, Dim b);
  Dim Sub(Dim a, Dim b);
  Dim Mul(Dim a, Dim b);
  Dim FloorDiv(Dim a, Dim b);
  Dim CeilDiv(Dim a, Dim b);
  Dim Min(Dim a, Dim b);
  Dim Max(Dim a, Dim b);
  Dim Product(std::span<const Dim> dims);  // 1 for none
  Dim Sum(std::span<const Dim> dims);      // 0 for none

  // The exact value when `dim` is free of symbols.
  std::optional<Int128> Value(Dim dim) const;
  // dim / factor where that is exact for all values of the symbols, else nullopt. For Reshape's -1.
  std::optional<Dim> ExactQuotient(Dim dim, Dim factor);
  // Known to be >= `bound` for all symbol values >= `symbols_from`, which is >= 0 (conservative:
  // false when not provable).
  bool AtLeast(Dim dim, std::int64_t bound, std::int64_t symbols_from = 0) const;

  // From now on `a` and `b` are one: one of them, a symbol (the one met later) or a floor, minimum
  // or maximum, is written as the other in everything computed later and by Resolve. False when
  // neither stands alone on its side (2*N = 3*M), or after kMaxFacts.
  bool Equate(Dim a, Dim b);
  bool has_facts() const;
  // `dim` under all facts.
  Dim Resolve(Dim dim);
  // `dim` with each symbol of `bounds` replaced by what it is at most: an upper bound of `dim` for
  // all values >= 0 of the other symbols. Unknown when that cannot be seen from its form.
  Dim AtMost(Dim dim, const std::map<std::string, Dim, std::less<>>& bounds);

  // Substitutes numbers for symbols; a symbol without a binding stays.
  Dim Bind(Dim dim, const Bindings& bindings);
  // Names of the symbols in `dim`, sorted, without repeats.
  std::vector<std::string> Symbols(Dim dim) const;
  // "N*221184", "batch*seq*seq*2048 + batch*seq*3145728", "(H + 1) // 2", "2 - N": in a product
  // the symbols first, then the number; terms by falling degree, then by name. Grammar: integers,
  // symbols, + - * // ( ), min() max(); odd symbol names in backticks; "?" for unknown.
  std::string ToText(Dim dim) const;

 private:
  std::unique_ptr<DimRing> ring_;
};

}  // namespace opscope
