// labels: fast samples
// Arenas: places, reuse in place, bodies; the figures of real models.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cost/arena.h"
#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/arena_check.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

std::int64_t Arena(const Analysed& out) { return out.totals().memory.arena_bytes.value_or(-1); }
std::int64_t InPlace(const Analysed& out) {
  EXPECT_EQ(ArenaCheck::Of(out, false), "");
  EXPECT_EQ(ArenaCheck::Of(out, true), "");
  return out.totals().memory.arena_inplace_bytes.value_or(-1);
}

// Blocks of all shapes: no two that live at one step may share a byte.
TEST(PlanArena, BlocksThatLiveTogetherDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks(random() % 60);
    for (Block& block : blocks) {
      block.first = random() % 30;
      block.last = block.first + random() % (round % 2 == 0 ? 4 : 30);
      block.bytes = static_cast<std::int64_t>(random() % 5 == 0 ? 0 : random() % 5'000);
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const Block& a, const Block& b) { return a.first < b.first; });
    const auto arena = PlanArena(blocks);
    ASSERT_TRUE(arena.has_value());
    ASSERT_GE(arena->bytes, LivePeak(blocks));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(arena->offsets[i] % kArenaAlignment, 0);
      ASSERT_LE(arena->offsets[i] + blocks[i].bytes, arena->bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together =
            blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
        const bool apart = arena->offsets[i] + blocks[i].bytes <= arena->offsets[j] ||
                           arena->offsets[j] + blocks[j].bytes <= arena->offsets[i];
        ASSERT_TRUE(!together || apart || blocks[i].bytes == 0 || blocks[j].bytes == 0)
            << "round " << round << ": blocks " << i << " and " << j;
      }
    }
  }
}

TEST(PlanArena, SizesBeyondAllMemoryHaveNone) {
  EXPECT_FALSE(PlanArena({{0, 1, std::int64_t{1} << 61}, {0, 1, std::int64_t{1} << 61}}));
}

// x 400 and a 400 live together, a and b likewise: two places of 448 bytes, the last one cut.
TEST(Arena, AChainTakesTurns) {
  const Analysed out = AnalyseText(R"(
input x float32 [100]
node Softmax (x) -> (a)
node Softmax (a) -> (b)
node Softmax (b) -> (y)
output y float32)");
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(800));
  EXPECT_EQ(Arena(out), 448 + 400);
  EXPECT_EQ(InPlace(out), 848) << "softmax needs the whole row";
}

