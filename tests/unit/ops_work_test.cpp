// The Work of ops where more than one reading is possible.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

// The work of the first node of an op, which must be of kind T.
template <class T>
T WorkOf(const Propagated& result, std::string_view op) {
  const Work& work = result.facts.works[result.NodeOf(op).index()];
  const T* kind = std::get_if<T>(&work);
  if (kind == nullptr) ADD_FAILURE() << op << " is of another kind: " << work.index();
  return kind == nullptr ? T() : *kind;
}

TEST(OpsWork, SoftmaxBelowOpset13TakesAllDimsFromItsAxis) {
  constexpr std::string_view kGraph = R"(
input x float32 [N,3,5]
node Softmax (x) -> (y)
output y float32)";
  const Propagated old = PropagateText("opset 11" + std::string(kGraph));
  EXPECT_EQ(old.Text(WorkOf<work::Softmax>(old, "Softmax").rows), "N");
  EXPECT_EQ(WorkOf<work::Softmax>(old, "Softmax").n, Dim(15));
  const Propagated now = PropagateText("opset 13" + std::string(kGraph));
  EXPECT_EQ(now.Text(WorkOf<work::Softmax>(now, "Softmax").rows), "N*3");
  EXPECT_EQ(WorkOf<work::Softmax>(now, "Softmax").n, Dim(5));
}

TEST(OpsWork, QuantisedOpsNameTheirOperands) {
  const Propagated result = PropagateText(R"(
input x uint8 [1,3,8,8]
init w int8 [4,3,3,3]
init s float32 []
init z uint8 []
init b int32 [4]
node QLinearConv (x, s, z, w, s, z, s, z, b) -> (q)
output q uint8)");
  const auto conv = WorkOf<work::Convolution>(result, "QLinearConv");
  EXPECT_EQ(conv.operands.activation, 0);
  EXPECT_EQ(conv.operands.weight, 3);
  EXPECT_TRUE(conv.bias);
  EXPECT_EQ(conv.in_per_group, Dim(3));
  EXPECT_EQ(conv.kernel_points, Dim(9));
}

TEST(OpsWork, EinsumIsContractedInItsCheapestOrder) {
  const Propagated result = PropagateText(R"(
input a float32 [4,5]
input b float32 [5,6]
input c float32 [6,7]
node Einsum (a, b, c) -> (y) equation="ab,bc,cd->ad"
output y float32)");
  const auto einsum = WorkOf<work::Contraction>(result, "Einsum");
  EXPECT_EQ(einsum.macs, Dim(288));
  EXPECT_EQ(einsum.order, "(ab,bc->ac),(ac,cd->ad)");
}

TEST(OpsWork, ASingleOperandCostsNoContraction) {
  const Propagated result = PropagateText(R"(
input a float32 [4,N]
node Einsum (a) -> (y) equation="ij->ji"
output y float32)");
  EXPECT_EQ(WorkOf<work::Contraction>(result, "Einsum").macs, Dim(0));
}

TEST(OpsWork, TransposedConvolutionIsCountedByInput) {
  const Propagated result = PropagateText(R"(
input x float32 [2,8,10,H]
init w float32 [8,4,4,4]
node ConvTranspose (x, w) -> (y) strides=[2,2] pads=[1,1,1,1]
output y float32)");
  const auto conv = WorkOf<work::TransposedConvolution>(result, "ConvTranspose");
  EXPECT_EQ(result.Text(conv.in_points), "H*10");
  EXPECT_EQ(conv.out_per_group, Dim(4));
  EXPECT_FALSE(conv.bias);
}

TEST(OpsWork, DropoutIsAViewUnlessItTrains) {
  constexpr std::string_view kGraph = R"(
input x float32 [3]
init r float32 [] = 0.5
init t bool [] = )";
  constexpr std::string_view kRest = R"(
node Dropout (x, r, t) -> (y)
output y float32)";
  const Propagated rests = PropagateText(std::string(kGraph) + "0" + std::string(kRest));
  WorkOf<work::View>(rests, "Dropout");
  const Propagated trains = PropagateText(std::string(kGraph) + "1" + std::string(kRest));
  WorkOf<work::Elementwise>(trains, "Dropout");
  EXPECT_EQ(trains.Fact("y").storage, trains.Find("y"));
}

TEST(OpsWork, GatherReadsOnlyWhatItTakes) {
  const Propagated result = PropagateText(R"(
init table float32 [30522,384]
input i int64 [1,N]
node Gather (table, i) -> (y)
output y float32)");
  const auto gather = WorkOf<work::GatherScatter>(result, "Gather");
  ASSERT_TRUE(gather.read_bytes.has_value());
  EXPECT_EQ(result.Text(*gather.read_bytes), "N*1536");
}

}  // namespace
}  // namespace opscope
