// Profiles as text, beside the sums that are made of them without a model.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/source.h"
#include "join/join.h"
#include "support/profile_text.h"
#include "support/run_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

RunAnalysis SumProfile(std::string bytes) {
  ImportLog log;
  Source source = Source::FromBytes("p.json", std::move(bytes));
  Result<Trace> trace = ReadTrace({source, log});
  EXPECT_TRUE(trace.has_value()) << (trace.has_value() ? "" : trace.error().ToString());
  return trace.has_value() ? Summarise(*trace) : RunAnalysis{};
}

RunAnalysis SumText(std::string_view text) { return SumProfile(ProfileFromText(text)); }

std::string IterationsText(const RunAnalysis& run) {
  const Iterations& runs = run.iterations;
  return std::to_string(runs.found) + " found, " + std::to_string(runs.warmup) + " warm-up, " +
         std::to_string(runs.used) + " used, " + std::to_string(runs.partial) + " cut, of " +
         runs.unit;
}

TEST(JoinRows, TheFirstRunIsWarmUp) {
  const RunAnalysis run = SumText(R"(
setup 0 +90 session_initialization
op    104 +40 n0 Conv
op    145 +1 ReorderOutput ReorderOutput
exec  102 +45
run   100 +50
op    204 +10 n0 Conv
op    216 +1 ReorderOutput ReorderOutput
exec  203 +15
run   200 +20
)");
  EXPECT_EQ(IterationsText(run), "2 found, 1 warm-up, 1 used, 0 cut, of model_run");
  EXPECT_EQ(RowsText(run),
            "layer n0 Conv x1 busy 10 wall 10\n"
            "runtime ReorderOutput ReorderOutput x1 busy 1 wall 1\n"
            "runtime session x1 busy 5 wall 5\n");
  EXPECT_EQ(SumsText(run), "wall 20 = layers 10 + runtime 6 + unmatched 0 + gap 4");
  EXPECT_EQ(run.samples_ns, std::vector<std::int64_t>{20'000});
  EXPECT_EQ(run.setup_ns, 90'000);
}

TEST(JoinRows, ASingleRunIsUsed) {
  const RunAnalysis run = SumText("op 11 +5 n0 Conv\nexec 11 +8\nrun 10 +10\n");
  EXPECT_EQ(IterationsText(run), "1 found, 0 warm-up, 1 used, 0 cut, of model_run");
  EXPECT_EQ(SumsText(run), "wall 10 = layers 5 + runtime 2 + unmatched 0 + gap 3");
  EXPECT_NE(run.iterations.why, "");
}

TEST(JoinRows, ContainersGiveTheirTimeToWhatIsInside) {
  // A loop of two trips: its body's rows have 4 + 4 of its 12.
  const RunAnalysis run = SumText(R"(
op    12 +4 inner Sin index=0
exec  12 +4
op    17 +4 inner Sin index=0
exec  17 +5
op    11 +12 my_loop Loop index=0
exec  10 +14
run   10 +15
)");
  EXPECT_EQ(RowsText(run),
            "container my_loop Loop x1 busy 12 wall 4\n"
            "layer my_loop/inner Sin x2 busy 8 wall 8\n"
            "runtime session x1 busy 1 wall 1\n");
  EXPECT_EQ(SumsText(run), "wall 15 = layers 12 + runtime 1 + unmatched 0 + gap 2");
}

TEST(JoinRows, BodiesOfOneIfAreRowsOfTheirOwn) {
  // The branches hold nodes of the same name; the second run takes the other branch.
  const RunAnalysis run = SumText(R"(
op    2 +1 inner Sin index=0
exec  2 +1
op    1 +3 my_if If index=0
exec  1 +3
run   0 +5
op    12 +1 inner Sin index=0
exec  12 +1
op    11 +3 my_if If index=0
exec  11 +3
run   10 +5
op    22 +2 inner Cos index=0
exec  22 +2
op    21 +4 my_if If index=0
exec  21 +4
run   20 +5
)");
  EXPECT_EQ(RowsText(run),
            "container my_if If x2 busy 7 wall 4\n"
            "layer my_if/inner Sin x1 busy 1 wall 1\n"
            "layer my_if/inner Cos x1 busy 2 wall 2\n"
            "runtime session x2 busy 3 wall 3\n");
  EXPECT_EQ(run.rows[1].samples_ns, (std::vector<std::int64_t>{1000, 0}));
  EXPECT_EQ(run.rows[2].samples_ns, (std::vector<std::int64_t>{0, 2000}));
}

TEST(JoinRows, RunsOfTwoThreadsAreKeptApart) {
  const RunAnalysis run = SumText(R"(
op   11 +30 n0 Conv tid=1
run  10 +40 tid=1
op   12 +31 n0 Conv tid=2
run  11 +40 tid=2
op   60 +10 n0 Conv tid=1
op   61 +10 n0 Conv tid=2
run  60 +20 tid=1
run  61 +21 tid=2
)");
  EXPECT_EQ(IterationsText(run), "4 found, 2 warm-up, 2 used, 0 cut, of model_run");
  EXPECT_EQ(SumsText(run), "wall 41 = layers 20 + runtime 0 + unmatched 0 + gap 21");
  ASSERT_EQ(run.threads.size(), 2U);
  EXPECT_EQ(run.threads[1].tid, 2);
  EXPECT_EQ(run.threads[1].runs, 2);
  EXPECT_EQ(run.threads[1].busy_ns, 21'000);
  EXPECT_EQ(run.threads[1].span_ns, 71'000);
}

TEST(JoinRows, RowsThatOverlapShareTheInstant) {
  // The parallel executor: nodes on threads of the pool, which have no model_run of their own.
  const RunAnalysis run = SumText(R"(
op   12 +8 a Conv tid=8
op   12 +8 b Conv tid=9
op   20 +4 c Add tid=8
exec 11 +14
run  10 +16
)");
  EXPECT_EQ(RowsText(run),
            "layer a Conv x1 busy 8 wall 4\n"
            "layer b Conv x1 busy 8 wall 4\n"
            "layer c Add x1 busy 4 wall 4\n"
            "runtime session x1 busy 2 wall 2\n");
  EXPECT_EQ(SumsText(run), "wall 16 = layers 12 + runtime 2 + unmatched 0 + gap 2");
}

TEST(JoinRows, AnEventThatCouldBelongToTwoRunsBelongsToNone) {
  const RunAnalysis run = SumText(R"(
op   12 +8 pool Conv tid=8
op   11 +2 a Conv tid=1
run  10 +16 tid=1
op   11 +3 a Conv tid=2
run  10 +16 tid=2
)");
  EXPECT_EQ(run.iterations.used, 2) << "the only run of each thread";
  EXPECT_EQ(RowsText(run),
            "layer a Conv x2 busy 5 wall 5\n"
            "runtime session x0 busy 0 wall 0\n");
  ASSERT_FALSE(run.notes.empty());
  EXPECT_EQ(run.notes[0].find("1 event"), 0U);
}

TEST(JoinRows, FencesAreOneRuntimeRow) {
  const RunAnalysis run = SumText(R"(
fence 11 +1 n0 Conv
op    12 +5 n0 Conv
fence 17 +1 n0 Conv
exec  11 +8
run   10 +10
)");
  EXPECT_EQ(RowsText(run),
            "runtime fences x2 busy 2 wall 2\n"
            "layer n0 Conv x1 busy 5 wall 5\n"
            "runtime session x1 busy 2 wall 2\n");
}

TEST(JoinRows, ARunThatTheFileCutsIsLeftOut) {
  // As the profiler leaves it at its cap of events: an execution without its model_run.
  const RunAnalysis run = SumText(R"(
op   11 +5 n0 Conv
exec 11 +8
run  10 +10
op   21 +5 n0 Conv
exec 21 +8
run  20 +10
op   31 +5 n0 Conv
exec 31 +8
)");
  EXPECT_EQ(IterationsText(run), "2 found, 1 warm-up, 1 used, 1 cut, of model_run");
  EXPECT_EQ(SumsText(run), "wall 10 = layers 5 + runtime 2 + unmatched 0 + gap 3");
}

TEST(JoinRows, WithoutARunTheSpanOfTheNodesIsTheWall) {
  const RunAnalysis run = SumText(R"(
op 10 +10 a Add
op 30 +20 b Add
op 70 +30 c Add
)");
  EXPECT_EQ(IterationsText(run), "1 found, 0 warm-up, 1 used, 0 cut, of span");
  EXPECT_EQ(SumsText(run), "wall 90 = layers 60 + runtime 0 + unmatched 0 + gap 30");
}

TEST(JoinRows, DeviceTimeStandsBesideTheEnqueueTime) {
  const RunAnalysis run = SumText(R"(
op     12 +2 n0 Conv ep=CUDAExecutionProvider
run    10 +30
kernel 15 +9 gemm parent=n0 stream=7
kernel 24 +3 add parent=n0 stream=7
kernel 12 +1 MemcpyHostToDevice stream=7
)");
  EXPECT_EQ(run.rows[0].device_ns, 12'000);
  EXPECT_EQ(SumsText(run), "wall 30 = layers 2 + runtime 0 + unmatched 0 + gap 28");
  EXPECT_EQ(run.placement[0].provider, "CUDAExecutionProvider");
}

TEST(JoinRows, TheOrderOfTheFileDoesNotMatter) {
  constexpr std::string_view kEndOrder = R"(
op   2 +1 s Sin index=0
op   4 +2 t Cos index=1
exec 1 +6
run  0 +8
op   12 +1 s Sin index=0
op   14 +2 t Cos index=1
exec 11 +6
run  10 +8
)";
  constexpr std::string_view kShuffled = R"(
run  10 +8
op   14 +2 t Cos index=1
op   2 +1 s Sin index=0
exec 11 +6
run  0 +8
exec 1 +6
op   12 +1 s Sin index=0
op   4 +2 t Cos index=1
)";
  const RunAnalysis expected = SumText(kEndOrder);
  for (const std::string& bytes :
       {ProfileFromText(kShuffled), PrettyProfileFromText(kShuffled),
        "{\"displayTimeUnit\":\"ms\",\"traceEvents\":" + ProfileFromText(kShuffled) + "}",
        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":" + PrettyProfileFromText(kShuffled) + "}"}) {
    const RunAnalysis run = SumProfile(bytes);
    EXPECT_EQ(RowsText(run), RowsText(expected));
    EXPECT_EQ(SumsText(run), SumsText(expected));
  }
}

TEST(JoinRows, OpsAreSummedByType) {
  const RunAnalysis run = SumText(R"(
op  10 +1 a Add
op  12 +5 b Conv
op  20 +2 c Add
run 10 +15
)");
  ASSERT_EQ(run.ops.size(), 3U);
  EXPECT_EQ(run.ops[0].op, "Conv");
  EXPECT_EQ(run.ops[1].op, "Add");
  EXPECT_EQ(run.ops[1].rows, 2);
  EXPECT_EQ(run.ops[1].wall_ns, 3000);
}

}  // namespace
}  // namespace opscope
