// labels: fast samples
// The light models of the ONNX project: real architectures whose costs are known exactly
// (../shared/samples/README.md, the table at its end).
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

struct LightModel {
  std::string name;
  std::int64_t nodes, runtime_nodes, macs, weights, activations, without_views, peak;
};

class LightModels : public testing::TestWithParam<LightModel> {};

TEST_P(LightModels, GiveTheExactNumbers) {
  const LightModel& expected = GetParam();
  const std::string path =
      std::string(OPSCOPE_SAMPLES_DIR) + "/models/light_" + expected.name + ".onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  Result<Source> source = Source::Open(path);
  ASSERT_TRUE(source.has_value()) << source.error().ToString();
  Analysed out = Analyse(std::move(*source));
  const StaticTotals& totals = out.totals();
  EXPECT_TRUE(totals.complete);
  EXPECT_EQ(totals.nodes, expected.nodes);
  EXPECT_EQ(totals.counted, expected.nodes);
  EXPECT_EQ(totals.runtime_nodes, expected.runtime_nodes);
  EXPECT_EQ(totals.counts.macs, Dim(expected.macs));
  EXPECT_EQ(totals.flops, Dim(2 * expected.macs));
  ASSERT_TRUE(totals.parameters.is_number() && totals.statistics.is_number());
  EXPECT_EQ(totals.parameters.number() + totals.statistics.number(), expected.weights);
  EXPECT_EQ(totals.activation_bytes, Dim(expected.activations));
  EXPECT_EQ(totals.memory.naive_bytes, Dim(expected.without_views));
  EXPECT_EQ(totals.memory.live_peak_bytes, Dim(expected.peak));
  std::int64_t live = 0;
  for (const TensorId tensor : totals.memory.live_tensors)
    live += BytesOf(out.model.dims, out.analysis.fact(tensor)).number();
  EXPECT_EQ(live, expected.peak) << "the tensors named as live make the peak";
}

INSTANTIATE_TEST_SUITE_P(All, LightModels,
                         testing::Values(LightModel{"bvlc_alexnet", 40, 24, 654'560'384, 60'965'224,
                                                    7'202'624, 7'132'992, 2'239'488},
                                         LightModel{"inception_v1", 237, 143, 1'431'556'352,
                                                    6'998'552, 36'642'368, 36'634'176, 6'422'528},
                                         LightModel{"resnet50", 415, 176, 4'089'184'256, 25'610'152,
                                                    150'251'328, 150'243'136, 9'633'792},
                                         LightModel{"squeezenet", 105, 66, 349'151'936, 1'235'496,
                                                    28'191'616, 27'845'504, 6'308'352},
                                         LightModel{"vgg19", 82, 46, 19'632'062'464, 143'667'240,
                                                    125'144'896, 125'011'776, 25'690'112}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace opscope
