// Rows of ONNX Runtime onto layers: a model and a profile as text, beside what each row covers.
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "join/join.h"
#include "model/formats/format.h"
#include "support/join_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

constexpr std::string_view kConvs = R"(
input x float32 [1,4,8,8]
init w float32 [4,4,3,3]
init v float32 [4,4,1,1]
node Conv (x, w) -> (r0) name="n0" pads=[1,1,1,1]
node Relu (r0) -> (r1) name="n1"
node Conv (r1, v) -> (r2) name="n2"
node Conv (r1, v) -> (r3) name="n3"
node Add (r2, r3) -> (r4) name="n4"
node Relu (r4) -> (r5) name="n5"
node Dropout (r5) -> (r6) name="n6"
node GlobalAveragePool (r6) -> (y) name="n7"
output y float32
)";

TEST(JoinOrt, WithoutOptimisationNamesAgree) {
  const Joined joined = JoinTexts(kConvs, R"(
op 10 +1 n0 Conv index=0
op 12 +1 n1 Relu index=1
op 14 +1 n2 Conv index=2
op 16 +1 n3 Conv index=3
op 18 +1 n4 Add index=4
op 20 +1 n5 Relu index=5
op 22 +1 n6 Dropout index=6
op 24 +1 n7 GlobalAveragePool index=7
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer n0 Conv: n0 | name, exact\n"
            "layer n1 Relu: n1 | name, exact\n"
            "layer n2 Conv: n2 | name, exact\n"
            "layer n3 Conv: n3 | name, exact\n"
            "layer n4 Add: n4 | name, exact\n"
            "layer n5 Relu: n5 | name, exact\n"
            "layer n6 Dropout: n6 | name, exact\n"
            "layer n7 GlobalAveragePool: n7 | name, exact\n");
  EXPECT_EQ(joined.Absent(), "");
}

TEST(JoinOrt, ARowThatKeepsItsFirstNameCoversWhatFollows) {
  // Level extended: n2 + Add + Relu in one row, that of the convolution which runs last.
  const Joined joined = JoinTexts(kConvs, R"(
op 10 +1 n0 FusedConv index=9
op 12 +1 n3 Conv index=3
op 14 +2 n2 FusedConv index=10
op 24 +1 n7 GlobalAveragePool index=7
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer n0 FusedConv: n0 n1 | name, estimated\n"
            "layer n3 Conv: n3 | name, exact\n"
            "layer n2 FusedConv: n2 n4 n5 n6 | name, estimated\n"
            "layer n7 GlobalAveragePool: n7 | name, exact\n");
  EXPECT_EQ(joined.Absent(), "n6 folded\n");
}

TEST(JoinOrt, ARowNamedAfterItsOutputCoversWhatLiesBefore) {
  // Level all: names of output tensors, another order, layout changes around.
  const Joined joined = JoinTexts(kConvs, R"(
op 10 +1 r1_nchwc Conv index=20
op 12 +1 r3_nchwc Conv index=21
op 14 +2 r5_nchwc_token_7 Conv index=22
op 20 +1 ReorderOutput_token_3 ReorderOutput index=24
op 24 +1 n7 GlobalAveragePool index=7
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer r1_nchwc Conv: n0 n1 | output-tensor, estimated\n"
            "layer r3_nchwc Conv: n3 | output-tensor, exact\n"
            "layer r5_nchwc_token_7 Conv: n2 n4 n5 n6 | output-tensor, estimated\n"
            "runtime ReorderOutput_token_3 ReorderOutput: | runtime-name, exact\n"
            "layer n7 GlobalAveragePool: n7 | name, exact\n");
  EXPECT_EQ(joined.run.coverage.placed, joined.run.coverage.rows);
}

