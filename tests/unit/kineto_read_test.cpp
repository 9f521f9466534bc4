// What the reader of PyTorch traces makes of whole, odd and damaged files.
#include <gtest/gtest.h>

#include <string>

#include "support/trace_text.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope::test {
namespace {

constexpr char kSmall[] = R"({
  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 80}],
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 9, "tid": 9, "ts": 1.5, "dur": 4,
   "args": {"External id": 1, "Input Dims": [[2, 3], []]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 2,
   "dur": 1.25, "args": {"correlation": 7}},
  {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 6.001, "dur": 2,
   "args": {"device": 0, "stream": 7, "correlation": 7, "grid": [4, 1, 1]}}
]})";
constexpr char kSmallText[] =
    "op aten::add 9/9 [1500, 5500)\n"
    "  api cudaLaunchKernel 9/9 [2000, 3250) corr 7\n"
    "kernel k 0/7 [6001, 8001) corr 7\n";

// An event with this text in place of its name and this behind its fields.
std::string Events(const std::string& name, const std::string& more = "") {
  const std::string good =
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1})";
  return "{\"traceEvents\": [" + good + ",\n" + R"({"ph": "X", "cat": "cpu_op", "name": )" + name +
         R"(, "pid": 1, "tid": 1, "ts": 3, "dur": 1)" + more + "},\n" +
         R"({"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 1, "ts": 5, "dur": 1})" +
         "]}";
}
std::string Expected(const std::string& name, const std::string& log = "") {
  return "op a 1/1 [1000, 2000)\nop " + name + " 1/1 [3000, 4000)\nop c 1/1 [5000, 6000)\n" + log;
}

TEST(KinetoRead, EventsOfAnObject) { EXPECT_EQ(ReadTraceText(kSmall), kSmallText); }

TEST(KinetoRead, EventsOfABareList) {
  const std::string text = kSmall;
  const std::size_t begin = text.find("[\n"), end = text.rfind(']');
  EXPECT_EQ(ReadTraceText(text.substr(begin, end + 1 - begin)), kSmallText);
}

// The older autograd profiler (before torch 1.8): a bare list without categories, arrows from ops
// to kernels, the device in place of a thread.
TEST(KinetoRead, ListOfTheOlderAutogradProfiler) {
  const std::string text =
      R"([{"name": "linear", "ph": "X", "ts": 10.5, "dur": 9, "tid": 1, "pid": "CPU functions", "args": {}},
      {"name": "addmm", "ph": "X", "ts": 11.0, "dur": 6.25, "tid": 1, "pid": "CPU functions", "args": {}},
      {"name": "addmm", "ph": "s", "ts": 11.0, "tid": 1, "pid": "CPU functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
      {"name": "addmm", "ph": "f", "ts": 14.0, "tid": 0, "pid": "CUDA functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
      {"name": "addmm", "ph": "X", "ts": 14.0, "dur": 5.0, "tid": 0, "pid": "CUDA functions", "args": {}}])";
  Source source = Source::FromBytes("t.json", text);
  ImportLog log;
  auto trace = ReadTrace({source, log, 1});
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->format, "kineto");
  EXPECT_TRUE(log.issues().empty());
  const Timeline timeline = BuildTimeline(*trace);
  ASSERT_EQ(timeline.devices.size(), 1U);
  EXPECT_EQ(timeline.devices[0].device, 0);
  EXPECT_EQ(timeline.devices[0].all.busy_ns, 5000);
  ASSERT_EQ(timeline.work.size(), 1U);
  ASSERT_TRUE(timeline.work[0].op.valid());  // by the arrow
  EXPECT_EQ(trace->name_of(timeline.work[0].op.index()), "addmm");
  EXPECT_EQ(timeline.devices[0].orphans, 0);
  ASSERT_EQ(timeline.ops.size(), 2U);
  EXPECT_EQ(timeline.ops[0].self_device_ns, 5000);
  EXPECT_EQ(trace->text(timeline.ops[0].name), "addmm");
  EXPECT_EQ(timeline.ops[0].self_cpu_ns, 6250);
  EXPECT_EQ(trace->text(timeline.ops[1].name), "linear");
  EXPECT_EQ(timeline.ops[1].self_cpu_ns, 2750);
  EXPECT_EQ(timeline.ops[1].cpu_ns, 9000);
}

TEST(KinetoRead, ByteOrderMarkIsPassedOver) {
  EXPECT_EQ(ReadTraceText("\xef\xbb\xbf" + std::string(kSmall)), kSmallText);
}

TEST(KinetoRead, FactsInFrontOfTheListAndBehindIt) {
  Source source = Source::FromBytes(
      "t.json",
      R"({"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "traceEvents": [
         {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}],
         "deviceProperties": [{"id": 1, "name": "H100", "numSms": 132}],
         "baseTimeNanoseconds": 1727743122000000000})");
  ImportLog log;
  const auto trace = ReadTrace({source, log});
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->recording.rank, 3);
  EXPECT_EQ(trace->recording.world_size, 8);
  EXPECT_EQ(trace->recording.backend, "nccl");
  EXPECT_EQ(trace->recording.base_ns, 1727743122000000000);
  ASSERT_EQ(trace->recording.devices.size(), 1U);
  EXPECT_EQ(trace->recording.devices[0].multiprocessors, 132);
}

