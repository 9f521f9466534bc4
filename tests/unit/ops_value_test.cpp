// Value propagation: the elements on which shapes hang, as numbers and as formulas.
#include <gtest/gtest.h>

#include <string>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kSymbols[] = {
    {"a dynamic batch through Shape, Gather, Unsqueeze, Concat, Reshape", R"(
input x float32 [batch,seq,768]
init zero int64 [] = 0
init one int64 [] = 1
init axes int64 [1] = 0
init heads int64 [2] = 12 64
node Shape (x) -> (s)
node Gather (s, zero) -> (b)
node Gather (s, one) -> (l)
node Unsqueeze (b, axes) -> (b1)
node Unsqueeze (l, axes) -> (l1)
node Concat (b1, l1, heads) -> (t) axis=0
node Reshape (x, t) -> (y)
node Transpose (y) -> (z) perm=[0,2,1,3]
output t int64
output z float32)",
     "t int64 [4] = batch seq 12 64\nz float32 [batch,12,seq,64]\n"},
    {"arithmetic on sizes", R"(
input x float32 [N,H]
init two int64 [2] = 2 2
init three int64 [] = 3
node Shape (x) -> (s)
node Add (s, three) -> (a)
node Mul (a, two) -> (m)
node Div (s, two) -> (d)
node Mod (s, two) -> (r)
node Sub (s, s) -> (z)
node Neg (s) -> (n)
output m int64
output d int64
output r int64
output z int64
output n int64)",
     "m int64 [2] = N*2 + 6 H*2 + 6\nd int64 [2] = N // 2 H // 2\n"
     "r int64 [2] = N - (N // 2)*2 H - (H // 2)*2\nz int64 [2] = 0 0\nn int64 [2] = -N -H\n"},
    {"a size doubled and halved in floats, as exporters of interpolate write it", R"(
input x float32 [1,8,H,W]
init two float32 [] = 2
init start int64 [1] = 2
init end int64 [1] = 4
init nc int64 [2] = 1 8
node Shape (x) -> (s)
node Slice (s, start, end) -> (hw)
node Cast (hw) -> (f) to=1
node Mul (f, two) -> (g)
node Floor (g) -> (h)
node Cast (h) -> (i) to=7
node Concat (nc, i) -> (sizes) axis=0
node Resize (x, , , sizes) -> (y)
output y float32)",
     "y float32 [1,8,H*2,W*2]\n"},
    {"comparisons that hold for every size, and one that does not", R"(
input x float32 [N,3]
init neg int64 [] = -1
init three int64 [] = 3
init two int64 [] = 2
node Shape (x) -> (s)
node Equal (s, neg) -> (a)
node Less (neg, s) -> (b)
node Equal (s, three) -> (c)
node Where (a, neg, s) -> (w)
output a bool
output b bool
output c bool
output w int64)",
     "a bool [2] = 0 0\nb bool [2] = 1 1\nc bool [2] = 1 - min(1, max(3 - N, N - 3)) 1\nw int64 "
     "[2] = N 3\n"},
    {"Expand to a computed shape (-1 replaced by 1)", R"(
input x float32 [B,1]
init t int64 [2] = -1 7
init one int64 [] = 1
init neg int64 [] = -1
node Equal (t, neg) -> (e)
node Where (e, one, t) -> (w)
node Expand (x, w) -> (y)
output y float32)",
     "y float32 [B,7]\n"},
    {"elements not known keep the length", R"(
input x float32 [2,6]
input n int64 []
init axes int64 [1] = 0
init one int64 [1] = 3
node Unsqueeze (n, axes) -> (u)
node Concat (one, u) -> (t) axis=0
node Reshape (x, t) -> (y)
output t int64
output y float32)",
     "t int64 [2] = 3 ?\ny float32 [3,4]\n"},
    {"Size, ReduceProd, Range of a symbol", R"(
input x float32 [N,3]
init zero int64 [] = 0
init one int64 [] = 1
node Size (x) -> (n)
node Shape (x) -> (s)
node ReduceProd (s) -> (p) keepdims=0
node Range (zero, n, one) -> (r)
output n int64
output p int64
output r int64)",
     "n int64 [] = N*3\np int64 [] = N*3\nr int64 [N*3]\n"},
};

