// One network in several formats: which layers are the same, and what the others are part of.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "compare/compare.h"
#include "cost/totals.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/openvino_text.h"

namespace opscope {
namespace {

Analysed AnalyseNet(const std::string& lines) {
  return Analyse(Source::FromBytes("net.xml", testing::OpenVinoNet(lines).xml));
}

std::string LayerText(const Side& side, LayerId id) {
  return OpName(*side.model, side.node(id)) + " " +
         std::string(side.model->text(side.node(id).name));
}

// A layer of b a line, in file order, with its partner or what became of it, and what differs.
std::string Told(Analysed& a, Analysed& b) {
  const Side side_a{&a.model, &a.analysis}, side_b{&b.model, &b.analysis};
  const LayerComparison layers = CompareLayers(side_a, side_b);
  std::string out;
  const auto fate_text = [](const Fate& fate, const Side& other) -> std::string {
    if (fate.kind == Fate::Kind::kPart) return "part of " + LayerText(other, fate.layer);
    return fate.kind == Fate::Kind::kUnknown ? "unknown" : "elsewhere";
  };
  for (std::uint32_t i = 0; i < layers.matching.a_of.size(); ++i) {
    const LayerId partner = layers.matching.a_of[i];
    out += LayerText(side_b, {i}) + " = " +
           (partner.valid() ? LayerText(side_a, partner) : fate_text(layers.fates.of_b[i], side_a));
    for (const LayerChange& change : layers.changes)
      if (change.b == LayerId{i})
        for (const PropertyDelta& delta : change.deltas)
          out += " [" + std::string(delta.what) + "]";
    out += "\n";
  }
  for (std::uint32_t i = 0; i < layers.matching.b_of.size(); ++i)
    if (!layers.matching.b_of[i].valid())
      out += "- " + LayerText(side_a, {i}) + ": " + fate_text(layers.fates.of_a[i], side_b) + "\n";
  return out;
}

// A bias that is an input of one and a layer of the other; an activation under another name.
TEST(CompareFormats, AConvolutionAndItsParts) {
  Analysed onnx = AnalyseText(R"(
input x float32 [N,3,8,8]
init w float32 [4,3,3,3]
init b float32 [4]
node Conv (x, w, b) -> (c) name="conv1"
node LeakyRelu (c) -> (y) name="act"
output y float32 [?,?,?,?]
)");
  Analysed net = AnalyseNet(R"(Parameter x -> f32 [?,3,8,8]
Const w -> f32 [4,3,3,3]
Const b -> f32 [1,4,1,1]
Const slope -> f32 [1]
Convolution conv1/WithoutBiases (x, w) strides="1, 1" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0" auto_pad="explicit" -> f32 [?,4,6,6]
Add conv1 (conv1/WithoutBiases, b) -> f32 [?,4,6,6]
PReLU act (conv1, slope) -> f32 [?,4,6,6]
Result r (act)
)");
  EXPECT_EQ(Told(onnx, net),
            "openvino.Convolution conv1/WithoutBiases = Conv conv1\n"
            "openvino.Add conv1 = part of Conv conv1\n"
            "openvino.PReLU act = LeakyRelu act [op] [bytes] [parameters]\n");
}

// Parts of one product were taken into one layer, whose MACs are those of both.
TEST(CompareFormats, AttentionTakesInWhatMakesItsScores) {
  Analysed onnx = AnalyseText(R"(
input q float32 [1,2,5,8]
input k float32 [1,2,8,7]
input v float32 [1,2,7,8]
node MatMul (q, k) -> (s) name="scores"
node Softmax (s) -> (p) name="soft"
node MatMul (p, v) -> (y) name="attend"
output y float32 [?,?,?,?]
)");
  Analysed net = AnalyseNet(R"(Parameter q -> f32 [1,2,5,8]
Parameter k -> f32 [1,2,7,8]
Parameter v -> f32 [1,2,7,8]
ScaledDotProductAttention attend (q, k, v) causal="false" -> f32 [1,2,5,8]
Result r (attend)
)");
  EXPECT_EQ(Told(onnx, net),
            "openvino.ScaledDotProductAttention attend = MatMul attend [op]\n"
            "- MatMul scores: part of openvino.ScaledDotProductAttention attend\n"
            "- Softmax soft: part of openvino.ScaledDotProductAttention attend\n");
}

// Free sizes have other names in each format: those of one input are the same.
TEST(CompareFormats, FormulasOfOtherSymbolsAreCompared) {
  Analysed a = AnalyseText("input x float32 [N,T]\nnode Relu (x) -> (y)\noutput y float32 [?,?]");
  Analysed b =
      AnalyseText("input x float32 [?,time]\nnode Relu (x) -> (y)\noutput y float32 [?,?]");
  const SamplePoint point = SampleSymbols({&a.model, &a.analysis}, {&b.model, &b.analysis});
  ASSERT_EQ(point.a.size(), 2U);
  EXPECT_NE(point.a.at("N"), point.a.at("T"));
  EXPECT_EQ(point.a.at("T"), point.b.at("time"));
}

Analysed AnalyseFile(const std::string& name) {
  auto source = Source::OpenRaw(OPSCOPE_MODELS_DIR "/" + name);
  EXPECT_TRUE(source.has_value());
  return source.has_value() ? Analyse(std::move(*source)) : Analysed{};
}

struct Twins {
  const char *a, *b;
  std::size_t with_macs;
};

class RealTwins : public ::testing::TestWithParam<Twins> {};

// ./dev test fetches the models. Every layer with MACs has its partner, which has as many.
TEST_P(RealTwins, HaveTheSameMacsLayerByLayer) {
  const Twins twins = GetParam();
  for (const char* name : {twins.a, twins.b})
    if (!std::filesystem::exists(OPSCOPE_MODELS_DIR "/" + std::string(name)))
      GTEST_SKIP() << "no " << name << "; ./dev test fetches it";
  Analysed a = AnalyseFile(twins.a), b = AnalyseFile(twins.b);
  const Side side_a{&a.model, &a.analysis}, side_b{&b.model, &b.analysis};
  const LayerComparison layers = CompareLayers(side_a, side_b);
  const auto unmatched = [](const Side& side, const std::vector<LayerId>& partners) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < partners.size(); ++i)
      if (!partners[i].valid() && side.layer({i}).counts.macs != Dim(0)) ++count;
    return count;
  };
  EXPECT_EQ(unmatched(side_a, layers.matching.b_of), 0U);
  EXPECT_EQ(unmatched(side_b, layers.matching.a_of), 0U);
  std::size_t with_macs = 0;
  for (const Layer& layer : b.analysis.layers)
    if (layer.counts.macs != Dim(0)) ++with_macs;
  EXPECT_EQ(with_macs, twins.with_macs);
  for (const LayerChange& change : layers.changes)
    for (const PropertyDelta& delta : change.deltas)
      EXPECT_NE(delta.what, "macs") << LayerText(side_b, change.b);
}

INSTANTIATE_TEST_SUITE_P(Fetched, RealTwins,
                         ::testing::Values(Twins{"openwakeword/embedding_model.onnx",
                                                 "openwakeword/embedding_model.tflite", 20},
                                           Twins{"openwakeword/melspectrogram.onnx",
                                                 "openwakeword/melspectrogram.tflite", 3},
                                           Twins{"basic-pitch/nmp.onnx", "basic-pitch/nmp.tflite",
                                                 32}),
                         [](const auto& pair) { return "Pair" + std::to_string(pair.index); });

}  // namespace
}  // namespace opscope
