// Small profiles as text, beside what is read from them.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/source.h"
#include "support/profile_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

struct Read {
  Trace trace;
  ImportLog log;
};

Read ReadProfile(std::string bytes) {
  Read read;
  Source source = Source::FromBytes("p.json", std::move(bytes));
  Result<Trace> trace = ReadTrace({source, read.log});
  EXPECT_TRUE(trace.has_value()) << (trace.has_value() ? "" : trace.error().ToString());
  if (trace.has_value()) read.trace = std::move(*trace);
  return read;
}

// One event a line, indented under the one that holds it, times in ns.
std::string Tree(const Trace& trace) {
  std::string text;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    for (EventId up = trace.parent_of(event); up.valid(); up = trace.parent_of(up.index()))
      text += "  ";
    text += std::string(Name(trace.kind[event])) + " " + std::string(trace.name_of(event)) + " " +
            std::to_string(trace.begin[event]) + " +" + std::to_string(trace.duration(event)) +
            "\n";
  }
  return text;
}

std::string Issues(const ImportLog& log) {
  std::string text;
  for (const ImportIssue& issue : log.issues())
    text += issue.code + " x" + std::to_string(issue.count) + " at " + issue.where + "\n";
  return text;
}

constexpr std::string_view kIfModel = R"(
setup 0 +90 session_initialization
op    104 +20 n0 Conv index=0 in=float:1,3,8,8;int64: out=float:1,8,8,8 ep=CPUExecutionProvider
op    131 +5 inner Sin index=0
exec  130 +8
op    126 +14 my_if If index=1
exec  102 +45
run   100 +50
)";

constexpr std::string_view kIfTree =
    "setup session_initialization 0 +90000\n"
    "run model_run 100000 +50000\n"
    "  execute SequentialExecutor::Execute 102000 +45000\n"
    "    op n0 104000 +20000\n"
    "    container my_if 126000 +14000\n"
    "      execute SequentialExecutor::Execute 130000 +8000\n"
    "        op inner 131000 +5000\n";

TEST(OrtProfile, ReadsWhatTheProfilerWrites) {
  const Read read = ReadProfile(ProfileFromText(kIfModel));
  EXPECT_EQ(Tree(read.trace), kIfTree);
  EXPECT_EQ(Issues(read.log), "");
  EXPECT_EQ(read.trace.format, "ort-profile");
  EXPECT_EQ(read.trace.producer.name, "onnxruntime");
  EXPECT_EQ(read.trace.producer.version, "1.21 .. 1.28");
  EXPECT_FALSE(read.trace.run_level);
  EXPECT_FALSE(read.trace.cut_at.has_value());
  const OpArgs& conv = *read.trace.args_of(3);
  EXPECT_EQ(read.trace.text(conv.op), "Conv");
  EXPECT_EQ(read.trace.text(conv.provider), "CPUExecutionProvider");
  EXPECT_EQ(read.trace.text(conv.inputs), "float32[1,3,8,8] int64[]");
  EXPECT_EQ(conv.node_index, 0);
  EXPECT_EQ(conv.parameter_bytes, -1);
}

TEST(OrtProfile, ReadsTheSameFromAnotherWriter) {
  const Read read = ReadProfile(PrettyProfileFromText(kIfModel));
  EXPECT_EQ(Tree(read.trace), kIfTree);
  EXPECT_EQ(Issues(read.log), "");
  EXPECT_EQ(read.trace.text(read.trace.args_of(3)->inputs), "float32[1,3,8,8] int64[]");
}

TEST(OrtProfile, ReadsAListInsideAnObject) {
  const Read read = ReadProfile(
      "{\"displayTimeUnit\": \"ns\", \"traceEvents\": " + ProfileFromText(kIfModel) + "}");
  EXPECT_EQ(Tree(read.trace), kIfTree);
  EXPECT_EQ(Issues(read.log), "");
}