TEST(JoinOrt, TimeIsDividedByMacs) {
  // Two convolutions in one compiled row: 36,864 and 2 x 4,096 MACs.
  const Joined joined = JoinTexts(kConvs, R"(
op 0 +44 TRTKernel_graph_main_0 TRTKernel_graph_main_0 ep=TensorrtExecutionProvider
run 0 +44
)");
  EXPECT_EQ(joined.Rows(),
            "layer TRTKernel_graph_main_0 TRTKernel_graph_main_0: n0 n1 n2 n3 n4 n5 n6 n7 | "
            "region, estimated\n");
  const Row& row = joined.run.rows[0];
  EXPECT_EQ(row.layers[0].wall_ns, 36'000);
  EXPECT_EQ(row.layers[2].wall_ns, 4'000);
  EXPECT_EQ(row.layers[3].wall_ns, 4'000);
  EXPECT_EQ(row.layers[4].wall_ns, 0);
  EXPECT_EQ(joined.run.layers[0].state, LayerRun::kEstimated);
  EXPECT_EQ(joined.run.layers[0].median_ns, 36'000);
  EXPECT_EQ(joined.run.layers[0].shared_with.size(), 7U);
  ASSERT_EQ(joined.run.placement.size(), 1U);
  EXPECT_EQ(joined.run.placement[0].provider, "TensorrtExecutionProvider");
  EXPECT_EQ(joined.run.placement[0].macs_share, 1.0);
}

TEST(JoinOrt, TimeWithoutMacsIsDividedByBytes) {
  const Joined joined = JoinTexts(R"(
input x float32 [100]
node Add (x, x) -> (a) name="a"
node Cast (a) -> (b) name="b" to=10
output b float16
)",
                                  "op 0 +12 a FusedAdd\nrun 0 +12\n");
  // 800 + 400 bytes read once or twice, and 400 + 200: the shares follow the model's traffic.
  const Row& row = joined.run.rows[0];
  ASSERT_EQ(row.layers.size(), 2U);
  EXPECT_EQ(row.layers[0].wall_ns + row.layers[1].wall_ns, 12'000);
  EXPECT_GT(row.layers[0].wall_ns, row.layers[1].wall_ns);
  EXPECT_GT(row.layers[1].wall_ns, 0);
  EXPECT_NE(row.because.find("bytes"), std::string::npos);
}

constexpr std::string_view kQdq = R"(
input x float32 [1,4,8,8]
init s float32 [] = 0.1
init z uint8 [] = 0
init w int8 [4,4,3,3]
init sw float32 [] = 0.1
init zw int8 [] = 0
node QuantizeLinear (x, s, z) -> (xq) name="q_in"
node DequantizeLinear (xq, s, z) -> (xd) name="dq_in"
node DequantizeLinear (w, sw, zw) -> (wd) name="dq_w"
node Conv (xd, wd) -> (c) name="conv0"
node Relu (c) -> (r) name="relu0"
node QuantizeLinear (r, s, z) -> (rq) name="q_out"
node DequantizeLinear (rq, s, z) -> (y) name="dq_out"
output y float32
)";

constexpr std::string_view kQdqProfile = R"(
op 10 +1 q_in QuantizeLinear index=0
op 12 +1 Transpose Transpose index=8
op 14 +1 conv0_token_1 QLinearConv index=10
op 16 +1 Transpose_token_0 Transpose index=9
op 18 +1 dq_out DequantizeLinear index=6
run 9 +20
)";

TEST(JoinOrt, QuantisedIslands) {
  const std::string rows =
      "layer q_in QuantizeLinear: q_in | name, exact\n"
      "runtime Transpose Transpose: | runtime-name, strong\n"
      "layer conv0_token_1 QLinearConv: dq_in conv0 relu0 q_out | name, estimated\n"
      "runtime Transpose_token_0 Transpose: | runtime-name, strong\n"
      "layer dq_out DequantizeLinear: dq_out | name, exact\n";
  const Joined joined = JoinTexts(kQdq, kQdqProfile);
  EXPECT_EQ(joined.Rows(), rows);
  EXPECT_EQ(joined.Absent(), "dq_w folded\n");
}

TEST(JoinOrt, AReleaseThatLosesTheNameOfAQuantisedNode) {
  std::string profile(kQdqProfile);
  profile.replace(profile.find("conv0_token_1"), 13, "QLinearConv");
  EXPECT_NE(
      JoinTexts(kQdq, profile)
          .Rows()
          .find("layer QLinearConv QLinearConv: dq_in conv0 relu0 q_out | op-order, estimated"),
      std::string::npos);
}

TEST(JoinOrt, TheOptimisedModelDecides) {
  const Joined joined = JoinTexts(kQdq, kQdqProfile, R"(
opset com.microsoft 1
input x float32 [1,4,8,8]
init s float32 [] = 0.1
init z uint8 [] = 0
init w int8 [4,4,3,3]
node QuantizeLinear (x, s, z) -> (xq) name="q_in"
node Transpose (xq) -> (t) name="Transpose"
node QLinearConv (t, s, z, w) -> (conv0) name="conv0_token_1" domain="com.microsoft"
node Transpose (conv0) -> (rq) name="Transpose_token_0"
node DequantizeLinear (rq, s, z) -> (y) name="dq_out"
output y float32
)");
  EXPECT_EQ(joined.Rows(),
            "layer q_in QuantizeLinear: q_in | name, exact\n"
            "runtime Transpose Transpose: | optimized-model, strong\n"
            "layer conv0_token_1 QLinearConv: dq_in conv0 relu0 q_out | name, estimated\n"
            "runtime Transpose_token_0 Transpose: | optimized-model, strong\n"
            "layer dq_out DequantizeLinear: dq_out | name, exact\n");
}

TEST(JoinOrt, TheOptimisedModelTellsWhatABareNameCovers) {
  constexpr std::string_view kModel = R"(
input x float32 [2,8]
init w float32 [8,8]
node MatMul (x, w) -> (a) name="mm"
node Sigmoid (a) -> (b) name="sig"
node Mul (a, b) -> (c) name="mul"
node Neg (c) -> (y) name="neg"
output y float32
)";
  constexpr std::string_view kProfile = R"(
op 10 +5 mm MatMul
op 16 +2 Mystery_token_4 Mystery
op 20 +1 neg Neg
run 9 +20
)";
  EXPECT_EQ(JoinTexts(kModel, kProfile).Rows(),
            "layer mm MatMul: mm | name, exact\n"
            "unmatched Mystery_token_4 Mystery: | none, none\n"
            "layer neg Neg: sig mul neg | name, estimated\n");
  EXPECT_EQ(JoinTexts(kModel, kProfile, R"(
opset com.microsoft 1
input x float32 [2,8]
init w float32 [8,8]
node MatMul (x, w) -> (a) name="mm"
node Mystery (a) -> (c) name="Mystery_token_4" domain="com.microsoft"
node Neg (c) -> (y) name="neg"
output y float32
)")
                .Rows(),
            "layer mm MatMul: mm | name, exact\n"
            "layer Mystery_token_4 Mystery: sig mul | optimized-model, estimated\n"
            "layer neg Neg: neg | name, exact\n");
}

