// Whole architectures, written out layer by layer: MACs and parameters known exactly (cost
// conventions, 5). The parameters equal torchvision's `num_params` and those of the model cards.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/architectures.h"
#include "support/cost_text.h"
#include "support/model_writer.h"

namespace opscope {
namespace {

struct Architecture {
  std::string name;
  std::string (*text)();
  Bindings bindings;
  std::int64_t macs, parameters;
};

constexpr LlamaShape kLlama2 = {32, 4'096, 11'008, 32, 32, 32'000};
constexpr LlamaShape kLlama3 = {32, 4'096, 14'336, 32, 8, 128'256};

const Architecture kArchitectures[] = {
    {"alexnet", [] { return AlexNet(); }, {}, 714'188'480, 61'100'840},
    {"vgg11", [] { return Vgg(11); }, {}, 7'609'090'048, 132'863'336},
    {"vgg13", [] { return Vgg(13); }, {}, 11'308'466'176, 133'047'848},
    {"vgg16", [] { return Vgg(16); }, {}, 15'470'264'320, 138'357'544},
    {"vgg16_bn", [] { return Vgg(16, true); }, {}, 15'470'264'320, 138'365'992},
    {"vgg19", [] { return Vgg(19); }, {}, 19'632'062'464, 143'667'240},
    {"resnet18", [] { return ResNet(18); }, {}, 1'814'073'344, 11'689'512},
    {"resnet34", [] { return ResNet(34); }, {}, 3'663'761'408, 21'797'672},
    {"resnet50", [] { return ResNet(50); }, {}, 4'089'184'256, 25'557'032},
    {"resnet101", [] { return ResNet(101); }, {}, 7'801'405'440, 44'549'160},
    {"resnet152", [] { return ResNet(152); }, {}, 11'513'626'624, 60'192'808},
    {"resnext50_32x4d",
     [] {
       return ResNet({{3, 4, 6, 3}, true, 32, 4});
     },
     {},
     4'230'479'872,
     25'028'904},
    {"resnext101_32x8d",
     [] {
       return ResNet({{3, 4, 23, 3}, true, 32, 8});
     },
     {},
     16'414'015'488,
     88'791'336},
    {"wide_resnet50_2",
     [] {
       return ResNet({{3, 4, 6, 3}, true, 1, 128});
     },
     {},
     11'398'021'120,
     68'883'240},
    {"wide_resnet101_2",
     [] {
       return ResNet({{3, 4, 23, 3}, true, 1, 128});
     },
     {},
     22'753'050'624,
     126'886'696},
    {"squeezenet1_0", [] { return SqueezeNet(false); }, {}, 818'924'576, 1'248'424},
    {"squeezenet1_1", [] { return SqueezeNet(true); }, {}, 349'151'936, 1'235'496},
    {"densenet169", [] { return DenseNet(169); }, {}, 3'359'843'328, 14'149'480},
    {"densenet201", [] { return DenseNet(201); }, {}, 4'291'365'888, 20'013'928},
    {"densenet161", [] { return DenseNet(161); }, {}, 7'727'907'072, 28'681'000},
    {"mobilenet_v2", [] { return MobileNetV2(); }, {}, 300'774'272, 3'504'872},
    {"vit_b_16",
     [] {
       return Vit({16, 12, 768, 12});
     },
     {},
     17'563'828'224,
     86'567'656},
    {"vit_b_32",
     [] {
       return Vit({32, 12, 768, 12});
     },
     {},
     4'409'186'304,
     88'224'232},
    {"vit_l_16",
     [] {
       return Vit({16, 24, 1'024, 16});
     },
     {},
     61'554'712'576,
     304'326'632},
    {"vit_l_32",
     [] {
       return Vit({32, 24, 1'024, 16});
     },
     {},
     15'377'539'072,
     306'535'400},
    {"deit_small",
     [] {
       return Vit({16, 12, 384, 6});
     },
     {},
     4'598'882'304,
     22'050'664},
    {"bert_base_128", [] { return Bert(12, 768, 12); }, {{"T", 128}}, 11'174'215'680, 109'482'240},
    {"bert_base_256", [] { return Bert(12, 768, 12); }, {{"T", 256}}, 22'951'821'312, 109'482'240},
    {"bert_base_384", [] { return Bert(12, 768, 12); }, {{"T", 384}}, 35'333'406'720, 109'482'240},
    {"bert_base_512", [] { return Bert(12, 768, 12); }, {{"T", 512}}, 48'318'971'904, 109'482'240},
    {"bert_large_128",
     [] { return Bert(24, 1'024, 16); },
     {{"T", 128}},
     39'461'060'608,
     335'141'888},
    {"gpt2_8", [] { return Gpt2(false); }, {{"T", 8}}, 680'656'896, 124'439'808},
    {"gpt2_8_head", [] { return Gpt2(true); }, {{"T", 8}}, 989'435'904, 124'439'808},
    {"gpt2_1024", [] { return Gpt2(false); }, {{"T", 1'024}}, 106'300'440'576, 124'439'808},
    {"gpt2_1024_head", [] { return Gpt2(true); }, {{"T", 1'024}}, 145'824'153'600, 124'439'808},
    {"distilbert_sst2", [] { return DistilBert(); }, {{"T", 64}}, 2'756'249'088, 66'955'010},
    {"llama2_7b", [] { return Llama(kLlama2); }, {{"T", 128}}, 850'000'871'424, 6'738'415'616},
    {"llama2_7b_decode",
     [] { return Llama(kLlama2, true); },
     {{"T", 1}, {"P", 1'023}},
     6'875'512'832,
     6'738'415'616},
    {"llama3_8b", [] { return Llama(kLlama3); }, {{"T", 1'024}}, 7'959'648'141'312, 8'030'261'248},
    {"llama3_70b",
     [] {
       return Llama({80, 8'192, 28'672, 64, 8, 128'256});
     },
     {{"T", 1'024}},
     72'544'145'113'088,
     70'553'706'496},
    {"phi3_mini",
     [] {
       return Llama({32, 3'072, 8'192, 32, 32, 32'064});
     },
     {{"T", 1'024}},
     4'017'874'796'544,
     3'821'079'552},
};

class Architectures : public testing::TestWithParam<Architecture> {};

TEST_P(Architectures, GiveTheExactNumbers) {
  const Architecture& expected = GetParam();
  const Analysed out = AnalyseText(expected.text(), {expected.bindings, {}});
  EXPECT_TRUE(out.totals().complete);
  EXPECT_EQ(out.totals().counts.macs, Dim(expected.macs));
  EXPECT_EQ(out.totals().parameters, Dim(expected.parameters));
}

INSTANTIATE_TEST_SUITE_P(All, Architectures, testing::ValuesIn(kArchitectures),
                         [](const auto& test) { return test.param.name; });

TEST(ArchitectureFormulas, BertInTheSequenceLength) {
  Analysed out = AnalyseText(Bert(12, 768, 12));
  EXPECT_TRUE(out.totals().complete);
  // 12 layers of 12*768^2 a token and 2*768 a pair of tokens; the pooler once.
  EXPECT_EQ(out.Text(out.totals().counts.macs), "T*T*18432 + T*84934656 + 589824");
}

// Keys and values of all layers, two bytes an element.
TEST(ArchitectureFormulas, KvCacheBytesPerToken) {
  const std::pair<LlamaShape, std::int64_t> known[] = {{kLlama2, 524'288}, {kLlama3, 131'072}};
  for (const auto& [shape, bytes] : known) {
    Analysed out = AnalyseText(Llama(shape, true), {{{"T", 1}, {"P", 1'023}}, {}});
    std::int64_t elements = 0;
    for (const TensorId id : out.model.main().outputs) {
      const Dim size = Elements(out.model.dims, out.analysis.fact(id).shape);
      if (id != out.model.main().outputs.back()) elements += size.number();
    }
    EXPECT_EQ(elements * 2, bytes * 1'024);
  }
}

TEST(ArchitectureParts, OneEncoderLayer) {
  ModelWriter w;
  w.Input("x", "float32 [1,20,64]");
  std::string at = w.LayerNorm(w.Sum(w.SelfAttention("x", 64, 4), "x"), 64);
  at = w.LayerNorm(w.Sum(w.FeedForward(at, 64, 128), at), 64);
  const Analysed out = AnalyseText(w.Finish(at));
  EXPECT_EQ(out.totals().counts.macs, Dim(706'560));
  EXPECT_EQ(out.totals().parameters, Dim(33'472));
}

// 4*T*d^2 + 2*T^2*d MACs and 4*d^2 + 4*d parameters; the number of heads does not matter.
TEST(ArchitectureParts, MultiheadAttention) {
  const auto attention = [](int tokens, int width, int heads) {
    ModelWriter w;
    w.Input("x", "float32 [1," + std::to_string(tokens) + "," + std::to_string(width) + "]");
    return AnalyseText(w.Finish(w.SelfAttention("x", width, heads)));
  };
  for (const int heads : {1, 4, 8}) {
    const Analysed out = attention(50, 256, heads);
    EXPECT_EQ(out.totals().counts.macs, Dim(14'387'200)) << heads;
    EXPECT_EQ(out.totals().parameters, Dim(263'168)) << heads;
  }
  const Analysed long_text = attention(1'000, 100, 1);
  EXPECT_EQ(long_text.totals().counts.macs, Dim(240'000'000));
  EXPECT_EQ(long_text.totals().parameters, Dim(40'400));
}

// 80 * 2 * 10^12 * 8192 MACs of attention alone: four of them in FLOPs pass 64 bits.
TEST(ArchitectureParts, CountsPassSixtyFourBits) {
  const Analysed out = AnalyseText(R"(
input q float32 [4,5120,1000000,128]
input k float32 [4,5120,128,1000000]
node MatMul (q, k) -> (y)
output y float32)");
  EXPECT_EQ(out.Text(out.totals().counts.macs), "2621440000000000000");
  EXPECT_EQ(out.Text(out.totals().flops), "5242880000000000000");
  const Analysed larger = AnalyseText(R"(
input q float32 [40,5120,1000000,128]
input k float32 [40,5120,128,1000000]
node MatMul (q, k) -> (y)
output y float32)");
  EXPECT_EQ(larger.Text(larger.totals().counts.macs), "26214400000000000000");
  EXPECT_EQ(larger.Text(larger.totals().flops), "52428800000000000000");
  EXPECT_TRUE(larger.totals().complete);
}

}  // namespace
}  // namespace opscope
