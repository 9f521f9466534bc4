// The laws written down in model/dim.h, on random expressions under random bindings. Every
// expression is built twice: in a DimTable, and as a plain tree that is evaluated by itself.
#include "model/dim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "base/checked.h"

namespace opscope {
namespace {

using Value = std::optional<Int128>;  // nullopt: division by zero
using Tree = std::function<Value(const Bindings&)>;

struct Expression {
  Dim dim;
  Tree tree;
};

Int128 Floor(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

enum class Op { kAdd, kSub, kMul, kFloorDiv, kCeilDiv, kMin, kMax };

Value Apply(Op op, Int128 a, Int128 b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kFloorDiv:
      return b == 0 ? Value() : Value(Floor(a, b));
    case Op::kCeilDiv:
      return b == 0 ? Value() : Value(-Floor(-a, b));
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
  }
  return {};
}

class DimLaws : public ::testing::Test {
 protected:
  std::int64_t Pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  Dim ApplyDim(Op op, Dim a, Dim b) {
    switch (op) {
      case Op::kAdd:
        return table_.Add(a, b);
      case Op::kSub:
        return table_.Sub(a, b);
      case Op::kMul:
        return table_.Mul(a, b);
      case Op::kFloorDiv:
        return table_.FloorDiv(a, b);
      case Op::kCeilDiv:
        return table_.CeilDiv(a, b);
      case Op::kMin:
        return table_.Min(a, b);
      case Op::kMax:
        return table_.Max(a, b);
    }
    return {};
  }

  Expression Combine(Op op, const Expression& a, const Expression& b) {
    return {ApplyDim(op, a.dim, b.dim), [op, a, b](const Bindings& bindings) {
              const Value left = a.tree(bindings);
              const Value right = b.tree(bindings);
              return left && right ? Apply(op, *left, *right) : Value();
            }};
  }

  Expression Number(std::int64_t number) {
    return {Dim(number), [number](const Bindings&) { return Value(number); }};
  }

  // `ops` limits the operations: ring = + - *, whole = all.
  Expression Random(int depth, std::int64_t last_op) {
    if (depth == 0 || Pick(0, 5) == 0) {
      if (Pick(0, 2) == 0) return Number(Pick(-4, 9));
      const std::string name = kNames[static_cast<std::size_t>(Pick(0, 2))];
      return {table_.Symbol(name),
              [name](const Bindings& bindings) { return Value(bindings.at(name)); }};
    }
    const auto op = static_cast<Op>(Pick(0, last_op));
    return Combine(op, Random(depth - 1, last_op), Random(depth - 1, last_op));
  }
  Expression RandomRing(int depth = 3) { return Random(depth, 2); }
  Expression RandomAny(int depth = 3) { return Random(depth, 6); }

  Bindings RandomBindings() { return {{"H", Pick(0, 12)}, {"N", Pick(0, 12)}, {"W", Pick(0, 12)}}; }

  // The dim has the tree's value for every binding tried (an unknown dim says nothing).
  void ExpectValue(const Expression& e) {
    if (e.dim.is_unknown()) return;
    for (int i = 0; i < 12; ++i) {
      const Bindings bindings = RandomBindings();
      const Value expected = e.tree(bindings);
      if (!expected) continue;
      const Value actual = table_.Value(table_.Bind(e.dim, bindings));
      ASSERT_TRUE(actual) << table_.ToText(e.dim);
      ASSERT_TRUE(*actual == *expected)
          << table_.ToText(e.dim) << " = " << ToDecimal(*actual) << ", not " << ToDecimal(*expected)
          << " at H=" << bindings.at("H") << " N=" << bindings.at("N") << " W=" << bindings.at("W");
    }
  }

  void ExpectSameValue(Dim a, Dim b) {
    if (a.is_unknown() || b.is_unknown()) return;
    for (int i = 0; i < 12; ++i) {
      const Bindings bindings = RandomBindings();
      const Value left = table_.Value(table_.Bind(a, bindings));
      const Value right = table_.Value(table_.Bind(b, bindings));
      if (!left || !right) continue;
      ASSERT_TRUE(*left == *right) << table_.ToText(a) << "  and  " << table_.ToText(b);
    }
  }

  void ExpectIdentical(Dim a, Dim b) {
    ASSERT_EQ(a, b) << table_.ToText(a) << "  and  " << table_.ToText(b);
  }

