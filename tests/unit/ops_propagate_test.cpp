// Propagation as a whole: what users bind, what files declare, order, damage.
#include <gtest/gtest.h>

#include <string>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr std::string_view kTwoInputs = R"(
input x float32 [N,3,H,32]
input y float32 [N,H]
init w float32 [8,3,3,3]
node Conv (x, w) -> (c) pads=[1,1,1,1]
node Custom (c) -> (q) domain="com.acme"
value q float32 [N,H]
node Add (q, y) -> (z)
output c float32
output z float32)";

TEST(OpsPropagate, BindingsReachInputsAndDeclaredTypes) {
  EXPECT_EQ(Inferred(kTwoInputs), "c float32 [N,8,H,32]\nz float32 [N,H]\n! unknown op\n");
  EXPECT_EQ(Inferred(kTwoInputs, {.bindings = {{"N", 2}}, .shapes = {}}),
            "c float32 [2,8,H,32]\nz float32 [2,H]\n! unknown op\n");
}

TEST(OpsPropagate, AShapeBindsTheSymbolsItReplaces) {
  EXPECT_EQ(Inferred(kTwoInputs, {.bindings = {}, .shapes = {{"x", {2, -1, 16, 64}}}}),
            "c float32 [2,8,16,64]\nz float32 [2,16]\n! unknown op\n");
}

struct UsageCase {
  PropagateOptions options;
  std::string_view code;
  std::string_view message;
};

TEST(OpsPropagate, UsageErrorsNameWhatThereIs) {
  const UsageCase cases[] = {
      {{.bindings = {}, .shapes = {{"xx", {1}}}},
       "usage.shape",
       "no input \"xx\"; did you mean \"x\"?"},
      {{.bindings = {}, .shapes = {{"x", {1, 2}}}},
       "usage.shape",
       "input \"x\" has 4 dims, the shape given 2"},
      {{.bindings = {}, .shapes = {{"y", {1, -2}}}},
       "usage.shape",
       "input \"y\": a dim cannot be -2"},
      {{.bindings = {{"Batch", 1}}, .shapes = {}},
       "usage.bind",
       "no dim is called \"Batch\"; there are \"H\", \"N\""},
      {{.bindings = {{"N", -1}}, .shapes = {}}, "usage.bind", "\"N\" is bound to -1"},
      {{.bindings = {{"N", 1}}, .shapes = {{"y", {2, 5}}}},
       "usage.bind",
       "dim \"N\" would be both 1 and 2"},
  };
  for (const UsageCase& each : cases) {
    const Result<Propagated> result = TryPropagate(kTwoInputs, each.options);
    ASSERT_FALSE(result.has_value()) << each.message;
    EXPECT_EQ(result.error().code, each.code);
    EXPECT_EQ(result.error().message, each.message);
  }
}

TEST(OpsPropagate, NearNamesAreOffered) {
  const Result<Propagated> result =
      TryPropagate("input tokens float32 [batch,3]\nnode Relu (tokens) -> (y)\noutput y float32",
                   {.bindings = {{"batc", 1}}, .shapes = {}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "no dim is called \"batc\"; did you mean \"batch\"?");
}

TEST(OpsPropagate, ASizeThatTheDataDecideCanBeBound) {
  EXPECT_EQ(Inferred(R"(
input x float32 [4]
node NonZero (x) -> (y) name="nz"
output y int64)",
                     {.bindings = {{"count(nz)", 3}}, .shapes = {}}),
            "y int64 [1,3]\n");
}

constexpr ShapeCase kDeclared[] = {
    {"what is computed stands, a difference is said once", R"(
input x float32 [1,3]
node Relu (x) -> (a)
value a float32 [1,4]
node Neg (a) -> (y)
output y float32 [1,4])",
     "y float32 [1,3]\n~ ops.shape-differs: computed [1,3], the file says [1,4]\n"},
    {"what is not computed is taken from the file", R"(
input x float32 [1,3]
input s int64 [2]
node Reshape (x, s) -> (a)
value a float32 [M,4]
node Neg (a) -> (y)
output y float32)",
     "y float32 [M,4]\n"},
    {"sizes that the data decide give way to declared ones", R"(
input x float32 [4]
node NonZero (x) -> (a)
value a int64 [1,found]
node Neg (a) -> (y)
output y int64)",
     "y int64 [1,found]\n"},
    {"unknown ops pass on what is declared", R"(
input x float32 [1,3]
node Custom (x) -> (a, b) domain="com.acme"
value a float16 [2,2]
node Neg (a) -> (y)
node Neg (b) -> (z)
output y float16
output z float32)",
     "y float16 [2,2]\nz float32 [*]\n! unknown op\n"},
};

