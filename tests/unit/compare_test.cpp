#include "compare/compare.h"

#include <gtest/gtest.h>

#include "compare/align.h"
#include "cost/totals.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

struct Compared {
  Analysed a, b;
  LayerMatching matching;
  Fates fates;
  std::vector<LayerChange> changes;

  Side side_a() { return {&a.model, &a.analysis}; }
  Side side_b() { return {&b.model, &b.analysis}; }

  // "Conv conv1 = Conv n0; Relu r -; - Clip c": pairs in the order of a, then what is new.
  std::string Pairs() {
    std::string out;
    const auto text = [](const Side& side, LayerId id) {
      return OpName(*side.model, side.node(id)) + " " +
             std::string(side.model->text(side.node(id).name));
    };
    for (std::uint32_t i = 0; i < matching.b_of.size(); ++i) {
      const LayerId partner = matching.b_of[i];
      out +=
          text(side_a(), {i}) + (partner.valid() ? " = " + text(side_b(), partner) : " -") + "\n";
    }
    for (std::uint32_t i = 0; i < matching.a_of.size(); ++i)
      if (!matching.a_of[i].valid()) out += "- " + text(side_b(), {i}) + "\n";
    return out;
  }
  std::string Changes() const {
    std::string out;
    for (const LayerChange& change : changes)
      for (const PropertyDelta& delta : change.deltas)
        out += std::string(delta.what) + (delta.name.empty() ? "" : " " + delta.name) + "\n";
    return out;
  }
};

Compared Compare(std::string_view a, std::string_view b) {
  Compared out{AnalyseText(a), AnalyseText(b), {}, {}, {}};
  LayerComparison layers = CompareLayers(out.side_a(), out.side_b());
  out.matching = std::move(layers.matching);
  out.fates = std::move(layers.fates);
  out.changes = std::move(layers.changes);
  return out;
}

constexpr std::string_view kChain = R"(
input x float32 [1,8]
init w1 float32 [8,8]
init w2 float32 [8,4]
node MatMul (x, w1) -> (a) name="MatMul_0"
node Relu (a) -> (b) name="Relu_1"
node MatMul (b, w2) -> (c) name="MatMul_2"
node Relu (c) -> (y) name="Relu_3"
output y float32 [1,4]
)";

TEST(Compare, TheSameModelHasNoDifference) {
  Compared same = Compare(kChain, kChain);
  EXPECT_EQ(same.Pairs(),
            "MatMul MatMul_0 = MatMul MatMul_0\nRelu Relu_1 = Relu Relu_1\n"
            "MatMul MatMul_2 = MatMul MatMul_2\nRelu Relu_3 = Relu Relu_3\n");
  EXPECT_EQ(same.Changes(), "");
}

// Numbered names shift when a node is put in; the structure before and behind tells who is who.
TEST(Compare, NumberedNamesThatShiftAreNotTrusted) {
  Compared inserted = Compare(kChain, R"(
input x float32 [1,8]
init w1 float32 [8,8]
init w2 float32 [8,4]
node MatMul (x, w1) -> (1) name="MatMul_0"
node Relu (1) -> (2) name="Relu_1"
node Relu (2) -> (3) name="Relu_2"
node MatMul (3, w2) -> (4) name="MatMul_3"
node Relu (4) -> (y) name="Relu_4"
output y float32 [1,4]
)");
  EXPECT_EQ(inserted.Pairs(),
            "MatMul MatMul_0 = MatMul MatMul_0\nRelu Relu_1 = Relu Relu_1\n"
            "MatMul MatMul_2 = MatMul MatMul_3\nRelu Relu_3 = Relu Relu_4\n- Relu Relu_2\n");
  EXPECT_EQ(inserted.Changes(), "");
  const Fate& fate = inserted.fates.of_b[2];
  EXPECT_EQ(fate.kind, Fate::Kind::kSkipped);
  EXPECT_EQ(fate.layer, LayerId{1});
}

// A fused op takes the place of the op whose weight it reads; the activation was folded into it.
TEST(Compare, FusedOpsAreTheOpWhoseWeightTheyRead) {
  Compared fused = Compare(R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (c) name="conv"
node Relu (c) -> (y) name="relu"
output y float32 [?,?,?,?]
)",
                           R"(
opset com.microsoft 1
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node FusedConv (x, w) -> (y) name="fused" domain="com.microsoft" activation="Relu"
output y float32 [?,?,?,?]
)");
  EXPECT_EQ(fused.Pairs(), "Conv conv = com.microsoft.FusedConv fused\nRelu relu -\n");
  EXPECT_EQ(fused.fates.of_a[1].kind, Fate::Kind::kPart);
  EXPECT_EQ(fused.fates.of_a[1].layer, LayerId{0});
}

TEST(Compare, ConstantNodesThatBecameInitializers) {
  Compared folded = Compare(R"(
input x float32 [2,4]
tensor t int64 [1] = 8
node Constant () -> (s) name="constant" value=init:t
node Reshape (x, s) -> (y) name="flat"
output y float32 [8]
)",
                            R"(
input x float32 [2,4]
init s int64 [1] = 8
node Reshape (x, s) -> (y) name="flat"
output y float32 [8]
)");
  EXPECT_EQ(folded.Pairs(), "Constant constant -\nReshape flat = Reshape flat\n");
  EXPECT_EQ(folded.Changes(), "");
  EXPECT_EQ(folded.fates.of_a[0].kind, Fate::Kind::kConstant);
}

TEST(Compare, WhatChangedIsNamed) {
  Compared changed = Compare(R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) name="conv"
output y float32 [?,?,?,?]
)",
                             R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) name="conv" pads=[1,1,1,1]
output y float32 [?,?,?,?]
)");
  EXPECT_EQ(changed.Changes(), "attributes pads\nshape y\nmacs\nbytes write_bytes\n");
}

TEST(Align, LongestCommonSubsequence) {
  EXPECT_EQ(Align({1, 2, 3, 4}, {1, 3, 4}), (IndexPairs{{0, 0}, {3, 2}, {2, 1}}));
  EXPECT_EQ(Align({5, 1, 2}, {1, 6, 2, 7}), (IndexPairs{{1, 0}, {2, 2}}));
  EXPECT_EQ(Align({0, 0}, {0, 0}), IndexPairs()) << "0 is like nothing";
}

TEST(Align, LongestRising) {
  EXPECT_EQ(LongestRising({3, 1, 2, 5, 4}), (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(LongestRising({}), std::vector<std::size_t>());
}

}  // namespace
}  // namespace opscope
