// Rows that an optimiser made of several nodes of a transformer, beside the layers they cover.
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "join/join.h"
#include "model/formats/format.h"
#include "support/join_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

TEST(JoinFused, GeneratedNamesOfFusions) {
  const Joined joined = JoinTexts(R"(
input x float32 [2,8]
init w float32 [8,8]
init b float32 [8]
init two float32 [] = 2
init eps float32 [] = 0.00001
node MatMul (x, w) -> (m) name="/fc/MatMul"
node Add (m, b) -> (h) name="/fc/Add"
node ReduceMean (h) -> (mu) name="/ln/ReduceMean" axes=[-1]
node Sub (h, mu) -> (d) name="/ln/Sub"
node Pow (d, two) -> (p) name="/ln/Pow"
node ReduceMean (p) -> (v) name="/ln/ReduceMean_1" axes=[-1]
node Add (v, eps) -> (e) name="/ln/Add"
node Sqrt (e) -> (s) name="/ln/Sqrt"
node Div (d, s) -> (n) name="/ln/Div"
node Mul (n, b) -> (g) name="/ln/Mul"
node Add (g, b) -> (o) name="/ln/Add_1"
node MatMul (o, w) -> (y) name="/out/MatMul"
output y float32
)",
                                  R"(
op 10 +5 /fc/MatMul/MatMulAddFusion Gemm
op 16 +2 /ln/ReduceMean/LayerNormFusion/ LayerNormalization
op 20 +5 /out/MatMul MatMul
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer /fc/MatMul/MatMulAddFusion Gemm: /fc/MatMul /fc/Add | fused-name, estimated\n"
            "layer /ln/ReduceMean/LayerNormFusion/ LayerNormalization: /ln/ReduceMean /ln/Sub "
            "/ln/Pow /ln/ReduceMean_1 /ln/Add /ln/Sqrt /ln/Div /ln/Mul /ln/Add_1 | fused-name, "
            "estimated\n"
            "layer /out/MatMul MatMul: /out/MatMul | name, exact\n");
}

TEST(JoinFused, BareNamesByOpBetweenPlacedRows) {
  constexpr std::string_view kModel = R"(
input x float32 [2,8]
init w float32 [8,8]
init c float32 [] = 1
node MatMul (x, w) -> (a) name="m0"
node Div (a, c) -> (a1) name="div0"
node Erf (a1) -> (a2) name="erf0"
node Add (a2, c) -> (a3) name="add0"
node Mul (a, a3) -> (a4) name="mul0"
node MatMul (a4, w) -> (b) name="m1"
node Div (b, c) -> (b1) name="div1"
node Erf (b1) -> (b2) name="erf1"
node Add (b2, c) -> (b3) name="add1"
node Mul (b, b3) -> (b4) name="mul1"
node MatMul (b4, w) -> (y) name="m2"
output y float32
)";
  EXPECT_EQ(JoinTexts(kModel, R"(
op 10 +1 m0 MatMul
op 12 +1 Gelu Gelu
op 14 +1 m1 MatMul
op 16 +1 Gelu_token_0 Gelu
op 18 +1 m2 MatMul
run 9 +20
)")
                .Rows(),
            "layer m0 MatMul: m0 | name, exact\n"
            "layer Gelu Gelu: div0 erf0 add0 mul0 | op-order, estimated\n"
            "layer m1 MatMul: m1 | name, exact\n"
            "layer Gelu_token_0 Gelu: div1 erf1 add1 mul1 | op-order, estimated\n"
            "layer m2 MatMul: m2 | name, exact\n");
}