TEST(OpsPropagate, DeclaredTypes) { ExpectInferred(kDeclared); }

TEST(OpsPropagate, InitializersThatAreInputsAreConstants) {
  const Propagated result = PropagateText(R"(
input x float32 [2,3]
input s int64 [1]
init s int64 [1] = -1
node Reshape (x, s) -> (y)
node Neg (s) -> (z)
output y float32
output z int64)");
  EXPECT_EQ(result.Describe(result.Fact("y")), "float32 [6]");
  EXPECT_TRUE(result.Fact("y").runtime);
  EXPECT_FALSE(result.Fact("z").runtime);
  EXPECT_FALSE(result.facts.runtime[result.NodeOf("Neg").index()]);
}

TEST(OpsPropagate, NodesOutOfOrderAreSorted) {
  const Propagated result = PropagateText(R"(
input x float32 [2,3]
node Abs (b) -> (y)
node Neg (a) -> (b)
node Relu (x) -> (a)
node Sin (x) -> (z)
output y float32
output z float32)");
  EXPECT_EQ(result.Describe(result.Fact("y")), "float32 [2,3]");
  std::string order;
  for (const NodeId node : result.facts.order[0]) {
    order += std::string(result.model.text(result.model.node(node).op)) + " ";
  }
  EXPECT_EQ(order, "Relu Neg Abs Sin ");
}

TEST(OpsPropagate, CyclesStayUnknown) {
  const Propagated result = PropagateText(R"(
input x float32 [2,3]
node Add (x, b) -> (a)
node Relu (a) -> (b)
node Neg (b) -> (y)
node Sin (x) -> (z)
output y float32
output z float32)");
  EXPECT_EQ(result.Describe(result.Fact("y")), "float32 [*]");
  EXPECT_EQ(result.Describe(result.Fact("z")), "float32 [2,3]");
  EXPECT_EQ(result.facts.problems[result.NodeOf("Add").index()], "waits for its own output");
  bool logged = false;
  for (const ImportIssue& issue : result.log.issues()) logged |= issue.code == "ops.cycle";
  EXPECT_TRUE(logged);
}

// What is inside a body waits with its owner.
TEST(OpsPropagate, AnOwnerWaitsForWhatItsBodiesRead) {
  EXPECT_EQ(Inferred(R"(
input c bool []
input x float32 [2,3]
node If (c) -> (y) then_branch=graph:t else_branch=graph:e
node Relu (x) -> (late)
output y float32
graph t
  node Neg (late) -> (p)
  output p float32
end
graph e
  node Sin (late) -> (q)
  output q float32
end)")
                .substr(0, 16),
            "y float32 [2,3]\n");
}

TEST(OpsPropagate, ContradictionsAreLosses) {
  const Propagated result = PropagateText(R"(
input x float32 [2,3]
input z float32 [4]
node Add (x, z) -> (y) name="Add_7"
output y float32)");
  ASSERT_EQ(result.log.issues().size(), 1U);
  const ImportIssue& issue = result.log.issues()[0];
  EXPECT_EQ(issue.code, "ops.contradiction");
  EXPECT_EQ(issue.severity, Severity::kLoss);
  EXPECT_EQ(issue.where, "node \"Add_7\" (Add)");
  EXPECT_EQ(issue.message, "inputs do not broadcast: 3 against 4");
  EXPECT_TRUE(
      std::holds_alternative<work::Unknown>(result.facts.works[result.NodeOf("Add").index()]));
}

}  // namespace
}  // namespace opscope
