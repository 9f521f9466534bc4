// The usual fusions, a case a row of docs/fusions.md: who runs with whom, and what then moves.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/fusion_check.h"

namespace opscope {
namespace {

// "Conv Relu | MaxPool": groups by their first layer, layers in file order; views and all.
std::string Groups(const Analysed& out) {
  std::map<LayerId, std::string> groups;
  for (const Layer& layer : out.analysis.layers) {
    if (!layer.group.valid()) continue;
    std::string& text = groups[layer.group];
    if (!text.empty()) text += ' ';
    text += out.model.text(out.model.node(layer.node).op);
  }
  std::string all;
  for (const auto& [group, text] : groups) all += (all.empty() ? "" : " | ") + text;
  return all;
}

std::string GroupsOf(const std::string& text) {
  const Analysed out = AnalyseText(text);
  FusionCheck(out).Run();
  return Groups(out);
}

constexpr const char* kConvInputs = R"(
input x float32 [1,8,8,8]
init w float32 [8,8,1,1]
init c float32 [8]
init one float32 [] = 1
)";

std::string Convolutions(const std::string& nodes) {
  return GroupsOf(kConvInputs + nodes + "\noutput y float32");
}

TEST(Fusion, AConvolutionWithBatchNormAndActivation) {
  EXPECT_EQ(Convolutions(R"(
node Conv (x, w) -> (a)
node BatchNormalization (a, c, c, c, c) -> (b)
node Clip (b, one) -> (r)
node Conv (r, w) -> (y))"),
            "Conv BatchNormalization Clip | Conv");
}

TEST(Fusion, AResidualJoinsTheLaterBranch) {
  EXPECT_EQ(Convolutions(R"(
node Conv (x, w) -> (a)
node Conv (x, w) -> (b)
node Add (a, b) -> (s)
node Relu (s) -> (r)
node Conv (r, w) -> (d)
node Add (r, d) -> (y))"),
            "Conv | Conv Add Relu | Conv Add");
}

TEST(Fusion, DecomposedActivations) {
  EXPECT_EQ(Convolutions(R"(
node Conv (x, w) -> (a)
node Sigmoid (a) -> (s)
node Mul (a, s) -> (b)
node Conv (b, w) -> (d)
node Div (d, one) -> (e)
node Erf (e) -> (f)
node Add (f, one) -> (g)
node Mul (d, g) -> (h)
node Mul (h, one) -> (y))"),
            "Conv Sigmoid Mul | Conv Div Erf Add Mul Mul");
}

// What a convolution makes stays apart where another kind of layer reads it too.
TEST(Fusion, AnOperandThatOthersReadIsNotFused) {
  EXPECT_EQ(Convolutions(R"(
node Conv (x, w) -> (a)
node Relu (a) -> (r)
node Conv (a, w) -> (b)
node Concat (r, b) -> (y) axis=1)"),
            "Conv | Relu | Conv | Concat");
}

// The gate of squeeze-and-excitation hangs on the convolution's output through a pooling: fused
// with that convolution, the Mul would wait for itself.
TEST(Fusion, AGroupIsNeverEnteredAgain) {
  EXPECT_EQ(Convolutions(R"(
node Conv (x, w) -> (a)
node Relu (a) -> (r)
node GlobalAveragePool (r) -> (p)
node Conv (p, w) -> (g)
node HardSigmoid (g) -> (h)
node Mul (r, h) -> (y))"),
            "Conv Relu | GlobalAveragePool | Conv HardSigmoid | Mul");
}

TEST(Fusion, PadGoesIntoTheConvolution) {
  const Analysed out = AnalyseText(std::string(kConvInputs) + R"(
init p int64 [8] = 0 0 1 1 0 0 1 1
node Pad (x, p) -> (a)
node Conv (a, w) -> (y)
output y float32)");
  EXPECT_EQ(Groups(out), "Pad Conv");
  EXPECT_EQ(out.totals().fused.read_bytes, Dim(2'048));
  EXPECT_EQ(out.totals().fused.write_bytes, Dim(3'200));
}

TEST(Fusion, TransposesGoIntoAMatrixProduct) {
  const std::string text = R"(
input q float32 [2,4,8]
input k float32 [2,6,8]
init s int64 [2] = 2 24
init one float32 [] = 1
init mask float32 [2,4,6]
node Transpose (k) -> (t) perm=[0,2,1]
node MatMul (q, t) -> (m)
node Div (m, one) -> (d)
node Add (d, mask) -> (e)
node Softmax (e) -> (f)
node Reshape (f, s) -> (y)
output y float32)";
  EXPECT_EQ(GroupsOf(text), "Transpose MatMul Div Add | Softmax Reshape");
}

TEST(Fusion, DecomposedLayerNormalisationIsOneKernel) {
  const Analysed out = AnalyseText(R"(
input x float32 [4,64]
init w float32 [64,64]
init b float32 [64]
init two float32 [] = 2
node MatMul (x, w) -> (m)
node Add (m, b) -> (h)
node ReduceMean (h) -> (u) axes=[-1]
node Sub (h, u) -> (d)
node Pow (d, two) -> (p)
node ReduceMean (p) -> (v) axes=[-1]
node Add (v, two) -> (e)
node Sqrt (e) -> (s)
node Div (d, s) -> (n)
node Mul (n, b) -> (g)
node Add (g, b) -> (o)
node MatMul (o, w) -> (y)
output y float32)");
  FusionCheck(out).Run();
  EXPECT_EQ(Groups(out),
            "MatMul Add | ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add | MatMul");
  EXPECT_EQ(out.totals().fused.groups, 3);
  // x, h, o in and h, o, y out; w twice, b once in each of two groups, two 4-byte scalars.
  EXPECT_EQ(out.totals().fused.read_bytes, Dim(3 * 1'024));
  EXPECT_EQ(out.totals().fused.write_bytes, Dim(3 * 1'024));
  EXPECT_EQ(out.totals().fused.weight_bytes, Dim(2 * 16'384 + 2 * 256 + 4));
}

TEST(Fusion, DecomposedRmsNormalisationAndSoftmax) {
  EXPECT_EQ(GroupsOf(R"(
input x float32 [4,64]
init w float32 [64,64]
init two float32 [] = 2
node MatMul (x, w) -> (m)
node Pow (m, two) -> (p)
node ReduceMean (p) -> (v) axes=[-1]
node Sqrt (v) -> (s)
node Div (m, s) -> (n)
node MatMul (n, w) -> (z)
node ReduceMax (z) -> (a) axes=[-1]
node Sub (z, a) -> (b)
node Exp (b) -> (e)
node ReduceSum (e) -> (c) axes=[-1]
node Div (e, c) -> (y)
output y float32)"),
            "MatMul | Pow ReduceMean Sqrt Div | MatMul | ReduceMax Sub Exp ReduceSum Div");
}

TEST(Fusion, QuantisationAroundTheOpsItBelongsTo) {
  EXPECT_EQ(GroupsOf(R"(
opset 13
input x uint8 [1,8,8,8]
init w float32 [8,8,1,1]
init s float32 [] = 1
init z uint8 [] = 0
node DequantizeLinear (x, s, z) -> (a)
node Conv (a, w) -> (b)
node Relu (b) -> (r)
node QuantizeLinear (r, s, z) -> (q)
node DequantizeLinear (q, s, z) -> (d)
node MaxPool (d) -> (m) kernel_shape=[2,2]
node QuantizeLinear (m, s, z) -> (y)
output y uint8)"),
            "DequantizeLinear Conv Relu QuantizeLinear | DequantizeLinear MaxPool QuantizeLinear");
}

TEST(Fusion, ElementwiseChainsOfOneSize) {
  EXPECT_EQ(GroupsOf(R"(
input x float32 [4,8]
input g float32 [4,1]
init rows int64 [4] = 3 2 1 0
node Gather (x, rows) -> (a)
node Relu (a) -> (b)
node Sqrt (g) -> (h)
node Mul (b, h) -> (c)
node Neg (c) -> (y)
output y float32)"),
            "Gather | Relu Mul Neg | Sqrt")
      << "a smaller operand is not computed again for every element";
}

TEST(Fusion, AGraphOutputIsWritten) {
  const Analysed out = AnalyseText(std::string(kConvInputs) + R"(
node Conv (x, w) -> (a)
node Relu (a) -> (y)
output y float32
output a float32)");
  EXPECT_EQ(Groups(out), "Conv | Relu");
  EXPECT_EQ(out.totals().fused.write_bytes, out.totals().write_bytes);
}

TEST(Fusion, AFreeBatchGivesFormulas) {
  const std::string text = R"(
input x float32 [N,8,8,8]
init w float32 [8,8,1,1]
node Conv (x, w) -> (a)
node Sigmoid (a) -> (s)
node Mul (a, s) -> (y)
output y float32)";
  const Analysed free = AnalyseText(text);
  EXPECT_EQ(free.Text(free.totals().read_bytes), "N*8192");
  EXPECT_EQ(free.Text(free.totals().fused.read_bytes), "N*2048");
  EXPECT_EQ(free.Text(free.totals().fused.write_bytes), "N*2048");
  PropagateOptions options;
  options.bindings["N"] = 3;
  EXPECT_EQ(AnalyseText(text, options).totals().fused.read_bytes, Dim(6'144));
}

TEST(Fusion, BodiesAreApartAndCountTheirTrips) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,8]
init n int64 [] = 4
init go bool [] = 1
init w float32 [8,8]
node Relu (x) -> (r)
node Loop (n, go, r) -> (z) body=graph:step
node Neg (z) -> (y)
output y float32
graph step
input i int64 []
input go_in bool []
input state float32 [1,8]
node Identity (go_in) -> (go_out)
node MatMul (state, w) -> (m)
node Relu (m) -> (next)
output go_out bool []
output next float32 [1,8]
end)");
  EXPECT_EQ(out.totals().write_bytes, Dim(32 + 4 * 64 + 32));
  EXPECT_EQ(out.totals().fused.write_bytes, Dim(32 + 4 * 32 + 32));
}

TEST(Fusion, CallsOfFunctionsAreSeenThrough) {
  const Analysed out = AnalyseText(R"(

input x float32 [1,8]
init w float32 [8,8]
node MatMul (x, w) -> (m)
node Swish (m) -> (s) domain="my"
node Neg (s) -> (y)
output y float32
function my Swish (a) -> (b) opset 17
node Sigmoid (a) -> (t)
node Mul (a, t) -> (b)
end)");
  EXPECT_EQ(out.totals().fused.groups, 1);
  EXPECT_EQ(out.totals().fused.write_bytes, Dim(32));
}

}  // namespace
}  // namespace opscope
