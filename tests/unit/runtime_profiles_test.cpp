// Profiles of runtimes that sum over runs: what is read, in which order it ran, and which layers of
// a model it was.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/source.h"
#include "cost/static_analysis.h"
#include "join/join.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/tflite_model.h"
#include "trace/formats/format.h"
#include "trace/formats/tensorrt_names.h"
#include "trace/formats/tflite_profile/run_order.h"
#include "trace/formats/trtexec_log/engine_layer.h"
#include "trace/formats/trtexec_log/line.h"
#include "trace/formats/trtexec_log/table.h"

namespace opscope {
namespace {

Trace ReadText(std::string text, ImportLog& log) {
  Source source = Source::FromBytes("t", std::move(text));
  Result<Trace> trace = ReadTrace({source, log, 1});
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  return trace.has_value() ? std::move(*trace) : Trace();
}

TEST(TrtexecLine, LosesItsPrefixes) {
  using trtexec_log::ParseLine;
  EXPECT_EQ(ParseLine("[07/07/2026-02:11:43] [I] [TRT] Loaded").text, "Loaded");
  EXPECT_EQ(ParseLine("[07/07/2026-02:11:43] [I]    Time(ms)   Layer").text, "   Time(ms)   Layer");
  EXPECT_EQ(ParseLine("[W] Shape missing").severity, 'W');
  EXPECT_EQ(ParseLine("[I]").text, "");
  EXPECT_EQ(ParseLine("[a, b]:3 of no log").text, "[a, b]:3 of no log");
  EXPECT_EQ(ParseLine("").severity, ' ');
}

TEST(TrtexecTable, NameLeftOrRight) {
  trtexec_log::Table table;
  ASSERT_TRUE(table.Begin("   Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %"));
  auto row = table.Row("  conv 1 + relu   12.50   0.1250   0.1200   50.0");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->name, "conv 1 + relu");
  EXPECT_EQ(row->total_ns, 12'500'000);
  EXPECT_EQ(row->median_ns, 120'000);
  ASSERT_TRUE(table.Begin("   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"));
  row = table.Row("     12.50       0.1250       0.1200      50.0   a  b 3");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->name, "a  b 3");
  EXPECT_FALSE(table.Row("no numbers here at all"));
  EXPECT_FALSE(table.Row(""));
  EXPECT_FALSE(table.Begin("Layer Information"));
}

TEST(TrtexecEngineLayer, TypesAndNames) {
  const auto layer = trtexec_log::ParseEngineLayer(
      "Layer(CaskConvolution): a (b) + c, Tactic: 0x1f, x, y (Half[1,3:4,8,8]), t (2) (Int8[4]) -> "
      "z (Float[1,8,8,8])");
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->kind, "CaskConvolution");
  EXPECT_EQ(layer->name, "a (b) + c");
  EXPECT_EQ(layer->tactic, "0x1f");
  EXPECT_EQ(layer->inputs, "float16[1,3:4,8,8] int8[4]");
  EXPECT_EQ(layer->type, "float32");
  EXPECT_FALSE(trtexec_log::ParseEngineLayer("Layer: conv Host Persistent: 1 bytes"));
}

using tflite_profile::OpRow;

OpRow Printed(std::string type, std::int32_t index) {
  OpRow row;
  row.type = std::move(type);
  row.index = index;
  row.calls = 1;
  return row;
}

std::string Indices(const std::vector<OpRow>& rows) {
  std::string text;
  for (const OpRow& row : rows) text += (text.empty() ? "" : " ") + std::to_string(row.index);
  return text;
}

TEST(TfliteRunOrder, DelegatesPushWhatFollowsToTheFront) {
  // 65 ran first, with more than ten operators inside.
  EXPECT_EQ(
      Indices(tflite_profile::InRunOrder({Printed("RESHAPE", 64), Printed("XDelegate", 66),
                                          Printed("AVERAGE_POOL_2D", 62), Printed("XDelegate", 65)},
                                         63)),
      "65 62 66 64");
  // Nothing ran inside delegates: as printed, whatever the indices.
  EXPECT_EQ(Indices(tflite_profile::InRunOrder({Printed("ADD", 3), Printed("MUL", 1)}, 0)), "3 1");
  std::vector<OpRow> many;
  for (std::int32_t i = 0; i < 62; ++i) many.push_back(Printed("DelegateOpInvoke", i));
  many.push_back(Printed("DelegateOpInvoke", 0));
  for (std::int32_t i = 62; i < 71; ++i) many.push_back(Printed("DelegateOpInvoke", i));
  const std::vector<OpRow> ran = tflite_profile::InnerInRunOrder(many);
  EXPECT_EQ(ran.back().index, 0);
  EXPECT_EQ(ran[62].index, 62);
}

