// The micro-cases of the cost model: a model of a few lines and the numbers it must give.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

struct MicroCase {
  std::string_view name;
  std::string_view text;
  std::int64_t macs;
  std::int64_t bias_adds = 0;
  std::int64_t parameters = 0;
  std::string_view formula = {};  // of the first layer that has MACs, where it is looked at
};

constexpr MicroCase kConvolutions[] = {
    {"conv 3->16 k3 s2 p1 with bias", R"(
input x float32 [1,3,32,32]
init w float32 [16,3,3,3]
init b float32 [16]
node Conv (x, w, b) -> (y) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]
output y float32)",
     110'592, 4'096, 448, "1*16*16*16 * 3 * 3*3"},
    {"depthwise 32 k3 p1", R"(
input x float32 [1,32,28,28]
init w float32 [32,1,3,3]
node Conv (x, w) -> (y) group=32 pads=[1,1,1,1]
output y float32)",
     225'792, 0, 288},
    {"grouped 64->128 g4", R"(
input x float32 [2,64,14,14]
init w float32 [128,16,3,3]
node Conv (x, w) -> (y) group=4 pads=[1,1,1,1]
output y float32)",
     7'225'344, 0, 18'432},
    {"dilated 1-D 16->32 k5 d3, out 88", R"(
input x float32 [1,16,100]
init w float32 [32,16,5]
node Conv (x, w) -> (y) dilations=[3]
output y float32)",
     225'280, 0, 2'560},
    {"3-D 4->8 k3 p1", R"(
input x float32 [1,4,8,16,16]
init w float32 [8,4,3,3,3]
node Conv (x, w) -> (y) pads=[1,1,1,1,1,1]
output y float32)",
     1'769'472, 0, 864},
    {"1-D 32->32 k3 p4 s2, out 67", R"(
input x float32 [1,32,128]
init w float32 [32,32,3]
node Conv (x, w) -> (y) strides=[2] pads=[4,4]
output y float32)",
     205'824, 0, 3'072},
    {"asymmetric pads, 5x5 stays 5x5", R"(
input x float32 [1,1,5,5]
init w float32 [1,1,3,3]
node Conv (x, w) -> (y) pads=[0,1,2,1]
output y float32)",
     225, 0, 9},
    {"SAME_UPPER, 7x7 becomes 4x4", R"(
input x float32 [1,3,7,7]
init w float32 [8,3,3,3]
node Conv (x, w) -> (y) strides=[2,2] auto_pad="SAME_UPPER"
output y float32)",
     3'456, 0, 216},
    {"transposed 8->4 k4 s2 p1 with bias, by input size", R"(
input x float32 [2,8,10,10]
init w float32 [8,4,4,4]
init b float32 [4]
node ConvTranspose (x, w, b) -> (y) strides=[2,2] pads=[1,1,1,1]
output y float32)",
     102'400, 3'200, 516, "2*8*10*10 * 4 * 4*4"},
    {"transposed 6->4 g2 k3 s3", R"(
input x float32 [1,6,5,7]
init w float32 [6,2,3,3]
node ConvTranspose (x, w) -> (y) group=2 strides=[3,3]
output y float32)",
     3'780, 0, 108},
    {"transposed 32->1 k3 of one point", R"(
input x float32 [1,32,1,1]
init w float32 [32,1,3,3]
node ConvTranspose (x, w) -> (y)
output y float32)",
     288, 0, 288},
    {"transposed 6->6 k2 s2 g3 with bias", R"(
input x float32 [2,6,8,8]
init w float32 [6,2,2,2]
init b float32 [6]
node ConvTranspose (x, w, b) -> (y) group=3 strides=[2,2]
output y float32)",
     6'144, 3'072, 54},
};

