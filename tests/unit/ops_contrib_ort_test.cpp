// labels: samples
// ONNX Runtime as the judge of its own operators: the shapes it computes are those we infer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/engine.h"
#include "engine/locate.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/ops_text.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

// What the CPU provider has a kernel for. Sizes are numbers, so that it can run.
constexpr std::string_view kGraphs[] = {
    R"(
input x float32 [2,3,9,8]
init w float32 [4,3,3,3]
init b float32 [4]
node FusedConv (x, w, b) -> (y) domain="com.microsoft" activation="Relu" strides=[2,1] pads=[1,0,1,2]
output y float32)",
    R"(
input a float32 [2,3,5,8]
input b float32 [2,3,7,8]
node FusedMatMul (a, b) -> (x) domain="com.microsoft" transB=1
node TransposeMatMul (a, a) -> (y) domain="com.microsoft" transA=1
output x float32
output y float32)",
    R"(
input a float32 [4,2,8]
input b float32 [2,8,6]
node FusedMatMul (a, b) -> (x) domain="com.microsoft" transBatchA=1
output x float32)",
    R"(
input a uint8 [3,8]
init b uint8 [8,6]
init s float32 [] = 0.5
node MatMulIntegerToFloat (a, b, s, s) -> (x) domain="com.microsoft"
output x float32)",
    R"(
input a float32 [2,3,8]
init b uint8 [8,6]
init s float32 [] = 0.5
node DynamicQuantizeMatMul (a, b, s) -> (x) domain="com.microsoft"
output x float32)",
    R"(
input a float32 [2,3,64]
init b uint8 [6,2,16]
init s float32 [6,2]
node MatMulNBits (a, b, s) -> (x) domain="com.microsoft" K=64 N=6 bits=4 block_size=32
output x float32)",
    R"(
input a float32 [3,20]
init b float32 [7,20]
init c float32 [7]
node FusedGemm (a, b, c) -> (x) domain="com.microsoft" transB=1 activation="Relu"
output x float32)",
    R"(
input x float32 [2,5,64]
init w float32 [64,192]
init b float32 [192]
input p float32 [2,2,4,3,16]
node Attention (x, w, b, , p) -> (y, q) domain="com.microsoft" num_heads=4 unidirectional=1
output y float32
output q float32)",
    R"(
input q float32 [2,5,64]
input k float32 [2,7,64]
input v float32 [2,7,32]
node MultiHeadAttention (q, k, v) -> (x) domain="com.microsoft" num_heads=4
output x float32)",
    R"(
input q float32 [2,5,64]
input k float32 [2,5,64]
input pk float32 [2,4,3,16]
input pv float32 [2,4,3,16]
node MultiHeadAttention (q, k, k, , , , pk, pv) -> (x, nk, nv) domain="com.microsoft" num_heads=4
output x float32
output nk float32
output nv float32)",
    R"(
input q float32 [1,6,96]
input k float32 [1,6,32]
init l int32 [1] = 5
init t int32 [] = 6
node GroupQueryAttention (q, k, k, , , l, t) -> (x, nk, nv) domain="com.microsoft" num_heads=6 kv_num_heads=2
output x float32
output nk float32
output nv float32)",
    R"(
input q float32 [1,1,160]
input pk float32 [1,2,7,16]
input pv float32 [1,2,7,16]
init l int32 [1] = 7
init t int32 [] = 8
node GroupQueryAttention (q, , , pk, pv, l, t) -> (x, nk, nv) domain="com.microsoft" num_heads=6 kv_num_heads=2
output x float32
output nk float32
output nv float32)",
    R"(
input x float32 [2,3,8]
init g float32 [8]
node SkipLayerNormalization (x, x, g, g) -> (a, , , s) domain="com.microsoft"
node SkipSimplifiedLayerNormalization (x, x, g) -> (c, , , d) domain="com.microsoft"
node SimplifiedLayerNormalization (x, g) -> (e)
node BiasGelu (x, g) -> (f) domain="com.microsoft"
node FastGelu (x, g) -> (h) domain="com.microsoft"
node QuickGelu (x) -> (i) domain="com.microsoft"
output a float32
output s float32
output c float32
output d float32
output e float32
output f float32
output h float32
output i float32)",
    R"(
