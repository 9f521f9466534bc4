// Loops whose values change from one execution to the next, the old form of Scan, sequences and
// optionals.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kLoops[] = {
    {"a dim that grows by the same size each time", R"(
input m int64 []
input x float32 [N,3]
input y float32 [2,3]
node Loop (m, , x) -> (z) body=graph:b name="L"
output z float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Identity (c) -> (d)
  node Concat (v, y) -> (w) axis=0
  output d bool
  output w float32
end)",
     "z float32 [N + `trips(L)`*2,3]\n"},
    {"followed step by step when it is short", R"(
init m int64 [] = 3
input x float32 [1,3]
node Loop (m, , x) -> (z) body=graph:b name="L"
output z float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Identity (c) -> (d)
  node Concat (v, v) -> (w) axis=0
  output d bool
  output w float32
end)",
     "z float32 [8,3]\n"},
    {"a counter in the condition", R"(
init t bool [] = 1
init zero int64 [] = 0
init two int64 [] = 2
init limit int64 [] = 7
input x float32 [N,3]
node Loop (, t, zero, x) -> (n, z, all) body=graph:b name="L"
output n int64
output all float32
graph b
  input i int64 []
  input c bool []
  input k int64 []
  input v float32
  node Add (k, two) -> (k2)
  node Less (k2, limit) -> (d)
  node Relu (v) -> (w)
  output d bool
  output k2 int64
  output w float32
  output w float32
end)",
     "n int64 [] = 8\nall float32 [4,N,3]\n"},
    {"a condition that is false from the start", R"(
init f bool [] = 0
input x float32 [N,3]
node Loop (, f, x) -> (z, all) body=graph:b name="L"
output z float32
output all float32
graph b
  input i int64 []
  input c bool []
  input v float32
  node Identity (c) -> (d)
  node Concat (v, v) -> (w) axis=0
  output d bool
  output w float32
  output w float32
end)",
     "z float32 [N,3]\nall float32 [0,`dim0(all)`,3]\n"},
    {"scan of opset 8: the batch stands before all axes", R"(
opset 8
input s float32 [B,8]
input x float32 [B,T,5]
node Scan (, s, x) -> (y, z) body=graph:b num_scan_inputs=1
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
     "y float32 [B,8]\nz float32 [B,T,8]\n"},
    {"a name of the body hides that of the graph around it", R"(
init m int64 [] = 2
input x float32 [N,3]
node Relu (x) -> (h)
node Loop (m, , x) -> (y, z) body=graph:b
output y float32
output z float32
graph b
  input i int64 []
  input c bool []
  input v float32
  init w float32 [3,5]
  node Identity (c) -> (d)
  node MatMul (v, w) -> (q)
  node Neg (v) -> (u)
  node Add (h, u) -> (r)
  output d bool
  output r float32
  output q float32
end)",
     "y float32 [N,3]\nz float32 [2,N,5]\n"},
};

constexpr ShapeCase kBranches[] = {
    {"a condition that is a formula chooses by it", R"(
input x float32 [N,6]
init four int64 [] = 4
init zero int64 [] = 0
init half int64 [2] = 0 3
node Shape (x) -> (s)
node Gather (s, zero) -> (n)
node Less (n, four) -> (c)
node If (c) -> (y) then_branch=graph:a else_branch=graph:b
output y float32
graph a
  node Concat (x, x) -> (p) axis=1
  output p float32
end
graph b
  node Relu (x) -> (q)
  output q float32
end)",
     "y float32 [N,max(0, min(1, 4 - N))*6 + 6]\n"},
    {"branches that differ in the rank alone keep the number of elements", R"(
input c bool []
input x float32 [N,1,4]
init one int64 [1] = 1
node If (c) -> (y) then_branch=graph:a else_branch=graph:b
node Relu (y) -> (z)
node Reshape (z, flat) -> (f)
init flat int64 [2] = -1 4
output z float32
output f float32
graph a
  node Squeeze (x, one) -> (p)
  output p float32
end
graph b
  node Identity (x) -> (q)
  output q float32
end)",
     "z float32 [*]\nf float32 [N,4]\n"},
};

