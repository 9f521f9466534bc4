// Old forms of ops, the newest ones, and the smaller domains.
#include <gtest/gtest.h>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/cost_text.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kOldForms[] = {
    {"opset 1: attributes where inputs came later", R"(
opset 1
input x float32 [N,4,6,8]
input o float32 [1,4]
node Cast (x) -> (c) to="INT64"
node Pad (x) -> (p) paddings=[0,0,1,1,0,0,2,2]
node Reshape (x) -> (r) shape=[0,-1]
node Slice (x) -> (l) starts=[1,0] ends=[3,5] axes=[1,3]
node Split (x) -> (u, v) axis=3 split=[3,5]
node Squeeze (o) -> (q) axes=[0]
node TopK (x) -> (k, i) k=2 axis=1
node Upsample (x) -> (w) width_scale=2.0 height_scale=3.0 mode="nearest"
node Unsqueeze (x) -> (z) axes=[0,5]
output c int64
output p float32
output r float32
output l float32
output u float32
output v float32
output q float32
output k float32
output w float32
output z float32)",
     "c int64 [N,4,6,8]\np float32 [N,4,9,11]\nr float32 [N,192]\nl float32 [N,2,6,5]\n"
     "u float32 [N,4,6,3]\nv float32 [N,4,6,5]\nq float32 [4]\nk float32 [N,2,6,8]\n"
     "w float32 [N,4,18,16]\nz float32 [1,N,4,6,8,1]\n"},
    {"opset 1: Tile repeats along one axis", R"(
opset 1
input x float32 [N,4]
init t int64 [] = 3
init a int64 [] = 1
node Tile (x, t, a) -> (y)
output y float32)",
     "y float32 [N,12]\n"},
    {"opset 6: Clip and Dropout by attributes, statistics beside BatchNormalization", R"(
opset 6
input x float32 [N,4,6,8]
init s float32 [4]
node Clip (x) -> (c) min=0.0 max=6.0
node Dropout (x) -> (d, m) is_test=1 ratio=0.5
node BatchNormalization (x, s, s, s, s) -> (b) is_test=1
output c float32
output d float32
output m float32
output b float32)",
     "c float32 [N,4,6,8]\nd float32 [N,4,6,8]\nm float32 [N,4,6,8]\nb float32 [N,4,6,8]\n"},
    {"opset 9: scales of Upsample are an input, 7: an attribute", R"(
opset 7
input x float32 [N,4,6,8]
node Upsample (x) -> (y) scales=[1.0,1.0,2.0,1.5]
output y float32)",
     "y float32 [N,4,12,12]\n"},
};

