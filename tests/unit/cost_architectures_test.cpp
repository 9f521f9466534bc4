// Whole architectures, written out layer by layer: MACs and parameters known exactly (cost
// conventions, 5).
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

// Writes a model as text; every function adds nodes and returns the name of its result.
class Writer {
 public:
  std::string Weight(const std::string& shape) {
    const std::string name = "w" + std::to_string(++count_);
    text_ += "init " + name + " float32 [" + shape + "] none\n";
    return name;
  }
  std::string Ints(const std::string& values, int count) {
    const std::string name = "i" + std::to_string(++count_);
    text_ += "init " + name + " int64 [" + std::to_string(count) + "] = " + values + "\n";
    return name;
  }
  std::string Node(std::string_view op, const std::string& inputs,
                   const std::string& attributes = "") {
    const std::string name = "t" + std::to_string(++count_);
    text_.append("node ").append(op).append(" (" + inputs + ") -> (" + name + ") " + attributes);
    text_ += "\n";
    return name;
  }
  void Line(const std::string& line) { text_ += line + "\n"; }

  std::string Linear(const std::string& in, int from, int to) {
    const std::string w = Weight(std::to_string(from) + "," + std::to_string(to));
    const std::string product = Node("MatMul", in + ", " + w);
    return Node("Add", product + ", " + Weight(std::to_string(to)));
  }
  std::string LayerNorm(const std::string& in, int width) {
    const std::string n = std::to_string(width);
    const std::string scale = Weight(n);
    return Node("LayerNormalization", in + ", " + scale + ", " + Weight(n));
  }
  std::string Conv(const std::string& in, int from, int to, int kernel, int stride, int group,
                   bool bias = false) {
    const std::string k = std::to_string(kernel);
    const std::string p = std::to_string(stride == kernel ? 0 : kernel / 2);
    const std::string s = std::to_string(stride);
    std::string inputs =
        in + ", " +
        Weight(std::to_string(to) + "," + std::to_string(from / group) + "," + k + "," + k);
    if (bias) inputs += ", " + Weight(std::to_string(to));
    return Node("Conv", inputs,
                "pads=[" + p + "," + p + "," + p + "," + p + "] strides=[" + s + "," + s +
                    "] group=" + std::to_string(group));
  }
  std::string BatchNorm(const std::string& in, int channels) {
    std::string inputs = in;
    for (int i = 0; i < 4; ++i) inputs += ", " + Weight(std::to_string(channels));
    return Node("BatchNormalization", inputs);
  }
  std::string SelfAttention(const std::string& in, int width, int heads) {
    const std::string split =
        Ints("0 0 " + std::to_string(heads) + " " + std::to_string(width / heads), 4);
    std::vector<std::string> parts;
    for (const char* perm : {"[0,2,1,3]", "[0,2,3,1]", "[0,2,1,3]"}) {
      const std::string shaped = Node("Reshape", Linear(in, width, width) + ", " + split);
      parts.push_back(Node("Transpose", shaped, std::string("perm=") + perm));
    }
    const std::string scores = Node("MatMul", parts[0] + ", " + parts[1]);
    const std::string weights = Node("Softmax", scores);
    const std::string context = Node("MatMul", weights + ", " + parts[2]);
    const std::string turned = Node("Transpose", context, "perm=[0,2,1,3]");
    const std::string joined =
        Node("Reshape", turned + ", " + Ints("0 0 " + std::to_string(width), 3));
    return Linear(joined, width, width);
  }
  std::string FeedForward(const std::string& in, int width, int inner) {
    return Linear(Node("Relu", Linear(in, width, inner)), inner, width);
  }
  std::string Sum(const std::string& a, const std::string& b) { return Node("Add", a + ", " + b); }

  std::string Finish(const std::string& output) {
    return text_ + "output " + output + " float32\n";
  }

 private:
  std::string text_;
  int count_ = 0;
};

// With pooler, without a head.
std::string Bert(int layers, int width, int heads) {
  const std::string d = std::to_string(width);
  Writer w;
  for (const char* name : {"tokens", "positions", "types"})
    w.Line(std::string("input ") + name + " int64 [1,T]");
  std::string at = w.Node("Gather", w.Weight("30522," + d) + ", tokens");
  at = w.Sum(at, w.Node("Gather", w.Weight("512," + d) + ", positions"));
  at = w.Sum(at, w.Node("Gather", w.Weight("2," + d) + ", types"));
  at = w.LayerNorm(at, width);
  for (int i = 0; i < layers; ++i) {
    at = w.LayerNorm(w.Sum(w.SelfAttention(at, width, heads), at), width);
    at = w.LayerNorm(w.Sum(w.FeedForward(at, width, 4 * width), at), width);
  }
  w.Line("init first int64 [] = 0");
  const std::string first = w.Node("Gather", at + ", first", "axis=1");
  return w.Finish(w.Node("Tanh", w.Linear(first, width, width)));
}

