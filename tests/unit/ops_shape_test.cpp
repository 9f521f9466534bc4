// Reshape and its kin, parts and orders of tensors, elements by index: all opset forms.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kReshape[] = {
    {"-1 is what is left, also of a formula", R"(
input x float32 [N,3,4,H]
init s int64 [3] = 3 -1 4
init t int64 [2] = -1 6
node Reshape (x, s) -> (a)
node Reshape (x, t) -> (b)
output a float32
output b float32)",
     "a float32 [3,H*N,4]\nb float32 [H*N*2,6]\n"},
    {"0 copies, and what is copied need not be known", R"(
input x float32 [1,1,3,4]
input k int64 [2]
init r int64 [2] = 3 4
init s int64 [3] = 0 0 -1
node Concat (k, r) -> (t) axis=0
node Expand (x, t) -> (e)
node Reshape (e, s) -> (y)
output e float32
output y float32)",
     "e float32 [`dim0(e)`,`dim1(e)`,3,4]\ny float32 [`dim0(e)`,`dim1(e)`,12]\n"},
    {"allowzero makes 0 a size", R"(
init w float32 [0,3]
init s int64 [2] = 0 5
node Reshape (w, s) -> (y) allowzero=1
output y float32)",
     "y float32 [0,5] =\n"},
    {"a single unknown element is inferred like -1", R"(
input x float32 [2,3,4]
input n int64 [1]
init r int64 [2] = 6 2
node Concat (r, n) -> (s) axis=0
node Reshape (x, s) -> (y)
output y float32)",
     "y float32 [6,2,2]\n"},
    {"of an unknown shape the rank is its length", R"(
input x float32 [2,3]
input s int64 [3]
node Reshape (x, s) -> (y)
output y float32)",
     "y float32 [`dim0(y)`,`dim1(y)`,`dim2(y)`]\n"},
    {"elements that do not divide", R"(
input x float32 [2,3,4]
init s int64 [2] = 5 -1
node Reshape (x, s) -> (y)
output y float32)",
     "y float32 [*]\n! 24 elements do not divide by 5\n"},
    {"elements that differ", R"(
input x float32 [2,3,4]
init s int64 [2] = 5 5
node Reshape (x, s) -> (y)
output y float32)",
     "y float32 [*]\n! 24 elements as a shape of 25\n"},
    {"the attribute of opset 1", R"(
opset 4
input x float32 [2,N]
node Reshape (x) -> (y) shape=[-1]
output y float32)",
     "y float32 [N*2]\n"},
    {"flatten", R"(
input x float32 [N,3,H,4]
node Flatten (x) -> (a)
node Flatten (x) -> (b) axis=0
node Flatten (x) -> (c) axis=-1
node Flatten (x) -> (d) axis=4
output a float32
output b float32
output c float32
output d float32)",
     "a float32 [N,H*12]\nb float32 [1,H*N*12]\nc float32 [H*N*3,4]\nd float32 [H*N*12,1]\n"},
    {"squeeze and unsqueeze, axes as input", R"(
input x float32 [N,1,3,1]
init a int64 [1] = -1
init b int64 [2] = 0 -1
node Squeeze (x, a) -> (y)
node Unsqueeze (y, b) -> (z)
output y float32
output z float32)",
     "y float32 [N,1,3]\nz float32 [1,N,1,3,1]\n"},
    {"axes as attribute, none at all", R"(
opset 11
input x float32 [2,1,3,1]
node Squeeze (x) -> (y) axes=[1]
node Squeeze (x) -> (z)
node Unsqueeze (x) -> (u) axes=[5,0]
output y float32
output z float32
output u float32)",
     "y float32 [2,3,1]\nz float32 [2,3]\nu float32 [1,2,1,3,1,1]\n"},
    {"a dim above 1 cannot go", R"(
input x float32 [2,3]
init a int64 [1] = 1
node Squeeze (x, a) -> (y)
output y float32)",
     "y float32 [*]\n! axis 1 has size 3 and cannot be squeezed\n"},
    {"expand and tile", R"(
input x float32 [N,1,3]
init e int64 [4] = 2 1 5 1
init r int64 [3] = 1 4 2
node Expand (x, e) -> (a)
node Tile (x, r) -> (b)
output a float32
output b float32)",
     "a float32 [2,N,5,3]\nb float32 [N,4,6]\n"},
};

