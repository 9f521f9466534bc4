// OpenVINO networks as text, and the costs that follow from them.
// labels: fast
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/openvino_text.h"

namespace opscope {
namespace {

using namespace testing;  // NOLINT

struct Analysed {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;

  std::string Macs() const { return model.dims.ToText(analysis.totals.counts.macs); }
  std::string ShapeOf(std::string_view tensor) const {
    for (std::size_t i = 0; i < model.tensors.size(); ++i) {
      if (model.text(model.tensors[i].name) != tensor) continue;
      const Shape& shape = analysis.propagation.facts[i].shape;
      if (!shape.known_rank()) return "?";
      std::string out;
      for (const Dim dim : *shape.dims) out += (out.empty() ? "" : ",") + model.dims.ToText(dim);
      return out;
    }
    return "no such tensor";
  }
  std::string Logged() const {
    std::string out;
    for (const ImportIssue& issue : log.issues())
      out += issue.code + " " + issue.where + ": " + issue.message + "\n";
    return out;
  }
};

Analysed AnalyseFiles(OpenVinoFiles files, bool with_weights = true,
                      const PropagateOptions& options = {}) {
  Source source = Source::FromBytes("net.xml", std::move(files.xml));
  Analysed out;
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    EXPECT_EQ(name, "net.bin");
    if (!with_weights) return Error{"input.missing", "no such file", name};
    return Source::FromBytes(name, files.bin);
  };
  auto model = ReadModel({source, out.log, sibling});
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  EXPECT_EQ(model->format, "openvino");
  out.model = std::move(*model);
  auto analysis = AnalyzeStatic(out.model, options, out.log);
  if (!analysis.has_value()) {
    ADD_FAILURE() << analysis.error().ToString();
    return out;
  }
  out.analysis = std::move(*analysis);
  return out;
}

// The declared shapes are left out of account: '?' stands for every dim that is to be computed.
TEST(OpenVino, ConvolutionsWithAndWithoutGroups) {
  const Analysed net = AnalyseFiles(OpenVinoNet(R"(
Parameter x -> f32 [1,8,9,9]
Const w -> f32 [16,8,3,3]
Convolution c (x, w) strides="2, 2" dilations="1, 1" pads_begin="1, 1" pads_end="0, 0" auto_pad="explicit" -> f32 [?,?,?,?]
Const g -> f32 [4,6,4,3,3]
GroupConvolution d (c, g) strides="1, 1" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0" auto_pad="same_upper" -> f32 [?,?,?,?]
Const t -> f32 [24,2,2,2]
ConvolutionBackpropData u (d, t) strides="2, 2" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0" auto_pad="explicit" output_padding="0, 0" -> f32 [?,?,?,?]
Result r (u)
)"));
  EXPECT_EQ(net.ShapeOf("c"), "1,16,4,4");
  EXPECT_EQ(net.ShapeOf("d"), "1,24,4,4");
  EXPECT_EQ(net.ShapeOf("u"), "1,2,8,8");
  // 16*16*72, 24*16*4*9, 24*16*2*4
  EXPECT_EQ(net.Macs(), std::to_string(18432 + 13824 + 3072));
  EXPECT_EQ(net.model.dims.ToText(net.analysis.totals.parameters),
            std::to_string(1152 + 864 + 192));
  EXPECT_EQ(net.Logged(), "");
}

TEST(OpenVino, FactorsMayBeTransposed) {
  const Analysed net = AnalyseFiles(OpenVinoNet(R"(
Parameter x -> f32 [?,32,5]
Const w -> f32 [7,32]
MatMul m (x, w) transpose_a="true" transpose_b="true" -> f32 [?,?,?]
Result r (m)
)"));
  EXPECT_EQ(net.ShapeOf("m"), "x_d0,5,7");
  EXPECT_EQ(net.Macs(), "x_d0*1120");
}

TEST(OpenVino, FreeDimsAreBound) {
  const OpenVinoFiles files = OpenVinoNet(R"(
Parameter x -> f32 [1..10,16]
Const w -> f32 [16,4]
MatMul m (x, w) -> f32 [?,?]
Result r (m)
)");
  EXPECT_EQ(AnalyseFiles(files).Macs(), "x_d0*64");
  PropagateOptions bound;
  bound.bindings["x_d0"] = 3;
  EXPECT_EQ(AnalyseFiles(files, true, bound).Macs(), "192");
  PropagateOptions shaped;
  shaped.shapes["x"] = {5, 16};
  EXPECT_EQ(AnalyseFiles(files, true, shaped).Macs(), "320");
}

TEST(OpenVino, ShapesThatHangOnSmallConstants) {
  const OpenVinoFiles files = OpenVinoNet(R"(
Parameter x -> f32 [2,6,4]
Const s -> i64 [2] 0 -1
Reshape a (x, s) special_zero="true" -> f32 [?,?]
Const b -> i64 [3] 0 1 0
Const e -> i64 [3] 0 5 2
Const o -> i64 [3] 1 2 1
StridedSlice c (x, b, e, o) begin_mask="1, 0, 0" end_mask="1, 0, 0" new_axis_mask="" shrink_axis_mask="0, 0, 1" ellipsis_mask="" -> f32 [?,?]
Const p -> i64 [3] 2 0 1
Transpose d (x, p) -> f32 [?,?,?]
Const axis -> i64 [1] 1
ReduceMean f (x, axis) keep_dims="true" -> f32 [?,?,?]
Result r (a)
)");
  const Analysed net = AnalyseFiles(files);
  EXPECT_EQ(net.ShapeOf("a"), "2,24");
  EXPECT_EQ(net.ShapeOf("c"), "2,2");
  EXPECT_EQ(net.ShapeOf("d"), "4,2,6");
  EXPECT_EQ(net.ShapeOf("f"), "2,1,4");
  EXPECT_EQ(net.Logged(), "");
}

TEST(OpenVino, WithoutWeightsTheDeclaredShapesStand) {
  const OpenVinoFiles files = OpenVinoNet(R"(
Parameter x -> f32 [2,6,4]
Const s -> i64 [2] 0 -1
Reshape a (x, s) special_zero="true" -> f32 [2,24]
Const w -> f32 [24,3]
MatMul m (a, w) -> f32 [2,3]
Result r (m)
)");
  const Analysed net = AnalyseFiles(files, false);
  EXPECT_EQ(net.ShapeOf("a"), "2,24");
  EXPECT_EQ(net.Macs(), "144");
  EXPECT_NE(net.Logged().find("openvino.weights-missing net.bin"), std::string::npos)
      << net.Logged();
}

TEST(OpenVino, PackedWeightsAreParametersOfTheProduct) {
  const Analysed net = AnalyseFiles(OpenVinoNet(R"(
Parameter x -> f32 [1,64]
Const w -> u4 [32,64]
Convert a (w) destination_type="f16" -> f16 [32,64]
Const z -> u4 [32,2]
Const scale -> f16 [32,1]
Multiply b (a, scale) auto_broadcast="numpy" -> f16 [32,64]
Convert c (b) destination_type="f32" -> f32 [32,64]
MatMul m (x, c) transpose_b="true" -> f32 [1,32]
Result r (m)
)"));
  EXPECT_EQ(net.Macs(), "2048");
  EXPECT_EQ(net.model.dims.ToText(net.analysis.totals.parameter_bytes), std::to_string(1024 + 64));
}

TEST(OpenVino, ADifferenceToTheStoredShapeIsSaid) {
  const Analysed net = AnalyseFiles(OpenVinoNet(R"(
Parameter x -> f32 [2,6]
ReLU a (x) -> f32 [2,7]
Result r (a)
)"));
  EXPECT_NE(net.Logged().find("ops.shape-differs"), std::string::npos) << net.Logged();
}

std::string ErrorOf(std::string xml) {
  Source source = Source::FromBytes("net.xml", std::move(xml));
  ImportLog log;
  auto model = ReadModel({source, log, {}});
  return model.has_value() ? "read" : model.error().code + ": " + model.error().message;
}

TEST(OpenVino, OtherVersionsAreNamed) {
  EXPECT_NE(ErrorOf(OpenVinoNet("Parameter x -> f32 [1]", 7).xml).find("openvino.old-version"),
            std::string::npos);
  EXPECT_NE(ErrorOf(OpenVinoNet("Parameter x -> f32 [1]", 12).xml).find("openvino.new-version"),
            std::string::npos);
  EXPECT_EQ(ErrorOf(OpenVinoNet("Parameter x -> f32 [1]", 10).xml), "read");
}

// What a compiled model writes: kinds of the plug-in, no versions, what a run said.
TEST(OpenVino, ExecutionGraphs) {
  const Analysed net = AnalyseFiles({R"(<?xml version="1.0"?>
<net name="n" version="11"><layers>
<layer id="0" name="x" type="Input"><data shape="1,3,8,8" element_type="f32" execTimeMcs="not_executed"/>
 <output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>8</dim><dim>8</dim></port></output></layer>
<layer id="1" name="w" type="Const"><data execTimeMcs="not_executed"/>
 <output><port id="0" precision="FP32"><dim>4</dim><dim>3</dim><dim>3</dim><dim>3</dim></port></output></layer>
<layer id="2" name="c" type="Convolution"><data execTimeMcs="427" originalLayersNames="conv,relu" primitiveType="brgconv_avx2"/>
 <input><port id="0"/><port id="1"/></input>
 <output><port id="2" precision="BF16"><dim>1</dim><dim>4</dim><dim>6</dim><dim>6</dim></port></output></layer>
<layer id="3" name="y" type="Output"><data execTimeMcs="1"/><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges></net>)",
                                     ""});
  EXPECT_EQ(net.Macs(), "3888");
  ASSERT_EQ(net.model.nodes.size(), 1U);
  std::string notes;
  for (const auto& [key, value] : net.model.nodes[0].metadata)
    notes += std::string(net.model.text(key)) + "=" + std::string(net.model.text(value)) + ";";
  EXPECT_EQ(notes, "execTimeMcs=427;originalLayersNames=conv,relu;primitiveType=brgconv_avx2;");
  EXPECT_EQ(net.Logged(), "");
}

}  // namespace
}  // namespace opscope
