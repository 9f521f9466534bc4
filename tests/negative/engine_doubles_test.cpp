// Engines that misbehave: each ends in bounded time, with the right code, and leaves nothing
// behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "engine/engine.h"
#include "measure/measure.h"

namespace opscope {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

// `limit_ms`: short where a hang is expected, long enough for a busy machine elsewhere.
EngineOptions Options(const std::string& mode, std::int64_t limit_ms = 60'000) {
  EngineOptions out;
  out.engine = "double";
  out.program = std::string(OPSCOPE_BUILD_DIR) + "/tests/engines/opscope-engine-double-" + mode;
  out.model = "m.onnx";
  out.start_limit = out.time_limit = Nanos{limit_ms * kMillisecond};
  out.memory_limit_bytes = 200 << 20;
  return out;
}

// Opens a session and runs twice; the first error on the way.
Result<RunSamples> OpenAndRun(const EngineOptions& options, RunSamples* partial = nullptr,
                              const std::atomic<bool>* stop = nullptr) {
  TRY_ASSIGN(EngineSession session, EngineSession::Open(options, stop));
  TRY(session.Run({}));
  auto samples =
      session.Run({.lead_runs = 0, .min_runs = 5, .max_runs = 5, .min_time = {}}, {}, partial);
  session.Stop();
  return samples;
}

bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

struct Misbehaviour {
  std::string mode;
  std::string code;
  std::string place;
  std::string says;  // part of the message
};

class Doubles : public testing::TestWithParam<Misbehaviour> {};

TEST_P(Doubles, EndsInTimeWithTheRightCode) {
  const Misbehaviour& expected = GetParam();
  const auto begin = std::chrono::steady_clock::now();
  const bool hangs = expected.code == "engine.timeout";
  const auto result = OpenAndRun(Options(expected.mode, hangs ? 1000 : 60'000));
  const auto passed = std::chrono::steady_clock::now() - begin;
  EXPECT_FALSE(HasChildren());
  EXPECT_LT(passed, std::chrono::seconds(20));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, expected.code) << result.error().message;
  EXPECT_EQ(result.error().place, expected.place);
  EXPECT_NE(result.error().message.find(expected.says), std::string::npos)
      << result.error().message;
}

const Misbehaviour kMisbehaviours[] = {
    {"crash-start", "engine.crash", "engine double: start", "was killed by SIGSEGV"},
    {"crash-load", "engine.crash", "engine double: load", "it wrote: about to do something stupid"},
    {"crash-run", "engine.crash", "engine double: run", "was killed by SIGSEGV"},
    {"exit-run", "engine.crash", "engine double: run",
     "ended with exit code 3; it wrote: fatal: the driver has gone"},
    {"eat-load", "engine.memory", "engine double: load", "more than the limit of 200 MiB"},
    {"eat-run", "engine.memory", "engine double: run", "--memory-limit changes it"},
    {"hang-start", "engine.timeout", "engine double: start", "no sign of life for 1 s"},
    {"hang-load", "engine.timeout", "engine double: load", "no sign of life for 1 s"},
    {"hang-run", "engine.timeout", "engine double: run", "no sign of life for 1 s"},
    {"deaf", "engine.timeout", "engine double: start", "no sign of life"},
    {"flood", "engine.timeout", "engine double: load", "!!!!"},
    {"garbage", "engine.protocol", "engine double: start", "'Loading model..."},
    {"half-line", "engine.protocol", "engine double: start", "ended without an answer"},
    {"endless-line", "engine.protocol", "engine double: start", "a line of more than"},
    {"wrong-version", "engine.protocol", "engine double: start", "protocol 99"},
    {"wrong-id", "engine.protocol", "engine double: load", "answered request 77 instead of 2"},
    {"wrong-count", "engine.protocol", "engine double: run", "more often than it was asked"},
    {"silent-end", "engine.protocol", "engine double: start", "ended without an answer"},
    {"closed-output", "engine.protocol", "engine double: start", "closed its output"},
    {"refuse", "engine.refused", "engine double: load", "unsupported opset 99"},
    {"grandchild", "engine.crash", "engine double: load", "grandchild"},
};

std::string NameOf(const testing::TestParamInfo<Misbehaviour>& test) {
  std::string name = test.param.mode;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Doubles, testing::ValuesIn(kMisbehaviours), NameOf);

TEST(Engine, AMissingProgramIsNamed) {
  const auto result = OpenAndRun(Options("that-is-not-there"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "engine.missing");
  EXPECT_NE(result.error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(HasChildren());
}

TEST(Engine, WellBehavedOnesWork) {
  for (const char* mode : {"steady", "slow", "chatty", "hang-stop"}) {
    const auto result = OpenAndRun(Options(mode));
    ASSERT_TRUE(result.has_value()) << mode << ": " << result.error().ToString();
    EXPECT_EQ(result->wall.size(), 5U);
    EXPECT_EQ(result->waited, Nanos{});
    EXPECT_FALSE(HasChildren());
  }
}

TEST(Engine, SamplesBeforeACrashAreKept) {
  RunSamples partial;
  const auto result = OpenAndRun(Options("crash-run"), &partial);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(partial.wall.size(), 1U);
}

TEST(Engine, TheGroupOfTheProcessGoesWithIt) {
  const auto result = OpenAndRun(Options("grandchild"));
  ASSERT_FALSE(result.has_value());
  const std::string& message = result.error().message;
  const std::size_t at = message.find("grandchild ");
  ASSERT_NE(at, std::string::npos);
  const pid_t grandchild = std::stoi(message.substr(at + 11));
  for (int i = 0; i < 200 && kill(grandchild, 0) == 0; ++i) usleep(10'000);
  EXPECT_EQ(kill(grandchild, 0), -1);  // init may take a moment to reap it
}

TEST(Engine, TheStopFlagEndsAHang) {
  std::atomic<bool> stop = false;
  const EngineOptions options = Options("hang-run");
  std::thread user([&] {
    usleep(300'000);
    stop = true;
  });
  RunSamples partial;
  const auto result = OpenAndRun(options, &partial, &stop);
  user.join();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "engine.interrupted");
  EXPECT_EQ(partial.wall.size(), 1U);
  EXPECT_FALSE(HasChildren());
}

MeasureRequest Request(const std::string& mode, const std::string& temp_root) {
  MeasureRequest out;
  out.engine = Options(mode);
  out.temp_root = temp_root;
  return out;
}

class MeasureDoubles : public testing::Test {
 protected:
  MeasureDoubles() {
    root_ = testing::TempDir() + "/measure-doubles-" + std::to_string(getpid());
    std::filesystem::create_directories(root_);
  }
  ~MeasureDoubles() override {
    EXPECT_TRUE(std::filesystem::is_empty(root_)) << "files were left behind";
    EXPECT_FALSE(HasChildren());
    std::filesystem::remove_all(root_);
  }
  std::string root_;
};

TEST_F(MeasureDoubles, ACrashInTheFirstSessionIsTheError) {
  const auto result = Measure(Request("crash-load", root_));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "engine.crash");
}

TEST_F(MeasureDoubles, WhatCameBeforeACrashIsKept) {
  MeasureRequest request = Request("crash-run", root_);
  request.warmup = 1;
  const auto result = Measure(request);
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  EXPECT_EQ(result->latency.count, 1);
  ASSERT_TRUE(result->timing_error);
  EXPECT_EQ(result->timing_error->code, "engine.crash");
  EXPECT_EQ(result->latency.stable, std::nullopt);
}

TEST_F(MeasureDoubles, WithoutAProfileTheTimingStands) {
  const auto result = Measure(Request("no-profile", root_));
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  EXPECT_EQ(result->latency.median, Nanos{kMillisecond});
  EXPECT_FALSE(result->profiled);
  ASSERT_TRUE(result->profile_error);
  EXPECT_EQ(result->profile_error->code, "engine.refused");
  EXPECT_TRUE(result->optimized_model);
}

TEST_F(MeasureDoubles, TheTimeLimitIsForTheWhole) {
  MeasureRequest request = Request("hang-load", root_);
  request.time_limit = Nanos{500 * kMillisecond};
  const auto begin = std::chrono::steady_clock::now();
  const auto result = Measure(request);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "engine.timeout");
}

TEST_F(MeasureDoubles, AnInterruptKeepsWhatIsComplete) {
  std::atomic<bool> stop = false;
  MeasureRequest request = Request("slow", root_);
  const auto result = Measure(request, &stop, [&](const MeasureProgress& progress) {
    if (progress.session > 0) stop = true;
  });
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  EXPECT_TRUE(result->interrupted);
  EXPECT_GE(result->sessions.size(), 1U);
  EXPECT_FALSE(result->profiled);
}

TEST_F(MeasureDoubles, AnUnwritableTemporaryFolderIsNamed) {
  const auto result = Measure(Request("steady", root_ + "/not/there"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "measure.temp");
}

}  // namespace
}  // namespace opscope