constexpr ShapeCase kParts[] = {
    {"slices of numbers and symbols", R"(
input x float32 [N,10]
init s int64 [2] = 1 -3
init e int64 [2] = 2147483647 -1
node Slice (x, s, e) -> (a)
init t int64 [1] = -1
init f int64 [1] = -9223372036854775808
init ax int64 [1] = 1
init st int64 [1] = -2
node Slice (x, t, f, ax, st) -> (b)
output a float32
output b float32)",
     "a float32 [N - 1,2]\nb float32 [N,5]\n"},
    {"the attributes of opset 1", R"(
opset 9
input x float32 [4,10,6]
node Slice (x) -> (y) axes=[1,2] starts=[2,-2] ends=[5,1000]
output y float32)",
     "y float32 [4,3,2]\n"},
    {"a bound that is a symbol", R"(
input x float32 [N,L]
init p float32 [1,512,8]
init z int64 [1] = 0
init one int64 [1] = 1
node Shape (x) -> (sx) start=1 end=2
node Slice (p, z, sx, one) -> (y)
output y float32)",
     "y float32 [1,min(512, L),8]\n"},
    {"starts known only at run time", R"(
input x float32 [4,10]
input s int64 [1]
init e int64 [1] = 5
init ax int64 [1] = 1
node Slice (x, s, e, ax) -> (y)
output y float32)",
     "y float32 [4,`dim1(y)`]\n"},
    {"split: sizes as attribute", R"(
opset 11
input x float32 [7,N]
node Split (x) -> (a, b) split=[3,4]
node Split (x) -> (c, d) axis=1
output a float32
output b float32
output c float32
output d float32)",
     "a float32 [3,N]\nb float32 [4,N]\nc float32 [7,N // 2]\nd float32 [7,N // 2]\n"},
    {"split: sizes as input, uneven from opset 18 on", R"(
opset 18
input x float32 [7,6]
init s int64 [2] = 2 4
node Split (x, s) -> (a, b) axis=-1
node Split (x) -> (c, d, e) num_outputs=3
output b float32
output c float32
output e float32)",
     "b float32 [7,4]\nc float32 [3,6]\ne float32 [1,6]\n"},
    {"pad: input, axes", R"(
opset 18
input x float32 [N,3,8]
init p int64 [4] = 1 -1 2 0
init a int64 [2] = 2 0
init q int64 [6] = 0 0 1 0 0 1
node Pad (x, p, , a) -> (y)
node Pad (x, q) -> (z) mode="reflect"
output y float32
output z float32)",
     "y float32 [N - 1,3,11]\nz float32 [N,3,10]\n"},
    {"pad: the attribute of opset 2", R"(
opset 9
input x float32 [N,3]
node Pad (x) -> (y) pads=[0,1,2,3]
output y float32)",
     "y float32 [N + 2,7]\n"},
};

constexpr ShapeCase kOrders[] = {
    {"transpose", R"(
input x float32 [A,B,3]
node Transpose (x) -> (a)
node Transpose (x) -> (b) perm=[1,2,0]
output a float32
output b float32)",
     "a float32 [3,B,A]\nb float32 [B,3,A]\n"},
    {"not a permutation", R"(
input x float32 [2,3]
node Transpose (x) -> (y) perm=[0,0]
output y float32)",
     "y float32 [*]\n! an axis is named twice\n"},
    {"concat adds along its axis, and the better known of the other sizes stays", R"(
input x float32 [N,3,H]
input y float32 [2,M,H]
node Concat (x, y) -> (z) axis=1
output z float32)",
     "z float32 [2,M + 3,H]\n~ ops.assumption: sizes beside the axis: takes N and 2 to be "
     "equal\n"},
    {"depth and space", R"(
input x float32 [N,12,H,5]
node DepthToSpace (x) -> (a) blocksize=2
node SpaceToDepth (a) -> (b) blocksize=2
output a float32
output b float32)",
     "a float32 [N,3,H*2,10]\nb float32 [N,12,H,5]\n"},
};