constexpr std::string_view kControl = R"(
input x float32 [2]
input c bool []
init trips int64 [] = 4
init go bool [] = 1
node If (c) -> (i) name="my_if" then_branch=graph:t else_branch=graph:e
node Loop (trips, go, i) -> (y) name="my_loop" body=graph:b
output y float32 [2]
graph t
node Sin (x) -> (t1) name="inner"
node Cos (t1) -> (t2)
output t2 float32 [2]
end
graph e
node Cos (x) -> (e2) name="inner"
output e2 float32 [2]
end
graph b
input n int64 []
input cin bool []
input v float32 [2]
node Identity (cin) -> (cout)
node Sin (v) -> (v2) name="inner"
output cout bool []
output v2 float32 [2]
end
)";

TEST(JoinOrt, BodiesAreToldApartByTheirContainer) {
  const Joined joined = JoinTexts(kControl, R"(
op   12 +1 inner Cos index=0
exec 12 +1
op   11 +3 my_if If index=0
op   16 +1 inner Sin index=1
op   18 +0 Identity_0 Identity index=0
exec 16 +3
op   15 +5 my_loop Loop index=1
exec 11 +10
run  10 +12
)");
  EXPECT_EQ(joined.Rows(),
            "container my_if If: my_if | name, exact\n"
            "layer my_if/inner Cos: inner | name, exact\n"
            "container my_loop Loop: my_loop | name, exact\n"
            "layer my_loop/inner Sin: inner | name, exact\n"
            "layer my_loop/Identity_0 Identity: Identity | name, exact\n");
  // Of the three nodes called "inner" each has its own time.
  EXPECT_EQ(joined.Absent(), "inner not-run\nCos not-run\n");
  EXPECT_EQ(SumsText(joined.run), "wall 12 = layers 8 + runtime 2 + unmatched 0 + gap 2");
}