// What each oddity costs: nothing but a line in the log.
struct Odd {
  const char* what;
  std::string name, more, expected_name, log;
};

TEST(KinetoRead, OddEventsAreSaved) {
  const Odd kOdd[] = {
      {"escapes", R"("b\"\u00e9\\")", "", "b\"\xc3\xa9\\", ""},
      {"quotes not escaped", R"x("f<"x", 1>()")x", "", R"x(f<"x", 1>())x",
       "! json-repaired x1 byte 99\n"},
      {"a raw control character", "\"b\tb\"", "", "b\tb", "! json-repaired x1 byte 99\n"},
      {"not UTF-8", "\"b\xff\"", "", "b\xef\xbf\xbd", "! json-repaired x1 byte 99\n"},
      {"a comma too many", R"("b")", ", \"args\": {},", "b", "! json-repaired x1 byte 99\n"},
      {"no number", R"("b")", R"(, "x": NaN, "args": {"bytes": inf})", "b", ""},
      {"a number beyond 64 bits", R"("b")", R"(, "id": 99999999999999999999)", "b", ""},
      {"an event inside arguments", R"("b")",
       R"(, "args": {"list": [{"x": 1}, {"ph": "X", "name": "inner", "ts": 9}]})", "b", ""},
      {"a repeated key", R"("x", "name": "b")", "", "b", ""},
  };
  for (const Odd& odd : kOdd)
    EXPECT_EQ(ReadTraceText(Events(odd.name, odd.more)), Expected(odd.expected_name, odd.log))
        << odd.what;
}

TEST(KinetoRead, NumbersMayStandInQuotes) {
  EXPECT_EQ(ReadTraceText(R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": "1", "tid": "2",
                              "ts": "200.5", "dur": "1"}])"),
            "op a 1/2 [200500, 201500)\n");
}

TEST(KinetoRead, WhatIsNoTimeCostsTheEvent) {
  EXPECT_EQ(ReadTraceText(R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1,
                              "ts": "100a", "dur": 1},
                             {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 1},
                             {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 1, "ts": 1,
                              "dur": -1},
                             {}])"),
            "! trace.bad-time x3 a\n");
}

TEST(KinetoRead, BeginAndEndPair) {
  EXPECT_EQ(
      ReadTraceText(R"([{"ph": "B", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1},
                             {"ph": "B", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 2},
                             {"ph": "E", "pid": 1, "tid": 1, "ts": 3},
                             {"ph": "E", "pid": 1, "tid": 1, "ts": 4},
                             {"ph": "E", "pid": 1, "tid": 1, "ts": 5}])"),
      "op a 1/1 [1000, 4000)\n  op b 1/1 [2000, 3000)\n! trace.unpaired x1 \n");
}

TEST(KinetoRead, WhatSticksOutIsNotHeld) {
  EXPECT_EQ(
      ReadTraceText(
          R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
                             {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 50, "dur": 100},
                             {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 1, "ts": 60, "dur": 10}])"),
      "op a 1/1 [0, 100000)\nop b 1/1 [50000, 150000)\n  op c 1/1 [60000, 70000)\n");
}

// Every prefix: all events that are whole, and the place of the cut.
TEST(KinetoRead, ACutCostsTheLastEventOnly) {
  const std::string text = Events("\"b\"");
  const std::size_t first = text.find('{', 3);
  for (std::size_t length = first; length < text.size() - 1; ++length) {
    const std::string read = ReadTraceText(text.substr(0, length));
    std::size_t whole = 0;
    for (std::size_t at = text.find("\"dur\": 1}"); at != std::string::npos && at + 9 <= length;
         at = text.find("\"dur\": 1}", at + 1))
      ++whole;
    std::size_t lines = 0;
    for (std::size_t at = read.find("op "); at != std::string::npos; at = read.find("op ", at + 1))
      ++lines;
    ASSERT_EQ(lines, whole) << length << "\n" << read;
    const bool closed = text[length - 1] == ']';
    ASSERT_EQ(read.find("trace.cut") != std::string::npos, !closed) << length << "\n" << read;
  }
}

TEST(KinetoRead, SaysWhyThereAreNoEvents) {
  EXPECT_EQ(ReadTraceText(R"({"deviceProperties": [], "x": 1})"), "trace.no-events\n");
}

TEST(KinetoRead, ADamagedHeadDoesNotHideTheList) {
  std::string text = kSmall;
  text.insert(text.find("\"id\""), "\x01 \"bad\" ");
  EXPECT_EQ(ReadTraceText(text), std::string(kSmallText) + "! trace.bad-header x1 byte 46\n");
}

}  // namespace
}  // namespace opscope::test