TEST(OrtProfile, AMicrosecondOfRoundingDoesNotBreakNests) {
  // floor(begin) + floor(duration) of the inner may pass that of the outer by one.
  const Read read = ReadProfile(ProfileFromText(R"(
op   12 +9 n0 Conv
exec 11 +9
run  10 +9
)"));
  EXPECT_EQ(Tree(read.trace),
            "run model_run 10000 +9000\n"
            "  execute SequentialExecutor::Execute 11000 +9000\n"
            "    op n0 12000 +9000\n");
}

TEST(OrtProfile, EqualIntervalsNestByKind) {
  const Read read = ReadProfile(ProfileFromText(R"(
op   7 +1 inner Sin
exec 7 +1
op   7 +1 my_loop Loop
exec 7 +1
run  7 +1
)"));
  EXPECT_EQ(Tree(read.trace),
            "run model_run 7000 +1000\n"
            "  execute SequentialExecutor::Execute 7000 +1000\n"
            "    container my_loop 7000 +1000\n"
            "      execute SequentialExecutor::Execute 7000 +1000\n"
            "        op inner 7000 +1000\n");
}

TEST(OrtProfile, AnOpOfNoLengthIsNotInsideItsNeighbour) {
  const Read read = ReadProfile(ProfileFromText(R"(
op   5 +0 shape Shape
op   6 +3 inner Sin
exec 6 +3
op   5 +5 my_if If
exec 4 +9
run  3 +12
)"));
  EXPECT_EQ(Tree(read.trace),
            "run model_run 3000 +12000\n"
            "  execute SequentialExecutor::Execute 4000 +9000\n"
            "    container my_if 5000 +5000\n"
            "    op shape 5000 +0\n"
            "      execute SequentialExecutor::Execute 6000 +3000\n"
            "        op inner 6000 +3000\n");
}

TEST(OrtProfile, WhatFollowsABodyIsNotInsideIt) {
  // The next op begins in the microsecond in which the body ends.
  const Read read = ReadProfile(ProfileFromText(R"(
op   11 +3 inner Sin
exec 11 +4
op   10 +5 my_if If
op   15 +1 after Cos
exec 9 +9
run  8 +12
)"));
  EXPECT_EQ(Tree(read.trace),
            "run model_run 8000 +12000\n"
            "  execute SequentialExecutor::Execute 9000 +9000\n"
            "    container my_if 10000 +5000\n"
            "      execute SequentialExecutor::Execute 11000 +4000\n"
            "        op inner 11000 +3000\n"
            "    op after 15000 +1000\n");
}

TEST(OrtProfile, KeepsThreadsAndStreamsApart) {
  const Read read = ReadProfile(ProfileFromText(R"(
op  12 +5 n0 Conv tid=7
run 10 +9 tid=7
op  13 +5 n0 Conv tid=8
run 11 +9 tid=8
kernel 14 +2 gemm parent=n0 stream=3
kernel 15 +1 MemcpyHostToDevice stream=3
)"));
  ASSERT_EQ(read.trace.tracks.size(), 3U);
  EXPECT_EQ(read.trace.tracks[0].tid, 7);
  EXPECT_EQ(read.trace.tracks[1].tid, 8);
  EXPECT_EQ(read.trace.tracks[2].kind, TrackKind::kStream);
  EXPECT_EQ(read.trace.tracks[2].tid, 3);
  EXPECT_EQ(Tree(read.trace),
            "run model_run 10000 +9000\n"
            "  op n0 12000 +5000\n"
            "run model_run 11000 +9000\n"
            "  op n0 13000 +5000\n"
            "kernel gemm 14000 +2000\n"
            "copy MemcpyHostToDevice 15000 +1000\n");
  EXPECT_EQ(read.trace.text(read.trace.args_of(4)->parent_name), "n0");
  EXPECT_TRUE(read.trace.run_level);
}

TEST(OrtProfile, NamesAreTakenAsTheyStand) {
  // Written unescaped: no JSON, yet every name comes back.
  const Read read = ReadProfile(
      "[\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :10,"ph" : "X","name" :"ab"s\p_kernel_time","args" : {"op_name" : "Abs"}},)"
      "\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :20,"ph" : "X","name" :"line)"
      "\n"
      R"(break_kernel_time","args" : {"op_name" : "Neg"}},)"
      "\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :30,"ph" : "X","name" :"卷积 {1}, [2]_kernel_time","args" : {"op_name" : "Conv"}},)"
      "\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :40,"ph" : "X","name" :"n_kernel_time_kernel_time","args" : {"op_name" : "Cos"}},)"
      "\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :50,"ph" : "X","name" :"_kernel_time","args" : {"op_name" : "Mul"}})"
      "\n]\n");
  EXPECT_EQ(Tree(read.trace),
            "op ab\"s\\p 10000 +5000\n"
            "op line\nbreak 20000 +5000\n"
            "op 卷积 {1}, [2] 30000 +5000\n"
            "op n_kernel_time 40000 +5000\n"
            "op  50000 +5000\n");
  EXPECT_EQ(Issues(read.log), "json-repaired x2 at byte 2\n");
}