// Patches of 16, 224 x 224, twelve layers of 768, a class token, a head of 1000.
std::string VitB16() {
  constexpr int kWidth = 768;
  Writer w;
  w.Line("input x float32 [1,3,224,224]");
  const std::string patches =
      w.Node("Reshape", w.Conv("x", 3, kWidth, 16, 16, 1, true) + ", " + w.Ints("0 768 196", 3));
  const std::string tokens = w.Node("Transpose", patches, "perm=[0,2,1]");
  std::string at = w.Node("Concat", w.Weight("1,1,768") + ", " + tokens, "axis=1");
  at = w.Sum(at, w.Weight("1,197,768"));
  for (int i = 0; i < 12; ++i) {
    at = w.Sum(w.SelfAttention(w.LayerNorm(at, kWidth), kWidth, 12), at);
    at = w.Sum(w.FeedForward(w.LayerNorm(at, kWidth), kWidth, 4 * kWidth), at);
  }
  at = w.LayerNorm(at, kWidth);
  w.Line("init first int64 [] = 0");
  return w.Finish(w.Linear(w.Node("Gather", at + ", first", "axis=1"), kWidth, 1'000));
}

std::string MobileNetV2() {
  struct Stage {
    int expand, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  Writer w;
  w.Line("input x float32 [1,3,224,224]");
  const auto block = [&](const std::string& in, int from, int to, int kernel, int stride,
                         int group) {
    return w.BatchNorm(w.Conv(in, from, to, kernel, stride, group), to);
  };
  std::string at = w.Node("Relu", block("x", 3, 32, 3, 2, 1));
  int from = 32;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      const int inner = from * stage.expand;
      const int stride = i == 0 ? stage.stride : 1;
      std::string inside = at;
      if (stage.expand > 1) inside = w.Node("Relu", block(inside, from, inner, 1, 1, 1));
      inside = w.Node("Relu", block(inside, inner, inner, 3, stride, inner));
      inside = block(inside, inner, stage.channels, 1, 1, 1);
      at = stride == 1 && from == stage.channels ? w.Sum(inside, at) : inside;
      from = stage.channels;
    }
  }
  at = w.Node("Relu", block(at, from, 1'280, 1, 1, 1));
  const std::string flat = w.Node("Flatten", w.Node("GlobalAveragePool", at));
  return w.Finish(w.Linear(flat, 1'280, 1'000));
}

TEST(Architectures, BertBaseAsAFormulaInTheSequenceLength) {
  Analysed out = AnalyseText(Bert(12, 768, 12));
  EXPECT_TRUE(out.totals().complete);
  EXPECT_EQ(out.totals().parameters, Dim(109'482'240));
  const std::pair<std::int64_t, std::int64_t> known[] = {
      {128, 11'174'215'680}, {256, 22'951'821'312}, {384, 35'333'406'720}, {512, 48'318'971'904}};
  for (const auto& [length, macs] : known)
    EXPECT_EQ(out.model.dims.Bind(out.totals().counts.macs, {{"T", length}}), Dim(macs)) << length;
}

TEST(Architectures, BertLarge) {
  const Analysed out = AnalyseText(Bert(24, 1'024, 16), {.bindings = {{"T", 128}}, .shapes = {}});
  EXPECT_EQ(out.totals().counts.macs, Dim(39'461'060'608));
  EXPECT_EQ(out.totals().parameters, Dim(335'141'888));
}

TEST(Architectures, VitB16) {
  const Analysed out = AnalyseText(VitB16());
  EXPECT_TRUE(out.totals().complete);
  EXPECT_EQ(out.totals().counts.macs, Dim(17'563'828'224));
  EXPECT_EQ(out.totals().parameters, Dim(86'567'656));
}

TEST(Architectures, MobileNetV2) {
  const Analysed out = AnalyseText(MobileNetV2());
  EXPECT_TRUE(out.totals().complete);
  EXPECT_EQ(out.totals().counts.macs, Dim(300'774'272));
  EXPECT_EQ(out.totals().parameters, Dim(3'504'872));
}

TEST(Architectures, OneEncoderLayer) {
  Writer w;
  w.Line("input x float32 [1,20,64]");
  std::string at = w.LayerNorm(w.Sum(w.SelfAttention("x", 64, 4), "x"), 64);
  at = w.LayerNorm(w.Sum(w.FeedForward(at, 64, 128), at), 64);
  const Analysed out = AnalyseText(w.Finish(at));
  EXPECT_EQ(out.totals().counts.macs, Dim(706'560));
  EXPECT_EQ(out.totals().parameters, Dim(33'472));
}

// 80 * 2 * 10^12 * 8192 MACs of attention alone: four of them in FLOPs pass 64 bits.
TEST(Architectures, CountsPassSixtyFourBits) {
  const Analysed out = AnalyseText(R"(
input q float32 [4,5120,1000000,128]
input k float32 [4,5120,128,1000000]
node MatMul (q, k) -> (y)
output y float32)");
  EXPECT_EQ(out.Text(out.totals().counts.macs), "2621440000000000000");
  EXPECT_EQ(out.Text(out.totals().flops), "5242880000000000000");
  const Analysed larger = AnalyseText(R"(
input q float32 [40,5120,1000000,128]
input k float32 [40,5120,128,1000000]
node MatMul (q, k) -> (y)
output y float32)");
  EXPECT_EQ(larger.Text(larger.totals().counts.macs), "26214400000000000000");
  EXPECT_EQ(larger.Text(larger.totals().flops), "52428800000000000000");
  EXPECT_TRUE(larger.totals().complete);
}

}  // namespace
}  // namespace opscope