TEST(InPlace, PointwiseLayersReuseWhatDies) {
  const Analysed out = AnalyseText(R"(
input x float32 [1024]
init w float32 [2048]
node Concat (x, x) -> (a) axis=0
node Relu (a) -> (b)
node Mul (b, w) -> (c)
node Cast (c) -> (d) to=6
node ReduceMax (d) -> (y)
output y int32)");
  EXPECT_EQ(Arena(out), 16'384) << "two of a, b, c, d";
  EXPECT_EQ(InPlace(out), 12'288) << "x and a";
  const std::vector<ArenaBlock>& plan = out.totals().memory.plan;
  ASSERT_EQ(plan.size(), 6U);
  for (const std::size_t i : {2U, 3U, 4U})
    EXPECT_EQ(plan[i].inplace_offset, plan[1].inplace_offset);
}

TEST(InPlace, NeverOverAnInputThatIsBroadcastReadLaterOrNotOurs) {
  // 3 * 4,096 where nothing may be reused, 2 * 4,096 where it may.
  const auto inplace = [](const std::string& node, const std::string& after) {
    return InPlace(
        AnalyseText("input x float32 [1024]\ninput r float32 [1]\n"
                    "node Softmax (x) -> (a)\nnode Softmax (a) -> (b)\n" +
                    node + "\n" + after + "\noutput y float32"));
  };
  EXPECT_EQ(inplace("node Neg (b) -> (y)", ""), 8'192);
  EXPECT_EQ(inplace("node Add (a, b) -> (y)", ""), 8'192);
  EXPECT_EQ(inplace("node Add (a, b) -> (c)", "node Add (c, b) -> (y)"), 8'192);
  EXPECT_EQ(inplace("node Add (a, b) -> (c)", "node Sum (c, a, b) -> (y)"), 12'288);
  EXPECT_EQ(inplace("node Add (a, b) -> (c)", "node Sum (c, x) -> (y)"), 12'288);
}

TEST(InPlace, GraphInputsAreNotWrittenOver) {
  const Analysed out =
      AnalyseText("input x float32 [1024]\nnode Relu (x) -> (y)\noutput y float32");
  EXPECT_EQ(InPlace(out), 8'192);
}

TEST(InPlace, AGraphOutputIsKept) {
  const Analysed out = AnalyseText(R"(
input x float32 [1024]
node Softmax (x) -> (a)
node Relu (a) -> (b)
output a float32
output b float32)");
  EXPECT_EQ(InPlace(out), 8'192);
  EXPECT_NE(out.totals().memory.plan[1].inplace_offset, out.totals().memory.plan[2].inplace_offset);
}

TEST(InPlace, AViewThatIsReadLaterKeepsItsBytes) {
  const Analysed out = AnalyseText(R"(
input x float32 [1024]
init s int64 [2] = 32 32
node Softmax (x) -> (a)
node Reshape (a, s) -> (v)
node Relu (a) -> (b)
node MatMul (v, v) -> (m)
output b float32
output m float32)");
  EXPECT_EQ(InPlace(out), 12'288) << "b may not lie over a, which MatMul reads as v";
}

// A broadcast operand of as many bytes as the output, of another type: 4 * 4 = 16 * 1.
TEST(InPlace, EqualBytesAreNotEnough) {
  const Analysed out = AnalyseText(R"(
input x float32 [4,1]
init w float32 [1,4]
node Softmax (x) -> (a)
node Greater (a, w) -> (y)
output y bool)");
  EXPECT_EQ(InPlace(out), 64 + 16);
}

TEST(Bodies, HavePlansOfTheirOwn) {
  const Analysed out = AnalyseText(R"(
input c bool []
input x float32 [1024]
init w float32 [1024,1024]
node Softmax (x) -> (a)
node If (c) -> (y) name="If_0" then_branch=graph:small else_branch=graph:large
output y float32
graph small
node Neg (a) -> (t)
output t float32 [1024]
end
graph large
node MatMul (a, w) -> (m)
node Exp (m) -> (e)
output e float32 [1024]
end)");
  const MemoryPlan& memory = out.totals().memory;
  ASSERT_EQ(memory.bodies.size(), 2U);
  EXPECT_EQ(memory.bodies[0].path, (std::vector<std::string>{"If_0", "then_branch"}));
  EXPECT_EQ(memory.bodies[0].arena_bytes, 4'096);
  EXPECT_EQ(memory.bodies[1].arena_bytes, 8'192);
  EXPECT_EQ(memory.bodies[1].arena_inplace_bytes, 4'096) << "e over m";
  // a, y and the larger branch.
  EXPECT_EQ(memory.live_peak_bytes, Dim(4 * 4'096 + 1));
  EXPECT_EQ(Arena(out), 4 * 4'096 + 64) << "c takes a line of its own";
  EXPECT_EQ(InPlace(out), 3 * 4'096 + 64);
}

TEST(Arena, OnlyForBoundShapes) {
  const Analysed free =
      AnalyseText("input x float32 [N,4]\nnode Relu (x) -> (y)\noutput y float32");
  EXPECT_FALSE(free.totals().memory.arena_bytes.has_value());
  EXPECT_EQ(free.totals().memory.no_arena, NoArena::kFreeSize);
  const Analysed unknown =
      AnalyseText("input x string [4]\nnode Equal (x, x) -> (y)\noutput y bool");
  EXPECT_EQ(unknown.totals().memory.no_arena, NoArena::kUnknownSize);
}

TEST(Arena, SubByteTypesArePacked) {
  const Analysed out = AnalyseText(R"(
opset 21
input x int4 [1001]
init s float32 [] = 1
node DequantizeLinear (x, s) -> (y)
output y float32)");
  EXPECT_EQ(out.totals().memory.plan[0].bytes, 501);
  EXPECT_EQ(Arena(out), out.totals().memory.plan[0].offset == 0 ? 512 + 4'004 : 4'032 + 501);
}

// Where two or three tensors make the peak, the arena is as large: it cannot be less. In place
//   resnet50     two tensors of 256x56x56 and one of 64x56x56; a Sum or Relu needs no third
//   squeezenet   the first pooling: 64x111x111 and 64x55x55; its Relu needs no second 64x111x111
//   inception_v1 LRN, which reads its neighbours: twice 192x55x55
//   bvlc_alexnet and vgg19 as before: LRN, and conv1_2 with input and output of one size.
struct Figures {
  std::string name;
  std::int64_t arena, inplace;
};
class LightModels : public testing::TestWithParam<Figures> {};

TEST_P(LightModels, ReachTheLivePeak) {
  const std::string path =
      std::string(OPSCOPE_SAMPLES_DIR) + "/models/light_" + GetParam().name + ".onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  Result<Source> source = Source::Open(path);
  ASSERT_TRUE(source.has_value()) << source.error().ToString();
  const Analysed out = Analyse(std::move(*source));
  EXPECT_EQ(Arena(out), GetParam().arena);
  EXPECT_EQ(Dim(Arena(out)), out.totals().memory.live_peak_bytes);
  EXPECT_EQ(InPlace(out), GetParam().inplace);
}

INSTANTIATE_TEST_SUITE_P(All, LightModels,
                         testing::Values(Figures{"bvlc_alexnet", 2'239'488, 2'239'488},
                                         Figures{"inception_v1", 6'422'528, 4'646'400},
                                         Figures{"resnet50", 9'633'792, 7'225'344},
                                         Figures{"squeezenet", 6'308'352, 3'928'576},
                                         Figures{"vgg19", 25'690'112, 25'690'112}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace opscope