TEST(OrtProfile, ReadsTheMalformedShapesOfOldReleases) {
  const Read read = ReadProfile(
      "[\n"
      R"({"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :10,"ph" : "X","name" :"n_kernel_time","args" : {"input_type_shape" : [{"float":[1,2]}{"double":[]},],"op_name" : "Add","graph_index" : "4","exec_plan_index" : "9"}})"
      "\n]\n");
  const OpArgs& args = *read.trace.args_of(0);
  EXPECT_EQ(read.trace.text(args.inputs), "float32[1,2] float64[]");
  EXPECT_EQ(read.trace.text(args.op), "Add");
  EXPECT_EQ(args.node_index, 4);
}

TEST(OrtProfile, ReadsTimesOfOtherWritersExactly) {
  const Read read = ReadProfile(
      R"([{"name": "n_kernel_time", "cat": "Node", "ph": "X", "ts": 1.5e3, "dur": "12.345", "pid": 1, "tid": 1}])");
  EXPECT_EQ(Tree(read.trace), "op n 1500000 +12345\n");
}

TEST(OrtProfile, CommaBeforeTheClosingBracket) {
  std::string bytes = ProfileFromText(kIfModel);
  bytes.insert(bytes.rfind(']') - 1, ",");
  const Read read = ReadProfile(bytes);
  EXPECT_EQ(Tree(read.trace), kIfTree);
  EXPECT_EQ(Issues(read.log),
            "json-repaired x1 at byte " + std::to_string(bytes.rfind(',')) + "\n");
}

TEST(OrtProfile, BareNotANumberAndInfinity) {
  const Read read = ReadProfile(
      R"([{"cat": "Kernel", "pid": -1, "tid": -1, "name": "Memcpy", "ph": "X", "ts": 3, "dur": 0,
           "args": {"bytes": 200, "bandwidth": inf, "x": NaN, "y": -Infinity, "stream": 7}}])");
  EXPECT_EQ(Tree(read.trace), "copy Memcpy 3000 +0\n");
  EXPECT_EQ(read.trace.tracks[0].tid, 7);
}

TEST(OrtProfile, CutInTheMiddleOfAnEvent) {
  const std::string whole = ProfileFromText(R"(
op 10 +1 a Add
op 20 +2 b Add
op 30 +3 c Add
op 40 +4 d Add
)");
  const std::string cut = whole.substr(0, whole.find("\"d_kernel"));
  const Read read = ReadProfile(cut);
  EXPECT_EQ(Tree(read.trace), "op a 10000 +1000\nop b 20000 +2000\nop c 30000 +3000\n");
  EXPECT_EQ(Issues(read.log), "trace.cut x1 at byte " + std::to_string(cut.size()) + "\n");
  EXPECT_EQ(read.trace.cut_at, cut.size());
}

TEST(OrtProfile, CutBetweenEvents) {
  std::string bytes = ProfileFromText("op 10 +1 a Add\n");
  bytes.resize(bytes.rfind(']'));
  const Read read = ReadProfile(bytes);
  EXPECT_EQ(Tree(read.trace), "op a 10000 +1000\n");
  EXPECT_EQ(Issues(read.log), "trace.cut x1 at byte " + std::to_string(bytes.size()) + "\n");
}

