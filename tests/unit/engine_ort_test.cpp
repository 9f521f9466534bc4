// labels: samples
// The ONNX Runtime program with a real library and real models, where the set-up has fetched them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/engine.h"
#include "engine/locate.h"
#include "measure/measure.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

class Ort : public testing::Test {
 protected:
  void SetUp() override {
    EngineSearch search;
    search.program_folders = {OPSCOPE_BUILD_DIR};
    search.setup_folders = {std::string(OPSCOPE_SOURCE_DIR) + "/build/engines/ort"};
    search.system_folders = SystemLibraryFolders();
    const auto found = LocateEngine(*FindEngine("ort"), search);
    if (!found.has_value()) GTEST_SKIP() << found.error().message;
    options_.program = found->program;
    options_.library = found->library;
  }
  // Points the options to a small model of the set-up; false when it is not here.
  bool UseVoiceDetector() {
    options_.model = std::string(OPSCOPE_MODELS_DIR) + "/silero-vad/silero_vad.onnx";
    options_.shapes = {{"input", {1, 512}}, {"state", {2, 1, 128}}};
    return fs::exists(options_.model);
  }
  std::string CodeOfOpen() {
    const auto session = EngineSession::Open(options_);
    return session.has_value() ? "ok" : session.error().code;
  }
  EngineOptions options_;
};

TEST_F(Ort, DescribesRunsAndProfiles) {
  if (!UseVoiceDetector()) GTEST_SKIP() << options_.model << " is not here";
  MeasureRequest request;
  request.engine = options_;
  request.sessions = 1;
  request.runs = 10;
  request.profile_runs = 5;
  request.temp_root = testing::TempDir();
  const auto found = Measure(request);
  ASSERT_TRUE(found.has_value()) << found.error().ToString();
  EXPECT_EQ(found->engine.name, "onnxruntime");
  EXPECT_EQ(found->engine.providers, std::vector<std::string>{"CPUExecutionProvider"});
  EXPECT_EQ(found->latency.count, 10);
  EXPECT_FALSE(found->profile_error || found->optimized_model_error);
  bool sample_rate = false;
  for (const EngineValue& input : found->engine.inputs)
    if (input.name == "sr") sample_rate = input.fill == "16000 (a sample rate)";
  EXPECT_TRUE(sample_rate);
  EXPECT_GT(fs::file_size(found->profiled->file.path), 1000U);
  EXPECT_GT(found->profiled->file.start.value_or(Nanos{}).value, 1'600'000'000'000'000'000);
  EXPECT_GT(fs::file_size(*found->optimized_model), 1000U);
  ASSERT_FALSE(found->outputs.empty());
  EXPECT_EQ(found->outputs[0].shape, (std::vector<std::int64_t>{1, 1}));
}

TEST_F(Ort, RefusalsAreTheRuntimesOwnWords) {
  if (!UseVoiceDetector()) GTEST_SKIP() << options_.model << " is not here";
  EXPECT_EQ(CodeOfOpen(), "ok");
  options_.shapes.clear();
  EXPECT_EQ(CodeOfOpen(), "engine.shape");
  options_.shapes = {{"input", {1, 512, 3}}, {"state", {2, 1, 128}}};
  EXPECT_EQ(CodeOfOpen(), "engine.option");
  ASSERT_TRUE(UseVoiceDetector());

  options_.config = {{"session.disable_prepaking", "1"}};
  const auto misspelt = EngineSession::Open(options_);
  ASSERT_FALSE(misspelt.has_value());
  EXPECT_EQ(misspelt.error().code, "engine.option");
  EXPECT_NE(misspelt.error().message.find("did you mean 'session.disable_prepacking'"),
            std::string::npos);
  options_.config.clear();

  options_.providers = {{"CUDA", {}}};
  EXPECT_EQ(CodeOfOpen(), "engine.missing");
  options_.providers.clear();
  options_.custom_ops = {"/no/such/library.so"};
  EXPECT_EQ(CodeOfOpen(), "engine.refused");
}

TEST_F(Ort, ADamagedModelIsRefused) {
  const std::string path = testing::TempDir() + "/damaged-" + std::to_string(getpid()) + ".onnx";
  std::ofstream(path) << "this is no model";
  options_.model = path;
  EXPECT_EQ(CodeOfOpen(), "engine.refused");
  unlink(path.c_str());
}

TEST_F(Ort, ALibraryThatIsNoneIsMissing) {
  options_.library = options_.program;
  EXPECT_EQ(CodeOfOpen(), "engine.missing");
}

}  // namespace
}  // namespace opscope
