// TensorRT layer lists as text, and the costs that follow from them.
// labels: fast samples
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"

namespace opscope {
namespace {

struct Listed {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;

  const Layer& Of(std::string_view name) const {
    for (const Layer& layer : analysis.layers)
      if (model.text(model.node(layer.node).name) == name) return layer;
    ADD_FAILURE() << "no layer " << name;
    return analysis.layers.front();
  }
  std::string Op(std::string_view name) const { return std::string(model.text(NodeOf(name).op)); }
  const Node& NodeOf(std::string_view name) const { return model.node(Of(name).node); }
  // "key=value" of every entry, in order.
  std::string Metadata(std::string_view name) const {
    std::string out;
    for (const auto& [key, value] : NodeOf(name).metadata)
      out += (out.empty() ? "" : "; ") + std::string(model.text(key)) + "=" +
             std::string(model.text(value));
    return out;
  }
  bool Logged(std::string_view code) const {
    for (const ImportIssue& issue : log.issues())
      if (issue.code == code) return true;
    return false;
  }
};

Listed ReadList(std::string json) {
  Source source = Source::FromBytes("engine.json", std::move(json));
  Listed out;
  auto model = ReadModel({source, out.log, {}});
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  EXPECT_EQ(model->format, "tensorrt");
  out.model = std::move(*model);
  auto analysis = AnalyzeStatic(out.model, {}, out.log);
  EXPECT_TRUE(analysis.has_value());
  out.analysis = std::move(*analysis);
  return out;
}

std::string Tensor(const char* name, const char* dims, const char* format = "Half") {
  return std::string("{\"Name\":\"") + name + "\",\"Location\":\"Device\",\"Dimensions\":" + dims +
         ",\"Format/Datatype\":\"" + format + "\"}";
}

std::string LayerText(const char* name, const char* type, const std::string& inputs,
                      const std::string& outputs, const std::string& more = "") {
  return std::string("{\"Name\":\"") + name + "\",\"LayerType\":\"" + type + "\",\"Inputs\":[" +
         inputs + "],\"Outputs\":[" + outputs + "]" + (more.empty() ? "" : ",") + more + "}";
}

std::string List(const std::string& layers, const char* bindings) {
  return "{\"Layers\":[" + layers + "],\n\"Bindings\":" + bindings + "}";
}

const char kConv[] =
    "\"ParameterType\":\"Convolution\",\"Kernel\":[3,3],\"PrePadding\":[1,1],\"PostPadding\":[1,1],"
    "\"Stride\":[2,2],\"Dilation\":[1,1],\"OutMaps\":32,\"Groups\":1,"
    "\"Weights\":{\"Type\":\"Int8\",\"Count\":864},\"Bias\":{\"Type\":\"Float\",\"Count\":32},"
    "\"Activation\":\"RELU\",\"TacticName\":\"sm75_x\",\"TacticValue\":\"0x10\","
    "\"Metadata\":\"[ONNX Layer: Conv_12]\\u001e[ONNX Layer: Clip_16]\"";

TEST(TensorRtList, Convolution) {
  const Listed list = ReadList(List(
      LayerText("Conv_12 + PWN(Clip_16)", "CaskConvolution",
                Tensor("x", "[1,3,224,224]", "Four wide channel vectorized row major Int8 format"),
                Tensor("y", "[1,32,112,112]", "Channel major FP16 format where C % 16 == 0"),
                kConv),
      "[\"x\",\"y\"]"));
  const Layer& conv = list.Of("Conv_12 + PWN(Clip_16)");
  EXPECT_EQ(list.Op("Conv_12 + PWN(Clip_16)"), "Convolution");
  EXPECT_EQ(conv.counts.macs, Dim(112 * 112 * 32 * 27));
  EXPECT_EQ(conv.counts.bias_adds, Dim(112 * 112 * 32));
  EXPECT_EQ(conv.counts.comparisons, Dim(112 * 112 * 32));  // the Relu behind
  EXPECT_EQ(conv.parameters, Dim(864 + 32));
  EXPECT_EQ(conv.weight_bytes, Dim(864 + 4 * 32));
  EXPECT_EQ(conv.mac_activation, DType::kInt8);
  EXPECT_EQ(conv.mac_weight, DType::kInt8);
  EXPECT_EQ(conv.write_bytes, Dim(112 * 112 * 32 * 2));
  EXPECT_EQ(list.Metadata("Conv_12 + PWN(Clip_16)"),
            "layer type=CaskConvolution; tactic=sm75_x; "
            "format of x=Four wide channel vectorized row major Int8 format; "
            "format of y=Channel major FP16 format where C % 16 == 0; "
            "onnx layer=Conv_12; onnx layer=Clip_16; part=Conv_12; part=Clip_16");
  EXPECT_TRUE(list.analysis.totals.complete);
  EXPECT_TRUE(list.log.issues().empty());
}

// The output is that of the pooling: the convolution before it has 112 x 112 places.
TEST(TensorRtList, ConvolutionThatPools) {
  const Listed list = ReadList(List(
      LayerText("c", "ConvActPool", Tensor("x", "[1,3,224,224]"), Tensor("y", "[1,64,56,56]"),
                "\"ParameterType\":\"ConvActPool\",\"ConvKernel\":[7,7],\"ConvPrePadding\":[3,3],"
                "\"ConvPostPadding\":[3,3],\"ConvStride\":[2,2],\"ConvDilation\":[1,1],"
                "\"ConvOutMaps\":64,\"ConvGroups\":1,\"ConvWeights\":{\"Type\":\"Half\","
                "\"Count\":9408}"),
      "[\"x\",\"y\"]"));
  EXPECT_EQ(list.Of("c").counts.macs, Dim(118013952));  // the first layer of ResNet
  EXPECT_EQ(list.Of("c").parameters, Dim(9408));
}

TEST(TensorRtList, Products) {
  const std::string layers =
      LayerText("gemm_myl0_1", "gemm", Tensor("a", "[8,16,32]") + "," + Tensor("b", "[8,32,64]"),
                Tensor("c", "[8,16,64]")) +
      "," +
      LayerText("turned_myl0_2", "gemm", Tensor("c", "[8,16,64]") + "," + Tensor("d", "[8,10,64]"),
                Tensor("e", "[8,16,10]")) +
      "," + LayerText("open_myl0_3", "gemm", Tensor("e", "[8,16,10]"), Tensor("f", "[8,16,4]")) +
      "," +
      LayerText("fc", "CublasFullyConnected", Tensor("g", "[2,512,1,1]"),
                Tensor("h", "[2,1000,1,1]"),
                "\"ParameterType\":\"FullyConnected\",\"Weights\":{\"Type\":\"Half\","
                "\"Count\":512000}");
  const Listed list = ReadList(List(layers, "[\"a\",\"b\",\"d\",\"g\",\"f\",\"h\"]"));
  EXPECT_EQ(list.Of("gemm_myl0_1").counts.macs, Dim(8 * 16 * 32 * 64));
  EXPECT_EQ(list.Of("turned_myl0_2").counts.macs, Dim(8 * 16 * 10 * 64));
  EXPECT_EQ(list.Of("fc").counts.macs, Dim(2 * 512000));
  EXPECT_EQ(list.Of("open_myl0_3").status, LayerStatus::kUnknown);
  EXPECT_EQ(list.Of("open_myl0_3").because, "the second operand of the product is not in the file");
}

TEST(TensorRtList, MovesViewsAndRegions) {
  const std::string layers =
      LayerText("Reformatting CopyNode for Input Tensor 0 to p", "Reformat",
                Tensor("x", "[1,8,4,4]"), Tensor("r", "[1,8,4,4]", "Int8"),
                "\"ParameterType\":\"Reformat\",\"Origin\":\"REFORMAT\"") +
      "," +
      LayerText("p", "TiledPooling", Tensor("r", "[1,8,4,4]", "Int8"),
                Tensor("q", "[1,8,2,2]", "Int8"),
                "\"ParameterType\":\"Pooling\",\"PoolingType\":\"MAX\",\"WindowSize\":[2,2]") +
      "," +
      LayerText("n", "NoOp", Tensor("q", "[1,8,2,2]", "Int8"), Tensor("v", "[1,32]", "Int8")) +
      "," +
      LayerText("{ForeignNode[a...b]}", "Myelin", Tensor("v", "[1,32]", "Int8"),
                Tensor("z", "[1,10]")) +
      "," +
      LayerText("__myl_MulSum_myl4_1", "kgen", Tensor("z", "[1,10]"), Tensor("w", "[1,10]"),
                "\"Metadata\":\"[ONNX Layer: /a]\\u001f[ONNX Layer: /b]\"");
  const Listed list = ReadList(List(layers, "[\"x\",\"w\"]"));
  EXPECT_EQ(list.Of("Reformatting CopyNode for Input Tensor 0 to p").read_bytes, Dim(256));
  EXPECT_EQ(list.Of("Reformatting CopyNode for Input Tensor 0 to p").write_bytes, Dim(128));
  EXPECT_EQ(list.Of("p").counts.comparisons, Dim(32 * 3));
  EXPECT_EQ(list.Of("n").status, LayerStatus::kView);
  EXPECT_EQ(list.Op("{ForeignNode[a...b]}"), "ForeignNode");
  EXPECT_EQ(list.Metadata("{ForeignNode[a...b]}"),
            "layer type=Myelin; format of v=Int8; format of z=Half; end of region=a; "
            "end of region=b");
  EXPECT_NE(list.Of("{ForeignNode[a...b]}").because.find("region compiled as a whole"),
            std::string::npos);
  EXPECT_NE(list.Metadata("__myl_MulSum_myl4_1").find("onnx layer=/a; onnx layer=/b"),
            std::string::npos);
  EXPECT_FALSE(list.analysis.totals.complete);
  EXPECT_EQ(list.model.main().outputs.size(), 1U);
}

TEST(TensorRtList, NamesAloneSayWhatTheyLack) {
  const Listed list = ReadList(
      "{\"Layers\": [\"Conv_1 + Relu_2\",\n\"Reformatting CopyNode for Input Tensor 0 to Conv_3\","
      "\"{ForeignNode[a...b]}\"],\n\"Bindings\": [\"x\", \"y\"]}");
  ASSERT_EQ(list.analysis.layers.size(), 3U);
  EXPECT_TRUE(list.Logged("tensorrt.names-only"));
  EXPECT_EQ(list.Of("Conv_1 + Relu_2").because, "the file holds the layer's name only");
  EXPECT_EQ(list.Metadata("Conv_1 + Relu_2"), "part=Conv_1; part=Relu_2");
  EXPECT_EQ(list.Op("{ForeignNode[a...b]}"), "ForeignNode");
  EXPECT_FALSE(list.analysis.totals.complete);
}

TEST(TensorRtList, Version11) {
  const Listed list = ReadList(
      "{\"Layers\":[{\"Name\":\"m\",\"LayerType\":\"gemm\",\"Inputs\":[{\"Name\":\"a\","
      "\"Dimensions\":[-1,4,8],\"Format\":\"linear\",\"Datatype\":\"BF16\"},{\"Name\":\"b\","
      "\"Dimensions\":[8,2],\"Datatype\":\"BF16\"}],\"Outputs\":[{\"Name\":\"c\","
      "\"Dimensions\":[-1,4,2],\"Datatype\":\"BF16\"}]},{\"Name\":\"s\",\"LayerType\":\"signal\","
      "\"Inputs\":[],\"Outputs\":[]}],\"I/O Tensors\":[{\"Name\":\"a\",\"IOMode\":\"Input\","
      "\"DataType\":\"BFloat16\",\"Dimensions\":[-1,4,8],\"Location\":\"Device\",\"ProfileInfo\":"
      "[{\"MinShape\":[1,4,8],\"OptShape\":[2,4,8],\"MaxShape\":[4,4,8],\"Format\":\"x\"}]},"
      "{\"Name\":\"c\",\"IOMode\":\"Output\",\"DataType\":\"BFloat16\",\"Dimensions\":[-1,4,2]}]}");
  EXPECT_EQ(list.model.dims.ToText(list.Of("m").counts.macs), "batch*64");
  EXPECT_EQ(list.Of("m").mac_activation, DType::kBFloat16);
  EXPECT_TRUE(list.Logged("tensorrt.dynamic"));
  ASSERT_EQ(list.model.main().inputs.size(), 1U);
  ASSERT_EQ(list.model.main().outputs.size(), 1U);
}

TEST(TensorRtList, FurtherProfilesAreLeftOut) {
  const std::string one = LayerText("c", "NoOp", Tensor("x", "[1]"), Tensor("y", "[1]")) + "," +
                          LayerText("c [profile 1]", "NoOp", Tensor("x [profile 1]", "[2]"),
                                    Tensor("y [profile 1]", "[2]"));
  const Listed list = ReadList(List(one, "[\"x\",\"y\",\"x [profile 1]\",\"y [profile 1]\"]"));
  EXPECT_EQ(list.analysis.layers.size(), 1U);
  EXPECT_TRUE(list.Logged("tensorrt.profiles"));
  EXPECT_EQ(list.model.main().inputs.size(), 1U);
}

// A name that is written twice, one that is read before it is written, one that feeds itself.
TEST(TensorRtList, LoopsOfNames) {
  const std::string layers = LayerText("a", "kgen", Tensor("s", "[4]"), Tensor("t", "[4]")) + "," +
                             LayerText("b", "kgen", Tensor("t", "[4]"), Tensor("s", "[4]")) + "," +
                             LayerText("c", "kgen", Tensor("t", "[4]"), Tensor("t", "[4]"));
  const Listed list = ReadList(List(layers, "[\"x\"]"));
  EXPECT_EQ(list.analysis.layers.size(), 3U);
}

TEST(TensorRtList, BareListAndDamage) {
  const std::string layer = LayerText("a", "NoOp", Tensor("x", "[1]"), Tensor("y", "[1]"));
  EXPECT_EQ(ReadList("[\n" + layer + ",\n" + layer + "]").analysis.layers.size(), 2U);
  const Listed cut = ReadList("{\"Layers\": [" + layer + "," + layer.substr(0, 30));
  EXPECT_EQ(cut.analysis.layers.size(), 1U);
  EXPECT_TRUE(cut.Logged("tensorrt.cut"));
}

TEST(TensorRtList, CutAtEveryByte) {
  const std::string whole =
      List(LayerText("Conv_12", "CaskConvolution", Tensor("x", "[1,3,224,224]"),
                     Tensor("y", "[1,32,112,112]"), kConv),
           "[\"x\",\"y\"]");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Source source = Source::FromBytes("engine.json", whole.substr(0, length));
    ImportLog log;
    auto model = ReadModel({source, log, {}}, "tensorrt");
    if (!model.has_value()) {
      EXPECT_EQ(model.error().code.rfind("tensorrt.", 0), 0U) << model.error().code;
      continue;
    }
    EXPECT_FALSE(log.issues().empty()) << length;
  }
}

// MobileNet v2 of torchvision, quantised: its convolutions and its classifier are all there.
TEST(TensorRtSamples, MobileNet) {
  const std::filesystem::path file =
      OPSCOPE_SAMPLES_DIR "/tensorrt/mobilenet.qat.onnx.engine.graph.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const Listed list = ReadList(text.str());
  EXPECT_EQ(list.analysis.layers.size(), 73U);
  EXPECT_EQ(list.analysis.totals.counts.macs, Dim(300774272));
  EXPECT_EQ(list.analysis.totals.parameters, Dim(3487816));
  EXPECT_TRUE(list.analysis.totals.complete);
  EXPECT_TRUE(list.log.issues().empty());
}

}  // namespace
}  // namespace opscope
