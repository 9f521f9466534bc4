// What PyTorch writes beside its traces: tables, stacks, memory timelines, execution traces.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/sink.h"
#include "base/source.h"
#include "trace/execution_join.h"
#include "trace/export/folded.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope {
namespace {

Trace ReadText(std::string text, ImportLog& log, bool records = false) {
  Source source = Source::FromBytes("t", std::move(text));
  Result<Trace> trace = ReadTrace({source, log, 1, records});
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  return trace.has_value() ? std::move(*trace) : Trace();
}

Trace ReadFile(const std::string& path, bool records = false) {
  ImportLog log;
  Result<Source> source = Source::Open(path);
  EXPECT_TRUE(source.has_value()) << path;
  Result<Trace> trace = ReadTrace({*source, log, 1, records});
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  EXPECT_TRUE(log.issues().empty()) << log.issues().front().message;
  return trace.has_value() ? std::move(*trace) : Trace();
}

const std::string kCases = OPSCOPE_SOURCE_DIR "/tests/cases/import/";

// The table and the trace are of one run of torch 2.13.
TEST(TorchTable, SaysWhatTheTraceOfTheSameRunSays) {
  Trace table = ReadFile(kCases + "torch_table/table.txt");
  Trace trace = ReadFile(kCases + "torch_execution/run.pt.trace.json");
  EXPECT_EQ(table.format, "torch-table");
  const Timeline timeline = BuildTimeline(trace);
  std::map<std::string, const OpRow*> rows;
  for (const OpRow& row : timeline.ops) rows[std::string(trace.text(row.name))] = &row;
  EXPECT_EQ(table.sums.size(), rows.size());
  for (const SumRow& sum : table.sums) {
    const auto row = rows.find(std::string(table.text(sum.name)));
    ASSERT_NE(row, rows.end()) << table.text(sum.name);
    EXPECT_EQ(sum.calls, row->second->calls);
    // "1.225ms" has a microsecond, "143.053us" a nanosecond.
    const std::int64_t step = *sum.cpu_ns >= 1'000'000 ? 500 : 1;
    EXPECT_NEAR(static_cast<double>(*sum.cpu_ns), static_cast<double>(row->second->cpu_ns),
                static_cast<double>(step));
    EXPECT_NEAR(static_cast<double>(*sum.self_cpu_ns),
                static_cast<double>(row->second->self_cpu_ns), 500);
  }
}

// 1.5 wrote other titles, 1.0 others again; a device is called what its maker calls it.
TEST(TorchTable, TitlesOfEveryEra) {
  ImportLog log;
  const Trace old = ReadText(
      "---------  ---------------  ---------------  ---------------  ---------------  ------------ "
      " "
      "---------------\n"
      "Name       Self CPU total %  Self CPU total   CPU total %      CPU total        CUDA total  "
      "  "
      "Number of Calls\n"
      "---------  ---------------  ---------------  ---------------  ---------------  ------------ "
      " "
      "---------------\n"
      "mm         50.00%           1.500us          60.00%           2.250ms          3.000us      "
      " "
      "4              \n"
      "---------  ---------------  ---------------  ---------------  ---------------  ------------ "
      " "
      "---------------\n"
      "Self CPU time total: 2.250ms\n",
      log);
  ASSERT_EQ(old.sums.size(), 1U);
  EXPECT_EQ(old.sums[0].calls, 4);
  EXPECT_EQ(old.sums[0].self_cpu_ns, 1500);
  EXPECT_EQ(old.sums[0].cpu_ns, 2'250'000);
  EXPECT_EQ(old.sums[0].device_ns, 3000);
  EXPECT_TRUE(log.issues().empty());
  const Trace xpu = ReadText(
      "-----------  ------------  ------------  ------------  ------------  ------------\n"
      "       Name     CPU total      Self XPU     XPU total       XPU Mem    # of Calls\n"
      "-----------  ------------  ------------  ------------  ------------  ------------\n"
      "gemm_kernel       0.000us      13.983ms      13.983ms      -1.50 Kb           608\n"
      "  aten::add       NaN            -0.5us           --           0 b             1\n"
      "    damaged       0.000us\n",
      log);
  ASSERT_EQ(xpu.sums.size(), 2U);
  EXPECT_EQ(xpu.sums[0].kind, EventKind::kKernel);
  EXPECT_EQ(xpu.sums[0].self_device_ns, 13'983'000);
  EXPECT_EQ(xpu.sums[0].device_bytes, -1536);
  EXPECT_FALSE(xpu.sums[1].cpu_ns);
  EXPECT_FALSE(xpu.sums[1].device_ns);
  EXPECT_EQ(xpu.sums[1].self_device_ns, -500);
  ASSERT_EQ(log.issues().size(), 2U);
  EXPECT_EQ(log.issues()[0].code, "torch-table.bad-row");
  EXPECT_EQ(log.issues()[1].code, "trace.cut");
}

// with_flops: one scale for the whole column, "--" where torch has no formula.
TEST(TorchTable, FlopsAreScaledByTheirTitle) {
  ImportLog log;
  const Trace trace = ReadText(
      "-----------  ------------  ------------  ------------  ------------\n"
      "       Name      Self CPU     CPU total    # of Calls  Total MFLOPs\n"
      "-----------  ------------  ------------  ------------  ------------\n"
      "   aten::mm      10.000us      12.000us             3         0.012\n"
      " aten::relu       1.000us       1.000us             1            --\n"
      "aten::addmm       1.000us       1.000us             1      2516.582\n"
      "-----------  ------------  ------------  ------------  ------------\n",
      log);
  ASSERT_EQ(trace.sums.size(), 3U);
  EXPECT_EQ(trace.sums[0].flops, 12'000);
  EXPECT_FALSE(trace.sums[1].flops);
  EXPECT_EQ(trace.sums[2].flops, 2'516'582'000);
  EXPECT_TRUE(log.issues().empty());
}

// People print the same run sorted by one time and then by another, ten rows each.
TEST(TorchTable, TablesOfOneRunAreOneAndOthersAreSaid) {
  const std::string rule = "-----------  ------------  ------------  ------------\n";
  const auto table = [&](const std::string& rows) {
    return rule + "       Name      Self CPU     CPU total    # of Calls\n" + rule + rows + rule +
           "Self CPU time total: 30.000us\n\n";
  };
  const std::string mm = "   aten::mm      10.000us      12.000us             3\n";
  const std::string add = "  aten::add       5.000us       5.000us             2\n";
  const std::string relu = " aten::relu       1.000us       1.000us             1\n";
  const std::string slower = "   aten::mm      11.000us      13.000us             3\n";
  ImportLog log;
  const Trace same = ReadText(table(mm + add) + "text between\n" + table(relu + mm), log);
  EXPECT_EQ(same.sums.size(), 3U);
  EXPECT_TRUE(log.issues().empty());
  const Trace other = ReadText(table(mm + add) + table(slower + relu) + table(relu + add), log);
  EXPECT_EQ(other.sums.size(), 3U);  // the third is of the first run
  ASSERT_EQ(log.issues().size(), 1U);
  EXPECT_EQ(log.issues()[0].code, "torch-table.more");
  EXPECT_EQ(log.issues()[0].count, 1);
}

std::string Folded(const Trace& trace) {
  std::string out;
  Sink sink(out);
  EXPECT_TRUE(WriteFolded(trace, sink).has_value());
  EXPECT_TRUE(sink.Finish().has_value());
  return out;
}

TEST(FoldedStacks, OurExportComesBackAsItWas) {
  const Trace trace = ReadFile(kCases + "kineto/step.pt.trace.json");
  const std::string first = Folded(trace);
  ImportLog log;
  const Trace again = ReadText(first, log);
  EXPECT_EQ(again.format, "folded");
  EXPECT_TRUE(log.issues().empty());
  const std::string second = Folded(again);
  ImportLog other;
  EXPECT_EQ(Folded(ReadText(second, other)), second);
  const auto sorted = [](const std::string& text) {
    std::multiset<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.insert(text.substr(at, text.find('\n', at) - at));
    return lines;
  };
  EXPECT_EQ(sorted(second), sorted(first));
}

TEST(FoldedStacks, TorchCountsMicroseconds) {
  ImportLog log;
  Trace trace = ReadText("a.py(1):_f;b.py(2):_g 3\na.py(1):_f 4\n", log);
  EXPECT_TRUE(log.issues().empty());
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_EQ(timeline.ops.size(), 2U);
  EXPECT_EQ(timeline.ops[0].self_cpu_ns, 4000);
  EXPECT_EQ(timeline.ops[0].cpu_ns, 7000);
  EXPECT_EQ(timeline.ops[1].self_cpu_ns, 3000);
  EXPECT_FALSE(timeline.critical_path);
}

TEST(TorchMemory, CategoriesSumToThePeak) {
  for (const std::string name : {"torch_memory/memory.json", "torch_memory_raw/memory.raw.json"}) {
    const Trace trace = ReadFile(kCases + name);
    const std::vector<MemoryCurve> curves = MemoryCurves(trace);
    ASSERT_EQ(curves.size(), 1U) << name;
    std::int64_t sum = 0;
    for (const CategoryCurve& category : curves[0].categories) sum += category.at_peak_bytes;
    EXPECT_EQ(sum, curves[0].peak_bytes) << name;
  }
}

// HolisticTraceAnalysis publishes what each category holds at the 744th time of this file.
TEST(TorchMemory, ThePublishedRowOfTheSample) {
  const std::string file = OPSCOPE_SAMPLES_DIR "/torch/hta-memory_timeline.raw.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no samples beside the project";
  const Trace trace = ReadFile(file);
  EXPECT_EQ(trace.memory.size(), 16845U);
  std::vector<std::int64_t> held(8), known;
  constexpr std::int64_t kRow = 743;  // there what existed before is a row of its own
  std::int64_t row = -1, at = -1;
  for (const MemoryChange& change : trace.memory) {
    const std::int64_t us = change.at / 1000;  // the published rows are of microseconds
    if (row < 0 || us != at) ++row;
    at = us;
    if (row > kRow) break;
    held[static_cast<std::size_t>(change.category)] += change.bytes;
    known = held;
  }
  const std::vector<std::int64_t> published = {102440608,  102228128, 19395584, 0,
                                               2618160128, 58417152,  41811968, 25494440};
  EXPECT_EQ(known, published);
}

TEST(ExecutionTrace, GivesTheEventsOfTheSameRunTheirShapes) {
  const Trace execution = ReadFile(kCases + "torch_execution/run.et.json");
  Trace trace = ReadFile(kCases + "torch_execution/run.pt.trace.json", true);
  const ExecutionMatch match = MatchExecution(execution, trace);
  EXPECT_EQ(match.matched, match.events);
  EXPECT_GT(match.matched, 30);
  JoinExecution(execution, trace);
  const Timeline timeline = BuildTimeline(trace);
  std::int64_t self = 0, shaped = 0;
  for (const OpRow& row : timeline.ops) self += row.self_cpu_ns;
  for (const OpShapeRow& row : timeline.op_shapes) shaped += row.row.self_cpu_ns;
  EXPECT_EQ(self, shaped);
  bool found = false;
  for (const OpShapeRow& row : timeline.op_shapes)
    found = found || (trace.text(row.row.name) == "aten::mm" && row.row.calls == 3 &&
                      trace.text(row.inputs) == "float[8,16] float[16,4]" &&
                      trace.text(row.outputs) == "float[8,4]");
  EXPECT_TRUE(found);
}

// Read alone it says what ran and how often, ops that others called included; the roots of the
// process and of threads are no ops.
TEST(ExecutionTrace, AloneItCountsEveryOpOfTheTree) {
  ImportLog log;
  Trace trace = ReadText(
      R"et({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": [
      {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1},
      {"id": 2, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1},
      {"id": 3, "name": "## forward ##", "ctrl_deps": 2, "attrs": [{"name": "rf_id", "type": "uint64", "value": 1}]},
      {"id": 4, "name": "aten::linear", "ctrl_deps": 3,
       "inputs": {"values": [], "shapes": [[8, 16], [4, 16]], "types": ["Tensor(float)", "Tensor(float)"]},
       "outputs": {"values": [], "shapes": [[8, 4]], "types": ["Tensor(float)"]},
       "attrs": [{"name": "rf_id", "type": "uint64", "value": 2}]},
      {"id": 5, "name": "aten::addmm", "ctrl_deps": 4,
       "inputs": {"values": [], "shapes": [[4], [8, 16], [16, 4], [], []],
                  "types": ["Tensor(float)", "Tensor(float)", "Tensor(float)", "Int", "Int"]},
       "attrs": [{"name": "rf_id", "type": "uint64", "value": 3}]},
      {"id": 6, "name": "aten::addmm", "ctrl_deps": 3,
       "inputs": {"values": [], "shapes": [[4], [8, 16], [16, 4], [], []],
                  "types": ["Tensor(float)", "Tensor(float)", "Tensor(float)", "Int", "Int"]},
       "attrs": [{"name": "rf_id", "type": "uint64", "value": 4}]}]})et",
      log);
  EXPECT_TRUE(log.issues().empty());
  const Timeline timeline = BuildTimeline(trace);
  std::map<std::string, std::int64_t> calls, shaped;
  for (const SumRow& row : timeline.sums.ops) {
    calls[std::string(trace.text(row.name))] = row.calls;
    EXPECT_FALSE(row.cpu_ns);  // it knows no times
  }
  for (const SumRow& row : timeline.sums.op_shapes)
    shaped[std::string(trace.text(row.name)) + " " + std::string(trace.text(row.inputs))] =
        row.calls;
  EXPECT_EQ(calls, (std::map<std::string, std::int64_t>{
                       {"## forward ##", 1}, {"aten::linear", 1}, {"aten::addmm", 2}}));
  EXPECT_EQ(shaped, (std::map<std::string, std::int64_t>{
                        {"aten::linear float[8,16] float[4,16]", 1},
                        {"aten::addmm float[4] float[8,16] float[16,4]", 2}}));
}

TEST(ExecutionTrace, TheFirstSchema) {
  ImportLog log;
  const Trace trace = ReadText(
      R"et({"schema": "1.0.1", "nodes": [
      {"name": "[pytorch|profiler|execution_trace|thread]", "id": 2, "rf_id": 0},
      {"name": "aten::mm", "id": 14, "rf_id": 6, "inputs": [[1, 2]], "input_shapes": [[2, 3]],
       "input_types": ["Tensor(float)"], "output_shapes": [[2]], "output_types": ["Tensor(int)"]},
      {"name": "aten::)et",
      log);
  ASSERT_EQ(trace.op_records.size(), 1U);
  EXPECT_EQ(trace.op_records[0].record, 6);
  const OpArgs& args = trace.args[trace.op_records[0].args.index()];
  EXPECT_EQ(trace.text(args.inputs), "float[2,3]");
  EXPECT_EQ(trace.text(args.outputs), "int[2]");
  ASSERT_EQ(log.issues().size(), 1U);
  EXPECT_EQ(log.issues()[0].code, "trace.cut");
}

}  // namespace
}  // namespace opscope
