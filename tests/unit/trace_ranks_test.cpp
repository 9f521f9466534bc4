// Ranks side by side: names, matching of collectives, waiting, stragglers, clocks.
#include <gtest/gtest.h>

#include "trace/ranks.h"

namespace opscope::test {
namespace {

RankTrace Rank(std::int64_t rank, std::vector<Collective> collectives, std::int64_t base = 0) {
  RankTrace out;
  out.rank = rank;
  out.busy_ns = 100;
  out.base_ns = base;
  out.first_ns = 7;
  out.collectives = std::move(collectives);
  return out;
}

TEST(Ranks, RankInAName) {
  EXPECT_EQ(RankInName("rank-3.json"), 3);
  EXPECT_EQ(RankInName("run_rank_012.pt.trace.json.gz"), 12);
  EXPECT_EQ(RankInName("rank7"), 7);
  EXPECT_EQ(RankInName("rank.json"), -1);
  EXPECT_EQ(RankInName("frank-x.json"), -1);
  EXPECT_EQ(RankInName("trace.json"), -1);
}

TEST(Ranks, WhoComesLastWaitsLeast) {
  const auto rows = CompareRanks({Rank(1, {{"nccl", 0, 10}, {"nccl", 1, 4}, {"nccl", 2, 50}}, 1000),
                                  Rank(0, {{"nccl", 0, 3}, {"nccl", 1, 5}}, 1020)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].rank, 0);
  EXPECT_EQ(rows[0].wait_ns, 1);
  EXPECT_EQ(rows[1].wait_ns, 7);
  EXPECT_EQ(rows[1].collectives, 2);  // the third is on one rank only
  EXPECT_TRUE(rows[0].straggler);
  EXPECT_FALSE(rows[1].straggler);
  EXPECT_EQ(rows[0].begin_ns, 20);
  EXPECT_EQ(rows[1].begin_ns, 0);
}

TEST(Ranks, NoStragglerWhereNobodyWaitsLong) {
  const auto rows = CompareRanks({Rank(0, {{"nccl", 0, 10}}), Rank(1, {{"nccl", 0, 15}})});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].straggler);
  EXPECT_FALSE(rows[0].begin_ns.has_value());  // no wall clock
}

TEST(Ranks, OneRankTwiceOrUnknownIsNoComparison) {
  EXPECT_TRUE(CompareRanks({Rank(0, {}), Rank(0, {})}).empty());
  EXPECT_TRUE(CompareRanks({Rank(-1, {}), Rank(0, {})}).empty());
  EXPECT_TRUE(CompareRanks({Rank(0, {})}).empty());
}

}  // namespace
}  // namespace opscope::test
