// Counts of hand-made Work: one line a case of the design's micro-cases (cost conventions, 7).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cost/counts.h"
#include "cost/dim_sum.h"
#include "cost/peak.h"
#include "ops/work.h"

namespace opscope {
namespace {

struct MacCase {
  std::string_view name;
  Work work;
  std::int64_t macs;
  std::int64_t bias_adds = 0;
};

const MacCase kMacCases[] = {
    {"conv 3->16 k3 s2", work::Convolution{1, 16, 256, 3, 9, true}, 110'592, 4'096},
    {"depthwise 32 k3", work::Convolution{1, 32, 784, 1, 9}, 225'792},
    {"grouped 64->128 g4", work::Convolution{2, 128, 196, 16, 9}, 7'225'344},
    {"dilated conv1d 16->32 k5", work::Convolution{1, 32, 88, 16, 5}, 225'280},
    {"conv3d 4->8 k3", work::Convolution{1, 8, 2'048, 4, 27}, 1'769'472},
    {"deconv 8->4 k4 s2", work::TransposedConvolution{2, 8, 100, 4, 16, 3'200, true}, 102'400,
     3'200},
    {"deconv 6->4 g2 k3 s3", work::TransposedConvolution{1, 6, 35, 2, 9, 1'260}, 3'780},
    {"matmul batch", work::MatrixProduct{15, 6, 9, 7}, 5'670},
    {"gemm with bias", work::MatrixProduct{1, 3, 7, 20, true}, 420, 21},
    {"einsum", work::Contraction{288, "ab,bc->ac ac,cd->ad"}, 288},
    {"lstm", work::Recurrence{7, 3, 1, 20, 10, 4, true}, 50'400, 7 * 3 * 8 * 20},
    {"lstm two directions", work::Recurrence{7, 3, 2, 20, 10, 4}, 100'800},
    {"gru", work::Recurrence{7, 3, 1, 20, 10, 3}, 37'800},
    {"rnn", work::Recurrence{7, 3, 1, 20, 10, 1}, 12'600},
    {"attention", work::Attention{1, 8, 16, 48, 32, 64}, 589'824},
    {"grouped-query attention", work::Attention{1, 12, 96, 96, 32, 32}, 7'077'888},
    {"fused attention", work::Attention{1, 12, 64, 64, 64, 64}, 6'291'456},
    {"movement", work::Movement{}, 0},
};

TEST(Counts, MultiplyAccumulates) {
  DimTable dims;
  for (const MacCase& c : kMacCases) {
    EXPECT_EQ(CountMacs(dims, c.work), Dim(c.macs)) << c.name;
    EXPECT_EQ(CountBiasAdds(dims, c.work), Dim(c.bias_adds)) << c.name;
  }
}

struct ElementwiseCase {
  std::string_view op;
  Work work;
  std::int64_t elementwise, transcendental, comparisons;
};

// The values of the design's element-wise paragraph (cost conventions, 2).
const ElementwiseCase kElementwiseCases[] = {
    {"Add", work::Elementwise{10}, 10, 0, 0},
    {"Div", work::Elementwise{10, 2}, 10, 0, 0},
    {"Relu", work::Elementwise{10}, 0, 0, 10},
    {"Max", work::Elementwise{10, 2}, 0, 0, 10},
    {"Max", work::Elementwise{10, 4}, 0, 0, 30},
    {"Max", work::Elementwise{10, 1}, 0, 0, 0},
    {"Sum", work::Elementwise{10, 3}, 20, 0, 0},
    {"Clip", work::Elementwise{10}, 0, 0, 20},
    {"Tanh", work::Elementwise{10}, 0, 10, 0},
    {"Sigmoid", work::Elementwise{10}, 30, 10, 0},
    {"BatchNormalization", work::Normalisation{4, 25, true, true}, 200, 0, 0},
    {"Softmax", work::Softmax{2, 5}, 2 * 14, 2 * 5, 2 * 4},
    {"LayerNormalization", work::Normalisation{2, 8, false}, 2 * 41, 2, 0},
    {"LayerNormalization", work::Normalisation{2, 8, true}, 2 * 57, 2, 0},
    {"AveragePool", work::Pooling{10, 9}, 90, 0, 0},
    {"MaxPool", work::Pooling{10, 9, true}, 0, 0, 80},
    {"ReduceMean", work::Reduction{100, 10}, 100, 0, 0},
    {"ReduceMax", work::Reduction{100, 10}, 0, 0, 90},
    {"Resize", work::Resampling{10, "nearest"}, 0, 0, 0},
    {"Resize", work::Resampling{10, "linear"}, 90, 0, 0},
    {"Resize", work::Resampling{10, "cubic"}, 350, 0, 0},
    {"DequantizeLinear", work::Quantise{10}, 20, 0, 0},
    {"QLinearConv", work::Convolution{1, 2, 5, 3, 9}, 30, 0, 20},
    {"LSTM", work::Recurrence{1, 1, 1, 10, 5, 4}, 130, 50, 0},
    {"Cast", work::Movement{}, 0, 0, 0},
};

TEST(Counts, ElementwiseColumns) {
  DimTable dims;
  for (const ElementwiseCase& c : kElementwiseCases) {
    const ElementwiseRule* rule = FindElementwise("ai.onnx", c.op, ModeOf(c.work));
    ASSERT_NE(rule, nullptr) << c.op;
    const Counts counts = CountWork(dims, c.work, rule);
    EXPECT_EQ(counts.elementwise, Dim(c.elementwise)) << c.op;
    EXPECT_EQ(counts.transcendental, Dim(c.transcendental)) << c.op;
    EXPECT_EQ(counts.comparisons, Dim(c.comparisons)) << c.op;
  }
}

TEST(Counts, UnknownIsNeverZero) {
  DimTable dims;
  const Counts nothing_known = CountWork(dims, work::Unknown{"unknown op"}, nullptr);
  EXPECT_TRUE(nothing_known.macs.is_unknown());
  EXPECT_TRUE(nothing_known.comparisons.is_unknown());
  // A kind that the table must answer for, without a rule there.
  const Counts no_rule = CountWork(dims, work::Elementwise{10}, nullptr);
  EXPECT_EQ(no_rule.macs, Dim(0));
  EXPECT_TRUE(no_rule.elementwise.is_unknown());
  const Counts no_shape = CountWork(dims, work::MatrixProduct{1, 2, Dim(), 3}, nullptr);
  EXPECT_TRUE(no_shape.macs.is_unknown());
  EXPECT_EQ(no_shape.bias_adds, Dim(0));
}

TEST(Counts, SymbolsMakeFormulas) {
  DimTable dims;
  const Dim n = dims.Symbol("N");
  const Dim macs = CountMacs(dims, work::Convolution{n, 8, 1'024, 3, 9});
  EXPECT_EQ(dims.ToText(macs), "N*221184");
  EXPECT_EQ(dims.Bind(macs, {{"N", 4}}), Dim(4 * 221'184));
}

TEST(ElementwiseTable, RulesReadBack) {
  EXPECT_EQ(ToText(FindElementwise("ai.onnx", "Softmax")->elementwise), "3*in - row");
  EXPECT_EQ(ToText(FindElementwise("ai.onnx", "MaxPool")->comparisons), "-out + tap");
  EXPECT_EQ(ToText(FindElementwise("ai.onnx", "MaxPool")->elementwise), "");
  EXPECT_EQ(FindElementwise("ai.onnx", "NoSuchOp"), nullptr);
  EXPECT_EQ(FindElementwise("com.acme", "Add"), nullptr) << "another domain's Add is another op";
  for (const ElementwiseRule& rule : ElementwiseRules()) EXPECT_FALSE(rule.definition.empty());
}

TEST(DimSum, AddsUpInAnyOrder) {
  DimTable dims;
  const Dim n = dims.Symbol("N");
  DimSum sum;
  for (int i = 0; i < 1'000; ++i) {
    sum.Add(i);
    sum.Add(i % 2 == 0 ? n : dims.Mul(n, n));
  }
  EXPECT_TRUE(sum.complete());
  EXPECT_EQ(dims.ToText(sum.Total(dims)), "N*N*500 + N*500 + 499500");
  sum.Add(Dim());
  EXPECT_FALSE(sum.complete());
  EXPECT_EQ(dims.Bind(sum.Total(dims), {{"N", 0}}), Dim(499'500)) << "unknown parts are left out";
}

TEST(DimSum, PassesSixtyFourBits) {
  DimTable dims;
  DimSum sum;
  for (int i = 0; i < 4; ++i) sum.Add(std::int64_t{9'000'000'000'000'000'000});
  EXPECT_EQ(dims.ToText(sum.Total(dims)), "36000000000000000000");
}

TEST(Peak, KeepsWhatNothingExceeds) {
  DimTable dims;
  Sampler sampler(dims);
  const Dim n = dims.Symbol("N");
  Peak peak;
  peak.Offer(dims, sampler.Of(dims.Mul(n, 100)), 0);
  peak.Offer(dims, sampler.Of(dims.Mul(n, 400)), 1);  // exceeds the one before
  peak.Offer(dims, sampler.Of(dims.Mul(n, 300)), 2);  // exceeded
  peak.Offer(dims, sampler.Of(5'000), 3);             // larger for a small N
  peak.Offer(dims, sampler.Of(400), 4);               // no batch is empty
  EXPECT_EQ(dims.ToText(peak.Value(dims).dim), "max(5000, N*400)");
  EXPECT_EQ(peak.candidates().size(), 2U);
}

TEST(Peak, NumbersKeepTheFirstPlaceOfTheMaximum) {
  DimTable dims;
  Sampler sampler(dims);
  Peak peak;
  const std::int64_t sums[] = {3, 9, 4, 9, 1};
  for (std::size_t i = 0; i < std::size(sums); ++i) peak.Offer(dims, sampler.Of(sums[i]), i);
  EXPECT_EQ(peak.Value(dims).dim, Dim(9));
  ASSERT_EQ(peak.candidates().size(), 1U);
  EXPECT_EQ(peak.candidates()[0].at, 1U);
}

TEST(Peak, SaysWhyItIsUnknown) {
  DimTable dims;
  Sampler sampler(dims);
  Peak unknown;
  unknown.Offer(dims, sampler.Of(5), 0);
  unknown.Offer(dims, sampler.Of(Dim()), 1);
  EXPECT_TRUE(unknown.Value(dims).dim.is_unknown());
  EXPECT_EQ(unknown.Because(), "the size of an activation is not known");
  Peak many;
  for (int i = 0; i < 17; ++i)
    many.Offer(dims, sampler.Of(dims.Symbol("s" + std::to_string(i))), 0);
  EXPECT_TRUE(many.Value(dims).dim.is_unknown());
  EXPECT_NE(many.Because().find("more than 16"), std::string::npos);
}

}  // namespace
}  // namespace opscope
