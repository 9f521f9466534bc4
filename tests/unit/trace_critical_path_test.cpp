// The critical path of small traces, worked out by hand.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/check.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope::test {
namespace {

Trace Read(const std::string& events) {
  Source source = Source::FromBytes("t.json", "{\"traceEvents\": [" + events + "]}");
  ImportLog log;
  auto trace = ReadTrace({source, log, 1}, "kineto");
  CHECK(trace.has_value());
  return std::move(*trace);
}

std::string Event(const std::string& category, const std::string& name, const std::string& times,
                  const std::string& args = "", const std::string& place = "9,\"tid\":9") {
  return "{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name + "\",\"pid\":" + place +
         "," + times + ",\"args\":{" + args + "}}";
}
std::string Call(const std::string& name, const std::string& times, int correlation) {
  return Event("cuda_runtime", name, times, "\"correlation\":" + std::to_string(correlation));
}
std::string OnStream(const std::string& category, const std::string& name, const std::string& times,
                     int stream, int correlation, const std::string& more = "") {
  return Event(category, name, times,
               "\"device\":0,\"stream\":" + std::to_string(stream) +
                   ",\"correlation\":" + std::to_string(correlation) + more,
               "0,\"tid\":" + std::to_string(stream));
}

std::int64_t PartOf(const CriticalPath& path, PathPart part) {
  return path.parts[static_cast<std::size_t>(part)];
}

// aten::add 1.5 -> launch 2 -> (launch delay) kernel 6.001 .. 8.001 -> (event) copy 9 .. 12 ->
// (context) end of the wait -> AddBackward0 30 .. 35.
TEST(CriticalPath, ThroughLaunchEventAndWait) {
  Trace trace =
      Read(Event("user_annotation", "ProfilerStep#1", R"("ts":0,"dur":90)") + "," +
           Event("cpu_op", "aten::add", R"("ts":1.5,"dur":8)") + "," +
           Call("cudaLaunchKernel", R"("ts":2,"dur":1.25)", 7) + "," +
           Call("cudaEventRecord", R"("ts":4,"dur":1)", 8) + "," +
           Call("cudaStreamWaitEvent", R"("ts":5,"dur":1)", 9) + "," +
           Call("cudaMemcpyAsync", R"("ts":6,"dur":1)", 10) + "," +
           OnStream("kernel", "k", R"("ts":6.001,"dur":2)", 7, 7) + "," +
           OnStream("cuda_sync", "Stream Wait Event", R"("ts":6.5,"dur":1)", 20, 9,
                    R"(,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":8)") +
           "," +
           OnStream("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", R"("ts":9,"dur":3)", 20, 10) +
           "," + Call("cudaDeviceSynchronize", R"("ts":10,"dur":9)", 11) + "," +
           OnStream("cuda_sync", "Context Sync", R"("ts":10,"dur":8)", -1, 11) + "," +
           Event("cpu_op", "AddBackward0", R"("ts":30,"dur":5)"));
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_TRUE(timeline.critical_path.has_value());
  const CriticalPath& path = *timeline.critical_path;
  EXPECT_EQ(path.window.name, "ProfilerStep#1");
  EXPECT_EQ(path.graph_nodes, 18);
  EXPECT_EQ(path.graph_edges, 19);
  EXPECT_EQ(path.path_nodes, 9);
  EXPECT_EQ(path.path_edges, 8);
  EXPECT_EQ(path.path_events, 6);
  EXPECT_EQ(path.ns, 14501);
  EXPECT_EQ(PartOf(path, PathPart::kCpu), 5500);
  EXPECT_EQ(PartOf(path, PathPart::kLaunch), 4001);
  EXPECT_EQ(PartOf(path, PathPart::kKernel), 2000);
  EXPECT_EQ(PartOf(path, PathPart::kCopy), 3000);
  std::map<std::string, std::int64_t> rows;
  for (const PathRow& row : path.rows) rows[std::string(trace.text(row.name))] = row.ns;
  EXPECT_EQ(rows["aten::add"], 500);
  EXPECT_EQ(rows["AddBackward0"], 5000);
}

// Two kernels queued at once: the second waits for the first, not for its launch.
TEST(CriticalPath, QueuedKernelsFollowEachOther) {
  Trace trace = Read(Call("cudaLaunchKernel", R"("ts":0,"dur":1)", 1) + "," +
                     Call("cudaLaunchKernel", R"("ts":2,"dur":1)", 2) + "," +
                     OnStream("kernel", "a", R"("ts":5,"dur":10)", 7, 1) + "," +
                     OnStream("kernel", "b", R"("ts":16,"dur":4)", 7, 2));
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_TRUE(timeline.critical_path.has_value());
  const CriticalPath& path = *timeline.critical_path;
  EXPECT_EQ(path.window.name, "trace");
  // The first kernel began with another launched behind it, so nothing binds it to its launch.
  EXPECT_EQ(PartOf(path, PathPart::kKernel), 14000);
  EXPECT_EQ(PartOf(path, PathPart::kWait), 1000);
  EXPECT_EQ(PartOf(path, PathPart::kLaunch), 0);
}

// Ops that cross count each instant once.
TEST(CriticalPath, CrossingOpsFollowTime) {
  Trace trace = Read(Event("cpu_op", "a", R"("ts":0,"dur":10)") + "," +
                     Event("cpu_op", "b", R"("ts":5,"dur":10)"));
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_TRUE(timeline.critical_path.has_value());
  EXPECT_EQ(timeline.critical_path->ns, 15000);
}

// A wait that was over before the work it is said to have waited for was launched: a circle.
TEST(CriticalPath, ClocksThatContradictEachOtherEnd) {
  Trace trace = Read(Call("cudaStreamSynchronize", R"("ts":0,"dur":1)", 2) + "," +
                     Call("cudaLaunchKernel", R"("ts":5,"dur":1)", 1) + "," +
                     OnStream("kernel", "k", R"("ts":7,"dur":1)", 7, 1) + "," +
                     OnStream("cuda_sync", "Stream Sync", R"("ts":0,"dur":9)", 7, 2));
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_TRUE(timeline.critical_path.has_value());
  EXPECT_EQ(timeline.critical_path->graph_edges, 6);
  EXPECT_EQ(timeline.critical_path->ns, 3000);
}

// A hundred waits for a device of a hundred streams: work is tied to the first 64 of them.
TEST(CriticalPath, StreamsTimesWaitsStayBounded) {
  std::string events;
  for (int i = 0; i < 100; ++i) {
    const std::string at = std::to_string(2 * i), late = std::to_string(1000 + 2 * i);
    events += Call("cudaLaunchKernel", "\"ts\":" + at + ",\"dur\":1", i) + "," +
              OnStream("kernel", "k", "\"ts\":" + at + ".5,\"dur\":1", i, i) + "," +
              Call("cudaDeviceSynchronize", "\"ts\":" + late + ",\"dur\":1", 500 + i) + "," +
              OnStream("cuda_sync", "Context Sync", "\"ts\":" + late + ",\"dur\":1", -1, 500 + i) +
              (i < 99 ? "," : "");
  }
  Trace trace = Read(events);
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_TRUE(timeline.critical_path.has_value());
  // On the thread 399, kernels 100, launches 100, waits 6400.
  EXPECT_EQ(timeline.critical_path->graph_edges, 399 + 100 + 100 + 6400);
}

TEST(CriticalPath, WindowsByNameAndNumber) {
  const Trace trace = Read(Event("user_annotation", "ProfilerStep#1", R"("ts":0,"dur":1)") + "," +
                           Event("user_annotation", "ProfilerStep#10", R"("ts":2,"dur":1)") + "," +
                           Event("user_annotation", "forward", R"("ts":0,"dur":1)") + "," +
                           Event("user_annotation", "forward", R"("ts":5,"dur":2)"));
  EXPECT_EQ(FindWindow(trace, "ProfilerStep#1")->begin, 0);
  EXPECT_EQ(FindWindow(trace, "ProfilerStep#10")->begin, 2000);
  EXPECT_EQ(FindWindow(trace, "ProfilerStep", 1)->name, "ProfilerStep#10");
  EXPECT_EQ(FindWindow(trace, "forward#1")->end, 7000);
  EXPECT_FALSE(FindWindow(trace, "forward#2").has_value());
  EXPECT_FALSE(FindWindow(trace, "backward").has_value());
}

}  // namespace
}  // namespace opscope::test