constexpr ShapeCase kNewest[] = {
    {"opset 26 and on", R"(
opset 28
input x float32 [B,4,N]
init w float32 [4,1,3]
input q float32 [B,T,32]
input k float32 [B,T,16]
input v float32 [B,T,32]
input d float32 [B,T,2]
node BitCast (x) -> (b) to=6
node SwiGLU (x, x) -> (g)
node CausalConvWithState (x, w) -> (c, s) activation="silu"
node LinearAttention (q, k, v, , d, d) -> (l, p) q_num_heads=4 kv_num_heads=2
output b int32
output g float32
output c float32
output s float32
output l float32
output p float32)",
     "b int32 [B,4,N]\ng float32 [B,4,N]\nc float32 [B,4,N]\ns float32 [B,4,2]\n"
     "l float32 [B,T,64]\np float32 [B,2,8,16]\n"},
    {"a cast of bits to another width", R"(
opset 26
input x float32 [3]
node BitCast (x) -> (y) to=7
output y int64)",
     "y int64 [*]\n! float32 and int64 have not the same width\n"},
    {"losses", R"(
opset 17
input x float32 [N,5,H]
input t int64 [N,H]
node SoftmaxCrossEntropyLoss (x, t) -> (a, p)
node NegativeLogLikelihoodLoss (p, t) -> (b) reduction="none"
output a float32
output p float32
output b float32)",
     "a float32 []\np float32 [N,5,H]\nb float32 [N,H]\n"},
    {"text and files", R"(
opset 20
input s string [N,3]
input e uint8 [L]
input i int64 [N,7]
node StringConcat (s, s) -> (a)
node RegexFullMatch (s) -> (b) pattern="a.*"
node StringSplit (s) -> (c, n) name="split"
node ImageDecoder (e) -> (d) name="jpeg" pixel_format="Grayscale"
node TfIdfVectorizer (i) -> (f) mode="TF" max_gram_length=1 min_gram_length=1 max_skip_count=0 ngram_counts=[0] ngram_indexes=[0,4,2] pool_int64s=[1,2,3]
output a string
output b bool
output c string
output n int64
output d uint8
output f float32)",
     "a string [N,3]\nb bool [N,3]\nc string [N,3,`substrings(split)`]\nn int64 [N,3]\n"
     "d uint8 [`height(jpeg)`,`width(jpeg)`,1]\nf float32 [N,5]\n"},
    {"classic models", R"(
opset 17
opset ai.onnx.ml 5
input x float32 [N,4]
input s string [N]
node TreeEnsembleRegressor (x) -> (r) domain="ai.onnx.ml" n_targets=2 nodes_treeids=[0,0,0,1]
node TreeEnsembleClassifier (x) -> (l, p) domain="ai.onnx.ml" classlabels_strings=["a","b","c"]
node LabelEncoder (s) -> (e) domain="ai.onnx.ml" keys_strings=["a"] values_int64s=[1]
node OneHotEncoder (s) -> (o) domain="ai.onnx.ml" cats_strings=["a","b"]
node FeatureVectorizer (x, x) -> (f) domain="ai.onnx.ml" inputdimensions=[4,4]
output r float32
output l string
output p float32
output e int64
output o float32
output f float32)",
     "r float32 [N,2]\nl string [N]\np float32 [N,3]\ne int64 [N]\no float32 [N,2]\n"
     "f float32 [N,8]\n"},
    {"optimizers", R"(
opset 17
opset ai.onnx.preview.training 1
input r float32 []
input t int64 []
input x float32 [N,4]
input y float32 [3]
node Adam (r, t, x, y, x, y, x, y, x, y) -> (a, b, c, d, e, f) domain="ai.onnx.preview.training"
output a float32
output b float32
output c float32
output f float32)",
     "a float32 [N,4]\nb float32 [3]\nc float32 [N,4]\nf float32 [3]\n"},
    {"bodies inside an attention", R"(
opset 23
opset ai.onnx.preview 1
input q float32 [B,6,T,8]
input k float32 [B,2,S,8]
node FlexAttention (q, k, k) -> (y) domain="ai.onnx.preview" score_mod=graph:m
output y float32
graph m
input s float32 [?,?,?,?]
node Tanh (s) -> (c)
output c float32
end)",
     "y float32 [B,6,T,8]\n"},
};

TEST(OpsVersions, OldForms) { ExpectInferred(kOldForms); }
TEST(OpsVersions, NewestAndSmallerDomains) { ExpectInferred(kNewest); }

TEST(OpsVersions, ATransformIsAProductWithItsMatrix) {
  const Analysed real = AnalyseText(R"(
opset 17
input x float32 [2,64,1]
node DFT (x) -> (y) axis=1 onesided=1
output y float32)");
  // 2 rows, 33 bins of two parts, 64 points.
  EXPECT_EQ(real.totals().counts.macs, Dim(2 * 33 * 2 * 64));
  const Analysed framed = AnalyseText(R"(
opset 17
input x float32 [1,400,1]
init step int64 [] = 100
init w float32 [200]
node STFT (x, step, w) -> (y)
output y float32)");
  // 3 frames of 200 points, 101 bins; each element of a frame times the window.
  EXPECT_EQ(framed.totals().counts.macs, Dim(3 * 101 * 2 * 200));
  EXPECT_EQ(framed.totals().counts.elementwise, Dim(600));
}

TEST(OpsVersions, BodiesOfAnAttentionCountByThemselves) {
  const Analysed out = AnalyseText(R"(
opset 23
opset ai.onnx.preview 1
input q float32 [1,6,4,8]
input k float32 [1,2,5,8]
node FlexAttention (q, k, k) -> (y) domain="ai.onnx.preview" score_mod=graph:m
output y float32
graph m
input s float32 [?,?,?,?]
node Tanh (s) -> (c)
output c float32
end)");
  EXPECT_EQ(out.Of("FlexAttention").counts.macs, Dim(6 * 4 * 5 * 16));
  EXPECT_EQ(out.Of("Tanh").counts.transcendental, Dim(6 * 4 * 5));
  EXPECT_TRUE(out.totals().complete);
}

}  // namespace
}  // namespace opscope
