// The TFLite reader and its operators on small files: what is kept, what symbols do, control flow.
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/tflite_model.h"

namespace opscope {
namespace {

using testing::FlatFields;
using testing::FlatFloats;
using testing::FlatLongs;
using testing::FlatTable;
using testing::I32;
using testing::I8;
using testing::Int32Bytes;
using testing::TfliteFile;
using testing::TfliteGraph;
using testing::TfliteOp;
using testing::TfliteTensor;

constexpr int kAdd = 0, kConcatenation = 2, kConv = 3, kFullyConnected = 9, kMul = 18,
              kReshape = 22, kCall = 31, kCustom = 32, kMean = 40, kStridedSlice = 45, kLess = 58,
              kShape = 77, kPack = 83, kIf = 118, kWhile = 119, kTransposeConv = 67;
constexpr int kInt32 = 2, kInt8 = 9, kBool = 6;

Analysed AnalyseGraphs(const std::vector<TfliteGraph>& graphs,
                       const PropagateOptions& options = {}) {
  return Analyse(Source::FromBytes("m.tflite", TfliteFile(graphs)), options);
}

std::string ShapeOfTensor(const Analysed& out, std::string_view name) {
  for (std::size_t t = 0; t < out.model.tensors.size(); ++t) {
    if (out.model.text(out.model.tensors[t].name) != name) continue;
    std::string text;
    for (const Dim dim : *out.analysis.fact({static_cast<std::uint32_t>(t)}).shape.dims)
      text += (text.empty() ? "" : ",") + out.Text(dim);
    return text;
  }
  return "no such tensor";
}

FlatFields ConvOptions(int padding, int stride, int activation = 0, int dilation = 1) {
  return {{0, I8(padding)},    {1, I32(stride)},   {2, I32(stride)},
          {3, I8(activation)}, {4, I32(dilation)}, {5, I32(dilation)}};
}

// A convolution of 3 to 8 channels over 9 x 9 points, SAME, stride 2, with RELU6.
TfliteGraph ConvGraph(std::vector<std::int32_t> signature = {}) {
  return {{{"x", {1, 9, 9, 3}, 0, {}, std::move(signature)},
           {"w", {8, 3, 3, 3}, 0, std::string(8 * 27 * 4, '\0')},
           {"b", {8}, 0, std::string(32, '\0')},
           {"y", {1, 5, 5, 8}}},
          {0},
          {3},
          {{kConv, {0, 1, 2}, {3}, 1, ConvOptions(0, 2, 3)}}};
}

TEST(TfliteRead, ConvolutionOfChannelsLast) {
  const Analysed out = AnalyseGraphs({ConvGraph()});
  EXPECT_EQ(out.model.format, "tflite");
  EXPECT_EQ(out.model.producer, "made by a test");
  EXPECT_EQ(out.model.payloads.size(), 2U);
  EXPECT_EQ(out.totals().counts.macs, Dim(25 * 8 * 27));
  EXPECT_EQ(out.totals().counts.bias_adds, Dim(25 * 8));
  EXPECT_EQ(out.totals().counts.comparisons, Dim(2 * 25 * 8)) << "RELU6 limits on both sides";
  EXPECT_EQ(out.totals().parameters, Dim(8 * 27 + 8));
  EXPECT_TRUE(out.log.issues().empty());
}

TEST(TfliteRead, FreeBatchStaysASymbol) {
  TfliteGraph graph = ConvGraph({-1, 9, 9, 3});
  graph.tensors[3].signature = {-1, 5, 5, 8};
  Analysed out = AnalyseGraphs({graph});
  EXPECT_EQ(out.Text(out.totals().counts.macs), "x_d0*5400");
  EXPECT_EQ(ShapeOfTensor(out, "y"), "x_d0,5,5,8");
  Analysed bound = AnalyseGraphs({graph}, {.bindings = {{"x_d0", 4}}, .shapes = {}});
  EXPECT_EQ(bound.totals().counts.macs, Dim(21'600));
}

TEST(TfliteRead, StoredShapesAreChecked) {
  TfliteGraph graph = ConvGraph();
  graph.tensors[3].shape = {1, 4, 4, 8};
  const Analysed out = AnalyseGraphs({graph});
  ASSERT_EQ(out.log.issues().size(), 1U);
  EXPECT_EQ(out.log.issues()[0].code, "ops.shape-differs");
  EXPECT_EQ(ShapeOfTensor(out, "y"), "1,5,5,8");
}

TEST(TfliteRead, TransposedConvolutionIsCountedByItsInput) {
  const Analysed out = AnalyseGraphs(
      {{{{"shape", {4}, kInt32, Int32Bytes({1, 20, 20, 4})},
         {"w", {4, 4, 4, 8}, 0, std::string(4 * 16 * 8 * 4, '\0')},
         {"x", {1, 10, 10, 8}},
         {"y", {1, 20, 20, 4}}},
        {2},
        {3},
        {{kTransposeConv, {0, 1, 2}, {3}, 49, {{0, I8(0)}, {1, I32(2)}, {2, I32(2)}}}}}});
  EXPECT_EQ(out.totals().counts.macs, Dim(100 * 8 * 4 * 16));
  EXPECT_EQ(ShapeOfTensor(out, "y"), "1,20,20,4");
}

TEST(TfliteRead, FullyConnectedFlattensUnlessToldOtherwise) {
  const auto graph = [](bool keep) -> TfliteGraph {
    return {{{"x", {2, 3, 4}},
             {"w", {5, 4}, 0, std::string(80, '\0')},
             {"y", keep ? std::vector<std::int32_t>{2, 3, 5} : std::vector<std::int32_t>{6, 5}}},
            {0},
            {2},
            {{kFullyConnected, {0, 1, -1}, {2}, 8, {{2, I8(keep ? 1 : 0)}}}}};
  };
  for (const bool keep : {false, true}) {
    const Analysed out = AnalyseGraphs({graph(keep)});
    EXPECT_EQ(out.totals().counts.macs, Dim(6 * 5 * 4));
    EXPECT_EQ(ShapeOfTensor(out, "y"), keep ? "2,3,5" : "6,5");
    EXPECT_TRUE(out.log.issues().empty());
  }
}

// Shape -> batch -> Pack -> Reshape: how converters keep the batch free.
TEST(TfliteRead, ShapeArithmeticIsFollowed) {
  const Analysed out = AnalyseGraphs({{{{"x", {1, 4, 6}, 0, {}, {-1, 4, 6}},
                                        {"shape", {3}, kInt32},
                                        {"zero", {1}, kInt32, Int32Bytes({0})},
                                        {"one", {1}, kInt32, Int32Bytes({1})},
                                        {"batch", {}, kInt32},
                                        {"rest", {}, kInt32, Int32Bytes({24})},
                                        {"wanted", {2}, kInt32},
                                        {"y", {1, 24}, 0, {}, {-1, 24}}},
                                       {0},
                                       {7},
                                       {{kShape, {0}, {1}, 55, {{0, I8(kInt32)}}},
                                        {kStridedSlice, {1, 2, 3, 3}, {4}, 32, {{4, I32(1)}}},
                                        {kPack, {4, 5}, {6}, 59, {{0, I32(2)}, {1, I32(0)}}},
                                        {kReshape, {0, 6}, {7}}}}});
  EXPECT_EQ(ShapeOfTensor(out, "y"), "x_d0,24");
  EXPECT_TRUE(out.log.issues().empty());
}

TEST(TfliteRead, FusedActivationsOfArithmeticCount) {
  const Analysed out = AnalyseGraphs({{{{"a", {10}}, {"b", {10}}, {"y", {10}}},
                                       {0, 1},
                                       {2},
                                       {{kAdd, {0, 1}, {2}, 11, {{0, I8(1)}}}}}});
  EXPECT_EQ(out.totals().counts.elementwise, Dim(10));
  EXPECT_EQ(out.totals().counts.comparisons, Dim(10)) << "RELU behind the addition";
}

TEST(TfliteRead, CustomOperatorsKeepTheirNames) {
  const Analysed out = AnalyseGraphs(
      {{{{"a", {4}}, {"y", {2, 2}}, {"z", {2, 2}}},
        {0},
        {2},
        {{kCustom, {0}, {1}, 0, {}, "FlexErf"}, {kCustom, {1}, {2}, 0, {}, "my \"op\""}}}});
  EXPECT_EQ(out.model.text(out.model.nodes[0].op), "FlexErf");
  EXPECT_EQ(out.model.text(out.model.nodes[1].op), "my \"op\"");
  EXPECT_EQ(ShapeOfTensor(out, "y"), "2,2") << "unknown operators keep the stored shapes";
  EXPECT_FALSE(out.totals().complete);
}

TEST(TfliteRead, QuantisationIsKept) {
  TfliteGraph graph = ConvGraph();
  graph.tensors[0].quantisation = FlatTable({{2, FlatFloats({0.5F})}, {3, FlatLongs({-3})}});
  graph.tensors[1].quantisation = FlatTable({{2, FlatFloats(std::vector<float>(8, 0.25F))},
                                             {3, FlatLongs(std::vector<std::int64_t>(8))}});
  graph.tensors[2].quantisation =
      FlatTable({{4, I8(2)}, {5, FlatTable({{0, I32(1)}, {2, I32(32)}})}, {6, I32(1)}});
  const Analysed out = AnalyseGraphs({graph});
  const auto of = [&](std::size_t tensor) {
    return out.model.quantisations[out.model.tensors[tensor].quantisation.index()];
  };
  EXPECT_EQ(of(0).scale, 0.5F);
  EXPECT_EQ(of(0).zero_point, -3);
  EXPECT_FALSE(of(0).axis.has_value());
  EXPECT_EQ(of(1).scales, 8U);
  EXPECT_EQ(of(1).axis, 0);
  EXPECT_EQ(of(2).block, 32);
  EXPECT_EQ(of(2).axis, 1);
}

TEST(TfliteRead, BothBranchesOfAnIf) {
  const TfliteGraph main = {{{"c", {}, kBool}, {"x", {1, 4}}, {"y", {1, 8}}},
                            {0, 1},
                            {2},
                            {{kIf, {0, 1}, {2}, 92, {{0, I32(1)}, {1, I32(2)}}}}};
  const auto branch = [](int depth) -> TfliteGraph {
    TfliteGraph graph = {{{"bx", {1, 4}}, {"by", {1, 8}}}, {0}, {1}, {}};
    graph.tensors.push_back({"w", {8, 4}, 0, std::string(128, '\0')});
    graph.tensors.push_back({"t", {1, 8}});
    graph.tensors.push_back({"v", {8, 8}, 0, std::string(256, '\0')});
    if (depth == 1) {
      graph.ops = {{kFullyConnected, {0, 2, -1}, {1}, 8, {}}};
    } else {
      graph.ops = {{kFullyConnected, {0, 2, -1}, {3}, 8, {}},
                   {kFullyConnected, {3, 4, -1}, {1}, 8, {}}};
    }
    return graph;
  };
  const Analysed out = AnalyseGraphs({main, branch(1), branch(2)});
  EXPECT_EQ(out.totals().counts.macs, Dim(32 + 64)) << "the branch with more work counts";
  EXPECT_TRUE(out.log.issues().empty());
}

// i = 0; while (i < 5) { i += 1; x = x * x }
TEST(TfliteRead, WhileWithAKnownCounterIsFollowed) {
  const TfliteGraph main = {
      {{"i", {}, kInt32, Int32Bytes({0})}, {"x", {10}}, {"j", {}, kInt32}, {"y", {10}}},
      {1},
      {3},
      {{kWhile, {0, 1}, {2, 3}, 93, {{0, I32(1)}, {1, I32(2)}}}}};
  const TfliteGraph cond = {{{"ci", {}, kInt32},
                             {"cx", {10}},
                             {"limit", {}, kInt32, Int32Bytes({5})},
                             {"more", {}, kBool}},
                            {0, 1},
                            {3},
                            {{kLess, {0, 2}, {3}}}};
  const TfliteGraph body = {{{"bi", {}, kInt32},
                             {"bx", {10}},
                             {"one", {}, kInt32, Int32Bytes({1})},
                             {"ni", {}, kInt32},
                             {"nx", {10}}},
                            {0, 1},
                            {3, 4},
                            {{kAdd, {0, 2}, {3}, 11, {}}, {kMul, {1, 1}, {4}, 21, {}}}};
  const Analysed out = AnalyseGraphs({main, cond, body});
  EXPECT_EQ(ShapeOfTensor(out, "y"), "10");
  for (const Layer& layer : out.analysis.layers)
    if (out.model.text(out.model.node(layer.node).op) == "MUL") {
      EXPECT_EQ(layer.times, Dim(5));
    }
  EXPECT_TRUE(out.totals().complete);
}

TEST(TfliteRead, SubgraphsThatRunThemselvesEnd) {
  const TfliteGraph main = {
      {{"x", {4}}, {"y", {4}}}, {0}, {1}, {{kCall, {0}, {1}, 16, {{0, I32(1)}}}}};
  const TfliteGraph again = {
      {{"bx", {4}}, {"by", {4}}}, {0}, {1}, {{kCall, {0}, {1}, 16, {{0, I32(1)}}}}};
  const Analysed out = AnalyseGraphs({main, again});
  ASSERT_FALSE(out.log.issues().empty());
  EXPECT_EQ(out.log.issues()[0].code, "tflite.recursive");
  EXPECT_EQ(out.model.graphs.size(), 2U);
}

TEST(TfliteRead, VariableTensorsAreState) {
  // UNIDIRECTIONAL_SEQUENCE_RNN over 7 steps of a batch of 2: 5 inputs, 3 units.
  const Analysed out = AnalyseGraphs({{{{"x", {2, 7, 5}},
                                        {"w", {3, 5}, 0, std::string(60, '\0')},
                                        {"r", {3, 3}, 0, std::string(36, '\0')},
                                        {"b", {3}, 0, std::string(12, '\0')},
                                        {"state", {2, 3}, 0, {}, {}, true},
                                        {"y", {2, 7, 3}}},
                                       {0},
                                       {5},
                                       {{35, {0, 1, 2, 3, 4}, {5}, 31, {}}}}});
  EXPECT_EQ(out.totals().counts.macs, Dim(7 * 2 * 3 * (5 + 3)));
  EXPECT_EQ(ShapeOfTensor(out, "state"), "2,3");
  EXPECT_TRUE(out.totals().complete);
  EXPECT_EQ(out.totals().parameters, Dim(15 + 9 + 3));
}

TEST(TfliteRead, MeanConcatenationAndInt8) {
  const Analysed out = AnalyseGraphs({{{{"x", {1, 6, 6, 4}, kInt8},
                                        {"axes", {2}, kInt32, Int32Bytes({1, 2})},
                                        {"m", {1, 1, 1, 4}, kInt8},
                                        {"y", {1, 1, 1, 8}, kInt8}},
                                       {0},
                                       {3},
                                       {{kMean, {0, 1}, {2}, 27, {{0, I8(1)}}},
                                        {kConcatenation, {2, 2}, {3}, 10, {{0, I32(-1)}}}}}});
  EXPECT_EQ(ShapeOfTensor(out, "y"), "1,1,1,8");
  EXPECT_EQ(out.totals().counts.elementwise, Dim(36 * 4)) << "sums and a division each";
  EXPECT_EQ(out.Of("CONCATENATION").write_bytes, Dim(8));
}

}  // namespace
}  // namespace opscope