constexpr ShapeCase kSequences[] = {
    {"tensors one by one", R"(
input x float32 [N,3]
input y float32 [M,3]
init zero int64 [] = 0
init last int64 [] = -1
node SequenceConstruct (x, y) -> (s)
node SequenceLength (s) -> (n)
node SequenceAt (s, last) -> (b)
node SequenceErase (s, zero) -> (t)
node SequenceInsert (t, x) -> (u)
node SequenceInsert (u, y, zero) -> (v)
node ConcatFromSequence (v) -> (all) axis=0
node ConcatFromSequence (t) -> (stack) axis=0 new_axis=1
output n int64
output s sequence(float32)
output b float32
output all float32
output stack float32)",
     "n int64 [] = 2\ns sequence(float32 [?,3])\nb float32 [M,3]\nall float32 [M*2 + N,3]\n"
     "stack float32 [1,M,3]\n"},
    {"a place outside", R"(
input x float32 [N,3]
init two int64 [] = 2
node SequenceConstruct (x, x) -> (s)
node SequenceAt (s, two) -> (y)
output y float32)",
     "y float32 [*]\n! place 2 of a sequence of 2\n"},
    {"split and joined again", R"(
input x float32 [N,10]
init four int64 [] = 4
init sizes int64 [2] = 3 7
init one int64 [] = 1
node SplitToSequence (x, four) -> (s) axis=1
node SequenceAt (s, two) -> (rest)
init two int64 [] = 2
node ConcatFromSequence (s) -> (all) axis=1
node SplitToSequence (x, sizes) -> (t) axis=1
node SequenceAt (t, one) -> (b)
node SplitToSequence (x) -> (rows) axis=0 keepdims=0
node SequenceLength (rows) -> (n)
node ConcatFromSequence (rows) -> (again) axis=0 new_axis=1
output rest float32
output all float32
output b float32
output rows sequence(float32)
output n int64
output again float32)",
     "rest float32 [N,2]\nall float32 [N,10]\nb float32 [N,7]\nrows sequence(float32 [10])\n"
     "n int64 [] = N\nagain float32 [N,10]\n"},
    {"a sequence that a loop fills", R"(
input m int64 []
input x float32 [N,3]
node SequenceEmpty () -> (e) dtype=1
node Loop (m, , e) -> (s) body=graph:b name="L"
node SequenceLength (s) -> (n)
node ConcatFromSequence (s) -> (y) axis=0
output s sequence(float32)
output n int64
output y float32
graph b
  input i int64 []
  input c bool []
  input v sequence(float32)
  node Identity (c) -> (d)
  node Sin (x) -> (r)
  node SequenceInsert (v, r) -> (w)
  output d bool
  output w sequence(float32)
end)",
     "s sequence(float32 [N,3])\nn int64 [] = `trips(L)`\ny float32 [N*`trips(L)`,3]\n"},
    {"a body for each tensor", R"(
opset 17
input x float32 [6,N]
input w float32 [N,5]
node SplitToSequence (x) -> (s) axis=0
node SequenceMap (s, w) -> (t) body=graph:b
node ConcatFromSequence (t) -> (y) axis=0
output t sequence(float32)
output y float32
graph b
  input a float32
  input k float32
  node MatMul (a, k) -> (p)
  output p float32
end)",
     "t sequence(float32 [1,5])\ny float32 [6,5]\n"},
    {"optionals", R"(
input x float32 [N,3]
node Optional (x) -> (o)
node OptionalGetElement (o) -> (y)
node OptionalHasElement (x) -> (h)
node OptionalHasElement () -> (g)
opset 18
output o optional(float32)
output y float32
output h bool
output g bool)",
     "o optional(float32 [N,3])\ny float32 [N,3]\nh bool [] = 1\ng bool [] = 0\n"},
};

TEST(OpsLoop, Loops) { ExpectInferred(kLoops); }
TEST(OpsLoop, Branches) { ExpectInferred(kBranches); }
TEST(OpsLoop, Sequences) { ExpectInferred(kSequences); }

// The body's own costs hang on the trip; the symbol has the name of the body's input.
TEST(OpsLoop, WhatVariesInsideIsASymbol) {
  const Propagated result = PropagateText(kLoops[0].text);
  EXPECT_EQ(result.Describe(result.Fact("w")), "float32 [`dim0(v)` + 2,3]");
  ASSERT_EQ(result.facts.computed.size(), 2U);
  EXPECT_EQ(result.facts.computed[0].name, "dim0(v)");
  EXPECT_EQ(result.facts.computed[1].name, "trips(L)");
}

TEST(OpsLoop, TripsCanBeBound) {
  const Propagated result =
      PropagateText(kLoops[0].text, {.bindings = {{"trips(L)", 10}, {"N", 4}}, .shapes = {}});
  EXPECT_EQ(result.Describe(result.Fact("z")), "float32 [24,3]");
}

}  // namespace
}  // namespace opscope