// A feed-forward block: matrix product, residual sum, layer normalisation of primitive ops.
constexpr std::string_view kResidual = R"(
input x float32 [2,8]
init w float32 [8,8]
init b float32 [8]
init two float32 [] = 2
init eps float32 [] = 0.00001
node MatMul (x, w) -> (m) name="/fc/MatMul"
node Add (m, b) -> (h) name="/fc/Add"
node Add (h, x) -> (r) name="/res/Add"
node ReduceMean (r) -> (mu) name="/ln/ReduceMean" axes=[-1]
node Sub (r, mu) -> (d) name="/ln/Sub"
node Pow (d, two) -> (p) name="/ln/Pow"
node ReduceMean (p) -> (v) name="/ln/ReduceMean_1" axes=[-1]
node Add (v, eps) -> (e) name="/ln/Add"
node Sqrt (e) -> (s) name="/ln/Sqrt"
node Div (d, s) -> (n) name="/ln/Div"
node Mul (n, b) -> (g) name="/ln/Mul"
node Add (g, b) -> (o) name="/ln/Add_1"
node MatMul (o, w) -> (y) name="/out/MatMul"
output y float32
)";

TEST(JoinFused, ALayerNormalisationNamedAfterItsScale) {
  const Joined joined = JoinTexts(kResidual, R"(
op 10 +5 /fc/MatMul/MatMulAddFusion Gemm
op 15 +1 /res/Add Add
op 16 +2 /ln/Mul/LayerNormFusion/ LayerNormalization
op 20 +5 /out/MatMul MatMul
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer /fc/MatMul/MatMulAddFusion Gemm: /fc/MatMul /fc/Add | fused-name, estimated\n"
            "layer /res/Add Add: /res/Add | name, exact\n"
            "layer /ln/Mul/LayerNormFusion/ LayerNormalization: /ln/ReduceMean /ln/Sub /ln/Pow "
            "/ln/ReduceMean_1 /ln/Add /ln/Sqrt /ln/Div /ln/Mul /ln/Add_1 | fused-name, estimated\n"
            "layer /out/MatMul MatMul: /out/MatMul | name, exact\n");
}

TEST(JoinFused, ASkipNormalisationTakesTheResidualSum) {
  const Joined joined = JoinTexts(kResidual, R"(
op 10 +5 /fc/MatMul/MatMulAddFusion Gemm
op 16 +2 SkipLayerNormalization_token_7 SkipLayerNormalization
op 20 +5 /out/MatMul MatMul
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "layer /fc/MatMul/MatMulAddFusion Gemm: /fc/MatMul /fc/Add | fused-name, estimated\n"
            "layer SkipLayerNormalization_token_7 SkipLayerNormalization: /res/Add /ln/ReduceMean "
            "/ln/Sub /ln/Pow /ln/ReduceMean_1 /ln/Add /ln/Sqrt /ln/Div /ln/Mul /ln/Add_1 | "
            "op-order, estimated\n"
            "layer /out/MatMul MatMul: /out/MatMul | name, exact\n");
}

TEST(JoinFused, ReshapesAroundMatrixProducts) {
  const Joined joined = JoinTexts(R"(
input x float32 [1,2,8]
init w float32 [8,8]
init b float32 [8]
init shape int64 [4] = 1 2 2 4
node MatMul (x, w) -> (m) name="mm"
node Add (m, b) -> (h) name="add"
node Reshape (h, shape) -> (r) name="split"
node Transpose (r) -> (y) name="t" perm=[0,2,1,3]
output y float32
)",
                                  R"(
op 10 +1 gemm_input_reshape_token_2 Reshape
op 12 +1 mm/MatMulAddFusion Gemm
op 14 +1 gemm_output_reshape_token_5_new_reshape Reshape
op 16 +1 t Transpose
run 9 +20
)");
  EXPECT_EQ(joined.Rows(),
            "runtime gemm_input_reshape_token_2 Reshape: | runtime-name, strong\n"
            "layer mm/MatMulAddFusion Gemm: mm add split | fused-name, estimated\n"
            "runtime gemm_output_reshape_token_5_new_reshape Reshape: | runtime-name, strong\n"
            "layer t Transpose: t | name, exact\n");
}

}  // namespace
}  // namespace opscope
