// Models made to hurt shape propagation and counting: bounded time, and an answer or an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/read_onnx.h"
#include "support/wire_bytes.h"

namespace opscope {
namespace {

using testing::Field;
using testing::InModel;
using testing::Number;
using testing::Varint;

constexpr std::uint64_t kBig = std::uint64_t{1} << 62;

// Reads, propagates and counts, or says why not; either in a few seconds (of the processor; the
// bound leaves room for builds with sanitizers).
struct Outcome {
  explicit Outcome(std::string bytes, const PropagateOptions& options = {}) {
    const std::clock_t begin = std::clock();
    Result<Model> read = testing::ReadBytes(std::move(bytes), log);
    if (!read.has_value()) {
      error = read.error().code;
    } else {
      model = std::move(*read);
      Result<StaticAnalysis> found = AnalyzeStatic(model, options, log);
      if (found.has_value()) {
        analysis = std::move(*found);
      } else {
        error = found.error().code;
      }
    }
    EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
  }

  bool Noted(std::string_view code) const {
    return std::any_of(log.issues().begin(), log.issues().end(),
                       [&](const ImportIssue& issue) { return issue.code == code; });
  }

  ImportLog log;
  Model model;
  StaticAnalysis analysis;
  std::string error;
};

Outcome OfText(const std::string& text) { return Outcome(testing::BytesOf(text)); }

// Of a tensor of the outcome's model, as text.
std::string ShapeOfTensor(const Outcome& outcome, std::string_view name) {
  for (std::size_t t = 0; t < outcome.model.tensors.size(); ++t) {
    if (outcome.model.text(outcome.model.tensors[t].name) != name) continue;
    const Shape& shape = outcome.analysis.propagation.facts[t].shape;
    if (!shape.known_rank()) return "*";
    std::string text;
    for (const Dim dim : *shape.dims)
      text += (text.empty() ? "" : ",") + outcome.model.dims.ToText(dim);
    return text;
  }
  return "no such tensor";
}

std::string Node(const std::string& op, const std::string& in, const std::string& out) {
  return Field(1, Field(1, in) + Field(2, out) + Field(4, op));
}

TEST(OpsHostile, ACycleOfManyNodes) {
  std::string graph;
  constexpr int kNodes = 100'000;
  for (int i = 0; i < kNodes; ++i)
    graph += Node("Relu", "t" + std::to_string(i), "t" + std::to_string((i + 1) % kNodes));
  const Outcome outcome(InModel(graph));
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.Noted("ops.cycle"));
}

// The file lists every reader before what it reads.
TEST(OpsHostile, NodesInReverse) {
  std::string graph;
  constexpr int kNodes = 100'000;
  for (int i = kNodes; i-- > 0;)
    graph += Node("Relu", "t" + std::to_string(i), "t" + std::to_string(i + 1));
  const Outcome outcome(InModel(graph));
  EXPECT_TRUE(outcome.Noted("ops.unsorted"));
}

TEST(OpsHostile, InputsThatNobodyComputes) {
  std::string graph;
  for (int i = 0; i < 100'000; ++i)
    graph += Node("Relu", "absent" + std::to_string(i), "t" + std::to_string(i));
  const Outcome outcome(InModel(graph));
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.Noted("onnx.undefined"));
}

// 100,000 bodies, one in the other, with lengths that fit: built from the inside out, reversed.
TEST(OpsHostile, BodiesInBodies) {
  std::string reversed;
  std::size_t size = 0;
  const auto put = [&](const std::string& head) {
    reversed.append(head.rbegin(), head.rend());
    size += head.size();
  };
  const std::string op = Field(4, "If");
  const std::string name = Field(1, "then_branch");
  for (int i = 0; i < 100'000; ++i) {
    put(name + Varint(6 << 3 | 2) + Varint(size));
    put(op + Varint(5 << 3 | 2) + Varint(size));
    put(Varint(1 << 3 | 2) + Varint(size));
  }
  EXPECT_EQ(Outcome(InModel(std::string(reversed.rbegin(), reversed.rend()))).error, "onnx.depth");
}

// Each If holds two, eleven levels deep, and each is read once.
TEST(OpsHostile, BranchesOfBranches) {
  int count = 0;
  const auto grow = [&](const auto& self, int depth) -> std::string {
    const std::string out = "t" + std::to_string(count++);
    const std::string output = Field(12, Field(1, out));
    if (depth == 0) return Node("Relu", "x", out) + output;
    const auto branch = [&](const std::string& attribute) {
      return Field(5, Field(1, attribute) + Field(6, self(self, depth - 1)));
    };
    std::string node = Field(1, "c") + Field(2, out) + Field(4, "If");
    node += branch("then_branch");
    node += branch("else_branch");
    return Field(1, node) + output;
  };
  const Outcome outcome(InModel(grow(grow, 14)));
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.analysis.layers.size(), (std::size_t{1} << 15) - 1);
}