constexpr ShapeCase kIndices[] = {
    {"gather in three forms", R"(
input x float32 [N,5,6]
input i int64 [2,K]
init t int64 [3,2] = 0 1 0 2 1 3
init u int64 [4,1] = 0 1 2 3
node Gather (x, i) -> (a) axis=1
node GatherElements (x, i) -> (b)
node GatherND (x, t) -> (c)
node GatherND (x, u) -> (d) batch_dims=0
output a float32
output b float32
output c float32
output d float32)",
     "a float32 [N,2,K,6]\nb float32 [2,K]\nc float32 [3,6]\nd float32 [4,5,6]\n"},
    {"one-hot, top-k", R"(
input x float32 [N,50]
input i int64 [N]
init d int64 [] = 7
init v float32 [2] = 0 1
init k int64 [1] = 5
node OneHot (i, d, v) -> (a)
node TopK (x, k) -> (b, c)
output a float32
output b float32
output c int64)",
     "a float32 [N,7]\nb float32 [N,5]\nc int64 [N,5]\n"},
    {"top-k of opset 1", R"(
opset 9
input x float32 [N,50]
node TopK (x) -> (b, c) k=4 axis=0
output b float32)",
     "b float32 [4,50]\n"},
    {"sizes that the data decide are symbols of their own", R"(
input x float32 [4,5]
input m bool [5]
node NonZero (x) -> (a) name="nz"
node Compress (x, m) -> (b) axis=1 name="cp"
node Unique (x) -> (u) name="uq"
output a int64
output b float32
output u float32)",
     "a int64 [2,`count(nz)`]\nb float32 [4,`count(cp)`]\nu float32 [`count(uq)`]\n"},
};

constexpr ShapeCase kResize[] = {
    {"scales, sizes", R"(
opset 13
input x float32 [1,3,H,10]
init s float32 [4] = 1 1 2 0.55
init z int64 [4] = 1 3 20 30
node Resize (x, , s) -> (a)
node Resize (x, , , z) -> (b)
output a float32
output b float32)",
     "a float32 [1,3,H*2,5]\nb float32 [1,3,20,30]\n"},
    {"empty roi and scales stand for none (opset 11)", R"(
opset 11
input x float32 [1,3,4,5]
init e float32 [0]
init z int64 [4] = 1 3 8 10
node Resize (x, e, e, z) -> (y)
output y float32)",
     "y float32 [1,3,8,10]\n"},
    {"opset 10; half of a symbol", R"(
opset 10
input x float32 [1,3,H,5]
init s float32 [4] = 1 1 0.5 1.6
node Resize (x, s) -> (y)
output y float32)",
     "y float32 [1,3,H // 2,8]\n"},
    {"some axes, the aspect kept (opset 18)", R"(
opset 18
input x float32 [1,3,30,60]
init z int64 [2] = 20 20
node Resize (x, , , z) -> (y) axes=[2,3] keep_aspect_ratio_policy="not_larger"
output y float32)",
     "y float32 [1,3,10,20]\n"},
    {"upsample 7 and 9", R"(
opset 7
input x float32 [1,3,4,H]
node Upsample (x) -> (y) scales=[1.0,1.0,2.0,3.0]
output y float32)",
     "y float32 [1,3,8,H*3]\n"},
    {"upsample 9", R"(
opset 9
input x float32 [1,3,4,H]
init s float32 [4] = 1 1 2 3
node Upsample (x, s) -> (y)
output y float32)",
     "y float32 [1,3,8,H*3]\n"},
};

TEST(OpsShape, Reshape) { ExpectInferred(kReshape); }
TEST(OpsShape, Parts) { ExpectInferred(kParts); }
TEST(OpsShape, Orders) { ExpectInferred(kOrders); }
TEST(OpsShape, Indices) { ExpectInferred(kIndices); }
TEST(OpsShape, Resize) { ExpectInferred(kResize); }

TEST(OpsShape, ViewsShareStorage) {
  const Propagated result = PropagateText(R"(
input x float32 [2,1,3]
init s int64 [2] = 3 2
node Reshape (x, s) -> (a)
node Identity (a) -> (b)
node Dropout (b) -> (c)
node Relu (c) -> (d)
node Flatten (d) -> (e)
output e float32)");
  for (const std::string_view view : {"a", "b", "c"}) {
    EXPECT_EQ(result.Fact(view).storage, result.Find("x")) << view;
  }
  EXPECT_EQ(result.Fact("d").storage, result.Find("d"));
  EXPECT_EQ(result.Fact("e").storage, result.Find("d"));
}

}  // namespace
}  // namespace opscope
