// The other families: broadcasting, matrix products, reductions, norms, recurrences, quantisation,
// sequences, and what else has a table.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kBroadcast[] = {
    {"numbers beat 1, symbols beat 1, numbers beat symbols", R"(
input a float32 [N,1,3,M]
input b float32 [5,4,1,1]
node Add (a, b) -> (y)
node Greater (b, a) -> (g)
output y float32
output g bool)",
     "y float32 [5,4,3,M]\ng bool [5,4,3,M]\n"},
    {"of two symbols the one met first is taken, and said", R"(
input a float32 [batch,L]
input b float32 [n,1]
node Mul (a, b) -> (y)
output y float32)",
     "y float32 [batch,L]\n~ ops.assumption: broadcasting takes batch and n to be equal\n"},
    {"different numbers", R"(
input a float32 [2,3]
input b float32 [4]
node Add (a, b) -> (y)
output y float32)",
     "y float32 [*]\n! inputs do not broadcast: 3 against 4\n"},
    {"below opset 7 an axis aligns B", R"(
opset 6
input a float32 [2,3,4]
input b float32 [3]
node Add (a, b) -> (y) axis=1 broadcast=1
output y float32)",
     "y float32 [2,3,4]\n"},
    {"variadic, Where, dtypes", R"(
input a float32 [1,3]
input b float32 [2,1]
input c bool [4,1,1]
node Sum (a, b, a) -> (s)
node Where (c, a, b) -> (w)
node Cast (s) -> (h) to=10
node CastLike (s, c) -> (l)
node IsNaN (s) -> (n)
output s float32
output w float32
output h float16
output l bool
output n bool)",
     "s float32 [2,3]\nw float32 [4,2,3]\nh float16 [2,3]\nl bool [2,3]\nn bool [2,3]\n"},
};

constexpr ShapeCase kProducts[] = {
    {"leading dims broadcast (F09 and more)", R"(
input a float32 [5,1,6,7]
input b float32 [1,3,7,9]
node MatMul (a, b) -> (y)
output y float32)",
     "y float32 [5,3,6,9]\n"},
    {"vectors (F07)", R"(
input m float32 [20,10]
input v float32 [10]
input w float32 [20]
input t float32 [2,20,7]
node MatMul (m, v) -> (a)
node MatMul (w, m) -> (b)
node MatMul (v, v) -> (c)
node MatMul (w, t) -> (d)
output a float32
output b float32
output c float32
output d float32)",
     "a float32 [20]\nb float32 [10]\nc float32 []\nd float32 [2,7]\n"},
    {"depths that differ", R"(
input a float32 [2,3]
input b float32 [4,5]
node MatMul (a, b) -> (y)
output y float32)",
     "y float32 [*]\n! columns of A against rows of B: 3 against 4\n"},
    {"gemm, both transposed", R"(
input a float32 [K,3]
init b float32 [7,20]
init c float32 [7]
node Gemm (a, b, c) -> (y) transA=1 transB=1
output y float32)",
     "y float32 [3,7]\n~ ops.assumption: columns of A against rows of B: takes K and 20 to be "
     "equal\n"},
    {"quantised kin", R"(
input a uint8 [N,3]
init b int8 [3,4]
init s float32 []
init z uint8 []
init y8 int8 []
node MatMulInteger (a, b) -> (i)
node QLinearMatMul (a, s, z, b, s, z, s, y8) -> (q)
output i int32
output q int8)",
     "i int32 [N,4]\nq int8 [N,4]\n"},
    {"einsum: several operands, ellipsis, implied output, diagonal", R"(
input a float32 [4,5]
input b float32 [5,6]
input c float32 [6,7]
input q float32 [B,1,L,64]
input k float32 [8,S,64]
input d float32 [3,3]
node Einsum (a, b, c) -> (v) equation="ab,bc,cd->ad"
node Einsum (q, k) -> (w) equation="...ld, ...sd -> ...ls"
node Einsum (a, b) -> (x) equation="ji,ik"
node Einsum (d) -> (y) equation="ii->i"
output v float32
output w float32
output x float32
output y float32)",
     "v float32 [4,7]\nw float32 [B,8,L,S]\nx float32 [4,6]\ny float32 [3]\n"},
    {"attention: 4-D, and flat heads with a past", R"(
opset 23
input q float32 [B,8,16,32]
input k float32 [B,8,S,32]
input v float32 [B,8,S,64]
input fq float32 [B,T,512]
input fk float32 [B,T,128]
input pk float32 [B,2,P,64]
node Attention (q, k, v) -> (y)
node Attention (fq, fk, fk, , pk, pk) -> (z, nk) q_num_heads=8 kv_num_heads=2
output y float32
output z float32
output nk float32)",
     "y float32 [B,8,16,64]\nz float32 [B,T,512]\nnk float32 [B,2,P + T,64]\n"},
};

