// Which constants are parameters, what is unknown, types, scopes, explanations.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cost/elementwise.h"
#include "cost/explain.h"
#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "ops/op.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

struct WeightCase {
  std::string_view name;
  std::string_view text;
  std::int64_t parameters = 0, statistics = 0, constants = 0, parameter_bytes = 0;
};

constexpr WeightCase kWeightCases[] = {
    {"scale and bias are parameters, mean and variance statistics", R"(
input x float32 [1,4,2,2]
init s float32 [4]
init b float32 [4]
init m float32 [4]
init v float32 [4]
node BatchNormalization (x, s, b, m, v) -> (y)
output y float32)",
     8, 8, 0, 32},
    {"one element counts in a weight slot", R"(
input x float32 [1,3,4,4]
init w float32 [1,3,1,1]
init b float32 [1]
node Conv (x, w, b) -> (y)
output y float32)",
     4, 0, 0, 16},
    {"a single number is a constant", R"(
input x float32 [4]
init two float32 [] = 2
node Mul (x, two) -> (y)
output y float32)",
     0, 0, 1, 0},
    {"shape values are constants, of views too", R"(
input x float32 [4,1]
init s int64 [2] = 2 2
node Reshape (x, s) -> (y)
output y float32)",
     0, 0, 2, 0},
    {"Resize scales are constants", R"(
input x float32 [1,1,2,2]
init scales float32 [4] = 1 1 2 2
node Resize (x, , scales) -> (y)
output y float32)",
     0, 0, 4, 0},
    {"the state a recurrence begins with is a constant", R"(
input x float32 [7,3,5]
init w float32 [1,40,5]
init r float32 [1,40,10]
init b float32 [1,80]
init h float32 [1,3,10]
init c float32 [1,3,10]
node LSTM (x, w, r, b, , h, c) -> (y) hidden_size=10
output y float32)",
     680, 0, 60, 2720},
    {"what Where picks from is a mask", R"(
input c bool [2,2]
input x float32 [2,2]
init low float32 [2,2]
node Where (c, x, low) -> (y)
output y float32)",
     0, 0, 4, 0},
    {"what is added before a Softmax is a mask", R"(
input x float32 [1,4,4]
init mask float32 [1,4,4]
node Add (x, mask) -> (s)
node Softmax (s) -> (y)
output y float32)",
     0, 0, 16, 0},
    {"the bias of a classifier before its Softmax is none", R"(
input x float32 [1,8]
init w float32 [8,4]
init b float32 [4]
node MatMul (x, w) -> (m)
node Add (m, b) -> (s)
node Softmax (s) -> (y)
output y float32)",
     36, 0, 0, 144},
    {"a Constant node is as good as an initializer", R"(
input x float32 [1,2]
tensor c float32 [2,3] = 1 2 3 4 5 6
node Constant () -> (w) value=init:c
node MatMul (x, w) -> (y)
output y float32)",
     6, 0, 0, 24},
    {"so is the result of ConstantOfShape", R"(
input x float32 [1,2]
init s int64 [2] = 2 3
node ConstantOfShape (s) -> (w)
node MatMul (x, w) -> (y)
output y float32)",
     6, 0, 0, 24},
    {"behind folded nodes stands what is stored", R"(
input x float32 [1,2]
init w float16 [3,2]
node Cast (w) -> (wide) to=1
node Transpose (wide) -> (turned) perm=[1,0]
node MatMul (x, turned) -> (y)
output y float32)",
     6, 0, 0, 12},
    {"quantised weights with scales and zero points", R"(
input x float32 [1,3,4,4]
init w int8 [2,3,1,1]
init s float32 [2]
init z int8 [2]
node DequantizeLinear (w, s, z) -> (d) axis=0
node Conv (x, d) -> (y)
output y float32)",
     10, 0, 0, 16},
    {"integer tables are constants", R"(
input i int64 [2]
init table int64 [8]
node Gather (table, i) -> (y)
output y int64)",
     0, 0, 8, 0},
    {"what no runtime node reads is not counted", R"(
input x float32 [2]
init unused float32 [9]
node Relu (x) -> (y)
output y float32)"},
    {"weights inside a body", R"(
input c bool []
input x float32 [1,2]
node If (c) -> (y) then_branch=graph:a else_branch=graph:b
output y float32
graph a
init w float32 [2,2]
node MatMul (x, w) -> (t)
output t float32 [1,2]
end
graph b
tensor v float32 [2] = 1 2
node Constant () -> (k) value=init:v
node Add (x, k) -> (e)
output e float32 [1,2]
end)",
     6, 0, 0, 24},
};