constexpr MicroCase kRecurrences[] = {
    {"LSTM, one direction", R"(
input x float32 [7,3,10]
init w float32 [1,80,10]
init r float32 [1,80,20]
init b float32 [1,160]
node LSTM (x, w, r, b) -> (y) hidden_size=20
output y float32)",
     50'400, 3'360, 2'560, "7*3*1 * 4*20 * (10 + 20)"},
    {"LSTM, no optional input", R"(
input x float32 [7,3,10]
init w float32 [1,80,10]
init r float32 [1,80,20]
node LSTM (x, w, r) -> (, h) hidden_size=20
output h float32)",
     50'400, 0, 2'400},
    {"LSTM, two directions", R"(
input x float32 [7,3,10]
init w float32 [2,80,10]
init r float32 [2,80,20]
node LSTM (x, w, r) -> (y) hidden_size=20 direction="bidirectional"
output y float32)",
     100'800, 0, 4'800},
    {"LSTM, two layers of two directions", R"(
input x float32 [7,3,10]
init w1 float32 [2,80,10]
init r1 float32 [2,80,20]
init w2 float32 [2,80,40]
init r2 float32 [2,80,20]
init flat int64 [3] = 0 0 40
node LSTM (x, w1, r1) -> (y1) hidden_size=20 direction="bidirectional"
node Transpose (y1) -> (t) perm=[0,2,1,3]
node Reshape (t, flat) -> (x2)
node LSTM (x2, w2, r2) -> (y) hidden_size=20 direction="bidirectional"
output y float32)",
     302'400, 0, 4'800 + 9'600},
    {"LSTM of 100 steps", R"(
input x float32 [100,1,64]
init w float32 [1,256,64]
init r float32 [1,256,64]
node LSTM (x, w, r) -> (y) hidden_size=64
output y float32)",
     3'276'800, 0, 32'768},
    {"GRU", R"(
input x float32 [7,3,10]
init w float32 [1,60,10]
init r float32 [1,60,20]
init b float32 [1,120]
node GRU (x, w, r, b) -> (y) hidden_size=20
output y float32)",
     37'800, 2'520, 1'920},
    {"RNN", R"(
input x float32 [7,3,10]
init w float32 [1,20,10]
init r float32 [1,20,20]
node RNN (x, w, r) -> (y) hidden_size=20
output y float32)",
     12'600, 0, 600},
};

constexpr MicroCase kProducts[] = {
    {"MatMul, both broadcast", R"(
input a float32 [5,1,6,7]
input b float32 [1,3,7,9]
node MatMul (a, b) -> (y)
output y float32)",
     5'670, 0, 0, "5*3*6*9 * 7"},
    {"MatMul, ranks differ", R"(
input a float32 [4,1,3,10]
input b float32 [2,10,6]
node MatMul (a, b) -> (y)
output y float32)",
     1'440},
    {"MatMul, two vectors", R"(
input a float32 [12]
input b float32 [12]
node MatMul (a, b) -> (y)
output y float32)",
     12},
    {"MatMul, matrix by vector", R"(
input a float32 [5,12]
input b float32 [12]
node MatMul (a, b) -> (y)
output y float32)",
     60},
    {"MatMul, vector by matrices", R"(
input a float32 [12]
input b float32 [2,12,7]
node MatMul (a, b) -> (y)
output y float32)",
     168},
    {"MatMul (20,10)(10)", R"(
input a float32 [20,10]
init b float32 [10]
node MatMul (a, b) -> (y)
output y float32)",
     200, 0, 10},
    {"MatMul of attention scores", R"(
input a float32 [1,12,256,64]
input b float32 [1,12,64,256]
node MatMul (a, b) -> (y)
output y float32)",
     50'331'648},
    {"Linear 3->8 on (5,10,3)", R"(
input x float32 [5,10,3]
init w float32 [3,8]
node MatMul (x, w) -> (y)
output y float32)",
     1'200, 0, 24},
    {"Linear 3->8 on (5,100,100,3)", R"(
input a float32 [5,100,100,3]
init b float32 [3,8]
node MatMul (a, b) -> (y)
output y float32)",
     1'200'000, 0, 24},
    {"Gemm with bias", R"(
input a float32 [3,20]
init b float32 [20,7]
init c float32 [7]
node Gemm (a, b, c) -> (y)
output y float32)",
     420, 21, 147, "3*7 * 20"},
    {"Gemm, both transposed, no bias", R"(
input a float32 [20,3]
init b float32 [7,20]
node Gemm (a, b) -> (y) transA=1 transB=1
output y float32)",
     420, 0, 140},
    {"Einsum chain, best order", R"(
input a float32 [4,5]
input b float32 [5,6]
input c float32 [6,7]
node Einsum (a, b, c) -> (y) equation="ab,bc,cd->ad"
output y float32)",
     288},
    {"Einsum of one operand costs no MAC", R"(
input a float32 [4,5]
node Einsum (a) -> (y) equation="ab->ba"
output y float32)",
     0},
};

constexpr MicroCase kAttentions[] = {
    {"8 heads, q 16, kv 48, d 32, dv 64", R"(
opset 23
input q float32 [1,8,16,32]
input k float32 [1,8,48,32]
input v float32 [1,8,48,64]
node Attention (q, k, v) -> (y)
output y float32)",
     589'824, 0, 0, "1*8*16*48 * (32 + 64)"},
    {"12 query heads, 3 key and value heads", R"(
opset 23
input q float32 [1,12,96,32]
input k float32 [1,3,96,32]
input v float32 [1,3,96,32]
node Attention (q, k, v) -> (y)
output y float32)",
     7'077'888},
    {"the fused attention that counters on a CPU miss", R"(
opset 23
input q float32 [1,12,64,64]
input k float32 [1,12,64,64]
input v float32 [1,12,64,64]
node Attention (q, k, v) -> (y)
output y float32)",
     6'291'456},
};

