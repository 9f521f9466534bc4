// ONNX Runtime's own operators: shapes with free dims, and what they count.
#include <gtest/gtest.h>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/cost_text.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr std::string_view kDomain = "opset 17\nopset com.microsoft 1\n";

constexpr ShapeCase kShapes[] = {
    {"convolutions: fused, channels last, quantised", R"(
opset 17
opset com.microsoft 1
input x float32 [N,3,H,32]
input l float32 [N,H,32,3]
input q uint8 [N,H,32,3]
init w float32 [16,3,3,3]
init v int8 [16,3,3,3]
init s float32 []
init z uint8 []
init n int8 []
node FusedConv (x, w) -> (a) domain="com.microsoft" activation="Relu" strides=[2,2] pads=[1,1,1,1]
node NhwcConv (l, w) -> (b) domain="com.microsoft" pads=[1,1,1,1]
node QLinearConv (q, s, z, v, s, n, s, z) -> (c) domain="com.microsoft" channels_last=1 kernel_shape=[3,3]
node NhwcMaxPool (q) -> (d) domain="com.microsoft" kernel_shape=[2,2] strides=[2,2]
node QLinearGlobalAveragePool (q, s, z, s, z) -> (e) domain="com.microsoft" channels_last=1
output a float32
output b float32
output c uint8
output d uint8
output e uint8)",
     "a float32 [N,16,(H + 1) // 2,16]\nb float32 [N,H,32,16]\nc uint8 [N,H - 2,30,16]\n"
     "d uint8 [N,H // 2,16,3]\ne uint8 [N,1,1,3]\n"},
    {"products: transposed, with transposed batches, to float, of packed bits", R"(
opset 17
opset com.microsoft 1
input a float32 [B,4,S,8]
input b float32 [B,4,T,8]
input t float32 [S,B,8]
input q uint8 [S,8]
init w uint8 [8,6]
init p uint8 [6,1,16]
init c float32 [6,1]
init s float32 []
input h float32 [B,S,8]
node FusedMatMul (a, b) -> (x) domain="com.microsoft" transB=1 alpha=0.5
node FusedMatMul (t, h) -> (y) domain="com.microsoft" transBatchA=1 transB=1
node MatMulIntegerToFloat (q, w, s, s) -> (z) domain="com.microsoft"
node MatMulNBits (h, p, c) -> (n) domain="com.microsoft" K=8 N=6 bits=4 block_size=32
output x float32
output y float32
output z float32
output n float32)",
     "x float32 [B,4,S,T]\ny float32 [B,S,S]\nz float32 [S,6]\nn float32 [B,S,6]\n"},
    {"attention that projects, with a past", R"(
opset 17
opset com.microsoft 1
input x float32 [B,S,64]
init w float32 [64,192]
init b float32 [192]
input p float32 [2,B,4,P,16]
node Attention (x, w, b, , p) -> (y, q) domain="com.microsoft" num_heads=4 unidirectional=1
output y float32
output q float32)",
     "y float32 [B,S,64]\nq float32 [2,B,4,P + S,16]\n"},
    {"attention with heads of its own, packed, and as a cross attention", R"(
opset 17
opset com.microsoft 1
input q float32 [B,S,64]
input k float32 [B,T,64]
input v float32 [B,T,32]
input p float32 [B,S,4,3,16]
input c float32 [B,4,T,16]
node MultiHeadAttention (q, k, v) -> (a) domain="com.microsoft" num_heads=4
node MultiHeadAttention (p) -> (b, bk, bv) domain="com.microsoft" num_heads=4
node MultiHeadAttention (q, c, c) -> (d) domain="com.microsoft" num_heads=4
output a float32
output b float32
output bk float32
output d float32)",
     "a float32 [B,S,32]\nb float32 [B,S,64]\nbk float32 [B,4,S,16]\nd float32 [B,S,64]\n"},
    {"grouped queries: total known from an input, cache of its own length", R"(
opset 17
opset com.microsoft 1
input q float16 [B,S,384]
input k float16 [B,S,96]
input v float16 [B,S,96]
input pk float16 [B,3,P,32]
input pv float16 [B,3,P,32]
input l int32 [B]
init t int32 [] = 96
node GroupQueryAttention (q, k, v, pk, pv, l, t) -> (y, nk, nv) domain="com.microsoft" num_heads=12 kv_num_heads=3
output y float16
output nk float16
output nv float16)",
     "y float16 [B,S,384]\nnk float16 [B,3,max(96, P),32]\nnv float16 [B,3,max(96, P),32]\n"},
    {"norms and embeddings", R"(
opset 17
opset com.microsoft 1
input x float32 [B,S,8]
init g float32 [8]
input i int32 [B,S]
init e float32 [100,8]
node SkipLayerNormalization (x, x, g, g) -> (a, , , s) domain="com.microsoft"
node EmbedLayerNormalization (i, i, e, e, e, g, g) -> (b, m) domain="com.microsoft"
node SimplifiedLayerNormalization (x, g) -> (c)
output a float32
output s float32
output b float32
output m int32
output c float32)",
     "a float32 [B,S,8]\ns float32 [B,S,8]\nb float32 [B,S,8]\nm int32 [B]\nc float32 [B,S,8]\n"},
    {"moves: packed rows, padding taken out, windows, transforms", R"(
opset 17
opset com.microsoft 1
input i int64 [B,S]
init d uint8 [100,16]
init c float32 [100,1]
input x float32 [B,S,8]
input n int32 [B]
node GatherBlockQuantized (d, i, c) -> (a) domain="com.microsoft" bits=4 block_size=32 quantize_axis=1
node RemovePadding (x, n) -> (p, o, l, m) domain="com.microsoft" name="pack"
node UnfoldTensor (x) -> (u) domain="com.microsoft" dim=1 size=4 step=2
node Rfft (x) -> (r) domain="com.microsoft" signal_ndim=1
node Irfft (r) -> (f) domain="com.microsoft" signal_ndim=1
node BiasSplitGelu (x, c) -> (g) domain="com.microsoft"
output a float32
output p float32
output l int32
output u float32
output r float32
output f float32
output g float32)",
     "a float32 [B,S,32]\np float32 [`tokens(pack)`,8]\nl int32 [B + 1]\nu float32 [B,S // 2 - "
     "1,8,4]\nr float32 [B,S,5,2]\nf float32 [B,S,8]\ng float32 [B,S,4]\n"},
    {"quantised: concat, broadcast, mean, softmax", R"(
opset 17
opset com.microsoft 1
input a uint8 [N,3]
input b uint8 [N,5]
input c uint8 [1,3]
init s float32 []
init z uint8 []
node QLinearConcat (s, z, a, s, z, b, s, z) -> (x) domain="com.microsoft" axis=1
node QLinearAdd (a, s, z, c, s, z, s, z) -> (y) domain="com.microsoft"
node QLinearReduceMean (a, s, z, s, z) -> (m) domain="com.microsoft" axes=[1] keepdims=0
output x uint8
output y uint8
output m uint8)",
     "x uint8 [N,8]\ny uint8 [N,3]\nm uint8 [N]\n"},
    {"blocks of channels", R"(
opset 17
opset com.microsoft.nchwc 1
input x float32 [1,32,H,8]
init w float32 [64,32,3,3]
node ReorderInput (x) -> (a) domain="com.microsoft.nchwc"
node Conv (a, w) -> (b) domain="com.microsoft.nchwc" activation="Relu" pads=[1,1,1,1]
node ReorderOutput (b) -> (c) domain="com.microsoft.nchwc" channels=50 channels_last=1
output b float32
output c float32)",
     "b float32 [1,64,H,8]\nc float32 [1,H,8,50]\n"},
};