  static constexpr const char* kNames[] = {"H", "N", "W"};
  static constexpr int kRounds = 1500;
  DimTable table_;
  std::mt19937 random_{20240229};
};

TEST_F(DimLaws, EveryOperationHasTheValueOfItsOperands) {
  for (int i = 0; i < kRounds * 2; ++i) ExpectValue(RandomAny(4));
}

TEST_F(DimLaws, SumsAndProductsAreCanonical) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomRing().dim, b = RandomRing().dim, c = RandomRing(2).dim;
    ExpectIdentical(table_.Add(a, b), table_.Add(b, a));
    ExpectIdentical(table_.Add(table_.Add(a, b), c), table_.Add(a, table_.Add(b, c)));
    ExpectIdentical(table_.Mul(a, b), table_.Mul(b, a));
    ExpectIdentical(table_.Mul(table_.Mul(a, b), c), table_.Mul(a, table_.Mul(b, c)));
    ExpectIdentical(table_.Mul(a, table_.Add(b, c)),
                    table_.Add(table_.Mul(a, b), table_.Mul(a, c)));
    ExpectIdentical(table_.Add(a, 0), a);
    ExpectIdentical(table_.Mul(a, 1), a);
    ExpectIdentical(table_.Mul(a, 0), 0);
    ExpectIdentical(table_.Sub(a, a), 0);
  }
}

TEST_F(DimLaws, SumsOfAtomsAreCanonicalToo) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny().dim, b = RandomAny().dim;
    if (a.is_unknown() || b.is_unknown()) continue;
    ExpectIdentical(table_.Add(a, b), table_.Add(b, a));
    ExpectIdentical(table_.Sub(table_.Add(a, b), b), a);
    ExpectIdentical(table_.Mul(a, b), table_.Mul(b, a));
  }
}

TEST_F(DimLaws, TheDivisiblePartLeavesTheFloor) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny().dim, b = RandomAny(2).dim;
    const std::int64_t k = Pick(1, 9);
    const Dim whole = table_.FloorDiv(table_.Add(table_.Mul(a, k), b), k);
    const Dim parts = table_.Add(a, table_.FloorDiv(b, k));
    if (!whole.is_unknown() && !parts.is_unknown()) ExpectIdentical(whole, parts);
  }
}

TEST_F(DimLaws, Divisions) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny().dim;
    const std::int64_t k = Pick(1, 6), m = Pick(1, 6);
    ExpectSameValue(table_.CeilDiv(a, k), table_.Sub(0, table_.FloorDiv(table_.Sub(0, a), k)));
    ExpectSameValue(table_.FloorDiv(table_.FloorDiv(a, k), m), table_.FloorDiv(a, k * m));
    ExpectIdentical(table_.FloorDiv(a, 1), a);
    EXPECT_TRUE(table_.FloorDiv(a, 0).is_unknown());
    const Dim ring = RandomRing().dim;
    ExpectIdentical(table_.FloorDiv(table_.FloorDiv(ring, k), m), table_.FloorDiv(ring, k * m));
  }
}

TEST_F(DimLaws, MinAndMax) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny(2).dim, b = RandomAny(2).dim, c = RandomAny(2).dim;
    ExpectIdentical(table_.Min(a, a), a);
    ExpectIdentical(table_.Max(a, a), a);
    ExpectSameValue(table_.Min(a, b), table_.Min(b, a));
    ExpectSameValue(table_.Max(a, b), table_.Max(b, a));
    ExpectSameValue(table_.Min(table_.Min(a, b), c), table_.Min(a, table_.Min(b, c)));
    ExpectSameValue(table_.Max(table_.Max(a, b), c), table_.Max(a, table_.Max(b, c)));
  }
}

TEST_F(DimLaws, BindingGoesThroughEveryOperation) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny().dim, b = RandomAny().dim;
    const auto op = static_cast<Op>(Pick(0, 6));
    const Bindings some = {{"N", Pick(0, 9)}};
    ExpectSameValue(table_.Bind(ApplyDim(op, a, b), some),
                    ApplyDim(op, table_.Bind(a, some), table_.Bind(b, some)));
  }
}

TEST_F(DimLaws, ABoundThatIsStatedHolds) {
  int proved = 0;
  for (int i = 0; i < kRounds * 2; ++i) {
    const Expression e = RandomAny();
    const std::int64_t bound = Pick(-9, 3);
    if (e.dim.is_unknown() || !table_.AtLeast(e.dim, bound)) continue;
    ++proved;
    for (int j = 0; j < 12; ++j) {
      const Value value = e.tree(RandomBindings());
      ASSERT_TRUE(!value || *value >= bound) << table_.ToText(e.dim);
    }
  }
  EXPECT_GT(proved, kRounds / 4);
}