init i int32 [2,5] = 0 1 2 3 4 5 6 7 8 9
init t int32 [2,5]
init e float32 [100,8]
init g float32 [8]
input x float32 [2,5,8]
node EmbedLayerNormalization (i, t, e, e, e, g, g) -> (b, m) domain="com.microsoft"
node Add (b, x) -> (y)
output y float32
output m int32)",
    R"(
input x float32 [2,3,40]
init p int64 [2,3] = 0 1 2 0 1 2
init c float32 [10,10]
node RotaryEmbedding (x, p, c, c) -> (y) domain="com.microsoft" num_heads=2
output y float32)",
    R"(
init d uint8 [100,16]
init i int64 [2,3] = 0 1 2 3 4 5
init c float32 [100,1]
input x float32 [1]
node GatherBlockQuantized (d, i, c) -> (a) domain="com.microsoft" bits=4 block_size=32 quantize_axis=1
node Add (a, x) -> (y)
output y float32)",
    R"(
input x float32 [2,9,8]
input x2 float32 [2,8,9]
init k int32 [] = 1
node UnfoldTensor (x) -> (u) domain="com.microsoft" dim=1 size=4 step=2
node ExpandDims (x, k) -> (e) domain="com.microsoft"
node MatMul (x, x2) -> (q)
node Inverse (q) -> (v) domain="com.microsoft"
output u float32
output e float32
output v float32)",
    R"(
input x float32 [3,8]
input y float32 [5,8]
node CDist (x, y) -> (d) domain="com.microsoft" metric="euclidean"
output d float32)",
    R"(
input x float32 [2,3,10,10]
init r float32 [4,4] = 0 0 1 1 0 0 1 1 0 0 0.5 0.5 0 0 1 1
init b int32 [4] = 0 1 0 1
init s int32 [2] = 5 6
node CropAndResize (x, r, b, s) -> (y) domain="com.microsoft"
output y float32)",
    R"(
input a uint8 [2,3,9,9]
input b uint8 [2,5,9,9]
init s float32 [] = 0.5
init z uint8 []
node QLinearConcat (s, z, a, s, z, b, s, z) -> (x) domain="com.microsoft" axis=1
node QLinearAdd (a, s, z, a, s, z, s, z) -> (y) domain="com.microsoft"
node QLinearSigmoid (a, s, z, s, z) -> (g) domain="com.microsoft"
node QLinearGlobalAveragePool (a, s, z, s, z) -> (p) domain="com.microsoft" channels_last=1
node QLinearAveragePool (a, s, z, s, z) -> (q) domain="com.microsoft" kernel_shape=[3,2] strides=[2,2] ceil_mode=1
node NhwcMaxPool (a) -> (h) domain="com.microsoft" kernel_shape=[2,3] strides=[2,2]
output x uint8
output y uint8
output g uint8
output p uint8
output q uint8
output h uint8)",
    R"(
input x uint8 [1,9,9,3]
init w int8 [16,3,3,3]
init s float32 [] = 0.5
init z uint8 []
init n int8 []
node QLinearConv (x, s, z, w, s, n, s, z) -> (y) domain="com.microsoft" channels_last=1 kernel_shape=[3,3] strides=[2,2]
output y uint8)",
    R"(
input x float32 [3,2,4]
init w uint8 [1,4,20]
init r uint8 [1,5,20]
init s float32 [1] = 0.5
init z uint8 [1]
node DynamicQuantizeLSTM (x, w, r, , , , , , s, z, s, z) -> (y, h, c) domain="com.microsoft" hidden_size=5
output y float32
output h float32
output c float32)",
    R"(
input x float32 [5,64]
input r float32 [5,8]
init a float32 [8,128,64]
init b float32 [8,64,128]
node MoE (x, r, a, , b) -> (y) domain="com.microsoft" k=2 activation_type="relu"
output y float32)",
    R"(
input x float32 [2,64]
init s float32 [] = 0.5
init z uint16 []
node QuantizeLinear (x, s, z) -> (q) domain="com.microsoft"
node DequantizeLinear (q, s, z) -> (d) domain="com.microsoft"
output q uint16
output d float32)",
    R"(