TEST(OpsContrib, Shapes) { ExpectInferred(kShapes); }

struct CountCase {
  std::string_view name;
  std::string_view text;
  std::int64_t macs;
  std::int64_t bias_adds = 0;
  std::int64_t elementwise = 0;
  std::int64_t transcendental = 0;
  std::int64_t comparisons = 0;
};

// The cost model's cases in the form ONNX Runtime writes them.
constexpr CountCase kCounts[] = {
    {"fused convolution: 4,096 outputs with bias, sum and Relu", R"(
input x float32 [1,3,32,32]
input z float32 [1,16,16,16]
init w float32 [16,3,3,3]
init b float32 [16]
node FusedConv (x, w, b, z) -> (y) domain="com.microsoft" activation="Relu" strides=[2,2] pads=[1,1,1,1]
output y float32)",
     110'592, 4'096, 4'096, 0, 4'096},
    {"the same with channels last", R"(
input x float32 [1,32,32,3]
init w float32 [16,3,3,3]
node NhwcConv (x, w) -> (y) domain="com.microsoft" strides=[2,2] pads=[1,1,1,1]
output y float32)",
     110'592},
    {"Gemm with bias and a sigmoid", R"(
input a float32 [3,20]
init b float32 [20,7]
init c float32 [7]
node FusedGemm (a, b, c) -> (y) domain="com.microsoft" activation="Sigmoid"
output y float32)",
     420, 21, 63, 21},
    {"4-bit weights, one token", R"(
input a float16 [1,1,2048]
init b uint8 [1024,64,16]
init s float16 [1024,64]
init z uint8 [1024,32]
node MatMulNBits (a, b, s, z) -> (y) domain="com.microsoft" K=2048 N=1024 bits=4 block_size=32
output y float16)",
     2'097'152},
    {"8 heads, q 16, kv 48, d 32, dv 64", R"(
input q float32 [1,16,256]
input k float32 [1,48,256]
input v float32 [1,48,512]
node MultiHeadAttention (q, k, v) -> (y) domain="com.microsoft" num_heads=8
output y float32)",
     589'824, 0, 24'448, 6'144, 6'016},
    {"12 query heads, 3 key heads, 96 tokens", R"(
input q float16 [1,96,384]
input k float16 [1,96,96]
input v float16 [1,96,96]
input l int32 [1]
init t int32 [] = 96
node GroupQueryAttention (q, k, v, , , l, t) -> (y) domain="com.microsoft" num_heads=12 kv_num_heads=3
output y float16)",
     7'077'888, 0, 441'216, 110'592, 109'440},
    {"the same packed, one new token after 95", R"(
input q float16 [1,1,576]
input pk float16 [1,3,95,32]
input pv float16 [1,3,95,32]
input l int32 [1]
input t int32 []
node GroupQueryAttention (q, , , pk, pv, l, t) -> (y) domain="com.microsoft" num_heads=12 kv_num_heads=3
output y float16)",
     73'728, 0, 4'596, 1'152, 1'140},
    {"Attention with its projections, d 256, T 50", R"(
input x float32 [1,50,256]
init w float32 [256,768]
init b float32 [768]
node Attention (x, w, b) -> (y) domain="com.microsoft" num_heads=8
output y float32)",
     11'110'400, 38'400, 79'600, 20'000, 19'600},
    {"experts: 5 tokens, 2 of 8, 64 -> 128 -> 64, relu", R"(
input x float32 [5,64]
input r float32 [5,8]
init a float32 [8,128,64]
init b float32 [8,64,128]
node MoE (x, r, a, , b) -> (y) domain="com.microsoft" k=2 activation_type="relu"
output y float32)",
     163'840, 0, 960, 0, 1'280},
    {"experts with a fused gate, packed in 4 bits: three products", R"(
input x float16 [1,5,64]
input r float16 [5,8]
init a uint8 [8,256,32]
init s float16 [8,256]
init b uint8 [8,64,64]
init t float16 [8,64]
node QMoE (x, r, a, s, , b, t) -> (y) domain="com.microsoft" k=2 activation_type="swiglu" swiglu_fusion=1
output y float16)",
     245'760, 0, 8'640, 1'280},
    {"linear attention: 4 query and 2 key heads of 8 x 16, 5 tokens", R"(
input q float32 [1,5,32]
input k float32 [1,5,16]
input v float32 [1,5,32]
input d float32 [1,5,2]
node LinearAttention (q, k, v, , d, d) -> (y, s) domain="com.microsoft" q_num_heads=4 kv_num_heads=2
output y float32)",
     5'120, 0, 1'280},
    {"causal depthwise convolution", R"(
input x float32 [1,4,10]
init w float32 [4,1,3]
init b float32 [4]
node CausalConvWithState (x, w, b) -> (y, s) domain="com.microsoft" activation="silu"
output y float32)",
     120, 40, 200, 40},
    {"GroupNorm with SiLU over 2 groups", R"(
input x float32 [1,4,4,8]
init g float32 [8]
node GroupNorm (x, g, g) -> (y) domain="com.microsoft" groups=2 activation=1
output y float32)",
     0, 0, 1'410, 130},
    {"transform of 64 real points: 33 bins of two parts", R"(
input x float32 [1,64]
node Rfft (x) -> (y) domain="com.microsoft" signal_ndim=1
output y float32)",
     4'224},
};