TEST(Weights, ParametersStatisticsConstants) {
  for (const WeightCase& c : kWeightCases) {
    SCOPED_TRACE(std::string(c.name));
    const StaticTotals totals = AnalyseText(c.text).totals();
    EXPECT_EQ(totals.parameters, Dim(c.parameters));
    EXPECT_EQ(totals.statistics, Dim(c.statistics));
    EXPECT_EQ(totals.constants, Dim(c.constants));
    EXPECT_EQ(totals.parameter_bytes, Dim(c.parameter_bytes));
  }
}

TEST(Unknown, OpsAreListedAndTheRestIsCounted) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,8]
init w float32 [8,8]
node MatMul (x, w) -> (a)
node Foo (a) -> (b) domain="com.acme"
node Foo (b) -> (c) domain="com.acme"
node MatMul (x, w) -> (y)
opset 17
opset com.acme 1
output c float32
output y float32)");
  const StaticTotals& totals = out.totals();
  EXPECT_FALSE(totals.complete);
  EXPECT_EQ(totals.counts.macs, Dim(128));
  EXPECT_EQ(totals.nodes, 4);
  EXPECT_EQ(totals.counted, 2);
  ASSERT_EQ(totals.uncounted.size(), 1U);
  EXPECT_EQ(totals.uncounted[0].op, "com.acme.Foo");
  EXPECT_EQ(totals.uncounted[0].nodes, 2);
  EXPECT_EQ(out.Of("Foo").status, LayerStatus::kUnknown);
  EXPECT_TRUE(out.Of("Foo").counts.macs.is_unknown());
}

TEST(Types, MacsByOperandsAndAccumulator) {
  const Analysed out = AnalyseText(R"(
input x float16 [1,4]
input q uint8 [1,4]
init w float16 [4,4]
init v int8 [4,4]
node MatMul (x, w) -> (y)
node MatMulInteger (q, v) -> (z)
output y float16
output z int32)");
  ASSERT_EQ(out.totals().macs_by_type.size(), 2U);
  const MacsByType& half = out.totals().macs_by_type[0];
  EXPECT_EQ(half.activation, DType::kFloat16);
  EXPECT_EQ(half.accumulator, DType::kFloat32);
  const MacsByType& quantised = out.totals().macs_by_type[1];
  EXPECT_EQ(quantised.activation, DType::kUInt8);
  EXPECT_EQ(quantised.weight, DType::kInt8);
  EXPECT_EQ(quantised.accumulator, DType::kInt32);
  EXPECT_EQ(quantised.macs, Dim(16));
}

TEST(Scope, FromTheNameOrTheMetadata) {
  const Analysed out = AnalyseText(R"(
input x float32 [4]
node Relu (x) -> (a) name="/features/0/Relu"
node Exp (a) -> (b) name="model/head/Exp"
node Sqrt (b) -> (c) name="Sqrt_3"
node Tanh (c) -> (y) name="n" meta:pkg.torch.onnx.name_scopes="['', 'layer1', 'layer1.0.act', 'tanh']"
output y float32)");
  using Scope = std::vector<std::string>;
  EXPECT_EQ(out.Of("Relu").scope, (Scope{"features", "0"}));
  EXPECT_EQ(out.Of("Exp").scope, (Scope{"model", "head"}));
  EXPECT_EQ(out.Of("Sqrt").scope, Scope{});
  EXPECT_EQ(out.Of("Tanh").scope, (Scope{"layer1", "0", "act"}));
}

