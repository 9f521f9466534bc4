// labels: samples
// Every profile of the samples reads, and with its model all of its time has a named owner.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/static_analysis.h"
#include "join/join.h"
#include "model/formats/format.h"
#include "support/join_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

const std::filesystem::path kSamples = OPSCOPE_SAMPLES_DIR;

Source Open(const std::filesystem::path& path) {
  Result<Source> source = Source::Open(path.string());
  EXPECT_TRUE(source.has_value()) << path;
  return source.has_value() ? std::move(*source) : Source::FromBytes("none", "");
}

std::filesystem::path Profile(const std::string& begin) {
  for (const auto& entry : std::filesystem::directory_iterator(kSamples / "ort"))
    if (entry.path().extension() == ".json" &&
        entry.path().filename().string().rfind(begin + "_2", 0) == 0)
      return entry.path();
  ADD_FAILURE() << "no profile " << begin;
  return {};
}

class JoinSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kSamples / "ort"))
      GTEST_SKIP() << "no samples in " << kSamples << " (../shared/samples)";
  }

  static Joined JoinSample(const std::string& profile, const std::string& model,
                           const std::string& optimized = "") {
    return Join(
        Open(kSamples / "models" / model), Open(Profile(profile)),
        optimized.empty() ? std::nullopt : std::optional(Open(kSamples / "ort" / optimized)));
  }

  static void ExpectAllPlaced(const Joined& joined) {
    EXPECT_EQ(joined.run.coverage.placed, joined.run.coverage.rows);
    EXPECT_EQ(joined.run.coverage.placed_ns, joined.run.coverage.rows_ns);
    EXPECT_EQ(joined.run.reconciliation.unmatched_ns(), 0);
    for (const Row& row : joined.run.rows) {
      if (row.kind == RowKind::kRuntime) continue;
      EXPECT_FALSE(row.layers.empty()) << row.name;
    }
    for (const LayerTime& time : joined.run.layers)
      EXPECT_NE(time.state, LayerRun::kUnknown) << joined.NameOf(time.layer);
  }
};

TEST_F(JoinSamples, EveryReleaseOfSqueezeNet) {
  const std::map<std::string, std::string> releases = {
      {"c_sq_1.10.0", "1.10 or earlier"}, {"c_sq_1.11.0", "1.11 .. 1.13"},
      {"c_sq_1.13.1", "1.11 .. 1.13"},    {"c_sq_1.14.0", "1.14 .. 1.20"},
      {"c_sq_1.20.1", "1.14 .. 1.20"},    {"c_sq_1.21.0", "1.21 .. 1.28"},
      {"c_sq_1.25.1", "1.21 .. 1.28"},    {"c_sq_1.30.0", "1.29 or later"}};
  for (const auto& [profile, version] : releases) {
    SCOPED_TRACE(profile);
    const Joined joined = JoinSample(profile, "light_squeezenet.onnx");
    ExpectAllPlaced(joined);
    EXPECT_EQ(joined.run.producer.version, version);
    EXPECT_EQ(joined.run.iterations.found, 3);
    EXPECT_EQ(joined.run.iterations.warmup, 1);
    EXPECT_EQ(joined.run.iterations.used, 2);
    // 39 nodes, one reorder and the session; fences where the release records them.
    EXPECT_EQ(joined.run.rows.size(), version < "1.2" ? 42U : 41U);
  }
}

TEST_F(JoinSamples, EveryLevel) {
  for (const std::string net : {"squeezenet", "resnet50"}) {
    for (const std::string level : {"0", "2", "99"}) {
      SCOPED_TRACE(net + " " + level);
      ExpectAllPlaced(JoinSample("d_" + net + "_" + level, "light_" + net + ".onnx"));
    }
    const Joined plain =
        JoinSample("d_" + net + "_0", "light_" + net + ".onnx", "d_" + net + "_0.opt.onnx");
    ExpectAllPlaced(plain);
    for (const LayerTime& time : plain.run.layers) EXPECT_EQ(time.state, LayerRun::kMeasured);
  }
}

TEST_F(JoinSamples, FusedRowsOfResNetNameAllTheirLayers) {
  const Joined joined = JoinSample("d_resnet50_99", "light_resnet50.onnx");
  const std::string rows = joined.Rows();
  EXPECT_NE(rows.find("layer r2_nchwc Conv: n0 n1 n2 | output-tensor, estimated"),
            std::string::npos);
  EXPECT_NE(rows.find("layer r11_nchwc Conv: n10 n11 n14 n15 | output-tensor, estimated"),
            std::string::npos)
      << "the shortcut's sum belongs to the convolution that runs last";
}

TEST_F(JoinSamples, ControlFlowIsNotCountedTwice) {
  for (const std::string optimized : {"", "e_ctl.opt.onnx"}) {
    const Joined joined = JoinSample("e_ctl", "ctl.onnx", optimized);
    ExpectAllPlaced(joined);
    EXPECT_EQ(SumsText(joined.run), "wall 1841 = layers 1812 + runtime 11 + unmatched 0 + gap 18");
    EXPECT_EQ(joined.Absent(), "inner not-run\n");
  }
  ExpectAllPlaced(JoinSample("rl_ctl", "ctl.onnx"));
}

TEST_F(JoinSamples, QuantisedConvolution) {
  for (const std::string optimized : {"", "e_qdq.opt.onnx"}) {
    const Joined joined = JoinSample("e_qdq", "qdq.onnx", optimized);
    ExpectAllPlaced(joined);
    EXPECT_NE(joined.Rows().find(
                  "layer conv0_token_1 QLinearConv: dq_in conv0 relu0 q_out | name, estimated"),
              std::string::npos);
  }
}

TEST_F(JoinSamples, NamesThatBreakJson) {
  const Joined joined = JoinSample("e_quote", "quote.onnx");
  ExpectAllPlaced(joined);
  EXPECT_EQ(joined.Absent(), "");
}

TEST_F(JoinSamples, TwoThreadsAtATime) {
  const Joined joined = JoinSample("mt_sq", "light_squeezenet.onnx");
  ExpectAllPlaced(joined);
  EXPECT_EQ(joined.run.iterations.found, 6);
  EXPECT_EQ(joined.run.iterations.warmup, 2);
  ASSERT_EQ(joined.run.threads.size(), 2U);
}

TEST_F(JoinSamples, ProfilesOfSingleRuns) {
  for (const auto& entry : std::filesystem::directory_iterator(kSamples / "ort")) {
    if (entry.path().filename().string().rfind("rl_sq", 0) != 0) continue;
    const Joined joined =
        Join(Open(kSamples / "models" / "light_squeezenet.onnx"), Open(entry.path()));
    ExpectAllPlaced(joined);
    EXPECT_EQ(joined.run.iterations.used, 1);
    EXPECT_EQ(joined.run.setup_ns, std::nullopt);
  }
}

TEST_F(JoinSamples, TheUnreadableOneSaysWhy) {
  Source source = Open(Profile("e_unnamed"));
  ImportLog log;
  const Result<Trace> trace = ReadTrace({source, log});
  ASSERT_FALSE(trace.has_value());
  EXPECT_EQ(trace.error().code, "trace.empty");
}

}  // namespace
}  // namespace opscope
