// Equalities and upper bounds of symbols.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "model/dim.h"

namespace opscope {
namespace {

class DimFacts : public testing::Test {
 protected:
  Dim S(const char* name) { return table_.Symbol(name); }
  std::string Text(Dim dim) { return table_.ToText(table_.Resolve(dim)); }
  DimTable table_;
};

TEST_F(DimFacts, TheSymbolMetLaterGoes) {
  const Dim n = S("N");
  const Dim m = S("M");
  const Dim before = table_.Mul(m, 3);
  ASSERT_TRUE(table_.Equate(m, n));
  EXPECT_EQ(Text(before), "N*3");
  EXPECT_EQ(S("M"), n);  // also where it is named again
  EXPECT_EQ(table_.Sub(table_.Resolve(before), table_.Mul(n, 3)), Dim(0));
  EXPECT_TRUE(table_.Equate(m, n));  // known already
}

TEST_F(DimFacts, WhatASymbolIsPartOfGoes) {
  const Dim seq = S("seq");
  ASSERT_TRUE(table_.Equate(table_.Min(512, seq), seq));
  EXPECT_EQ(Text(table_.Mul(table_.Min(seq, 512), 4)), "seq*4");
}

TEST_F(DimFacts, ASymbolIsWrittenAsTheSum) {
  const Dim total = S("total");
  ASSERT_TRUE(table_.Equate(total, table_.Add(S("past"), S("seq"))));
  EXPECT_EQ(Text(table_.Mul(total, 2)), "past*2 + seq*2");
  EXPECT_EQ(table_.Bind(total, {{"past", 3}, {"seq", 4}}), Dim(7));
}

TEST_F(DimFacts, FactsChain) {
  ASSERT_TRUE(table_.Equate(S("a"), S("b")));
  ASSERT_TRUE(table_.Equate(S("c"), S("b")));
  ASSERT_TRUE(table_.Equate(S("a"), 7));
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(table_.Resolve(S(name)), Dim(7)) << name;
}

TEST_F(DimFacts, NothingIsConcludedWithoutALoneSide) {
  const Dim n = S("N");
  const Dim m = S("M");
  EXPECT_FALSE(table_.Equate(table_.Mul(n, 2), table_.Mul(m, 3)));
  EXPECT_FALSE(table_.Equate(n, table_.Add(n, 1)));
  EXPECT_FALSE(table_.Equate(n, -1));
  EXPECT_FALSE(table_.Equate(n, Dim()));
  EXPECT_FALSE(table_.has_facts());
}

TEST_F(DimFacts, TheNumberOfFactsIsBounded) {
  int facts = 0;
  for (int i = 0; i < 1000; ++i)
    facts +=
        table_.Equate(S(("a" + std::to_string(i)).c_str()), S(("b" + std::to_string(i)).c_str()))
            ? 1
            : 0;
  EXPECT_EQ(facts, 256);
}

TEST_F(DimFacts, AtMostIsNeverExceeded) {
  const Dim k = S("k");  // at most N*5
  const Dim n = S("N");
  const Dim product = table_.Mul(k, n);
  const Dim half = table_.FloorDiv(table_.Add(k, n), 2);
  const Dim larger = table_.Max(k, 9);
  const Dim all = table_.Add(table_.Add(product, half), table_.Mul(larger, 3));
  const Dim most = table_.AtMost(all, {{"k", table_.Mul(n, 5)}});
  ASSERT_FALSE(most.is_unknown());
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t size = std::uniform_int_distribution<std::int64_t>(0, 50)(random);
    const std::int64_t count = std::uniform_int_distribution<std::int64_t>(0, size * 5)(random);
    const auto value = table_.Value(table_.Bind(all, {{"k", count}, {"N", size}}));
    const auto bound = table_.Value(table_.Bind(most, {{"N", size}}));
    ASSERT_TRUE(value && bound);
    EXPECT_LE(*value, *bound) << count << " of " << size;
  }
}

TEST_F(DimFacts, WhatFallsWithTheSizeHasNoBound) {
  const Dim k = S("k");
  EXPECT_TRUE(table_.AtMost(table_.Sub(S("N"), k), {{"k", Dim(5)}}).is_unknown());
  EXPECT_TRUE(table_.AtMost(table_.FloorDiv(S("N"), k), {{"k", Dim(5)}}).is_unknown());
  EXPECT_TRUE(table_.AtMost(k, {{"k", Dim()}}).is_unknown());
  EXPECT_EQ(table_.AtMost(S("N"), {{"k", Dim()}}), S("N"));
}

}  // namespace
}  // namespace opscope