TEST_F(DimLaws, AnExactQuotientMultipliesBack) {
  for (int i = 0; i < kRounds; ++i) {
    const Dim a = RandomAny().dim, b = RandomRing(2).dim;
    const Dim product = table_.Mul(a, b);
    if (product.is_unknown() || b == Dim(0)) continue;
    const auto quotient = table_.ExactQuotient(product, b);
    ASSERT_TRUE(quotient) << table_.ToText(a) << "  by  " << table_.ToText(b);
    ExpectIdentical(table_.Mul(*quotient, b), product);
  }
}

TEST_F(DimLaws, UnknownAbsorbs) {
  const Dim unknown;
  for (const Dim other : {Dim(0), Dim(3), table_.Symbol("N"), unknown}) {
    for (int op = 0; op <= static_cast<int>(Op::kMax); ++op) {
      EXPECT_TRUE(ApplyDim(static_cast<Op>(op), unknown, other).is_unknown());
      EXPECT_TRUE(ApplyDim(static_cast<Op>(op), other, unknown).is_unknown());
    }
  }
  EXPECT_TRUE(table_.Bind(unknown, {{"N", 1}}).is_unknown());
  EXPECT_FALSE(table_.AtLeast(unknown, -1));
  EXPECT_FALSE(table_.ExactQuotient(unknown, 1));
}

class DimText : public ::testing::Test {
 protected:
  Dim S(const char* name) { return table_.Symbol(name); }
  std::string Text(Dim dim) { return table_.ToText(dim); }
  DimTable table_;
};

TEST_F(DimText, SymbolsFirstThenTheNumber) {
  EXPECT_EQ(Text(table_.Mul(S("N"), 221184)), "N*221184");
  const Dim batch = S("batch"), seq = S("seq");
  const Dim dims[] = {batch, seq, seq};
  const Dim parts[] = {table_.Mul(table_.Mul(batch, seq), 3145728), table_.Mul(batch, 65536),
                       table_.Mul(table_.Product(dims), 2048)};
  EXPECT_EQ(Text(table_.Sum(parts)), "batch*seq*seq*2048 + batch*seq*3145728 + batch*65536");
  EXPECT_EQ(Text(0), "0");
  EXPECT_EQ(Text(-7), "-7");
  EXPECT_EQ(Text({}), "?");
}

TEST_F(DimText, Divisions) {
  const Dim h = S("H");
  EXPECT_EQ(Text(table_.FloorDiv(h, 2)), "H // 2");
  EXPECT_EQ(Text(table_.CeilDiv(h, 2)), "(H + 1) // 2");
  EXPECT_EQ(Text(table_.Mul(table_.FloorDiv(h, 2), 64)), "(H // 2)*64");
  EXPECT_EQ(Text(table_.FloorDiv(table_.Mul(h, 2), 3)), "(H*2) // 3");
  EXPECT_EQ(Text(table_.Sub(h, table_.FloorDiv(h, 2))), "H - H // 2");
  EXPECT_EQ(Text(table_.Sub(0, table_.FloorDiv(h, 2))), "-(H // 2)");
  EXPECT_EQ(Text(table_.FloorDiv(h, S("W"))), "H // W");
  EXPECT_EQ(Text(table_.FloorDiv(table_.Min(h, 9), 2)), "min(9, H) // 2");
  EXPECT_EQ(Text(table_.Mul(table_.FloorDiv(table_.Min(h, 9), 2), h)), "(min(9, H) // 2)*H");
  // Two convolutions of stride 2: one division.
  const Dim once = table_.FloorDiv(table_.Add(h, 1), 2);
  EXPECT_EQ(Text(table_.FloorDiv(table_.Add(once, 1), 2)), "(H + 3) // 4");
}

TEST_F(DimText, SignsAndNames) {
  EXPECT_EQ(Text(table_.Sub(2, S("N"))), "2 - N");
  EXPECT_EQ(Text(table_.Sub(0, S("N"))), "-N");
  EXPECT_EQ(Text(table_.Mul(S("批量"), 3)), "批量*3");
  EXPECT_EQ(Text(table_.Mul(S("a b"), S("x`y"))), "`a b`*`x``y`");
  EXPECT_EQ(Text(S("min")), "`min`");
  EXPECT_EQ(Text(S("2N")), "`2N`");
  EXPECT_EQ(Text(S("")), "``");
}

TEST_F(DimText, TheOrderOfConstructionDoesNotShow) {
  DimTable other;
  const Dim ab = table_.Add(S("a"), S("b"));
  other.Symbol("z");
  const Dim ba = other.Add(other.Symbol("b"), other.Symbol("a"));
  EXPECT_EQ(Text(ab), other.ToText(ba));
}