TEST(OrtProfile, NegativeDurationsAreReportedAndLeftOut) {
  const Read read = ReadProfile(ProfileFromText(R"(
op 10 +10 a Add
op 30 +-1 b Add
op 40 +20 c Add
op 60 +-614079 d Add
op 70 +30 e Add
)"));
  EXPECT_EQ(Tree(read.trace), "op a 10000 +10000\nop c 40000 +20000\nop e 70000 +30000\n");
  EXPECT_EQ(Issues(read.log), "trace.bad-duration x2 at byte 121\n");
}

TEST(OrtProfile, ImpossibleTimesAreReportedAndLeftOut) {
  const Read read = ReadProfile(ProfileFromText(R"(
op 9223372036854775807 +1 a Add
op 1 +9223372036854775807 b Add
op 9223372036854775 +9223372036854775 c Add
op -9223372036854775808 +5 d Add
op 99999999999999999999999999 +5 e Add
op 5 +5 f Add
)"));
  EXPECT_EQ(Tree(read.trace), "op f 5000 +5000\n");
  ASSERT_EQ(read.log.issues().size(), 1U);
  EXPECT_EQ(read.log.issues()[0].count, 5);
}

TEST(OrtProfile, ADamagedEventCostsOnlyItself) {
  std::string bytes = ProfileFromText("op 10 +1 a Add\nop 20 +2 b Add\nop 30 +3 c Add\n");
  bytes[bytes.find("\"b_kernel") - 3] = '!';
  const Read read = ReadProfile(bytes);
  EXPECT_EQ(Tree(read.trace), "op a 10000 +1000\nop c 30000 +3000\n");
  ASSERT_EQ(read.log.issues().size(), 1U);
  EXPECT_EQ(read.log.issues()[0].code, "ort-profile.bad-event");
  EXPECT_EQ(read.log.issues()[0].severity, Severity::kLoss);
}

TEST(OrtProfile, TellsReleasesByTheirFeatures) {
  const auto version = [](std::string_view arguments, std::string_view more) {
    return ReadProfile(
               "[\n{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :5,\"ts\" :10,"
               "\"ph\" : \"X\",\"name\" :\"n_kernel_time\",\"args\" : {" +
               std::string(arguments) + "}}" + std::string(more) + "\n]\n")
        .trace.producer.version;
  };
  const std::string fence =
      ",\n{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :0,\"ts\" :9,\"ph\" : \"X\","
      "\"name\" :\"n_fence_before\",\"args\" : {\"op_name\" : \"Add\"}}";
  const std::string shapes = R"("output_type_shape" : [{"float":[1]}])";
  EXPECT_EQ(version(R"("graph_index" : "1")", fence), "1.10 or earlier");
  EXPECT_EQ(version(R"("graph_index" : "1",)" + shapes, fence), "1.11 .. 1.13");
  EXPECT_EQ(version(R"("node_index" : "1",)" + shapes, fence), "1.14 .. 1.20");
  EXPECT_EQ(version(R"("node_index" : "1",)" + shapes, ""), "1.21 .. 1.28");
  EXPECT_EQ(version(R"("node_index" : "1","mem_in_use_peak" : "8")", ""), "1.29 or later");
}

TEST(OrtProfile, StopsAreSeenAtTheCapOfTheRecorder) {
  const std::string one = ProfileFromText("op 10 +1 a Add\n");
  const std::string event = one.substr(2, one.find_last_of('}') - 1) + ",\n";
  std::string many = "[\n";
  for (int i = 0; i < 999'999; ++i) many += event;
  const Read full = ReadProfile(many + one.substr(2));
  EXPECT_TRUE(full.trace.event_cap);
  EXPECT_EQ(Issues(full.log), "ort-profile.event-cap x1 at event 1000000\n");
}

}  // namespace
}  // namespace opscope