TEST(OpsContrib, Counts) {
  for (const CountCase& each : kCounts) {
    const Analysed out = AnalyseText(std::string(kDomain) + std::string(each.text));
    const Counts& counts = out.totals().counts;
    EXPECT_TRUE(out.totals().complete) << each.name;
    EXPECT_EQ(out.Text(counts.macs), std::to_string(each.macs)) << each.name;
    EXPECT_EQ(out.Text(counts.bias_adds), std::to_string(each.bias_adds)) << each.name;
    EXPECT_EQ(out.Text(counts.elementwise), std::to_string(each.elementwise)) << each.name;
    EXPECT_EQ(out.Text(counts.transcendental), std::to_string(each.transcendental)) << each.name;
    EXPECT_EQ(out.Text(counts.comparisons), std::to_string(each.comparisons)) << each.name;
  }
}

TEST(OpsContrib, PackedWeightsKeepTheirBytesAndNameTheirBits) {
  const Analysed out = AnalyseText(std::string(kDomain) + std::string(kCounts[3].text));
  const Layer& layer = out.Of("MatMulNBits");
  // 1,048,576 packed + 131,072 scales + 32,768 zero points.
  EXPECT_EQ(layer.weight_bytes, Dim(1'212'416));
  // 2,097,152 weights, 65,536 scales, 65,536 zero points: two numbers a byte.
  EXPECT_EQ(layer.parameters, Dim(2'228'224));
  EXPECT_EQ(layer.parameter_bytes, Dim(1'212'416));
  EXPECT_EQ(layer.mac_activation, DType::kFloat16);
  EXPECT_EQ(layer.mac_weight, DType::kUInt4);
}