void Check(const MicroCase& c) {
  SCOPED_TRACE(std::string(c.name));
  const Analysed out = AnalyseText(c.text);
  EXPECT_EQ(out.totals().counts.macs, Dim(c.macs));
  EXPECT_EQ(out.totals().counts.bias_adds, Dim(c.bias_adds));
  EXPECT_EQ(out.totals().parameters, Dim(c.parameters));
  EXPECT_TRUE(out.totals().complete);
  if (c.formula.empty()) return;
  for (const Layer& layer : out.analysis.layers) {
    if (layer.counts.macs == Dim(0)) continue;
    EXPECT_EQ(layer.formula, c.formula);
    break;
  }
}

TEST(Micro, Convolutions) {
  for (const MicroCase& c : kConvolutions) Check(c);
}
TEST(Micro, Recurrences) {
  for (const MicroCase& c : kRecurrences) Check(c);
}
TEST(Micro, Attentions) {
  for (const MicroCase& c : kAttentions) Check(c);
}
TEST(Micro, Products) {
  for (const MicroCase& c : kProducts) Check(c);
}

// Whatever the element types: 4 -> 8 k3 on 8x8, and (3,20)(20,7).
TEST(Micro, QuantisedProductsCountLikeAnyOther) {
  const std::string_view convolutions[] = {
      R"(
input x uint8 [1,4,8,8]
init s float32 [] = 0.5
init z uint8 [] = 3
init w int8 [8,4,3,3] none
init v int8 [] = 0
node QLinearConv (x, s, z, w, s, v, s, z) -> (y) pads=[1,1,1,1]
output y uint8)",
      R"(
input x uint8 [1,4,8,8]
init w int8 [8,4,3,3] none
node ConvInteger (x, w) -> (y) pads=[1,1,1,1]
output y int32)",
      R"(
input x float32 [1,4,8,8]
init s float32 [] = 0.5
init v int8 [] = 0
init w int8 [8,4,3,3] none
node DequantizeLinear (w, s, v) -> (d)
node Conv (x, d) -> (y) pads=[1,1,1,1]
output y float32)"};
  for (const std::string_view text : convolutions)
    EXPECT_EQ(AnalyseText(text).totals().counts.macs, Dim(64 * 8 * 4 * 9)) << text;
  const std::string_view products[] = {
      R"(
input x uint8 [3,20]
init s float32 [] = 0.5
init z uint8 [] = 3
init w int8 [20,7] none
init v int8 [] = 0
node QLinearMatMul (x, s, z, w, s, v, s, z) -> (y)
output y uint8)",
      R"(
input x uint8 [3,20]
init w int8 [20,7] none
node MatMulInteger (x, w) -> (y)
output y int32)"};
  for (const std::string_view text : products)
    EXPECT_EQ(AnalyseText(text).totals().counts.macs, Dim(420)) << text;
}

// Counters that guess a batch axis print 823,296 here, four times too many.
TEST(Micro, UnbatchedConvolutionIsRefused) {
  const Analysed out = AnalyseText(R"(
input x float32 [32,128]
init w float32 [32,32,3]
node Conv (x, w) -> (y) strides=[2] pads=[4,4]
output y float32)");
  EXPECT_FALSE(out.totals().complete);
  EXPECT_TRUE(out.analysis.layers[0].counts.macs.is_unknown());
  EXPECT_FALSE(out.analysis.layers[0].because.empty());
}

TEST(Micro, OneWeightUsedTwiceCountsOnceAndWorksTwice) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,10]
init w float32 [10,10]
init b float32 [10]
node Gemm (x, w, b) -> (h)
node Gemm (h, w, b) -> (y)
output y float32)");
  EXPECT_EQ(out.totals().counts.macs, Dim(200));
  EXPECT_EQ(out.totals().parameters, Dim(110));
  EXPECT_EQ(out.totals().weight_bytes, Dim(880)) << "weights are read once a use";
  EXPECT_FALSE(out.analysis.layers[0].shared_with.valid());
  EXPECT_EQ(out.analysis.layers[1].shared_with, LayerId{0});
  EXPECT_EQ(out.analysis.layers[1].parameters, Dim(0));
}

TEST(Micro, FreeBatchIsAFormula) {
  constexpr std::string_view kText = R"(
input x float32 [N,3,32,32]
init w float32 [8,3,3,3]
node Conv (x, w) -> (y) pads=[1,1,1,1]
output y float32)";
  const Analysed out = AnalyseText(kText);
  EXPECT_EQ(out.Text(out.totals().counts.macs), "N*221184");
  EXPECT_EQ(out.Of("Conv").formula, "N*8*32*32 * 3 * 3*3");
  EXPECT_EQ(out.Text(out.totals().memory.live_peak_bytes), "N*45056");
  EXPECT_EQ(AnalyseText(kText, {.bindings = {{"N", 2}}, .shapes = {}}).totals().counts.macs,
            Dim(442'368));
}

}  // namespace
}  // namespace opscope
