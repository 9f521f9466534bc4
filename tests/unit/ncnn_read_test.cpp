// ncnn and pnnx parameters: what is read of them, shapes as the ncnn runtime gives them, damage.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"

namespace opscope {
namespace {

struct Read {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;

  std::string Text(Dim dim) const { return model.dims.ToText(dim); }
};

Result<Model> TryRead(std::string bytes, ImportLog& log, const std::string& weights = {}) {
  Source source = Source::FromBytes("net.param", std::move(bytes));
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    if (name == "net.bin" && !weights.empty()) return Source::FromBytes(name, weights);
    return Error{"input.missing", "no such file", name};
  };
  return ReadModel({source, log, sibling});
}

Read Analyse(const std::string& text, PropagateOptions options = {},
             const std::string& weights = {}) {
  Read out;
  auto model = TryRead(text, out.log, weights);
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  out.model = std::move(*model);
  auto analysis = AnalyzeStatic(out.model, options, out.log);
  EXPECT_TRUE(analysis.has_value());
  if (analysis.has_value()) out.analysis = std::move(*analysis);
  return out;
}

// The shape that one layer gives to its output "y", inputs being of these sizes (w h c as in the
// file).
std::string ShapeOf(const std::string& layer, std::string_view blob = "y") {
  std::string text = "7767517\n";
  std::vector<std::string> lines = {"Input v 0 1 v 0=24", "Input m 0 1 m 0=24 1=10",
                                    "Input c 0 1 c 0=31 1=17 2=24",
                                    "Input d 0 1 d 0=9 1=8 11=7 2=6", layer};
  text += std::to_string(lines.size()) + " 20\n";
  for (const std::string& line : lines) text += line + "\n";
  const Read read = Analyse(text);
  for (std::size_t t = 0; t < read.model.tensors.size(); ++t) {
    if (read.model.text(read.model.tensors[t].name) != blob) continue;
    const Shape& shape = read.analysis.propagation.facts[t].shape;
    std::string out;
    if (!shape.known_rank()) return "?";
    for (const Dim dim : *shape.dims) out += (out.empty() ? "" : "x") + read.Text(dim);
    return out;
  }
  return "none";
}

constexpr const char* kNet =
    "7767517\n"
    "5 5\n"
    "Input            data   0 1 data\n"
    "Convolution      conv   1 1 data a 0=16 1=3 3=2 4=1 5=1 6=432 9=1\n"
    "ConvolutionDepthWise dw 1 1 a b 0=16 1=3 4=1 6=144 7=16 -23310=2,0.0,6.0\n"
    "Pooling          pool   1 1 b c 0=1 4=1\n"
    "InnerProduct     fc     1 1 c out 0=10 1=1 2=160\n";

TEST(NcnnRead, CountsWithTheShapeThatIsGiven) {
  PropagateOptions options;
  options.shapes["data"] = {3, 64, 48};
  const Read read = Analyse(kNet, options);
  // 16 * 32 * 24 places of 27 products, then of 9, then 160.
  EXPECT_EQ(read.Text(read.analysis.totals.counts.macs),
            std::to_string(16 * 768 * 27 + 16 * 768 * 9 + 160));
  EXPECT_EQ(read.model.producer, "ncnn");
}

TEST(NcnnRead, SizesThatNobodyStatesAreSymbols) {
  const Read read = Analyse(kNet);
  EXPECT_EQ(read.Text(read.analysis.totals.counts.macs),
            "((data_h + 1) // 2)*((data_w + 1) // 2)*576 + 160");
}

TEST(NcnnRead, HintsAreShapes) {
  std::string text = kNet;
  text.replace(text.find("data\nConv"), 5, "data -23330=4,3,48,64,3\n");
  EXPECT_EQ(Analyse(text).Text(Analyse(text).analysis.totals.counts.macs), "442528");
}

std::string Little(std::uint32_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

TEST(NcnnRead, FlagsOfTheWeightFile) {
  const std::string half = Little(0x01306B47) + std::string(432 * 2, '\0') + std::string(64, '\0');
  const std::string eight = Little(0x000D4B38) + std::string(144, '\0');
  const std::string plain = Little(0) + std::string(640 + 40, '\0');
  const Read read = Analyse(kNet, {}, half + eight + plain);
  std::string types;
  for (const Payload& payload : read.model.payloads)
    types += std::string(Name(payload.dtype)) + "@" + std::to_string(payload.offset) + " ";
  EXPECT_EQ(types, "float16@4 float32@868 int8@936 float32@1084 float32@1724 ");
  EXPECT_TRUE(read.log.issues().empty());
  const Read cut = Analyse(kNet, {}, half);
  EXPECT_EQ(cut.log.issues().at(0).code, "ncnn.weights-lost");
}

TEST(NcnnRead, ShapesAreThoseOfTheRuntime) {
  const std::pair<const char*, const char*> cases[] = {
      {"Permute p 1 1 d y 0=6", "7x6x8x9"},
      {"Permute p 1 1 c y 0=4", "31x24x17"},
      {"Permute p 1 1 m y 0=1", "24x10"},
      {"Pooling p 1 1 c y 0=0 1=3 2=2 5=0", "24x8x15"},
      {"Pooling p 1 1 c y 0=0 1=3 2=2 5=1", "24x8x15"},
      {"Pooling p 1 1 c y 0=0 1=3 2=2 5=2", "24x9x16"},
      {"Pooling p 1 1 c y 0=1 7=1 8=-233 18=3", "24x3x31"},
      {"Pooling1D p 1 1 m y 0=0 1=3 2=2 5=0", "10x12"},
      {"Slice s 1 3 c a b y -23300=3,-233,-233,-233 1=0", "8x17x31"},
      {"Concat s 2 1 m m y 0=-1", "10x48"},
      {"Crop s 1 1 c y 0=1 1=2 2=3 3=-233 4=-233 5=-233 6=1 7=2 8=3", "18x13x29"},
      {"Crop s 1 1 c y -23309=1,1 -23310=1,5 -23311=1,-1", "24x17x4"},
      {"Reshape r 1 1 c y 0=-1 1=0 2=0", "24x17x31"},
      {"Reshape r 1 1 c y 0=2 1=-1 2=3", "3x2108x2"},
      {"Interp i 1 1 c y 0=2 1=1.5 2=2.3", "24x25x71"},
      {"Interp i 1 1 v y 0=1 3=4 4=5", "24x4x5"},
      {"PixelShuffle s 1 1 c y 0=2", "6x34x62"},
      {"Reduction r 1 1 c y 0=3 1=0 -23303=1,0 4=1 5=1", "1x17x31"},
      {"Reduction r 1 1 c y 0=3", "1"},
      {"BinaryOp b 2 1 v c y 0=0", "24x17x31"},
      {"Gemm g 2 1 m m y 3=1", "10x10"},
      {"MatMul g 2 1 c c y 0=1", "24x17x17"},
      {"Unfold u 1 1 c y 1=3 11=2 2=1 3=2 4=1", "144x144"},
      {"ExpandDims e 1 1 m y -23303=1,-1", "10x24x1"},
      {"GLU g 1 1 m y 0=0", "5x24"},
      {"Padding p 1 1 c y 0=1 1=2 2=3 3=4", "24x20x38"},
      {"Convolution c 1 1 c y 0=8 1=3 4=-233 3=2 6=1728", "8x9x16"},
      {"Deconvolution c 1 1 c y 0=8 1=4 3=2 4=1 6=3072", "8x34x62"},
      {"LSTM l 1 1 m y 0=7 1=1344 2=2", "10x14"},
  };
  for (const auto& [layer, shape] : cases) EXPECT_EQ(ShapeOf(layer), shape) << layer;
}

// What pnnx writes for shapes that are computed: front notation, the innermost size first.
TEST(NcnnRead, SizesMayBeExpressions) {
  EXPECT_EQ(ShapeOf("Reshape r 1 1 c y 6=\"*(0w,0h),0c\""), "24x527");
  EXPECT_EQ(ShapeOf("Reshape r 1 1 v y 12=0 13=0 6=\"1,1,//(24,0n),0n\""), "24x1x1");
  EXPECT_EQ(ShapeOf("Reshape r 2 1 v m y 6=\"max(1h,4),+(0w,-(2,1))\""), "25x10");
  EXPECT_EQ(ShapeOf("Reshape r 1 1 c y 6=\"*(0w)\""), "?");
}

TEST(NcnnRead, PnnxTellsTypes) {
  const Read read = Analyse(
      "7767517\n4 3\n"
      "pnnx.Input  in  0 1 0 #0=(1,3,64,48)f32\n"
      "nn.Conv2d   c   1 1 0 1 bias=True groups=1 kernel_size=(3,3) @bias=(16)f32 "
      "@weight=(16,3,3,3)f32 $input=0 #0=(1,3,64,48)f32 #1=(1,16,32,24)f32\n"
      "F.relu      r   1 1 1 2 $input=1 #1=(1,16,32,24)f32 #2=(1,16,32,24)f32\n"
      "pnnx.Output out 1 0 2\n");
  EXPECT_EQ(read.Text(read.analysis.totals.counts.macs), "331776");
  EXPECT_EQ(read.Text(read.analysis.totals.counts.bias_adds), "12288");
  EXPECT_EQ(read.model.producer, "pnnx");
}

TEST(NcnnRead, NumbersInPlaceOfNames) {
  std::string bytes;
  const auto add = [&bytes](std::initializer_list<int> values) {
    for (const int value : values) bytes += Little(static_cast<std::uint32_t>(value));
  };
  add({7767517, 2, 2, 16, 0, 1, 0, 0, 48, 1, 64, 2, 3, -233});
  add({6, 1, 1, 0, 1, 0, 16, 1, 3, 3, 2, 4, 1, 6, 432, -23310, 2, 0, 6, -233});
  EXPECT_EQ(Analyse(bytes).Text(Analyse(bytes).analysis.totals.counts.macs), "331776");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ImportLog log;
    EXPECT_FALSE(TryRead(bytes.substr(0, length), log).has_value()) << length;
  }
}

std::string ErrorOf(const std::string& text) {
  ImportLog log;
  auto model = TryRead(text, log);
  return model.has_value() ? "read" : model.error().ToString();
}

TEST(NcnnDamage, IsSaid) {
  const std::pair<std::string, const char*> cases[] = {
      {"7767517\n1 1\nReLU r 1 1 x y\n", "which no layer writes"},
      {"7767517\n2 2\nInput a 0 1 x\nInput b 0 1 x\n", "written by two layers"},
      {"7767517\n3 2\nInput a 0 1 x\n", "says 3 layers and ends after 1"},
      {"7767517\n99999999999 1\n", "more layers"},
      {"7767517\n1 1\nReLU r 999999999 1 x\n", "names fewer blobs"},
      {"7767517\n1 1\nReLU\n", "is no layer"},
      {"7767517\n1 1\nInput a 0 1 x -23300=5,1\n", "as many values"},
      {"7767517\n1 1\nInput a 0 1 x y\n", "is no parameter"},
      {"7767517\nx\n", "numbers of layers"},
      {"7767517\n", "ends behind its first line"}};
  for (const auto& [text, says] : cases)
    EXPECT_NE(ErrorOf(text).find(says), std::string::npos) << ErrorOf(text);
  // A cycle is no damage of the file: the layers in it stay unknown.
  const Read cycle = Analyse("7767517\n2 2\nReLU a 1 1 x y\nReLU b 1 1 y x\n");
  EXPECT_EQ(cycle.model.nodes.size(), 2U);
}

TEST(NcnnDamage, CutAnywhere) {
  const std::string whole = kNet;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ImportLog log;
    auto model = TryRead(whole.substr(0, length), log);
    if (model.has_value()) (void)AnalyzeStatic(*model, {}, log).has_value();
  }
}

}  // namespace
}  // namespace opscope