TEST(OpsContrib, AttentionTellsWhatACacheNeeds) {
  const Propagated out = PropagateText(std::string(kDomain) + std::string(kCounts[6].text));
  const auto& work = std::get<work::Attention>(out.facts.works[0]);
  EXPECT_EQ(work.kv_heads, Dim(3));
  EXPECT_EQ(work.past, Dim(95));
  EXPECT_EQ(work.kv_length, Dim(96));
  EXPECT_TRUE(work.causal);
  EXPECT_FALSE(work.window.has_value());
}

TEST(OpsContrib, GeneratedTextRunsItsDecoderAsOftenAsTheDataSay) {
  const Propagated out = PropagateText(R"(
opset 17
opset com.microsoft 1
input i int32 [B,S]
init m int32 [1] = 20
node GreedySearch (i, m) -> (y) domain="com.microsoft" name="g" decoder=graph:d
output y int32
graph d
input ids int32 [rows,1]
init w float32 [1,7]
node Cast (ids) -> (f) to=1
node MatMul (f, w) -> (logits)
output logits float32
end)");
  EXPECT_EQ(out.Describe(out.Fact("y")), "int32 [B,20]");
  EXPECT_EQ(out.Describe(out.Fact("logits")), "float32 [rows,7]");
  EXPECT_EQ(out.Text(out.facts.trips[1]), "`steps(g)`");
}

TEST(OpsContrib, WhatCannotBeCountedIsNamedWithItsReason) {
  const Analysed out = AnalyseText(std::string(kDomain) + R"(
input x float32 [1,3]
node EPContext (x) -> (y) domain="com.microsoft" name="npu"
output y float32 [1,3])");
  EXPECT_FALSE(out.totals().complete);
  EXPECT_EQ(out.Of("EPContext").because,
            "a compiled part of a network, which only its device can read");
}

}  // namespace
}  // namespace opscope
