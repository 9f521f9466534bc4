// What is written for other viewers: the Chrome form reads back as the same trace, stacks sum to
// what ran, speedscope's frames close in the reverse order of their opening.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/sink.h"
#include "support/trace_text.h"
#include "trace/export/export.h"
#include "trace/formats/format.h"
#include "trace/interval.h"

namespace opscope::test {
namespace {

std::string Written(const Trace& trace, const char* ending) {
  std::string out;
  Sink sink(out);
  EXPECT_TRUE(TraceExportForFile(std::string("t") + ending)->write(trace, sink).has_value());
  EXPECT_TRUE(sink.Finish().has_value());
  return out;
}

// Ops on two threads that nest, repeat and overlap, launches, kernels on two streams.
std::string Made(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return std::to_string(random() % limit); };
  std::string text = "[";
  for (int i = 0; i < 300; ++i) {
    const bool kernel = i % 5 == 0;
    text += std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "cat": ")" +
            (kernel       ? "kernel"
             : i % 5 == 1 ? "cuda_runtime"
                          : "cpu_op") +
            R"(", "name": "n\"; )" + below(9) + R"(", "pid": )" + (kernel ? "0" : "4") +
            R"(, "tid": )" + std::to_string(1 + i % 2) + R"(, "ts": )" + below(5000) + "." +
            std::to_string(100 + random() % 900) + R"(, "dur": )" + below(400) +
            (i % 5 < 2 ? R"(, "args": {"correlation": )" + below(60) +
                             (kernel ? R"(, "device": 0, "stream": )" + below(2) +
                                           R"(, "blocks per SM": 1.25, "grid": [3, 2, 1]})"
                                     : "}")
                       : "") +
            "}";
  }
  return text + "]";
}

Trace ReadMade(const std::string& text, ImportLog& log) {
  Source source = Source::FromBytes("t.json", text);
  auto trace = ReadTrace({source, log});
  EXPECT_TRUE(trace.has_value());
  return std::move(*trace);
}

TEST(TraceExport, TheChromeFormReadsBackAsTheSameTrace) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ImportLog log;
    const Trace trace = ReadMade(Made(seed), log);
    EXPECT_EQ(trace.size(), 300U);
    const std::string written = Written(trace, ".trace.json");
    const Trace again = ReadMade(written, log);
    EXPECT_EQ(TraceText(again, log), TraceText(trace, log));
    EXPECT_EQ(again.device_args.size(), trace.device_args.size());
    EXPECT_EQ(Written(again, ".trace.json"), written);
  }
}

TEST(TraceExport, StacksAreWellFormedAndSumToSelfTimes) {
  ImportLog log;
  const Trace trace = ReadMade(R"([
    {"ph": "X", "cat": "cpu_op", "name": "a b", "pid": 1, "tid": 2, "ts": 0, "dur": 10},
    {"ph": "X", "cat": "cpu_op", "name": "c;d", "pid": 1, "tid": 2, "ts": 2, "dur": 3},
    {"ph": "X", "cat": "cpu_op", "name": "c;d", "pid": 1, "tid": 2, "ts": 6, "dur": 1}])",
                               log);
  EXPECT_EQ(Written(trace, ".folded"),
            "thread_2_(process_1);a_b 6000\nthread_2_(process_1);a_b;c_d 4000\n");
}

TEST(TraceExport, SpeedscopeFramesNest) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    ImportLog log;
    const Trace trace = ReadMade(Made(seed), log);
    const auto json = nlohmann::json::parse(Written(trace, ".speedscope.json"));
    std::size_t opened = 0;
    for (const auto& profile : json["profiles"]) {
      std::vector<std::int64_t> open;
      std::int64_t at = profile["startValue"];
      for (const auto& event : profile["events"]) {
        EXPECT_GE(event["at"].get<std::int64_t>(), at);
        at = event["at"];
        if (event["type"] == "O") {
          open.push_back(event["frame"]);
          ++opened;
          continue;
        }
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), event["frame"].get<std::int64_t>());
        open.pop_back();
      }
      EXPECT_TRUE(open.empty());
      EXPECT_LE(at, profile["endValue"].get<std::int64_t>());
    }
    EXPECT_EQ(opened, trace.size());
  }
}

}  // namespace
}  // namespace opscope::test