input q float32 [1,5,32]
input k float32 [1,5,16]
input v float32 [1,5,32]
input d float32 [1,5,2]
node LinearAttention (q, k, v, , d, d) -> (y, s) domain="com.microsoft" q_num_heads=4 kv_num_heads=2
output y float32
output s float32)",
    R"(
input a float32 [2,3,64]
init b uint8 [192]
init m float32 [6]
node MatMulBnb4 (a, b, m) -> (x) domain="com.microsoft" K=64 N=6 block_size=64 quant_type=1
output x float32)",
    R"(
input a uint8 [3,20]
init b int8 [7,20]
init s float32 [] = 0.5
init z uint8 []
init n int8 []
init c int32 [7]
node QGemm (a, s, z, b, s, n, c, s, z) -> (x) domain="com.microsoft" transB=1
node QGemm (a, s, z, b, s, n, c) -> (y) domain="com.microsoft" transB=1
output x uint8
output y float32)",
    R"(
input x uint8 [2,5,64]
init w uint8 [64,192]
init b float32 [192]
init s float32 [] = 0.5
init z uint8 []
node QAttention (x, w, b, s, s, , z, z) -> (y) domain="com.microsoft" num_heads=4
output y float32)",
    R"(
input q float32 [2,5,64]
input c float32 [2,4,7,16]
node MultiHeadAttention (q, c, c) -> (x) domain="com.microsoft" num_heads=4
output x float32)",
    R"(
input x float32 [2,3,4,5]
init p int64 [8] = 0 0 1 1 0 0 1 1
init i int64 [2,2] = 0 1 1 2
init g float32 [2,6,7,2]
node Pad (x, p) -> (a) domain="com.microsoft"
node Trilu (x) -> (b) domain="com.microsoft" upper=1
node GatherND (x, i) -> (c) domain="com.microsoft"
node GridSample (x, g) -> (d) domain="com.microsoft"
node Gelu (x) -> (e) domain="com.microsoft"
output a float32
output b float32
output c float32
output d float32
output e float32)",
    R"(
input x float32 [1,4,10]
init w float32 [4,1,3]
node CausalConvWithState (x, w) -> (y, s) domain="com.microsoft" activation="silu"
output y float32
output s float32)",
};

class OrtJudge : public testing::Test {
 protected:
  void SetUp() override {
    EngineSearch search;
    search.program_folders = {OPSCOPE_BUILD_DIR};
    search.setup_folders = {std::string(OPSCOPE_SOURCE_DIR) + "/build/engines/ort"};
    search.system_folders = SystemLibraryFolders();
    const auto found = LocateEngine(*FindEngine("ort"), search);
    if (!found.has_value()) GTEST_SKIP() << found.error().message;
    options_.program = found->program;
    options_.library = found->library;
    options_.level = OptimizationLevel::kNone;
    options_.model = testing::TempDir() + "/contrib-" + std::to_string(getpid()) + ".onnx";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove(options_.model, ignored);
  }

  // "y float32 [2,3]" for each output, or why it could not run.
  std::string Ran(std::string_view text) {
    const auto bytes = OnnxFromText(text);
    if (!bytes.has_value()) return bytes.error().ToString();
    std::ofstream(options_.model, std::ios::binary) << *bytes;
    auto session = EngineSession::Open(options_);
    if (!session.has_value()) return session.error().ToString();
    const auto run = session->Run({});
    if (!run.has_value()) return run.error().ToString();
    const auto shapes = session->OutputShapes();
    if (!shapes.has_value()) return shapes.error().ToString();
    std::string lines;
    for (const OutputShape& each : *shapes) {
      std::string dims;
      for (const std::int64_t dim : each.shape.value_or(std::vector<std::int64_t>()))
        dims += (dims.empty() ? "" : ",") + std::to_string(dim);
      lines += each.name + " " + each.dtype + " [" + dims + "]\n";
    }
    return lines;
  }

  EngineOptions options_;
};

TEST_F(OrtJudge, ComputesTheShapesWeInfer) {
  for (const std::string_view graph : kGraphs) {
    const std::string text = "opset 17\nopset com.microsoft 1\n" + std::string(graph);
    EXPECT_EQ(Inferred(text), Ran(text)) << graph;
  }
}

}  // namespace
}  // namespace opscope
