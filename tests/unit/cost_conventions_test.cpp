// What other tools print, reproduced by weights on our counts, and each difference explained.
#include <gtest/gtest.h>

#include <string>

#include "cost/conventions/convention.h"
#include "model/formats/format.h"
#include "support/architectures.h"
#include "support/convention_text.h"

namespace opscope {
namespace {

// -- What the tools printed when they were run on these networks (cost conventions, 16) -----------

std::string Bert128() { return Bert(12, 768, 12); }
std::string VitB16() { return Vit({16, 12, 768, 12}); }

enum class Reading { kValue, kFusedAttention, kMacs };
struct ToolRun {
  std::string_view tool;
  std::string (*text)();
  Reading reading;
  double millions;  // as printed, MAC; FLOPs of torch are halved there
  // What the tool's number lacks or has because the network calls its layers in another way than a
  // file of ONNX can tell.
  std::int64_t besides = 0;
  std::string_view why = {};
};

std::string ResNet18() { return ResNet(18); }
std::string ResNet50() { return ResNet(50); }

constexpr std::int64_t kProjections = 12LL * 4 * 197 * 768 * 768;  // of nn.MultiheadAttention
constexpr std::int64_t kMeanInsteadOfPool = 1'280 * 49;            // elements
const ToolRun kRuns[] = {
    {"thop", ResNet18, Reading::kValue, 1'824.034},
    {"thop", ResNet50, Reading::kValue, 4'133.743},
    {"thop", MobileNetV2, Reading::kValue, 327.487, -kMeanInsteadOfPool - 1'280,
     "that network takes a mean instead of pooling"},
    {"thop", VitB16, Reading::kValue, 11'286.255, -kProjections,
     "nothing inside nn.MultiheadAttention is seen"},
    {"thop", Bert128, Reading::kValue, 10'882.056},
    {"ptflops", ResNet18, Reading::kValue, 1'825.314},
    {"ptflops", ResNet50, Reading::kValue, 4'132.437},
    {"ptflops", MobileNetV2, Reading::kValue, 320.237, -2 * kMeanInsteadOfPool,
     "that network takes a mean instead of pooling"},
    {"ptflops", Bert128, Reading::kValue, 11'194.369, -12LL * 128 * 3'072,
     "the function F.gelu counts once, the module twice"},
    {"ptflops", Bert128, Reading::kFusedAttention, 10'890.020, -12LL * 128 * 3'072,
     "the function F.gelu counts once, the module twice"},
    {"ptflops", VitB16, Reading::kValue, 17'606.031, 12LL * 197 * 768,
     "nn.MultiheadAttention by formula: the scaling of the queries"},
    {"ptflops-aten", ResNet18, Reading::kValue, 1'814.074},
    {"ptflops-aten", ResNet50, Reading::kValue, 4'089.185},
    {"ptflops-aten", MobileNetV2, Reading::kValue, 300.775},
    {"ptflops-aten", VitB16, Reading::kFusedAttention, 16'864.992},
    {"ptflops-aten", Bert128, Reading::kValue, 11'184.833},
    {"ptflops-aten", Bert128, Reading::kFusedAttention, 10'882.843},
    {"fvcore", ResNet18, Reading::kValue, 1'819.066},
    {"fvcore", ResNet50, Reading::kValue, 4'111.513},
    {"fvcore", MobileNetV2, Reading::kValue, 314.130, -kMeanInsteadOfPool,
     "that network takes a mean instead of pooling"},
    {"fvcore", VitB16, Reading::kFusedAttention, 16'867.413},
    {"fvcore", Bert128, Reading::kValue, 11'186.504},
    {"fvcore", Bert128, Reading::kFusedAttention, 10'884.514},
    {"calflops", ResNet18, Reading::kMacs, 1'814.073},
    {"calflops", ResNet50, Reading::kMacs, 4'089.184},
    {"calflops", MobileNetV2, Reading::kMacs, 300.774},
    {"calflops", Bert128, Reading::kMacs, 11'174.216},
    {"torch", ResNet18, Reading::kValue, 1'814.073},
    {"torch", ResNet50, Reading::kValue, 4'089.184},
    {"torch", MobileNetV2, Reading::kValue, 300.774},
    {"torch", VitB16, Reading::kFusedAttention, 16'848.501},
    {"torch", Bert128, Reading::kValue, 11'174.216},
    {"torch", Bert128, Reading::kFusedAttention, 10'872.226},
};

TEST(Conventions, PrintWhatTheToolsPrinted) {
  for (const ToolRun& run : kRuns) {
    const Convention& convention = Named(run.tool);
    const Printed printed = Print(run.text(), convention);
    const Dim read = run.reading == Reading::kValue            ? printed.counts.value
                     : run.reading == Reading::kFusedAttention ? printed.counts.fused_attention
                                                               : printed.counts.macs;
    ASSERT_TRUE(read.is_number()) << run.tool;
    const bool halved = run.tool == "torch";
    const std::int64_t value = read.number() / (halved ? 2 : 1) + run.besides;
    EXPECT_NEAR(static_cast<double>(value), run.millions * 1e6, 501)
        << run.tool << " " << run.millions << " " << run.why;
  }
}

// Single modules, run in each tool, and the same module as a file.
constexpr std::string_view kLstm = R"(
input x float32 [7,3,10]
init w float32 [1,80,10]
init r float32 [1,80,20]
init b float32 [1,160]
node LSTM (x, w, r, b) -> (y) hidden_size=20
output y float32)";
constexpr std::string_view kGru = R"(
input x float32 [7,3,10]
init w float32 [1,60,10]
init r float32 [1,60,20]
init b float32 [1,120]
node GRU (x, w, r, b) -> (y) hidden_size=20
output y float32)";
constexpr std::string_view kRnn = R"(
input x float32 [7,3,10]
init w float32 [1,20,10]
init r float32 [1,20,20]
init b float32 [1,40]
node RNN (x, w, r, b) -> (y) hidden_size=20
output y float32)";
constexpr std::string_view kDeconvolution = R"(
input x float32 [2,8,10,10]
init w float32 [8,4,4,4]
init b float32 [4]
node ConvTranspose (x, w, b) -> (y) strides=[2,2] pads=[1,1,1,1]
output y float32)";
// LayerNorm, GELU, Linear, SiLU, ELU, LeakyReLU, PReLU, Softmax.
constexpr std::string_view kActivations = R"(
opset 20
input x float32 [2,5,16]
init scale float32 [16]
init shift float32 [16]
init w float32 [16,16]
init b float32 [16]
init slope float32 [1]
node LayerNormalization (x, scale, shift) -> (n)
node Gelu (n) -> (g)
node MatMul (g, w) -> (m)
node Add (m, b) -> (l)
node Sigmoid (l) -> (s)
node Mul (l, s) -> (silu)
node Elu (silu) -> (e)
node LeakyRelu (e) -> (k)
node PRelu (k, slope) -> (p)
node Softmax (p) -> (y)
output y float32)";
// nn.Upsample of both modes around a convolution.
constexpr std::string_view kUpsampling = R"(
input x float32 [2,3,8,8]
init none float32 [0]
init s float32 [4] = 1 1 2 2
init w float32 [4,3,1,1]
init b float32 [4]
node Resize (x, none, s) -> (u) mode="linear"
node Conv (u, w, b) -> (c)
node Resize (c, none, s) -> (y) mode="nearest"
output y float32)";

struct ModuleRun {
  std::string_view tool;
  std::string_view text;
  std::int64_t printed;
};
constexpr ModuleRun kModuleRuns[] = {
    {"thop", kLstm, 57'120},
    {"ptflops", kLstm, 57'960},
    {"ptflops-aten", kLstm, 0},
    {"torch", kLstm, 0},
    {"thop", kGru, 43'260},
    {"ptflops", kGru, 43'260},
    {"ptflops-aten", kGru, 40'320},
    {"torch", kGru, 75'600},
    {"thop", kRnn, 13'860},
    {"ptflops", kRnn, 13'860},
    {"ptflops-aten", kRnn, 13'440},
    {"torch", kRnn, 25'200},
    {"thop", kDeconvolution, 409'600},
    {"ptflops-aten", kDeconvolution, 105'600},
    {"torch", kDeconvolution, 204'800},
    {"thop", kActivations, 3'830},
    {"ptflops", kActivations, 4'320},
    {"ptflops-aten", kActivations, 2'720},
    {"torch", kActivations, 5'120},
    {"thop", kUpsampling, 31'232},
    {"ptflops-aten", kUpsampling, 8'192},
    {"torch", kUpsampling, 12'288},
    {"calflops", kLstm, 105'000},
    {"calflops", kGru, 78'540},
    {"calflops", kRnn, 25'620},
    {"calflops", kActivations, 6'880},
    {"calflops", kUpsampling, 16'768},
    {"fvcore", kDeconvolution, 102'400},
    {"fvcore", kActivations, 3'360},
    {"fvcore", kUpsampling, 20'480},
};

TEST(Conventions, PrintWhatTheToolsPrintedForSingleModules) {
  for (const ModuleRun& run : kModuleRuns)
    EXPECT_EQ(Print(std::string(run.text), Named(run.tool)).value, run.printed)
        << run.tool << run.text;
}

TEST(Conventions, PrintTheParametersTheToolsPrinted) {
  const auto params = [](std::string_view tool, const std::string& text) {
    return Print(text, Named(tool)).params;
  };
  EXPECT_EQ(params("thop", ResNet50()), 25'557'032);
  EXPECT_EQ(params("thop", Bert128()), 85'646'592) << "the embeddings are lost";
  // 12 modules of attention, 2,362,368 each, and 151,296 of class token and positions are lost.
  EXPECT_EQ(params("thop", VitB16()) - 12 * 2'362'368, 58'067'176);
  for (const std::string_view tool : {"ptflops", "ptflops-aten", "fvcore", "calflops"})
    EXPECT_EQ(params(tool, Bert128()), 109'482'240) << tool;
  EXPECT_EQ(params("onnx-tool", ResNet50()), 25'610'152) << "statistics are initializers as well";
  EXPECT_EQ(params("onnx-tool", Bert128()), 85'646'592) << "the embeddings are hidden";
  EXPECT_EQ(params("omz", ResNet50()), 25'530'472) << "BatchNorm folded";
}

TEST(Conventions, OnnxToolOnResNet50) {
  const Printed printed = Print(ResNet50(), Named("onnx-tool"));
  EXPECT_EQ(printed.value, 4'450'761'704);
}

// -- Wrong answers (cost conventions, 10 and 11) --------------------------------------------------

struct WrongAnswer {
  std::string_view name;
  std::string_view text;
  std::int64_t right;      // MAC
  std::string_view tool;   // whose answer is reproduced
  std::int64_t elsewhere;  // in the tool's unit
  std::string_view why;
};

const WrongAnswer kWrongAnswers[] = {
    {"transposed convolution of one point", R"(
input x float32 [1,32,1,1]
init w float32 [32,1,3,3]
node ConvTranspose (x, w) -> (y)
output y float32)",
     288, "onnx-tool", 81, "counts output elements times the output channels of a group"},
    {"transposed convolution of one point", R"(
input x float32 [1,32,1,1]
init w float32 [32,1,3,3]
node ConvTranspose (x, w) -> (y)
output y float32)",
     288, "thop", 2'592, "counts by the output, which has more points than the input"},
    {"transposed convolution with stride", R"(
input x float32 [2,8,10,10]
init w float32 [8,4,4,4]
init b float32 [4]
node ConvTranspose (x, w, b) -> (y) strides=[2,2] pads=[1,1,1,1]
output y float32)",
     102'400, "thop", 409'600, "too large by the product of the strides"},
    {"grouped transposed convolution", R"(
input x float32 [2,6,8,8]
init w float32 [6,2,2,2]
node ConvTranspose (x, w) -> (y) group=3 strides=[2,2]
output y float32)",
     6'144, "calflops", 0, "divides by the groups twice: two channels by three groups are none"},
    {"attention scores", R"(
input q float32 [1,12,256,64]
input k float32 [1,12,64,256]
node MatMul (q, k) -> (y)
output y float32)",
     50'331'648, "thop", 0, "a product of activations is no module"},
    {"attention as one op", R"(
opset 23
input q float32 [1,12,64,64]
input k float32 [1,12,64,64]
input v float32 [1,12,64,64]
node Attention (q, k, v) -> (y)
output y float32)",
     6'291'456, "fvcore", 0, "there is no rule for scaled_dot_product_attention"},
    {"einsum", R"(
input a float32 [4,5]
input b float32 [5,6]
node Einsum (a, b) -> (y) equation="ab,bc->ac"
output y float32)",
     120, "ptflops", 0, "the backend has no rule for it"},
    {"LSTM", R"(
input x float32 [100,1,64]
init w float32 [1,256,64]
init r float32 [1,256,64]
node LSTM (x, w, r) -> (y) hidden_size=64
output y float32)",
     3'276'800, "torch", 0, "the fused kernel of recurrent layers is not registered"},
    {"resize", R"(
input x float32 [2,3,8,8]
init none float32 [0]
init s float32 [4] = 1 1 2 2
node Resize (x, none, s) -> (y) mode="nearest"
output y float32)",
     0, "calflops", 2 * 3 * 8 * 8, "the product with the scale is never assigned"},
};

TEST(WrongAnswers, OfOthersAreReproducedAndRightHere) {
  for (const WrongAnswer& c : kWrongAnswers) {
    EXPECT_EQ(AnalyseText(c.text).totals().counts.macs, Dim(c.right)) << c.name;
    EXPECT_EQ(Print(std::string(c.text), Named(c.tool)).value, c.elsewhere)
        << c.tool << ", " << c.name << ": " << c.why;
  }
}

TEST(WrongAnswers, UndercountsAreSaid) {
  EXPECT_TRUE(Print(Bert128(), Named("thop")).counts.undercounts);
  EXPECT_FALSE(Print(Bert128(), Named("torch")).counts.undercounts);
  EXPECT_FALSE(Print(ResNet50(), Named("thop")).counts.undercounts);
}

// How 124,439,808 parameters of GPT-2 become 137.02 M: twelve masks of 1024^2 are initializers.
TEST(WrongAnswers, MasksAreNoParameters) {
  const std::string text = R"(
input s float32 [1,12,16,16]
init mask bool [1,1,16,16] none
init low float32 [] = -10000.0
node Where (mask, s, low) -> (m)
node Softmax (m) -> (y)
output y float32)";
  EXPECT_EQ(AnalyseText(text).totals().parameters, Dim(0));
  EXPECT_EQ(AnalyseText(text).totals().constants, Dim(256 + 1));
  EXPECT_EQ(Print(text, Named("onnx-tool")).params, 256);
}

TEST(Conventions, OnnxToolStopsAtWhatItDoesNotKnow) {
  const Printed lstm = Print(std::string(kWrongAnswers[7].text), Named("onnx-tool"));
  EXPECT_EQ(lstm.counts.stopped_at, "LSTM") << "its rule reads the bias, which is optional";
  EXPECT_TRUE(lstm.counts.value.is_unknown());
}

TEST(Conventions, NodesWithoutTheirInputsAreNoTrouble) {
  const std::string text = R"(
input x float32 [1,6,8,8]
init w float32 [6,2,2,2]
node ConvTranspose (x, w) -> () group=3 strides=[2,2]
node ConvTranspose (x) -> (a)
node Resize () -> (b) mode="linear"
node Sigmoid () -> (c)
node Mul (c) -> (d)
node Mul (c, x) -> (e)
node Div (x) -> (f)
node Add (w) -> (g)
node LSTM (x) -> (h)
node BatchNormalization () -> (i)
node Gather () -> (j)
node MatMul (x) -> (k)
node Softmax () -> (l)
node MatMul (l) -> (m)
output m float32)";
  for (const Convention* convention : Conventions()) {
    Analysed out = AnalyseText(text);
    const ConventionCounts counts = ApplyConvention(out.model, out.analysis, *convention);
    EXPECT_EQ(counts.convention, convention);
  }
}

TEST(Conventions, AreFormulasInTheModelsSymbols) {
  Analysed out = AnalyseText(Bert128());
  for (const Convention* convention : Conventions()) {
    const ConventionCounts counts = ApplyConvention(out.model, out.analysis, *convention);
    ASSERT_TRUE(counts.value.is_expression()) << convention->id;
    const Dim bound = out.model.dims.Bind(counts.value, {{"T", 128}});
    EXPECT_EQ(bound, Print(Bert128(), *convention).counts.value) << convention->id;
  }
}

// What an op was called through stands in the metadata of the node, as torch's exporter and
// captured ops have it: a bare function is not seen by thop, an operator by nobody who replaces
// functions.
TEST(Conventions, SeeWhatTheProgramCalled) {
  const std::string_view head = "input x float32 [4,8]\ninit w float32 [8,8]\n";
  const auto print = [&](std::string_view tool, const std::string& type,
                         const std::string& function) {
    const std::string hierarchy =
        R"( meta:pkg.torch.onnx.class_hierarchy="['__main__.Net', ')" + type + "', 'op']\"";
    const std::string called = function.empty() ? "" : " meta:torch.function=\"" + function + "\"";
    const std::string text = std::string(head) + "node MatMul (x, w) -> (y)" + hierarchy + called +
                             "\noutput y float32\n";
    return Print(text, Named(tool));
  };
  const std::string net = "__main__.Net", linear = "torch.nn.modules.linear.Linear";
  EXPECT_EQ(print("thop", linear, "").value, 256);
  EXPECT_EQ(print("thop", linear, "").params, 64);
  EXPECT_EQ(print("thop", net, "").value, 0);
  EXPECT_EQ(print("thop", net, "torch.matmul").params, 0);
  EXPECT_EQ(print("thop", "torch.nn.modules.activation.MultiheadAttention", "").value, 0);
  EXPECT_EQ(print("ptflops", linear, "torch.linear").value, 256);
  EXPECT_EQ(print("ptflops", net, "torch.matmul").value, 256);
  EXPECT_EQ(print("ptflops", net, "operator.matmul").value, 0);
  EXPECT_EQ(print("ptflops", net, "").value, 256);  // not known: as a file without that metadata
  EXPECT_EQ(print("calflops", net, "operator.matmul").value, 0);
  EXPECT_EQ(print("fvcore", net, "operator.matmul").value, 256);
}

// LayerNorm and GELU count the same whether they are ops or written out.
TEST(Conventions, SeeModulesThatAreWrittenOut) {
  const std::string_view written = R"(
input x float32 [2,5,8]
init two float32 [] = 2.0
init eps float32 [] = 0.00001
init scale float32 [8]
init shift float32 [8]
init root float32 [] = 1.4142
init one float32 [] = 1.0
init half float32 [] = 0.5
node ReduceMean (x) -> (mean) axes=[-1]
node Sub (x, mean) -> (centred)
node Pow (centred, two) -> (square)
node ReduceMean (square) -> (variance) axes=[-1]
node Add (variance, eps) -> (safe)
node Sqrt (safe) -> (deviation)
node Div (centred, deviation) -> (normal)
node Mul (normal, scale) -> (scaled)
node Add (scaled, shift) -> (n)
node Div (n, root) -> (g1)
node Erf (g1) -> (g2)
node Add (g2, one) -> (g3)
node Mul (n, g3) -> (g4)
node Mul (g4, half) -> (y)
output y float32)";
  const std::string_view ops = R"(
opset 20
input x float32 [2,5,8]
init scale float32 [8]
init shift float32 [8]
node LayerNormalization (x, scale, shift) -> (n)
node Gelu (n) -> (y)
output y float32)";
  for (const std::string_view tool :
       {"thop", "ptflops", "ptflops-aten", "fvcore", "torch", "calflops"}) {
    const Printed a = Print(std::string(written), Named(tool));
    const Printed b = Print(std::string(ops), Named(tool));
    EXPECT_EQ(a.value, b.value) << tool;
    EXPECT_EQ(a.params, b.params) << tool;
  }
}

}  // namespace
}  // namespace opscope