TEST(Functions, StandInPlaceOfTheCall) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,8]
init w float32 [8,8]
node Linear (x, w) -> (y) domain="com.acme" name="block"
opset 17
opset com.acme 1
output y float32
function com.acme Linear (a, b) -> (c) opset 17
node MatMul (a, b) -> (m)
node Relu (m) -> (c)
end)");
  EXPECT_EQ(out.Of("Linear").status, LayerStatus::kContainer);
  EXPECT_EQ(out.Of("MatMul").path, (std::vector<std::string>{"block", "Linear"}));
  EXPECT_EQ(out.Of("MatMul").parameters, Dim(64));
  EXPECT_EQ(out.totals().counts.macs, Dim(64));
  EXPECT_EQ(out.totals().activation_bytes, Dim(64));
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(64));
  EXPECT_TRUE(out.totals().complete);
}

TEST(ElementwiseTable, HasEveryOpThatCountsByIt) {
  const std::set<std::string_view> by_table = {"elementwise", "reduction",  "pooling",
                                               "resampling",  "quantise",   "normalisation",
                                               "softmax",     "recurrence", "attention"};
  int looked_at = 0;
  for (const Dialect& dialect : Dialects()) {
    for (const std::span<const OpEntry> family : dialect.families) {
      for (const OpEntry& entry : family) {
        if (!by_table.contains(entry.rule)) continue;
        ++looked_at;
        if (entry.like_of != nullptr) continue;
        if (!entry.like.empty()) {
          EXPECT_NE(FindElementwise("ai.onnx", entry.like), nullptr) << entry.op;
          continue;
        }
        EXPECT_NE(FindElementwise(dialect.domain, entry.op), nullptr)
            << dialect.domain << "." << entry.op << ": data/elementwise.toml lacks it";
      }
    }
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Explain, ShapesRuleFormulaNumber) {
  Analysed out = AnalyseText(R"(
input x float32 [N,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) pads=[1,1,1,1] name="conv1"
output y float32)");
  const Explanation told = Explain(out.model, out.analysis, LayerId{0});
  ASSERT_EQ(told.tensors.size(), 3U);
  EXPECT_EQ(told.tensors[0].shape, "[N,3,8,8]");
  EXPECT_EQ(told.tensors[1].constant, true);
  ASSERT_FALSE(told.numbers.empty());
  EXPECT_EQ(told.numbers[0].column, "macs");
  EXPECT_EQ(told.numbers[0].general, "N*Cout*out * Cin/g * kernel");
  EXPECT_EQ(told.numbers[0].formula, "N*4*8*8 * 3 * 3*3");
  EXPECT_EQ(out.Text(told.numbers[0].value), "N*6912");
  std::string columns;
  for (const ExplainedNumber& number : told.numbers) columns += std::string(number.column) + " ";
  EXPECT_EQ(columns, "macs parameters weight_bytes read_bytes write_bytes ");
}

TEST(Explain, ElementwiseFromTheTable) {
  Analysed out = AnalyseText(R"(
input x float32 [2,5]
node Softmax (x) -> (y)
output y float32)");
  const Explanation told = Explain(out.model, out.analysis, LayerId{0});
  ASSERT_GE(told.numbers.size(), 3U);
  EXPECT_EQ(told.numbers[0].column, "elementwise");
  EXPECT_EQ(told.numbers[0].general, "3*in - row");
  EXPECT_EQ(told.numbers[0].formula, "3*10 - 2");
  EXPECT_EQ(told.numbers[0].value, Dim(28));
  EXPECT_EQ(told.numbers[0].source, "data/elementwise.toml");
}

}  // namespace
}  // namespace opscope
