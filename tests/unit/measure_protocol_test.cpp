// The measurement protocol on an engine whose runs all take one millisecond, or say so.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "measure/measure.h"

namespace opscope {
namespace {

MeasureRequest Steady() {
  MeasureRequest out;
  out.engine.engine = "double";
  out.engine.program =
      std::string(OPSCOPE_BUILD_DIR) + "/tests/engines/opscope-engine-double-steady";
  out.engine.model = "m.onnx";
  out.temp_root = testing::TempDir();
  return out;
}

TEST(Measure, FiveSessionsAProfileAndTheOptimisedModel) {
  const auto found = Measure(Steady());
  ASSERT_TRUE(found.has_value()) << found.error().ToString();
  EXPECT_EQ(found->engine.name, "double");
  EXPECT_EQ(found->engine.version, "1.2.3");
  EXPECT_EQ(found->sessions.size(), 5U);
  EXPECT_EQ(found->latency.median, Nanos{1'000'000});
  EXPECT_EQ(found->latency.ci95_low, Nanos{990'000});  // never narrower than one percent
  EXPECT_EQ(found->latency.ci95_high, Nanos{1'010'000});
  EXPECT_EQ(found->latency.cpu_median, Nanos{1'000'000});
  EXPECT_EQ(found->latency.stable, true);
  EXPECT_EQ(found->sessions[0].load_time, Nanos{5'000'000});
  EXPECT_GT(found->peak_resident_bytes, 0);
  ASSERT_EQ(found->assumptions.size(), 1U);
  EXPECT_EQ(found->assumptions[0], "x 1x3 float32: standard normal");
  ASSERT_EQ(found->outputs.size(), 1U);
  EXPECT_EQ(found->outputs[0].name, "y");

  ASSERT_TRUE(found->profiled);
  ASSERT_TRUE(found->profiled->overhead);
  EXPECT_NEAR(*found->profiled->overhead, 0.1, 1e-9);
  ASSERT_TRUE(found->profiled->file.start);
  EXPECT_EQ(found->profiled->file.start->value, 1796062406201077532);
  EXPECT_TRUE(std::filesystem::exists(found->profiled->file.path));
  ASSERT_TRUE(found->optimized_model);
  EXPECT_TRUE(std::filesystem::exists(*found->optimized_model));
}

TEST(Measure, FilesGoWithTheMeasurement) {
  std::string folder;
  {
    auto found = Measure(Steady());
    ASSERT_TRUE(found.has_value());
    folder = found->files.path();
    Measurement kept = std::move(*found);
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Measure, RunsWarmUpAndSessionsAsAsked) {
  MeasureRequest request = Steady();
  request.sessions = 3;
  request.runs = 20;
  request.warmup = 5;
  request.profile_runs = 7;
  const auto found = Measure(request);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->latency.count, 20);
  ASSERT_EQ(found->sessions.size(), 3U);
  for (const TimingSession& session : found->sessions) EXPECT_EQ(session.warmup, 5);
  EXPECT_EQ(found->profiled->samples.wall.size(), 7U);
  EXPECT_EQ(found->profiled->warmup, 5);
}

TEST(Measure, OnlyWhatWasAskedFor) {
  MeasureRequest request = Steady();
  request.timing = false;
  request.optimized_model = false;
  const auto found = Measure(request);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->latency.count, 0);
  EXPECT_TRUE(found->profiled);
  EXPECT_EQ(found->profiled->overhead, std::nullopt);
  EXPECT_FALSE(found->optimized_model);
}

TEST(Measure, OneSessionIsNotEnoughToBeStable) {
  MeasureRequest request = Steady();
  request.sessions = 1;
  const auto found = Measure(request);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->latency.stable, false);
  ASSERT_EQ(found->latency.why.size(), 1U);
  EXPECT_EQ(found->latency.why[0].kind, InstabilityKind::kFewSessions);
}

TEST(Measure, ProgressCoversAllPhases) {
  std::set<MeasurePhase> phases;
  const auto found = Measure(Steady(), nullptr, [&](const MeasureProgress& progress) {
    phases.insert(progress.phase);
    EXPECT_LT(progress.session, progress.sessions);
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(phases.size(), 3U);
}

}  // namespace
}  // namespace opscope