constexpr ShapeCase kNumbers[] = {
    {"division rounds to zero, the remainder follows", R"(
init a int64 [4] = 7 -7 7 -7
init b int64 [4] = 2 2 -2 -2
node Div (a, b) -> (d)
node Mod (a, b) -> (m)
node Mod (a, b) -> (f) fmod=1
output d int64
output m int64
output f int64)",
     "d int64 [4] = 3 -3 -3 3\nm int64 [4] = 1 1 -1 -1\nf int64 [4] = 1 -1 1 -1\n"},
    {"division by zero is unknown", R"(
init a int64 [2] = 7 6
init b int64 [2] = 0 3
node Div (a, b) -> (d)
output d int64)",
     "d int64 [2] = ? 2\n"},
    {"moves of small tensors", R"(
init a int64 [2,3] = 1 2 3 4 5 6
init i int64 [2] = 2 -3
init r int64 [2] = 1 2
init s int64 [1] = -1
init e int64 [1] = -100
init one int64 [1] = 1
init neg int64 [1] = -1
init sizes int64 [2] = 1 2
node Transpose (a) -> (t)
node Gather (a, i) -> (g) axis=1
node Tile (a, r) -> (l)
node Slice (a, s, e, one, neg) -> (v)
node Concat (a, a) -> (c) axis=1
node Split (a, sizes) -> (p, q) axis=1
output t int64
output g int64
output l int64
output v int64
output c int64
output q int64)",
     "t int64 [3,2] = 1 4 2 5 3 6\ng int64 [2,2] = 3 1 6 4\n"
     "l int64 [2,6] = 1 2 3 1 2 3 4 5 6 4 5 6\nv int64 [2,3] = 3 2 1 6 5 4\n"
     "c int64 [2,6] = 1 2 3 1 2 3 4 5 6 4 5 6\nq int64 [2,2] = 2 3 5 6\n"},
    {"reductions, minima and maxima", R"(
init a int64 [2,3] = 1 5 3 4 2 6
init b int64 [3] = 2 2 9
init ax int64 [1] = 1
node ReduceSum (a, ax) -> (s)
node ReduceMax (a) -> (x) axes=[0] keepdims=0
node Max (a, b) -> (m)
node Min (b, a) -> (n)
output s int64
output x int64
output m int64
output n int64)",
     "s int64 [2,1] = 9 12\nx int64 [3] = 4 5 6\nm int64 [2,3] = 2 5 9 4 2 9\n"
     "n int64 [2,3] = 1 2 3 2 2 6\n"},
    {"floats round as the engine's do", R"(
init a float32 [3] = 0.1 7.5 -2.5
init b float32 [] = 3
node Mul (a, b) -> (m)
node Round (a) -> (r)
node Cast (a) -> (i) to=7
node Ceil (a) -> (c)
output m float32
output r float32
output i int64
output c float32)",
     "m float32 [3] = 0.3 22.5 -7.5\nr float32 [3] = 0. 8. -2.\ni int64 [3] = 0 7 -2\n"
     "c float32 [3] = 1. 8. -2.\n"},
    {"constants of every spelling", R"(
tensor t int64 [2] = 4 5
node Constant () -> (a) value=init:t
node Constant () -> (b) value_int=7
node Constant () -> (c) value_ints=[1,2]
node Constant () -> (d) value_float=0.5
node ConstantOfShape (c) -> (e) value=init:v
tensor v int64 [1] = 9
output a int64
output b int64
output c int64
output d float32
output e int64)",
     "a int64 [2] = 4 5\nb int64 [] = 7\nc int64 [2] = 1 2\nd float32 [] = 0.5\n"
     "e int64 [1,2] = 9 9\n"},
    {"ranges, up, down, empty, of floats", R"(
init a int64 [] = 2
init b int64 [] = 8
init s int64 [] = 3
init d int64 [] = -4
init fa float32 [] = 0
init fb float32 [] = 1
init fs float32 [] = 0.3
node Range (a, b, s) -> (u)
node Range (b, a, d) -> (w)
node Range (b, a, s) -> (e)
node Range (fa, fb, fs) -> (f)
output u int64
output w int64
output e int64
output f float32)",
     "u int64 [2] = 2 5\nw int64 [2] = 8 4\ne int64 [0] =\nf float32 [4]\n"},
    {"NonZero of ones is a range", R"(
init n int64 [1] = 3
node ConstantOfShape (n) -> (c) value=init:v
tensor v int64 [1] = 1
node NonZero (c) -> (z)
output z int64)",
     "z int64 [1,3] = 0 1 2\n"},
    {"Clip below and above", R"(
init a int64 [3] = -5 3 99
init lo int64 [] = 0
init hi int64 [] = 10
node Clip (a, lo, hi) -> (c)
output c int64)",
     "c int64 [3] = 0 3 10\n"},
};

TEST(OpsValue, Symbols) { ExpectInferred(kSymbols); }
TEST(OpsValue, Numbers) { ExpectInferred(kNumbers); }

TEST(OpsValue, LargeTensorsAreNotFollowed) {
  EXPECT_EQ(Inferred(R"(
init n int64 [1] = 4097
node ConstantOfShape (n) -> (c)
node Neg (c) -> (d)
output d float32)"),
            "d float32 [4097]\n");
}

// A thousand tensors of 4096 elements are more than is followed in all; short ones go on.
TEST(OpsValue, ElementsAreBoundedInAll) {
  std::string text = "init n int64 [1] = 4096\ninput x float32 [N,3]\ntensor v int64 [1] = 1\n";
  for (int i = 0; i < 1000; ++i) {
    text += "node ConstantOfShape (n) -> (c" + std::to_string(i) + ") value=init:v\n";
  }
  text += "node Shape (x) -> (s)\nnode Neg (c0) -> (y)\nnode Neg (s) -> (z)\n";
  text += "output y int64\noutput z int64\n";
  EXPECT_EQ(Inferred(text), "y int64 [4096]\nz int64 [2] = -N -3\n");
}

}  // namespace
}  // namespace opscope