TEST(OpsHostile, AttributesWithoutEnd) {
  std::string node = Field(4, "Foo") + Field(2, "y");
  for (int i = 0; i < 100; ++i)
    node += Field(5, Field(1, "a" + std::to_string(i)) + Field(4, std::string(1'000'000, 'a')));
  const Outcome outcome(InModel(Field(1, node)));
  EXPECT_EQ(outcome.error, "");
  std::string many = Field(4, "Foo") + Field(2, "y");
  for (int i = 0; i < 200'000; ++i) many += Field(5, Field(1, "a" + std::to_string(i)));
  EXPECT_EQ(Outcome(InModel(Field(1, many))).error, "");
}

TEST(OpsHostile, AMillionInputs) {
  for (const char* op : {"Concat", "Sum", "Max", "Foo", "SequenceConstruct"}) {
    std::string node = Field(4, op) + Field(2, "y") + Field(5, Field(1, "axis") + Number(3, 0));
    for (int i = 0; i < (op == std::string("Concat") ? 1'000'000 : 200'000); ++i)
      node += std::string("\x0a\x01x", 3);
    const std::string type = Field(1, Number(1, 1) + Field(2, Field(1, Number(1, 2))));
    const Outcome outcome(InModel(Field(1, node) + Field(11, Field(1, "x") + Field(2, type))));
    EXPECT_EQ(outcome.error, "") << op;
    if (op == std::string("Concat")) {
      EXPECT_EQ(ShapeOfTensor(outcome, "y"), "2000000");
    }
  }
}

TEST(OpsHostile, ManyInputsOfOtherSizes) {
  for (const char* op : {"Concat", "Sum"}) {
    std::string graph;
    std::string node = Field(4, op) + Field(2, "y") + Field(5, Field(1, "axis") + Number(3, 0));
    for (int i = 0; i < 20'000; ++i) {
      const std::string name = "x" + std::to_string(i);
      const std::string shape = Field(2, Field(1, Field(2, "N" + std::to_string(i))));
      graph += Field(11, Field(1, name) + Field(2, Field(1, Number(1, 1) + shape)));
      node += Field(1, name);
    }
    EXPECT_EQ(Outcome(InModel(graph + Field(1, node))).error, "") << op;
  }
}

// Sizes that are equal in pairs, so that each pair is a fact.
TEST(OpsHostile, FactsWithoutEnd) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    text += "input a" + n + " float32 [A" + n + ",B" + std::to_string(i / 2) + "]\n";
    text += "input b" + n + " float32 [B" + n + ",A" + std::to_string(i / 3) + "]\n";
    text += "node Add (a" + n + ", b" + n + ") -> (c" + n + ")\noutput c" + n + " float32\n";
  }
  EXPECT_EQ(OfText(text).error, "");
}

TEST(OpsHostile, MassesOfFunctions) {
  std::string bytes = InModel(Node("F7", "x", "y"));
  for (int i = 0; i < 200'000; ++i) bytes += Field(25, Field(1, "F" + std::to_string(i)));
  EXPECT_EQ(Outcome(bytes).error, "");
}

// Thirty functions, each calling the next twice.
TEST(OpsHostile, FunctionsThatDouble) {
  std::string text = "opset com.acme 1\ninput x float32 [3]\n";
  text += "node F0 (x) -> (y) domain=\"com.acme\"\noutput y float32\n";
  for (int i = 0; i < 30; ++i) {
    const std::string next = i == 29 ? "Relu" : "F" + std::to_string(i + 1);
    const std::string domain = i == 29 ? "\n" : " domain=\"com.acme\"\n";
    text += "function com.acme F" + std::to_string(i) + " (a) -> (c) opset 17\nnode " + next +
            " (a) -> (b)" + domain + "node " + next + " (b) -> (c)" + domain + "end\n";
  }
  const Outcome outcome = OfText(text);
  EXPECT_TRUE(outcome.Noted("ops.function-limit"));
  EXPECT_FALSE(outcome.analysis.totals.complete);
}

// 2^62 executions of 2^62: more than any number can hold is unknown, not wrong.
TEST(OpsHostile, LoopsThatNeverEnd) {
  std::string text = "init m int64 [] = 4611686018427387904\ninput x float32 [1,3]\n";
  text += "node Loop (m, , x) -> (y) body=graph:g0\noutput y float32\n";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    text += "graph g" + n + "\ninput i" + n + " int64 []\ninput c" + n + " bool []\ninput v" + n +
            " float32\nnode Identity (c" + n + ") -> (d" + n + ")\n";
    text += i < 3 ? "node Loop (m, , v" + n + ") -> (r" + n + ") body=graph:g" +
                        std::to_string(i + 1) + "\n"
                  : "node Concat (v" + n + ", v" + n + ") -> (r" + n + ") axis=0\n";
    text += "output d" + n + " bool\noutput r" + n + " float32\nend\n";
  }
  const Outcome outcome = OfText(text);
  EXPECT_EQ(outcome.error, "");
  EXPECT_FALSE(outcome.analysis.totals.complete);
}

TEST(OpsHostile, SizesThatOverflow) {
  const std::string big = std::to_string(kBig);
  const Outcome outcome = OfText(R"(
input x float32 [2,3]
init big int64 [2] = )" + big + " " +
                                 big + R"(
init one int64 [1] = )" + big + R"(
init n int64 [] = )" + big + R"(
init zero int64 [] = 0
init step int64 [] = 1
node Tile (x, big) -> (t)
node ConstantOfShape (big) -> (c)
node Expand (x, one) -> (e)
node Range (zero, n, step) -> (r)
node Reshape (x, big) -> (s)
node Add (t, t) -> (u)
node MatMul (c, c) -> (m)
output u float32
output m float32
output r int64)");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(ShapeOfTensor(outcome, "r"), big);
  EXPECT_EQ(ShapeOfTensor(outcome, "t"), "9223372036854775808,13835058055282163712");
}

