// Shapes of convolutions and poolings, numbers and symbols.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

constexpr ShapeCase kConvolutions[] = {
    {"kernel_shape may be left out, pads default to 0", R"(
input x float32 [N,3,32,W]
init w float32 [8,3,3,5]
node Conv (x, w) -> (y)
output y float32)",
     "y float32 [N,8,30,W - 4]\n"},
    {"pads 1 keep the size", R"(
input x float32 [N,3,32,32]
init w float32 [8,3,3,3]
node Conv (x, w) -> (y) kernel_shape=[3,3] pads=[1,1,1,1]
output y float32)",
     "y float32 [N,8,32,32]\n"},
    {"asymmetric pads, dilation", R"(
input x float32 [1,1,5,20]
init w float32 [1,1,3,3]
node Conv (x, w) -> (y) pads=[0,1,2,1] dilations=[1,4]
output y float32)",
     "y float32 [1,1,5,14]\n"},
    {"stride of a symbol", R"(
input x float32 [1,1,H]
init w float32 [1,1,3]
node Conv (x, w) -> (y) pads=[1,1] strides=[2]
output y float32)",
     "y float32 [1,1,(H + 1) // 2]\n"},
    {"SAME rounds up, VALID does not pad", R"(
input x float32 [1,3,7,H]
init w float32 [8,3,3,3]
node Conv (x, w) -> (a) strides=[2,2] auto_pad="SAME_UPPER"
node Conv (x, w) -> (b) strides=[2,2] auto_pad="SAME_LOWER"
node Conv (x, w) -> (c) strides=[2,2] auto_pad="VALID" pads=[9,9,9,9]
output a float32
output b float32
output c float32)",
     "a float32 [1,8,4,(H + 1) // 2]\nb float32 [1,8,4,(H + 1) // 2]\n"
     "c float32 [1,8,3,(H + 1) // 2 - 1]\n"},
    {"three spatial dims, grouped", R"(
input x float32 [2,8,4,5,6]
init w float32 [16,2,1,2,3]
node Conv (x, w) -> (y) group=4
output y float32)",
     "y float32 [2,16,4,4,4]\n"},
    {"of an input of unknown rank the channels are known", R"(
input x float32
init w float32 [16,2,3,3]
node Conv (x, w) -> (y)
output y float32)",
     "y float32 [?,16,?,?]\n"},
    {"quantised kin take their dtype from elsewhere", R"(
input x uint8 [1,3,8,8]
init w int8 [4,3,3,3]
init s float32 []
init zx uint8 []
init zy int8 []
node ConvInteger (x, w, zx) -> (i)
node QLinearConv (x, s, zx, w, s, zx, s, zy) -> (q)
output i int32
output q int8)",
     "i int32 [1,4,6,6]\nq int8 [1,4,6,6]\n"},
};

constexpr ShapeCase kContradictions[] = {
    {"channels", R"(
input x float32 [1,4,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y)
output y float32)",
     "y float32 [*]\n! input channels against weight channels times groups: 4 against 3\n"},
    {"number of pads", R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) pads=[1,1,1]
output y float32)",
     "y float32 [*]\n! attribute \"pads\" has 3 values, needs 4\n"},
    {"a stride of 0", R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) strides=[1,0]
output y float32)",
     "y float32 [*]\n! attribute \"strides\" holds 0\n"},
    {"a window larger than the input", R"(
input x float32 [1,3,8,2]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) pads=[0,0,0,0]
output y float32)",
     "y float32 [*]\n! a window of 3 does not fit into 2 padded by 0\n"},
    {"unbatched input", R"(
input x float32 [32,128]
init w float32 [32,32,3]
node Conv (x, w) -> (y)
output y float32)",
     "y float32 [*]\n! input of rank 2, weight of rank 3\n"},
    {"an attribute of another kind is said, and counts as absent", R"(
input x float32 [1,3,8,8]
init w float32 [4,3,3,3]
node Conv (x, w) -> (y) pads="1"
output y float32)",
     "y float32 [1,4,6,6]\n! attribute \"pads\" holds a string\n"},
};

constexpr ShapeCase kTransposed[] = {
    {"stride and pads", R"(
input x float32 [2,8,10,H]
init w float32 [8,4,4,4]
node ConvTranspose (x, w) -> (y) strides=[2,2] pads=[1,1,1,1]
output y float32)",
     "y float32 [2,4,20,H*2]\n"},
    {"dilation, uneven pads (M14)", R"(
input x float32 [1,1,50,50]
init w float32 [1,1,3,5]
node ConvTranspose (x, w) -> (y) dilations=[3,1] strides=[2,1] pads=[4,2,4,2]
output y float32)",
     "y float32 [1,1,97,50]\n"},
    {"output_padding, groups", R"(
input x float32 [1,6,5,7]
init w float32 [6,2,3,3]
node ConvTranspose (x, w) -> (y) group=2 strides=[3,3] output_padding=[1,0]
output y float32)",
     "y float32 [1,4,16,21]\n"},
    {"output_shape decides", R"(
input x float32 [1,6,5,7]
init w float32 [6,2,3,3]
node ConvTranspose (x, w) -> (y) strides=[3,3] output_shape=[14,22]
output y float32)",
     "y float32 [1,2,14,22]\n"},
    {"SAME gives input times stride", R"(
input x float32 [1,6,5,7]
init w float32 [6,2,3,3]
node ConvTranspose (x, w) -> (y) strides=[3,2] auto_pad="SAME_UPPER"
output y float32)",
     "y float32 [1,2,15,14]\n"},
};

constexpr ShapeCase kPools[] = {
    {"indices beside the values", R"(
input x float32 [N,3,8,9]
node MaxPool (x) -> (y, i) kernel_shape=[2,2] strides=[2,2]
output y float32
output i int64)",
     "y float32 [N,3,4,4]\ni int64 [N,3,4,4]\n"},
    {"ceil_mode: the last window starts inside the padded input", R"(
input x float32 [1,1,4,5]
node AveragePool (x) -> (y) kernel_shape=[1,1] strides=[2,2] ceil_mode=1
output y float32)",
     "y float32 [1,1,2,3]\n~ ops.assumption: ceil_mode: the specification of opset 17 gives 3 "
     "places, the engine 2\n"},
    {"ceil_mode rounds up", R"(
input x float32 [1,1,5,6]
node MaxPool (x) -> (y) kernel_shape=[3,3] strides=[2,2] ceil_mode=1
output y float32)",
     "y float32 [1,1,2,3]\n"},
    {"dilated, one spatial dim", R"(
input x float32 [1,2,W]
node MaxPool (x) -> (y) kernel_shape=[3] dilations=[2]
output y float32)",
     "y float32 [1,2,W - 4]\n"},
    {"over everything", R"(
input x float32 [N,3,H,W,5]
node GlobalAveragePool (x) -> (y)
output y float32)",
     "y float32 [N,3,1,1,1]\n"},
    {"regions", R"(
input x float32 [1,16,H,W]
input r float32 [R,4]
input b int64 [R]
node RoiAlign (x, r, b) -> (y) output_height=7 output_width=5
output y float32)",
     "y float32 [R,16,7,5]\n"},
};

TEST(OpsWindow, Convolutions) { ExpectInferred(kConvolutions); }
TEST(OpsWindow, ContradictionsNameWhatIsWrong) { ExpectInferred(kContradictions); }
TEST(OpsWindow, TransposedConvolutions) { ExpectInferred(kTransposed); }
TEST(OpsWindow, Pools) { ExpectInferred(kPools); }

}  // namespace
}  // namespace opscope
