#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trace/statistics.h"

namespace opscope {
namespace {

std::vector<Nanos> List(std::initializer_list<std::int64_t> values) {
  std::vector<Nanos> out;
  for (const std::int64_t value : values) out.push_back({value});
  return out;
}

LatencyStatistics Of(const std::vector<Nanos>& wall) {
  const SessionSamples session{wall, {}, std::nullopt};
  return Summarize({&session, 1});
}

std::string Kinds(const LatencyStatistics& statistics) {
  std::string out;
  for (const Instability& found : statistics.why)
    out += (out.empty() ? "" : " ") + std::string(ToString(found.kind));
  return out;
}

// Runs of about a millisecond with a spread of `sigma`, shifted by `shift(i)`.
template <class Shift>
std::vector<Nanos> Runs(int count, double sigma, unsigned seed, Shift shift) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  std::vector<Nanos> out;
  for (int i = 0; i < count; ++i)
    out.push_back({static_cast<std::int64_t>(1'000'000 * (1 + shift(i) + noise(random)))});
  return out;
}

TEST(Statistics, SmallNumbersByHand) {
  const LatencyStatistics found = Of(List({30, 10, 20, 41}));
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.median, Nanos{25});
  EXPECT_EQ(found.mean, Nanos{25});  // 101 / 4 = 25.25
  EXPECT_EQ(found.min, Nanos{10});
  EXPECT_EQ(found.max, Nanos{41});
  EXPECT_EQ(found.p90, Nanos{38});  // position 2.7: 30 + 0.7 * 11 = 37.7
  EXPECT_EQ(found.trimmed_mean, std::nullopt);
  EXPECT_DOUBLE_EQ(found.throughput_per_s, 4e7);
}

TEST(Statistics, TheMeanIsRoundedHalfUp) {
  EXPECT_EQ(Of(List({1, 2})).mean, Nanos{2});
  EXPECT_EQ(Of(List({1, 1, 2})).mean, Nanos{1});
}

TEST(Statistics, LargeNumbersStayExact) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const LatencyStatistics found = Of(List({kDay, kDay + 1, kDay + 2}));
  EXPECT_EQ(found.median, Nanos{kDay + 1});
  EXPECT_EQ(found.mean, Nanos{kDay + 1});
}

TEST(Statistics, TheTrimmedMeanLeavesOutHighestAndLowest) {
  const LatencyStatistics found = Of(List({1, 10, 10, 10, 10, 10, 10, 10, 10, 1000}));
  ASSERT_TRUE(found.trimmed_mean);
  EXPECT_EQ(*found.trimmed_mean, Nanos{10});
}

TEST(Statistics, NothingAndOneRunAreNotJudged) {
  EXPECT_EQ(Of({}).count, 0);
  EXPECT_EQ(Of({}).stable, std::nullopt);
  const LatencyStatistics one = Of(List({7}));
  EXPECT_EQ(one.stable, std::nullopt);
  EXPECT_EQ(one.median, Nanos{7});
  EXPECT_EQ(one.ci95_low, Nanos{7});
  EXPECT_EQ(Kinds(one), "few-runs");
}

TEST(Statistics, OrderStatisticsIntervalOfOneSession) {
  std::vector<Nanos> wall;
  for (int i = 1; i <= 100; ++i) wall.push_back({i});
  const LatencyStatistics found = Of(wall);  // ranks 40 and 61 of 100
  EXPECT_EQ(found.ci95_low, Nanos{40});
  EXPECT_EQ(found.ci95_high, Nanos{61});
}

// Three sessions whose medians are 100, 110, 120: mean 110, deviation 10, t(2) = 4.303,
// half width 4.303 * 10 / sqrt(3) = 24.84.
TEST(Statistics, SessionsThatDifferWidenTheInterval) {
  const std::vector<Nanos> a = List({100, 100, 100}), b = List({110, 110, 110}),
                           c = List({120, 120, 120});
  const SessionSamples sessions[] = {{a, {}, {}}, {b, {}, {}}, {c, {}, {}}};
  const LatencyStatistics found = Summarize(sessions);
  EXPECT_EQ(found.median, Nanos{110});
  EXPECT_EQ(found.ci95_low, Nanos{85});
  EXPECT_EQ(found.ci95_high, Nanos{135});
}

TEST(Statistics, SteadyRunsAreStable) {
  const auto wall = Runs(300, 0.01, 1, [](int) { return 0.0; });
  const LatencyStatistics found = Of(wall);
  EXPECT_EQ(found.stable, true) << Kinds(found);
}

TEST(Statistics, RareInterruptsDoNotCount) {
  const auto wall = Runs(300, 0.01, 2, [](int i) { return i % 25 == 0 ? 2.0 : 0.0; });
  const LatencyStatistics found = Of(wall);
  EXPECT_EQ(found.stable, true) << Kinds(found);
  EXPECT_GT(found.cv, 0.2);
}