TEST(JoinOrt, AnIfThatTheEngineDissolved) {
  const Joined joined = JoinTexts(R"(
input x float32 [2]
init c bool [] = 1
node If (c) -> (y) name="If_0" then_branch=graph:t else_branch=graph:e
output y float32 [2]
graph t
node Sin (x) -> (t1) name="/stft/Sin"
output t1 float32 [2]
end
graph e
node Cos (x) -> (e1) name="/stft/Cos"
output e1 float32 [2]
end
)",
                                  "op 1 +2 If_0_then_branch__Inline_0__/stft/Sin Sin\nrun 0 +4\n");
  EXPECT_EQ(joined.Rows(),
            "layer If_0_then_branch__Inline_0__/stft/Sin Sin: /stft/Sin | fused-name, strong\n");
}

TEST(JoinOrt, FunctionsThatTheEngineInlined) {
  // Nodes of the second call have a counter in the function's name; those without a name are
  // numbered behind the graph's own: 4 nodes, two of each call.
  const Joined joined = JoinTexts(R"(
opset com.acme 1
input x float32 [8,16]
init w float32 [16,16]
init b float32 [16]
node MatMul (x, w) -> (m) name="mm"
node Block (m, b) -> (f) name="call0" domain="com.acme"
node Block (f, b) -> (g) name="call1" domain="com.acme"
node Neg (g) -> (y) name="neg"
output y float32 [8,16]
function com.acme Block (a, c) -> (o) opset 17
node Add (a, c) -> (h) name="bias"
node Sin (h) -> (o)
end
)",
                                  R"(
op 10 +1 mm/MatMulAddFusion Gemm
op 12 +1 Sin_5 Sin index=5
op 14 +1 _inlfunc_Block_token_0_bias Add index=6
op 16 +1 Sin_7 Sin index=7
op 18 +1 neg Neg index=3
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer mm/MatMulAddFusion Gemm: mm bias | fused-name, estimated\n"
            "layer Sin_5 Sin: Sin | name, exact\n"
            "layer _inlfunc_Block_token_0_bias Add: bias | fused-name, strong\n"
            "layer Sin_7 Sin: Sin | name, exact\n"
            "layer neg Neg: neg | name, exact\n");
  EXPECT_EQ(joined.Absent(), "call0 folded\ncall1 folded\n");
}

TEST(JoinOrt, AnotherModelIsNotForcedOntoTheProfile) {
  const Joined joined = JoinTexts(kConvs, "op 1 +2 other_conv Conv\nrun 0 +4\n");
  EXPECT_EQ(joined.Rows(), "unmatched other_conv Conv: | none, none\n");
  EXPECT_EQ(SumsText(joined.run), "wall 4 = layers 0 + runtime 0 + unmatched 2 + gap 2");
  EXPECT_EQ(joined.run.coverage.placed_ns, 0);
  EXPECT_NE(joined.run.rows[0].because, "");
}

TEST(JoinOrt, SeveralCompiledSubgraphs) {
  constexpr std::string_view kModel = R"(
input x float32 [1,4]
node Neg (x) -> (a) name="a"
node Abs (a) -> (b) name="b"
node Sin (b) -> (c) name="c"
node Neg (c) -> (d) name="d"
node Abs (d) -> (y) name="e"
output y float32 [1,4]
)";
  EXPECT_EQ(JoinTexts(kModel, R"(
op 1 +2 DmlFusedNode_0_41 DmlFusedNode_0_41
op 4 +1 c Sin
op 6 +3 DmlFusedNode_0_42 DmlFusedNode_0_42
run 0 +10
)")
                .Rows(),
            "layer DmlFusedNode_0_41 DmlFusedNode_0_41: a b | region, estimated\n"
            "layer c Sin: c | name, exact\n"
            "layer DmlFusedNode_0_42 DmlFusedNode_0_42: d e | region, estimated\n");
  EXPECT_EQ(JoinTexts(kModel, R"(
op 1 +2 DmlFusedNode_0_41 DmlFusedNode_0_41
op 6 +3 DmlFusedNode_0_42 DmlFusedNode_0_42
run 0 +10
)")
                .Rows(),
            "unmatched DmlFusedNode_0_41 DmlFusedNode_0_41: | none, none\n"
            "unmatched DmlFusedNode_0_42 DmlFusedNode_0_42: | none, none\n");
}

}  // namespace
}  // namespace opscope