TEST(TfliteRunOrder, StartTimesDecide) {
  OpRow late = Printed("ADD", 0), soon = Printed("MUL", 1);
  late.start_ns = 20;
  soon.start_ns = 10;
  EXPECT_EQ(Indices(tflite_profile::InRunOrder({late, soon}, 100)), "1 0");
}

TEST(TfliteName, TheLastBracketCounts) {
  OpRow row;
  row.name = "[a]:b, c;d]:12";
  SplitName(row);
  EXPECT_EQ(row.tensors, "a]:b, c;d");
  EXPECT_EQ(row.index, 12);
  row.name = "Delegate/Add (ND, F32):3";
  SplitName(row);
  EXPECT_EQ(row.index, 3);
}

// x -> CONV_2D -> c -> ADD -> a -> RELU -> y
std::string Network() {
  testing::TfliteGraph graph;
  graph.tensors = {{"x", {1, 8, 8, 4}},
                   {"w", {4, 3, 3, 4}, 0, std::string(576, '\0')},
                   {"c", {1, 8, 8, 4}},
                   {"a", {1, 8, 8, 4}},
                   {"y", {1, 8, 8, 4}}};
  graph.inputs = {0};
  graph.outputs = {4};
  graph.ops = {{3, {0, 1}, {2}, 1, {}}, {0, {2, 0}, {3}, 11, {}}, {19, {3}, {4}}};
  return testing::TfliteFile({graph});
}

constexpr std::string_view kHead =
    "\t[node type]\t[first]\t[avg ms]\t[%]\t[cdf%]\t[mem KB]\t[times called]\t[Name]\n";

// "kind name: layers | method", a line a row.
std::string JoinedRows(const std::string& table) {
  ImportLog log;
  const Trace trace = ReadText(table, log);
  Source source = Source::FromBytes("m.tflite", Network());
  Result<Model> model = ReadModel({source, log, {}});
  EXPECT_TRUE(model.has_value()) << model.error().message;
  if (!model.has_value()) return "";
  Result<StaticAnalysis> analysis = AnalyzeStatic(*model, {}, log);
  const RunAnalysis run = Join(*model, *analysis, trace);
  std::string text;
  for (const Row& row : run.rows) {
    text += std::string(Name(row.kind)) + " " + row.name + ":";
    for (const LayerShare& share : row.layers)
      text += " " + std::string(model->text(model->node(analysis->layer(share.layer).node).op));
    text += " | " + std::string(Name(row.method)) + "\n";
  }
  return text;
}

TEST(TfliteJoin, OpsByTheirIndex) {
  EXPECT_EQ(JoinedRows("=== Run Order ===\n" + std::string(kHead) +
                       "\tCONV_2D\t1\t1\t50%\t50%\t0\t1\t[c]:0\n"
                       "\tADD\t1\t1\t50%\t100%\t0\t1\t[a]:1\n"
                       "\tRELU\t1\t1\t50%\t100%\t0\t1\t[y]:2\n\n"),
            "layer [c]:0: CONV_2D | name\n"
            "layer [a]:1: ADD | name\n"
            "layer [y]:2: RELU | name\n");
}

TEST(TfliteJoin, ADelegateIsWhatItsTensorsHangOn) {
  EXPECT_EQ(JoinedRows("=== Run Order ===\n" + std::string(kHead) +
                       "\tTfLiteGpuDelegateV2\t1\t1\t50%\t50%\t0\t1\t[a]:3\n"
                       "\tRELU\t1\t1\t50%\t100%\t0\t1\t[y]:2\n\n"),
            "layer [a]:3: CONV_2D ADD | output-tensor\n"
            "layer [y]:2: RELU | name\n");
}

