// What a model moves and keeps: traffic, live peak, activation bytes.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

std::vector<std::string> LiveNames(const Analysed& out) {
  std::vector<std::string> names;
  for (const TensorId tensor : out.totals().memory.live_tensors)
    names.emplace_back(out.model.text(out.model.tensor(tensor).name));
  return names;
}

TEST(Traffic, EveryInputOnceEveryOutputOnce) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
init b float32 [4]
node Conv (x, w, b) -> (c) pads=[1,1,1,1]
node Mul (c, c) -> (y)
output y float32)");
  const Layer& conv = out.Of("Conv");
  EXPECT_EQ(conv.read_bytes, Dim(768));
  EXPECT_EQ(conv.weight_bytes, Dim(4 * (108 + 4)));
  EXPECT_EQ(conv.write_bytes, Dim(1'024));
  EXPECT_EQ(out.Of("Mul").read_bytes, Dim(1'024)) << "x * x reads x once";
}

TEST(Traffic, ViewsAreFreeAndConstantsToo) {
  const Analysed out = AnalyseText(R"(
input x float32 [2,6]
node Constant () -> (s) value_ints=[3,4]
node Reshape (x, s) -> (v)
node Relu (v) -> (y)
output y float32)");
  EXPECT_EQ(out.Of("Constant").status, LayerStatus::kConstant);
  EXPECT_EQ(out.Of("Reshape").status, LayerStatus::kView);
  for (const char* op : {"Constant", "Reshape"}) {
    EXPECT_EQ(out.Of(op).read_bytes, Dim(0)) << op;
    EXPECT_EQ(out.Of(op).write_bytes, Dim(0)) << op;
    EXPECT_EQ(out.Of(op).weight_bytes, Dim(0)) << op;
  }
  EXPECT_EQ(out.totals().activation_bytes, Dim(96));
  EXPECT_EQ(out.totals().memory.naive_bytes, Dim(48));
}

TEST(Traffic, GatherReadsWhatItTouches) {
  const Analysed out = AnalyseText(R"(
input ids int64 [1,5]
init table float16 [1000,8]
node Gather (table, ids) -> (y)
output y float16)");
  const Layer& gather = out.Of("Gather");
  EXPECT_EQ(gather.weight_bytes, Dim(5 * 8 * 2));
  EXPECT_EQ(gather.read_bytes, Dim(5 * 8));
  EXPECT_EQ(gather.write_bytes, Dim(5 * 8 * 2));
  EXPECT_EQ(gather.parameters, Dim(8'000));
  EXPECT_EQ(gather.parameter_bytes, Dim(16'000));
}

TEST(Traffic, SubByteTypesArePacked) {
  const Analysed out = AnalyseText(R"(
opset 21
input x float32 [1,5]
init w int4 [5,1]
init s float32 [1]
node DequantizeLinear (w, s) -> (d)
node MatMul (x, d) -> (y)
output y float32)");
  EXPECT_EQ(out.Of("MatMul").parameters, Dim(6)) << "five weights and their scale";
  EXPECT_EQ(out.Of("MatMul").weight_bytes, Dim(3 + 4));
  EXPECT_EQ(out.Of("DequantizeLinear").status, LayerStatus::kConstant);
}

TEST(Traffic, StringsAreUnknown) {
  const Analysed out = AnalyseText(R"(
opset 19
input x string [4]
node Identity (x) -> (v)
node Equal (v, v) -> (y)
output y bool)");
  EXPECT_FALSE(out.totals().complete);
  EXPECT_TRUE(out.Of("Equal").read_bytes.is_unknown());
  EXPECT_EQ(out.Of("Equal").because, "the length of strings is not known");
  EXPECT_TRUE(out.totals().memory.live_peak_bytes.is_unknown());
}

// Bytes: x 400, a 400, b 200, c 400.
TEST(LivePeak, InputsAndOutputsLiveTogether) {
  const Analysed out = AnalyseText(R"(
input x float32 [100]
init half int64 [1] = 50
init zero int64 [1] = 0
node Relu (x) -> (a) name="first"
node Slice (a, zero, half) -> (b) name="second"
node Concat (b, b) -> (c) axis=0 name="third"
output c float32)");
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(800));
  EXPECT_EQ(LiveNames(out), (std::vector<std::string>{"x", "a"}));
  EXPECT_EQ(out.totals().memory.live_peak_at, LayerId{0});
}

TEST(LivePeak, InputsLiveUntilTheirLastUseOutputsToTheEnd) {
  const Analysed out = AnalyseText(R"(
input x float32 [10]
node Relu (x) -> (early)
node Sqrt (x) -> (b)
node Exp (b) -> (c)
node Add (c, x) -> (late)
output early float32
output late float32)");
  // At the last node: x, early, c, late. At Exp: x, early, b, c.
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(160));
  EXPECT_EQ(LiveNames(out), (std::vector<std::string>{"x", "early", "b", "c"}));
}

TEST(LivePeak, ViewsShareStorage) {
  const Analysed out = AnalyseText(R"(
input x float32 [10]
init s int64 [2] = 2 5
node Relu (x) -> (a)
node Reshape (a, s) -> (v)
node Flatten (v) -> (f)
node Sqrt (f) -> (b)
node Exp (v) -> (y)
output y float32
output b float32)");
  // a lives on as v until Exp: a, b, y.
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(120));
}

TEST(LivePeak, UnreadOutputsAreNotKept) {
  const Analysed out = AnalyseText(R"(
opset 12
input x float32 [1000]
node Relu (x) -> (a)
node Dropout (a) -> (d, mask)
node Sqrt (d) -> (y)
output y float32)");
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(8'000));
  EXPECT_EQ(out.totals().activation_bytes, Dim(12'000));
}

TEST(LivePeak, AFormulaWhereTheBatchIsFree) {
  const Analysed out = AnalyseText(R"(
input x float32 [N,100]
init w float32 [100,10]
node Relu (x) -> (a)
node MatMul (a, w) -> (b)
node Softmax (b) -> (y)
output y float32)");
  EXPECT_EQ(out.Text(out.totals().memory.live_peak_bytes), "N*800");
  EXPECT_EQ(LiveNames(out), (std::vector<std::string>{"x", "a"}));
}

TEST(LivePeak, SeveralCandidatesMakeAMaximum) {
  const Analysed out = AnalyseText(R"(
input x float32 [N]
input z float32 [M]
node Relu (x) -> (a)
node ReduceSum (a) -> (s) keepdims=0
node Add (z, s) -> (y)
output y float32)");
  const std::string text = out.Text(out.totals().memory.live_peak_bytes);
  EXPECT_EQ(text, "max(M*4 + N*8, M*8 + 4)");
  EXPECT_FALSE(out.totals().memory.live_peak_at.valid()) << "it hangs on N and M";
}

constexpr std::string_view kIf = R"(
input c bool []
input x float32 [100]
init w float32 [100,100]
node Relu (x) -> (a)
node If (c) -> (y) name="If_0" then_branch=graph:small else_branch=graph:large
output y float32
graph small
node Neg (a) -> (t)
output t float32 [100]
end
graph large
node MatMul (a, w) -> (m)
node Exp (m) -> (e)
output e float32 [100]
end)";

TEST(Bodies, TheBranchWithMoreMacsCounts) {
  const Analysed out = AnalyseText(kIf);
  EXPECT_EQ(out.Of("Neg").times, Dim(0));
  EXPECT_EQ(out.Of("MatMul").times, Dim(1));
  EXPECT_EQ(out.totals().counts.macs, Dim(10'000));
  EXPECT_EQ(out.totals().parameters, Dim(10'000));
  EXPECT_EQ(out.Of("If").status, LayerStatus::kContainer);
  EXPECT_EQ(out.Of("Exp").path, (std::vector<std::string>{"If_0", "else_branch"}));
  EXPECT_EQ(out.Of("Exp").container, out.analysis.layer_of[out.Of("If").node.index()]);
  // a 400 + y 400, and m and e of the larger branch on top.
  EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(1'601));
  EXPECT_EQ(out.totals().activation_bytes, Dim(1'200)) << "a, m, e";
}

TEST(Bodies, AKnownConditionDecides) {
  std::string text(kIf);
  text.replace(text.find("input c bool []"), 15, "init c bool [] = 1");
  const Analysed out = AnalyseText(text);
  EXPECT_EQ(out.Of("Neg").times, Dim(1));
  EXPECT_EQ(out.Of("MatMul").times, Dim(0));
  EXPECT_TRUE(out.Of("MatMul").dead);
  EXPECT_EQ(out.totals().counts.macs, Dim(0));
  EXPECT_EQ(out.totals().parameters, Dim(10'000)) << "they are in the file all the same";
}

// For x of 6 elements the first branch cannot run, whatever c is.
TEST(Bodies, ABranchThatContradictsTheShapesIsNotTaken) {
  const Analysed out = AnalyseText(R"(
input c bool []
input x float32 [1,6]
init w float32 [1000,1000]
init v float32 [6,2]
node If (c) -> (y) then_branch=graph:impossible else_branch=graph:possible
output y float32
graph impossible
node MatMul (x, w) -> (t)
node Relu (t) -> (r)
output r float32
end
graph possible
node MatMul (x, v) -> (m)
node Exp (m) -> (e)
output e float32
end)");
  EXPECT_EQ(out.totals().counts.macs, Dim(12));
  EXPECT_TRUE(out.Of("Relu").dead);
  EXPECT_EQ(out.Of("Exp").times, Dim(1));
  for (const UncountedOp& op : out.totals().uncounted) EXPECT_NE(op.op, "Relu");
}

TEST(Bodies, ALoopMultiplies) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,8]
init n int64 [] = 4
init go bool [] = 1
init w float32 [8,8]
node Loop (n, go, x) -> (y) body=graph:step
output y float32
graph step
input i int64 []
input go_in bool []
input state float32 [1,8]
node Identity (go_in) -> (go_out)
node MatMul (state, w) -> (next)
output go_out bool []
output next float32 [1,8]
end)");
  EXPECT_EQ(out.Of("MatMul").times, Dim(4));
  EXPECT_EQ(out.Of("MatMul").counts.macs, Dim(64)) << "of one execution";
  EXPECT_EQ(out.totals().counts.macs, Dim(256));
  EXPECT_EQ(out.totals().weight_bytes, Dim(4 * 256));
  EXPECT_EQ(out.totals().parameters, Dim(64));
}

TEST(Bodies, UnknownTripsMakeALowerBound) {
  const Analysed out = AnalyseText(R"(
input x float32 [1,8]
input n int64 []
init go bool [] = 1
init w float32 [8,8]
node MatMul (x, w) -> (h)
node Loop (n, go, h) -> (y) body=graph:step
output y float32
graph step
input i int64 []
input go_in bool []
input state float32 [1,8]
node Identity (go_in) -> (go_out)
node MatMul (state, w) -> (next)
output go_out bool []
output next float32 [1,8]
end)");
  const StaticTotals& totals = out.totals();
  if (totals.complete) {  // the trip count is a symbol
    EXPECT_FALSE(totals.counts.macs.is_number());
  } else {
    EXPECT_EQ(totals.counts.macs, Dim(64));
    ASSERT_FALSE(totals.uncounted.empty());
    EXPECT_NE(totals.uncounted[0].because.find("trips"), std::string::npos);
  }
}

}  // namespace
}  // namespace opscope
