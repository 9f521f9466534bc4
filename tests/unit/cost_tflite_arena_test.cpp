// The arena of TFLite's interpreter: what its planner was seen to allocate.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cost/static_analysis.h"
#include "cost/tflite_arena.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/tflite_model.h"

namespace opscope {
namespace {

using testing::TfliteFile;
using testing::TfliteGraph;

std::optional<TfliteArena> Plan(const TfliteGraph& graph) {
  Analysed out = Analyse(Source::FromBytes("m.tflite", TfliteFile({graph})));
  return PlanTfliteArena(out.model, out.analysis);
}

// x -> RELU -> RELU -> y: x and y are kept, one tensor between.
TEST(TfliteArena, InputsAndOutputsAreKept) {
  const auto arena =
      Plan({{{"x", {16}}, {"m", {16}}, {"y", {16}}}, {0}, {2}, {{19, {0}, {1}}, {19, {1}, {2}}}});
  ASSERT_TRUE(arena.has_value());
  EXPECT_EQ(arena->bytes, 3 * 64);
}

// The sum is written over m, which dies there; x is an input and stays.
TEST(TfliteArena, SumsAreWrittenOverADyingOperand) {
  const auto arena = Plan({{{"x", {16}}, {"m", {16}}, {"s", {16}}, {"y", {16}}},
                           {0},
                           {3},
                           {{19, {0}, {1}}, {0, {1, 0}, {2}, 11, {}}, {19, {2}, {3}}}});
  ASSERT_TRUE(arena.has_value());
  EXPECT_EQ(arena->bytes, 3 * 64);
}

TEST(TfliteArena, DecodedWeightsAndStateAreApart) {
  const auto arena = Plan({{{"w16", {16}, 1, std::string(32, '\0')},
                            {"w", {16}},
                            {"x", {16}},
                            {"y", {16}},
                            {"state", {2, 3}, 0, {}, {}, true}},
                           {2},
                           {3},
                           {{6, {0}, {1}}, {0, {2, 1}, {3}, 11, {}}}});
  ASSERT_TRUE(arena.has_value());
  EXPECT_EQ(arena->bytes, 2 * 64);
  EXPECT_EQ(arena->persistent_bytes, 64);
  EXPECT_EQ(arena->variable_bytes, 64);
}

TEST(TfliteArena, FreeSizesAndOtherFormatsHaveNone) {
  EXPECT_FALSE(
      Plan({{{"x", {1}, 0, {}, {-1}}, {"y", {1}, 0, {}, {-1}}}, {0}, {1}, {{19, {0}, {1}}}}));
  Analysed onnx = AnalyseText("input x float32 [4]\nnode Relu (x) -> (y)\noutput y float32");
  EXPECT_FALSE(PlanTfliteArena(onnx.model, onnx.analysis));
}

// Read from the addresses of the tensors of LiteRT 2.3's interpreter, reference kernels.
struct Seen {
  std::string path;
  std::int64_t arena, persistent;
};
class SeenArenas : public ::testing::TestWithParam<Seen> {};

TEST_P(SeenArenas, AreMetWithinFivePercent) {
  const std::string path = std::string(OPSCOPE_MODELS_DIR) + "/" + GetParam().path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; ./dev test --models";
  Result<Source> source = Source::Open(path);
  ASSERT_TRUE(source.has_value());
  Analysed out = Analyse(std::move(*source),
                         {.bindings = GetParam().path.find("embedding") == std::string::npos
                                          ? Bindings{}
                                          : Bindings{{"serving_default_input_1:0_d0", 1}},
                          .shapes = {}});
  const auto arena = PlanTfliteArena(out.model, out.analysis);
  ASSERT_TRUE(arena.has_value());
  const auto all = static_cast<double>(arena->bytes + arena->persistent_bytes);
  const auto seen = static_cast<double>(GetParam().arena + GetParam().persistent);
  EXPECT_NEAR(all / seen, 1, 0.05) << arena->bytes << " + " << arena->persistent_bytes;
}

INSTANTIATE_TEST_SUITE_P(
    All, SeenArenas,
    ::testing::Values(Seen{"mediapipe/face_detection_short_range.tflite", 1'769'472, 406'408},
                      Seen{"mediapipe/face_detection_full_range.tflite", 5'156'864, 0},
                      Seen{"openwakeword/embedding_model.tflite", 464'384, 0}),
    [](const auto& test) { return std::filesystem::path(test.param.path).stem().string(); });

}  // namespace
}  // namespace opscope