TEST(TfliteJoin, OperatorsInsideByKindAndOrder) {
  EXPECT_EQ(JoinedRows("=== Run Order ===\n" + std::string(kHead) +
                       "\tTfLiteXNNPackDelegate\t9\t9\t100%\t100%\t0\t1\t[y]:3\n\n"
                       "Delegate internal: \n=== Run Order ===\n" +
                       std::string(kHead) +
                       "\tDelegateOpInvoke\t1\t1\t9%\t9%\t0\t1\tDelegate/Constant Pad (ND, X32):0\n"
                       "\tDelegateOpInvoke\t4\t4\t9%\t9%\t0\t1\tDelegate/Convolution (NHWC, F32) "
                       "IGEMM:1\n"
                       "\tDelegateOpInvoke\t2\t2\t9%\t9%\t0\t1\tDelegate/Add (ND, F32):2\n"
                       "\tDelegateOpInvoke\t1\t1\t9%\t9%\t0\t1\tDelegate/Frobnicate:3\n\n"),
            "container [y]:3: | none\n"
            "runtime Delegate/Constant Pad (ND, X32):0: | runtime-name\n"
            "layer Delegate/Convolution (NHWC, F32) IGEMM:1: CONV_2D | op-order\n"
            "layer Delegate/Add (ND, F32):2: ADD RELU | op-order\n"
            "unmatched Delegate/Frobnicate:3: | none\n");
}

TEST(TensorrtNames, WhatTheImporterCalledOtherwise) {
  const RowOrigin origin =
      TensorrtOrigin("w + conv_2 + PWN(PWN(sig_5), mul)", {{"conv_2", "conv"}, {"sig_5", "sig"}});
  EXPECT_EQ(origin.nodes, (std::vector<std::string>{"w", "conv", "sig", "mul"}));
  EXPECT_EQ(TensorrtOrigin("fc_1_2_myl5_3", {{"fc_1_2", "fc_1"}}).nodes,
            std::vector<std::string>{"fc_1"});
  EXPECT_TRUE(TensorrtOrigin("__myl_MulSum_myl4_1").generated);
  EXPECT_EQ(TensorrtOrigin("Reformatting CopyNode for Output Tensor 1 to conv").made,
            "changes the layout or type of output 1 of conv");
}

TEST(ProfileBuilder, RefusesWhatWouldOverflow) {
  RuntimeProfile profile;
  ProfileBuilder builder(profile);
  RuntimeRow row;
  row.total_ns = std::int64_t{1} << 59;
  EXPECT_TRUE(builder.Add(row));
  EXPECT_TRUE(builder.Add(row));
  EXPECT_FALSE(builder.Add(row));
  row.total_ns = -1;
  EXPECT_FALSE(builder.Add(row));
}

TEST(TrtexecLog, TimesBeyondAllSumsAreLeftOut) {
  ImportLog log;
  const Trace trace = ReadText(
      "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] #\n"
      "[I] === Profile (10 iterations ) ===\n"
      "[I]  Time(ms)  Avg.(ms)  Median(ms)  Time(%)  Layer\n"
      "[I]  1000000000000  1  1  50  a\n"
      "[I]  1000000000000  1  1  50  b\n"
      "[I]  6  1  1  50  Total\n",
      log);
  ASSERT_TRUE(trace.profile);
  EXPECT_EQ(trace.profile->rows.size(), 1U);
  EXPECT_EQ(log.issues().size(), 1U);
  EXPECT_EQ(Summarise(trace).rows.size(), 1U);
}

TEST(TensorrtProfile, DamageKeepsWhatIsWhole) {
  ImportLog log;
  const Trace trace = ReadText(
      R"([{"count":4},{"name":"a","timeMs":2,"averageMs":0.5,"medianMs":0.4},{"name":"b","timeMs":-1},{"name":"c","ti)",
      log);
  ASSERT_TRUE(trace.profile);
  ASSERT_EQ(trace.profile->rows.size(), 1U);
  EXPECT_EQ(trace.profile->rows[0].total_ns, 2'000'000);
  EXPECT_EQ(trace.profile->rows[0].typical_ns, 400'000);
  EXPECT_EQ(trace.profile->runs, 4);
  EXPECT_TRUE(trace.cut_at);
  EXPECT_EQ(log.issues().size(), 2U);
}

}  // namespace
}  // namespace opscope