TEST_F(DimText, MinAndMaxDropWhatCannotWin) {
  const Dim n = S("N");
  EXPECT_EQ(table_.Max(n, 0), n);
  EXPECT_EQ(table_.Max(n, -3), n);
  EXPECT_EQ(table_.Min(table_.Add(n, 1), n), n);
  EXPECT_EQ(table_.Min(n, table_.FloorDiv(n, 2)), table_.FloorDiv(n, 2));
  EXPECT_EQ(Text(table_.Max(table_.Sub(n, 3), 0)), "max(0, N - 3)");
  EXPECT_EQ(Text(table_.Min(table_.Min(n, 5), 3)), "min(3, N)");
  EXPECT_EQ(Text(table_.Max(S("M"), n)), "max(M, N)");
}

TEST_F(DimText, ProvableBounds) {
  const Dim n = S("N"), half = table_.FloorDiv(n, 2);
  EXPECT_TRUE(table_.AtLeast(n, 0));
  EXPECT_FALSE(table_.AtLeast(n, 1));
  EXPECT_TRUE(table_.AtLeast(table_.Add(table_.Mul(n, n), 3), 3));
  EXPECT_FALSE(table_.AtLeast(table_.Sub(n, 1), 0));
  EXPECT_TRUE(table_.AtLeast(table_.Sub(n, half), 0));
  EXPECT_TRUE(table_.AtLeast(table_.Sub(n, table_.Min(n, 7)), 0));
  EXPECT_TRUE(table_.AtLeast(table_.Sub(table_.Mul(table_.CeilDiv(n, 8), 8), n), 0));
  EXPECT_TRUE(table_.AtLeast(table_.FloorDiv(table_.Sub(n, 3), 2), -2));
}

TEST_F(DimText, SymbolsAndBinding) {
  const Dim dim = table_.Mul(table_.FloorDiv(table_.Add(S("W"), 1), 2), S("N"));
  EXPECT_EQ(table_.Symbols(dim), (std::vector<std::string>{"N", "W"}));
  EXPECT_TRUE(table_.Symbols(5).empty());
  EXPECT_EQ(Text(table_.Bind(dim, {{"W", 9}})), "N*5");
  EXPECT_EQ(table_.Bind(dim, {{"W", 9}, {"N", 4}, {"unused", 1}}), Dim(20));
  EXPECT_TRUE(table_.Value(table_.Bind(dim, {{"W", 9}, {"N", 4}})) == Int128{20});
  EXPECT_FALSE(table_.Value(dim));
  EXPECT_TRUE(table_.Bind(table_.FloorDiv(3, S("N")), {{"N", 0}}).is_unknown());
}

TEST_F(DimText, NumbersBeyond64BitsAreExact) {
  const Dim big = table_.Mul(INT64_MAX, 4);
  EXPECT_EQ(Text(big), "36893488147419103228");
  EXPECT_EQ(table_.FloorDiv(big, 4), Dim(INT64_MAX));
  EXPECT_EQ(table_.Sub(big, big), Dim(0));
  EXPECT_EQ(Text(table_.FloorDiv(INT64_MIN, -1)), "9223372036854775808");
  EXPECT_EQ(table_.Min(big, 3), Dim(3));
  // 2^63 * 2^63 fits 127 bits, its double does not.
  const Dim square = table_.Mul(big, big);
  EXPECT_TRUE(table_.Mul(square, square).is_unknown());
}

// Hostile files: no expression grows without bound, whatever is done.
TEST_F(DimText, GrowthEndsInUnknown) {
  Dim sum = 0;
  for (int i = 0; i < 3000; ++i) sum = table_.Add(sum, S(("s" + std::to_string(i)).c_str()));
  EXPECT_TRUE(sum.is_unknown());
  Dim power = S("N");
  for (int i = 0; i < 40; ++i) power = table_.Mul(power, power);
  EXPECT_TRUE(power.is_unknown());
  Dim nest = S("N");
  for (int i = 0; i < 200; ++i) nest = table_.FloorDiv(table_.Add(table_.Mul(nest, 2), S("M")), 3);
  EXPECT_TRUE(nest.is_unknown());
  Dim wide = 0;
  for (int i = 0; i < 100; ++i) wide = table_.Max(wide, S(("m" + std::to_string(i)).c_str()));
  EXPECT_TRUE(wide.is_unknown());
}

}  // namespace
}  // namespace opscope