TEST(Statistics, ADriftIsSeen) {
  const auto wall = Runs(300, 0.01, 3, [](int i) { return 0.08 * i / 300; });
  EXPECT_EQ(Kinds(Of(wall)), "drifts");
  const auto less = Runs(300, 0.01, 3, [](int i) { return 0.02 * i / 300; });
  EXPECT_EQ(Kinds(Of(less)), "");
}

TEST(Statistics, ADriftInsideEverySessionIsSeen) {
  std::vector<std::vector<Nanos>> walls;
  std::vector<SessionSamples> sessions;
  for (unsigned seed = 0; seed < 4; ++seed)
    walls.push_back(Runs(60, 0.005, seed, [](int i) { return -0.08 * i / 60; }));
  for (const auto& wall : walls) sessions.push_back({wall, {}, {}});
  EXPECT_EQ(Kinds(Summarize(sessions)), "drifts");
}

TEST(Statistics, TwoModesAreSeen) {
  const auto wall = Runs(300, 0.005, 4, [](int i) { return i * 7 % 10 < 4 ? 0.12 : 0.0; });
  EXPECT_EQ(Kinds(Of(wall)), "bimodal");
}

TEST(Statistics, AWideUniformSpreadIsNotTwoModes) {
  std::mt19937 random(5);
  std::uniform_int_distribution<std::int64_t> spread(800'000, 1'200'000);
  std::vector<Nanos> wall;
  for (int i = 0; i < 400; ++i) wall.push_back({spread(random)});
  EXPECT_EQ(Kinds(Of(wall)), "varies");
}

TEST(Statistics, DifferencesOfTheClockAreNone) {
  std::vector<Nanos> wall;
  for (int i = 0; i < 300; ++i) wall.push_back({1'500 + 400 * (i % 2)});
  EXPECT_EQ(Kinds(Of(wall)), "");
}

TEST(Statistics, ContentionIsWaitingForAProcessor) {
  const auto wall = Runs(100, 0.005, 6, [](int) { return 0.0; });
  std::vector<Nanos> half;
  for (const Nanos value : wall) half.push_back({value.value / 2});
  // One thread that computed half of the time.
  const SessionSamples idle{wall, half, std::nullopt};
  EXPECT_EQ(Kinds(Summarize({&idle, 1}, 1)), "contention");
  // The same on an accelerator, or with threads that may wait for each other: no evidence.
  EXPECT_EQ(Kinds(Summarize({&idle, 1}, 0)), "");
  EXPECT_EQ(Kinds(Summarize({&idle, 1}, 2)), "");
  // The scheduler's own count is evidence for any number of threads: 50 of 200 ms.
  const SessionSamples waited{wall, half, Nanos{50'000'000}};
  EXPECT_EQ(Kinds(Summarize({&waited, 1}, 2)), "contention");
  // One thread that waited between the runs, or that slept in them for another reason.
  const SessionSamples between{wall, wall, Nanos{50'000'000}};
  EXPECT_EQ(Kinds(Summarize({&between, 1}, 1)), "");
  const SessionSamples asleep{wall, half, Nanos{}};
  EXPECT_EQ(Kinds(Summarize({&asleep, 1}, 1)), "");
}

TEST(Statistics, TooFewSessionsAreSaid) {
  const auto wall = Runs(100, 0.005, 7, [](int) { return 0.0; });
  const SessionSamples session{wall, {}, {}};
  const LatencyStatistics found = Summarize({&session, 1}, 0, {.sessions = 3});
  EXPECT_EQ(found.stable, false);
  ASSERT_EQ(Kinds(found), "few-sessions");
  EXPECT_EQ(Describe(found.why[0]), "only 1 of 3 sessions: the spread between sessions is unknown");
}

// What the interval promises: of two measurements of the same thing, taken from sessions that
// differ persistently by one percent, nearly all overlap.
TEST(Statistics, TwoMeasurementsOfTheSameThingAgree) {
  std::mt19937 random(8);
  std::normal_distribution<double> session_shift(0, 0.01);
  const auto measure = [&] {
    std::vector<std::vector<Nanos>> walls;
    std::vector<SessionSamples> sessions;
    for (int i = 0; i < 5; ++i) {
      const double shift = session_shift(random);
      walls.push_back(Runs(50, 0.01, static_cast<unsigned>(random()), [=](int) { return shift; }));
    }
    for (const auto& wall : walls) sessions.push_back({wall, {}, {}});
    return Summarize(sessions);
  };
  int disagree = 0;
  for (int i = 0; i < 200; ++i) {
    const LatencyStatistics a = measure(), b = measure();
    if (a.ci95_high < b.ci95_low || b.ci95_high < a.ci95_low) ++disagree;
  }
  EXPECT_LE(disagree, 4);
}

TEST(Statistics, DescribeNamesValueAndLimit) {
  EXPECT_EQ(Describe({InstabilityKind::kDrifts, 0.061, 0.03}),
            "latency drifts by 6.1 % from the first to the last third (limit 3.0 %)");
  EXPECT_EQ(Describe({InstabilityKind::kFewRuns, 2, 3}), "only 2 runs, 3 needed");
}

}  // namespace
}  // namespace opscope