TEST(OpsHostile, NegativeSizes) {
  const Outcome outcome = OfText(R"(
input x float32 [2,3]
init minus int64 [2] = -3 -4
init less int64 [] = -5
init one int64 [] = 1
node Tile (x, minus) -> (t)
node ConstantOfShape (minus) -> (c)
node Range (one, less, one) -> (r)
node Loop (less, , x) -> (y) body=graph:b
output t float32
output c float32
output r int64
output y float32
graph b
  input i int64 []
  input k bool []
  input v float32
  node Identity (k) -> (d)
  node Neg (v) -> (w)
  output d bool
  output w float32
end)");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(ShapeOfTensor(outcome, "t"), "*");
  EXPECT_EQ(ShapeOfTensor(outcome, "r"), "0");
  EXPECT_EQ(ShapeOfTensor(outcome, "y"), "2,3");
}

TEST(OpsHostile, RanksWithoutEnd) {
  std::string axes;
  for (int i = 0; i < 4000; ++i) axes += " " + std::to_string(i);
  std::string text =
      "input x float32 [2]\ninit a int64 [4000] =" + axes + "\nnode Unsqueeze (x, a) -> (y0)\n";
  for (int i = 0; i < 20; ++i)
    text += "node Unsqueeze (y" + std::to_string(i) + ", a) -> (y" + std::to_string(i + 1) + ")\n";
  text += "node Add (y20, y19) -> (z)\noutput z float32\n";
  const Outcome outcome = OfText(text);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(ShapeOfTensor(outcome, "y0"), "*");
}

TEST(OpsHostile, AnOpsetFromTheFuture) {
  const Outcome outcome(InModel(Node("Relu", "x", "y") + Node("Loop", "x", "z"), 1'000'000'000));
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace opscope