constexpr ShapeCase kReductions[] = {
    {"axes as attribute and as input", R"(
input x float32 [N,3,H,5]
init a int64 [2] = 1 -1
node ReduceMean (x) -> (m) axes=[2,3]
node ReduceSum (x, a) -> (s) keepdims=0
node ReduceMax (x) -> (t)
node ReduceL2 (x) -> (u) keepdims=0
output m float32
output s float32
output t float32
output u float32)",
     "m float32 [N,3,1,1]\ns float32 [N,H]\nt float32 [1,1,1,1]\nu float32 []\n"},
    {"empty axes, with and without noop", R"(
input x float32 [2,3]
init e int64 [0]
node ReduceSum (x, e) -> (a)
node ReduceSum (x, e) -> (b) noop_with_empty_axes=1
output a float32
output b float32)",
     "a float32 [1,1]\nb float32 [2,3]\n"},
    {"axes known only at run time", R"(
input x float32 [2,3]
input a int64 [1]
node ReduceSum (x, a) -> (k)
node ReduceSum (x, a) -> (d) keepdims=0
output k float32
output d float32)",
     "k float32 [`dim0(k)`,`dim1(k)`]\nd float32 [`dim0(d)`]\n"},
    {"arg, cumulative, softmax", R"(
input x float32 [N,3,5]
init a int64 [] = 1
node ArgMax (x) -> (i) axis=-1 keepdims=0
node CumSum (x, a) -> (c)
node Softmax (x) -> (s)
output i int64
output c float32
output s float32)",
     "i int64 [N,3]\nc float32 [N,3,5]\ns float32 [N,3,5]\n"},
    {"an axis out of range", R"(
input x float32 [2,3]
node ReduceMean (x) -> (y) axes=[2]
output y float32)",
     "y float32 [*]\n! axis 2 of a tensor of rank 2\n"},
};

constexpr ShapeCase kNorms[] = {
    {"batch norm in training has statistics", R"(
input x float32 [N,3,H,W]
init c float32 [3]
node BatchNormalization (x, c, c, c, c) -> (y, m, v) training_mode=1
output y float32
output m float32)",
     "y float32 [N,3,H,W]\nm float32 [3]\n"},
    {"layer norm", R"(
input x float16 [N,L,64]
init w float16 [64]
node LayerNormalization (x, w, w) -> (y, m, s)
output y float16
output m float32)",
     "y float16 [N,L,64]\nm float32 [N,L,1]\n"},
    {"dropout's mask", R"(
opset 9
input x float32 [N,3]
node Dropout (x) -> (y, m)
output y float32
output m float32)",
     "y float32 [N,3]\nm float32 [N,3]\n"},
};

constexpr ShapeCase kRecurrences[] = {
    {"both directions, batch second", R"(
input x float32 [T,B,10]
init w float32 [2,80,10]
init r float32 [2,80,20]
node LSTM (x, w, r) -> (y, h, c) hidden_size=20 direction="bidirectional"
output y float32
output h float32
output c float32)",
     "y float32 [T,2,B,20]\nh float32 [2,B,20]\nc float32 [2,B,20]\n"},
    {"batch first, hidden size from R, an output left out", R"(
input x float32 [B,T,10]
init w float32 [1,60,10]
init r float32 [1,60,20]
node GRU (x, w, r) -> (, h) layout=1
output h float32)",
     "h float32 [B,1,20]\n"},
    {"directions that differ", R"(
input x float32 [7,3,10]
init w float32 [2,20,10]
init r float32 [2,20,20]
node RNN (x, w, r) -> (y) hidden_size=20
output y float32)",
     "y float32 [*]\n! directions: 1 against 2\n"},
};

constexpr ShapeCase kOthers[] = {
    {"quantise, dequantise", R"(
input x float32 [N,3]
init s float32 []
init z int8 []
node QuantizeLinear (x, s, z) -> (a)
node QuantizeLinear (x, s) -> (b)
node DequantizeLinear (a, s, z) -> (d)
node DynamicQuantizeLinear (x) -> (q, qs, qz)
output a int8
output b uint8
output d float32
output q uint8
output qs float32)",
     "a int8 [N,3]\nb uint8 [N,3]\nd float32 [N,3]\nq uint8 [N,3]\nqs float32 []\n"},
    {"sequences", R"(
input x float32 [2,3]
input y float32 [2,4]
init i int64 [] = 0
node SequenceConstruct (x, y) -> (s)
node SequenceAt (s, i) -> (e)
node SequenceLength (s) -> (n)
node ConcatFromSequence (s) -> (c) axis=1 name="join"
node SplitToSequence (x) -> (t) axis=1 keepdims=0
output s sequence(float32)
output e float32
output n int64
output c float32
output t sequence(float32))",
     "s sequence(float32 [2,?])\ne float32 [2,3]\nn int64 [] = 2\nc float32 [2,7]\n"
     "t sequence(float32 [2])\n"},
    {"random tensors", R"(
input x float32 [N,3]
node RandomNormal () -> (a) shape=[2,4] dtype=1
node RandomUniformLike (x) -> (b) dtype=11
output a float32
output b float64)",
     "a float32 [2,4]\nb float64 [N,3]\n"},
    {"STFT is one-sided unless said otherwise", R"(
input x float32 [B,400,1]
init step int64 [] = 100
init w float32 [200]
node STFT (x, step, w) -> (y)
output y float32)",
     "y float32 [B,3,101,2]\n"},
    {"grid sampling", R"(
input x float32 [N,3,10,10]
input g float32 [N,H,W,2]
node GridSample (x, g) -> (y)
output y float32)",
     "y float32 [N,3,H,W]\n"},
    {"classic models", R"(
opset 17
opset ai.onnx.ml 3
input x float32 [N,4]
node LinearClassifier (x) -> (l, p) domain="ai.onnx.ml" coefficients=[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,1.0,2.0,3.0] classlabels_ints=[0,1,2]
node Normalizer (p) -> (n) domain="ai.onnx.ml"
output l int64
output n float32)",
     "l int64 [N]\nn float32 [N,3]\n"},
};

TEST(OpsTable, Broadcasting) { ExpectInferred(kBroadcast); }
TEST(OpsTable, Products) { ExpectInferred(kProducts); }
TEST(OpsTable, Reductions) { ExpectInferred(kReductions); }
TEST(OpsTable, Norms) { ExpectInferred(kNorms); }
TEST(OpsTable, Recurrences) { ExpectInferred(kRecurrences); }
TEST(OpsTable, Others) { ExpectInferred(kOthers); }

}  // namespace
}  // namespace opscope
