// Binding first and then propagating gives what propagating and then binding gives; and the walk
// is linear in the nodes.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

// Every family that computes sizes, over free dims.
constexpr std::string_view kModel = R"(
opset 18
input x float32 [N,4,H,W]
init w float32 [8,4,3,3]
init tw float32 [8,4,2,2]
init scale float32 [4] = 1 1 2 0.5
init zero int64 [1] = 0
init one int64 [1] = 1
init two int64 [1] = 2
init neg int64 [1] = -1
init flat int64 [3] = 0 8 -1
init pads int64 [2] = 1 2
init last int64 [1] = -1
init end int64 [1] = 9223372036854775807
node Conv (x, w) -> (c) pads=[1,1,1,1] strides=[2,2]
node MaxPool (c) -> (p) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1
node ConvTranspose (p, tw) -> (t) strides=[2,2]
node Resize (c, , scale) -> (r) mode="linear"
node Reshape (c, flat) -> (f)
node Transpose (f) -> (g) perm=[0,2,1]
node MatMul (g, f) -> (m)
node Pad (f, pads, , last) -> (d)
node Slice (f, one, end, two) -> (s)
node Slice (f, zero, neg, two) -> (u)
node Concat (s, u, d) -> (k) axis=2
node Split (k) -> (k1, k2) axis=2 num_outputs=2
node Shape (c) -> (sh)
node Slice (sh, two, end) -> (hw)
node ReduceProd (hw) -> (area) keepdims=1
node Concat (zero, two, neg, area) -> (target) axis=0
node Reshape (c, target) -> (v)
node Tile (f, sh3) -> (ti)
init sh3 int64 [3] = 1 2 3
node Flatten (c) -> (fl) axis=2
node Softmax (m) -> (so)
output t float32
output r float32
output so float32
output k1 float32
output k2 float32
output v float32
output ti float32
output fl float32)";

TEST(OpsBinding, BindingCommutesWithPropagation) {
  Propagated symbolic = PropagateText(kModel);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Bindings bindings;
    for (const std::string_view symbol : {"N", "H", "W"}) {
      bindings[std::string(symbol)] = std::uniform_int_distribution<std::int64_t>(3, 40)(random);
    }
    const Propagated bound = PropagateText(kModel, {.bindings = bindings, .shapes = {}});
    ASSERT_EQ(bound.model.tensors.size(), symbolic.model.tensors.size());
    for (std::size_t t = 0; t < bound.model.tensors.size(); ++t) {
      const Shape& numbers = bound.facts.facts[t].shape;
      Shape formulas = symbolic.facts.facts[t].shape;
      const std::string name(bound.model.text(bound.model.tensors[t].name));
      ASSERT_TRUE(numbers.known_rank() && formulas.known_rank()) << name;
      for (Dim& dim : *formulas.dims) dim = symbolic.model.dims.Bind(dim, bindings);
      EXPECT_EQ(bound.Describe(numbers), symbolic.Describe(formulas))
          << name << " with N=" << bindings["N"] << " H=" << bindings["H"]
          << " W=" << bindings["W"];
    }
  }
}

Model Chain(std::size_t length, ImportLog& log) {
  std::string text = "input t0 float32 [N,64]\ninit c float32 [64]\n";
  for (std::size_t i = 0; i < length; ++i) {
    const std::string in = "t" + std::to_string(i);
    const std::string out = "t" + std::to_string(i + 1);
    text += i % 2 == 0 ? "node Add (" + in + ", c) -> (" + out + ")\n"
                       : "node Relu (" + in + ") -> (" + out + ")\n";
  }
  text += "output t" + std::to_string(length) + " float32\n";
  Result<std::string> bytes = OnnxFromText(text);
  EXPECT_TRUE(bytes.has_value());
  Source source = Source::FromBytes("chain.onnx", std::move(*bytes));
  Result<Model> model = ReadModel({source, log, {}});
  EXPECT_TRUE(model.has_value());
  return std::move(*model);
}

double SecondsToPropagate(std::size_t length) {
  ImportLog log;
  Model model = Chain(length, log);
  const auto begin = std::chrono::steady_clock::now();
  const Result<Propagation> result = Propagate(model, {}, log);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(result.has_value());
  EXPECT_TRUE(result->facts.back().shape.known_rank());
  return taken.count();
}

// Ten times the nodes take about ten times as long; a quadratic walk would take a hundred.
TEST(OpsBinding, TheWalkIsLinear) {
  const double small = SecondsToPropagate(5'000);
  const double large = SecondsToPropagate(50'000);
  EXPECT_LT(large, 40 * small + 0.05);
}

// Loops nested in loops, each looking for a fixed point that it does not find.
TEST(OpsBinding, NestedLoopsDoNotMultiply) {
  constexpr int kDepth = 30;
  std::string text = "input x float32 [1,3]\ninput m int64 []\n";
  text += "node Loop (m, , x) -> (y) body=graph:g0\noutput y float32\n";
  for (int i = 0; i < kDepth; ++i) {
    const std::string n = std::to_string(i);
    text += "graph g" + n + "\ninput i" + n + " int64 []\ninput c" + n + " bool []\ninput v" + n +
            " float32\nnode Identity (c" + n + ") -> (d" + n + ")\n";
    text += "node Concat (v" + n + ", v" + n + ") -> (w" + n + ") axis=0\n";
    text += i + 1 < kDepth ? "node Loop (m, , w" + n + ") -> (r" + n + ") body=graph:g" +
                                 std::to_string(i + 1) + "\n"
                           : "node Neg (w" + n + ") -> (r" + n + ")\n";
    text += "output d" + n + " bool\noutput r" + n + " float32\nend\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const Propagated result = PropagateText(text);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_FALSE(result.facts.facts.empty());
  EXPECT_LT(taken.count(), 5.0);
}

// A function runs the graph it is given as both branches of an If; nested, that doubles each time.
TEST(OpsBinding, SharedBodiesDoNotMultiply) {
  constexpr int kDepth = 30;
  std::string text = "opset 17\nopset com.acme 1\ninput c bool []\ninput x float32 [3]\n";
  text += "node F (c) -> (y) domain=\"com.acme\" g=graph:g0\noutput y float32\n";
  text += "function com.acme F (c) -> (z) attrs(g) opset 17\n";
  text += "node If (c) -> (z) then_branch=@g else_branch=@g\nend\n";
  for (int i = 0; i < kDepth; ++i) {
    const std::string n = std::to_string(i);
    text += "graph g" + n + "\n";
    text += i + 1 < kDepth ? "node F (c) -> (o" + n + ") domain=\"com.acme\" g=graph:g" +
                                 std::to_string(i + 1) + "\n"
                           : "node Neg (x) -> (o" + n + ")\n";
    text += "output o" + n + " float32\nend\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const Propagated result = PropagateText(text);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_FALSE(result.facts.facts.empty());
  EXPECT_LT(taken.count(), 5.0);
}

}  // namespace
}  // namespace opscope
