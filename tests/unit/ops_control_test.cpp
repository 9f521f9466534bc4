// Control flow and functions: bodies, what they capture, how often they run.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kIf[] = {
    {"what both branches have in common; bodies read outer tensors", R"(
input c bool []
input x float32 [N,3,4]
node If (c) -> (y, z) then_branch=graph:a else_branch=graph:b
output y float32
output z float32
graph a
  node Relu (x) -> (p)
  init two int64 [3] = 1 2 1
  node Tile (x, two) -> (q)
  output p float32
  output q float32
end
graph b
  node Neg (x) -> (r)
  node Neg (x) -> (s)
  output r float32
  output s float32
end)",
     "y float32 [N,3,4]\nz float32 [N,`dim1(z)`,4]\n"},
    {"a known condition picks the branch", R"(
input x float32 [1,3]
init one int64 [1] = 1
init zero int64 [1] = 0
node Shape (x) -> (s) start=0 end=1
node Equal (s, one) -> (c)
node If (c) -> (y) then_branch=graph:a else_branch=graph:b
output y float32
graph a
  node Squeeze (x, zero) -> (p)
  output p float32
end
graph b
  node Identity (x) -> (q)
  output q float32
end)",
     "y float32 [3]\n"},
    {"a branch that contradicts the shapes cannot be the one", R"(
input c bool []
input x float32 [1,512]
init a int64 [2] = -1 512
init b int64 [2] = -1 300
node If (c) -> (y) then_branch=graph:t else_branch=graph:e
output y float32
graph t
  node Reshape (x, a) -> (p)
  output p float32
end
graph e
  node Reshape (x, b) -> (q)
  output q float32
end)",
     "y float32 [1,512]\n! 512 elements do not divide by 300\n"
     "~ ops.branch-excluded: 512 elements do not divide by 300\n"
     "~ ops.assumption: else_branch contradicts the shapes and cannot be taken\n"},
    {"branches of another number of outputs", R"(
input c bool []
input x float32 [2]
node If (c) -> (y) then_branch=graph:t else_branch=graph:e
output y float32
graph t
  node Neg (x) -> (p)
  output p float32
end
graph e
  node Neg (x) -> (q)
  output q float32
  output x float32
end)",
     "y float32 [*]\n! else_branch has another number of outputs\n"},
};

constexpr ShapeCase kLoops[] = {
    {"carried and collected values", R"(
init m int64 [] = 4
init t bool [] = 1
input x float32 [N,3]
node Loop (m, t, x) -> (y, z) body=graph:b
output y float32
output z float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Identity (c) -> (d)
  node Sin (v) -> (w)
  output d bool
  output w float32
  output w float32
end)",
     "y float32 [N,3]\nz float32 [4,N,3]\n"},
    {"a dim that grows by a factor is a symbol, the others stay", R"(
input m int64 []
input x float32 [1,3]
node Loop (m, , x) -> (y) body=graph:b name="L"
output y float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Identity (c) -> (d)
  node Concat (v, v) -> (w) axis=0
  output d bool
  output w float32
end)",
     "y float32 [`dim0(y)`,3]\n"},
    {"trips that a size decides", R"(
input x float32 [N,3]
init zero int64 [] = 0
node Shape (x) -> (s)
node Gather (s, zero) -> (m)
node Loop (m, ) -> (y) body=graph:b
output y int64
graph b
  input i int64 []
  input c bool []
  node Identity (c) -> (d)
  node Identity (i) -> (j)
  output d bool
  output j int64
end)",
     "y int64 [N]\n"},
    {"trips that the data decide", R"(
init m int64 [] = 9
input x float32 []
node Loop (m, , x) -> (y, z) body=graph:b name="L"
output y float32
output z float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Greater (x, v) -> (d)
  node Neg (v) -> (w)
  output d bool
  output w float32
  output w float32
end)",
     "y float32 []\nz float32 [`trips(L)`]\n"},
    {"a body that does not fit", R"(
init m int64 [] = 9
input x float32 []
node Loop (m, , x) -> (y) body=graph:b
output y float32
graph b
  input i int64 []
  input c bool []
  output c bool
end)",
     "y float32 [*]\n! body has 2 inputs and 1 outputs, which does not fit 3 inputs and 1 "
     "outputs\n"},
    {"scan: trips are the scanned axis", R"(
input s float32 [B,8]
input x float32 [B,T,5]
node Scan (s, x) -> (y, z) body=graph:b num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1]
output y float32
output z float32
graph b
  input h float32
  input v float32
  init w float32 [5,8]
  node MatMul (v, w) -> (p)
  node Add (h, p) -> (q)
  output q float32
  output p float32
end)",
     "y float32 [B,8]\nz float32 [B,8,T]\n"},
};

TEST(OpsControl, If) { ExpectInferred(kIf); }
TEST(OpsControl, Loops) { ExpectInferred(kLoops); }

TEST(OpsControl, TripsByGraph) {
  const Propagated result = PropagateText(R"(
init m int64 [] = 4
input c bool []
input x float32 [3]
node If (c) -> (y) then_branch=graph:t else_branch=graph:e
node Loop (m, , y) -> (z) body=graph:b
output z float32
graph t
  node Neg (x) -> (p)
  output p float32
end
graph e
  node Sin (x) -> (q)
  output q float32
end
graph b
  input i int64 []
  input cc bool []
  input v float32
  node Identity (cc) -> (d)
  node Cos (v) -> (w)
  output d bool
  output w float32
end)");
  const auto trips = [&](std::string_view op) {
    return result.facts.trips[result.model.node(result.NodeOf(op)).graph.index()];
  };
  EXPECT_EQ(trips("Neg"), Dim(1));
  EXPECT_EQ(trips("Sin"), Dim(1));
  EXPECT_EQ(trips("Cos"), Dim(4));
}

