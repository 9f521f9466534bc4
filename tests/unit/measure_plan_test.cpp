#include <gtest/gtest.h>

#include "measure/plan.h"

namespace opscope {
namespace {

constexpr Nanos Millis(std::int64_t value) { return {value * 1'000'000}; }

MeasureRequest Asked(std::optional<int> sessions, std::optional<std::int64_t> runs,
                     std::optional<std::int64_t> warmup = std::nullopt) {
  MeasureRequest out;
  out.sessions = sessions;
  out.runs = runs;
  out.warmup = warmup;
  return out;
}

TEST(Plan, WarmUpIsThreeRunsAndATenthOfASecond) {
  const auto fast = WarmUpAfter({}, Millis(20));
  ASSERT_TRUE(fast);
  EXPECT_EQ(fast->min_runs, 2);
  EXPECT_EQ(fast->min_time, Millis(80));
  EXPECT_FALSE(WarmUpAfter({}, Millis(1500)));
}

TEST(Plan, AWarmUpThatIsGivenIsKeptExactly) {
  for (const std::int64_t warmup : {1, 2, 3, 4, 10}) {
    const MeasureRequest request = Asked({}, {}, warmup);
    const auto rest = WarmUpAfter(request, Millis(2));
    const std::int64_t total = 1 + (rest ? rest->max_runs : 0) + LeadRuns(request, Millis(2));
    EXPECT_EQ(total, warmup);
  }
}

TEST(Plan, FiveSessionsUnlessTheModelIsSlow) {
  EXPECT_EQ(PlannedSessions({}, {Millis(20), Millis(100)}), 5);
  EXPECT_EQ(PlannedSessions({}, {Millis(4000), Millis(100)}), 3);
  EXPECT_EQ(PlannedSessions(Asked(7, {}), {Millis(4000), Millis(100)}), 7);
  EXPECT_EQ(PlannedSessions(Asked({}, 2), {Millis(20), Millis(100)}), 2);
}

TEST(Plan, RunsThatAreGivenAreDividedExactly) {
  const MeasureRequest request = Asked(3, 20);
  std::int64_t total = 0;
  for (int i = 0; i < 3; ++i) total += SessionRuns(request, i, 3, Millis(1)).max_runs;
  EXPECT_EQ(total, 20);
}

TEST(Plan, ASecondASessionIsTheDefault) {
  EXPECT_EQ(SessionRuns({}, 0, 5, Millis(20)).max_runs, 50);
  EXPECT_EQ(SessionRuns({}, 0, 5, Nanos{1000}).max_runs, 2000);  // enough for any statistics
  EXPECT_EQ(SessionRuns({}, 0, 3, Millis(5000)).max_runs, 3);    // and never fewer than these
  EXPECT_EQ(SessionRuns({}, 0, 3, Millis(20'000)).max_runs, 1);  // but for the very slow
}

TEST(Plan, TimeThatIsGivenIsSharedByTheSessions) {
  MeasureRequest request;
  request.time = Millis(10'000);
  EXPECT_EQ(SessionRuns(request, 0, 5, Millis(20)).max_runs, 100);
}

LatencyStatistics Interval(std::int64_t low, std::int64_t high) {
  LatencyStatistics out;
  out.median = {(low + high) / 2};
  out.ci95_low = {low};
  out.ci95_high = {high};
  return out;
}

TEST(Plan, MoreSessionsWhileTheIntervalIsWide) {
  EXPECT_TRUE(WantsMoreSessions({}, Interval(950, 1050), 5, Millis(7000)));
  EXPECT_FALSE(WantsMoreSessions({}, Interval(990, 1010), 5, Millis(7000)));
  EXPECT_FALSE(WantsMoreSessions({}, Interval(950, 1050), 10, Millis(7000)));
  EXPECT_FALSE(WantsMoreSessions({}, Interval(950, 1050), 5, Millis(25'000)));
  EXPECT_FALSE(WantsMoreSessions(Asked(5, {}), Interval(950, 1050), 5, Millis(7000)));
  LatencyStatistics busy = Interval(950, 1050);
  busy.why.push_back({InstabilityKind::kContention, 0.5, 0.1});
  EXPECT_FALSE(WantsMoreSessions({}, busy, 5, Millis(7000)));
}

TEST(Plan, TheProfileStaysBelowTheEventLimit) {
  MeasureRequest request;
  EXPECT_EQ(ProfileRuns(request, Millis(20), 5, 300'000), 50);
  EXPECT_EQ(ProfileRuns(request, Nanos{1000}, 5, 300'000), 100);
  EXPECT_EQ(ProfileRuns(request, Millis(900), 5, 300'000), 5);
  request.nodes = 5000;  // 10,004 events a run: 29 runs, 5 of which warm up
  EXPECT_EQ(ProfileRuns(request, Millis(20), 5, 300'000), 24);
  request.nodes = 1'000'000;
  EXPECT_EQ(ProfileRuns(request, Millis(20), 5, 300'000), 1);
}

}  // namespace
}  // namespace opscope
