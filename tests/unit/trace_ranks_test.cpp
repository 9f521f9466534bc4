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

// Without devices the library's own ranges are the collectives, in the order in which they began,
// whatever thread ran them ("gloo:all_reduce" of torch's gloo back end).
TEST(Ranks, ProcessorsCommunicateToo) {
  Trace trace;
  trace.file = "rank1.json";
  trace.whole_program = true;
  TraceBuilder builder(trace);
  const Str gloo = trace.strings.Intern("gloo:all_reduce"), op = trace.strings.Intern("aten::mm");
  const TrackId main = builder.AddTrack(TrackKind::kThread, 1, 1);
  const TrackId early = builder.AddTrack(TrackKind::kThread, 1, 3);
  const TrackId late = builder.AddTrack(TrackKind::kThread, 1, 2);
  builder.AddEvent(op, main, EventKind::kOp, 0, 40, -1, DeviceArgsId{});
  builder.AddEvent(gloo, late, EventKind::kAnnotation, 30, 5, -1, DeviceArgsId{});
  builder.AddEvent(gloo, early, EventKind::kAnnotation, 10, 9, -1, DeviceArgsId{});
  FinishScopes(trace);
  const RankTrace rank = SummariseRank(trace, BuildTimeline(trace));
  EXPECT_EQ(rank.rank, 1);
  EXPECT_EQ(rank.busy_ns, 40);
  ASSERT_EQ(rank.collectives.size(), 2U);
  EXPECT_EQ(rank.collectives[0].ns, 9);
  EXPECT_EQ(rank.collectives[1].ns, 5);
  EXPECT_EQ(rank.collectives[1].nth, 1);
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