// Constants inside a body are not runtime; what reads the model's input by capture is.
TEST(OpsControl, RuntimeFollowsTheData) {
  const Propagated result = PropagateText(R"(
init c bool [] = 1
input x float32 [3]
node If (c) -> (y) then_branch=graph:t else_branch=graph:e
node Relu (k) -> (z)
init k float32 [3]
output y float32
output z float32
graph t
  node Constant () -> (p) value_floats=[1.0,2.0,3.0]
  output p float32
end
graph e
  node Sin (x) -> (q)
  output q float32
end)");
  EXPECT_TRUE(result.facts.runtime[result.NodeOf("If").index()]);
  EXPECT_FALSE(result.facts.runtime[result.NodeOf("Constant").index()]);
  EXPECT_TRUE(result.facts.runtime[result.NodeOf("Sin").index()]);
  EXPECT_FALSE(result.facts.runtime[result.NodeOf("Relu").index()]);
}

constexpr std::string_view kFunctions = R"(
opset 17
opset com.acme 1
input x float32 [N,4]
init w float32 [4,8]
node Block (x, w) -> (y) domain="com.acme" alpha=0.5 name="first"
output y float32
function com.acme Block (a,b,c) -> (d) attrs(alpha, axis=1) opset 17
node MatMul (a, b) -> (m)
node Half (m) -> (h) domain="com.acme" to=@alpha
node Softmax (h) -> (d) axis=@axis
end
function com.acme Half (a) -> (b) attrs(to) opset 17
node Elu (a) -> (b) alpha=@to
end)";

TEST(OpsControl, FunctionsBecomeBodies) {
  const Propagated result = PropagateText(kFunctions);
  EXPECT_EQ(result.Describe(result.Fact("y")), "float32 [N,8]");
  const Model& model = result.model;

  const NodeId call = result.NodeOf("Block");
  const NodeId product = result.NodeOf("MatMul");
  const Graph& body = model.graph(model.node(product).graph);
  EXPECT_EQ(body.owner, call);
  EXPECT_EQ(body.owner_attribute, model.node(call).op);
  EXPECT_EQ(result.facts.trips[model.node(product).graph.index()], Dim(1));
  // Inside, the caller's own tensors are read.
  EXPECT_EQ(model.node(product).inputs, model.node(call).inputs);
  EXPECT_EQ(result.Fact("y").storage.index(),
            model.node(result.NodeOf("Softmax")).outputs[0].index());

  // References are resolved, through two calls; what is not given takes its default.
  const Attribute* alpha = FindAttribute(model, model.node(result.NodeOf("Elu")), "alpha");
  ASSERT_NE(alpha, nullptr);
  EXPECT_EQ(std::get<float>(alpha->value), 0.5F);
  const Attribute* axis = FindAttribute(model, model.node(result.NodeOf("Softmax")), "axis");
  ASSERT_NE(axis, nullptr);
  EXPECT_EQ(std::get<std::int64_t>(axis->value), 1);
}

TEST(OpsControl, FunctionThatCallsItselfStaysACall) {
  const Propagated result = PropagateText(R"(
opset 17
opset com.acme 1
input x float32 [3]
node F (x) -> (y) domain="com.acme"
output y float32
function com.acme F (a) -> (b) opset 17
node F (a) -> (b) domain="com.acme"
end)");
  ASSERT_FALSE(result.log.issues().empty());
  EXPECT_EQ(result.log.issues()[0].code, "ops.function-recursive");
  EXPECT_EQ(result.log.issues()[0].message, "function F calls itself");
}

// Ten functions, each calling the next twenty times: 20^10 nodes if it were let.
TEST(OpsControl, FunctionsThatMultiplyStopAtTheLimit) {
  std::string text = "opset 17\nopset com.acme 1\ninput x float32 [3]\n";
  text += "node F0 (x) -> (y) domain=\"com.acme\"\noutput y float32\n";
  for (int level = 0; level < 10; ++level) {
    text += "function com.acme F" + std::to_string(level) + " (a) -> (b) opset 17\n";
    const std::string next = level == 9 ? "Relu (" : "F" + std::to_string(level + 1) + " (";
    const std::string domain = level == 9 ? "" : " domain=\"com.acme\"";
    for (int i = 0; i < 20; ++i) {
      const std::string in = i == 0 ? "a" : "t" + std::to_string(i);
      const std::string out = i == 19 ? "b" : "t" + std::to_string(i + 1);
      text += "node " + next + in + ") -> (" + out + ")" + domain + "\n";
    }
    text += "end\n";
  }
  Result<std::string> bytes = OnnxFromText(text);
  ASSERT_TRUE(bytes.has_value()) << bytes.error().ToString();
  Source source = Source::FromBytes("test.onnx", std::move(*bytes));
  ImportLog log;
  Result<Model> model = ReadModel({source, log, {}});
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  ExpandFunctions(*model, log);
  EXPECT_LE(model->nodes.size(), kMaxExpandedNodes);
  ASSERT_FALSE(log.issues().empty());
  EXPECT_EQ(log.issues().back().code, "ops.function-limit");
}

}  // namespace
}  // namespace opscope
