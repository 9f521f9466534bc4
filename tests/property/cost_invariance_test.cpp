// What must not change the costs, what must change them in proportion, and that they add up:
// on random small networks.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

enum class Names { kPlain, kOther, kEmpty };

struct Style {
  std::string batch = "2";
  Names names = Names::kPlain;
  bool constants_as_nodes = false;
};

// A random chain of layers with a residual now and then, ended by a classifier.
class Network {
 public:
  Network(unsigned seed, const Style& style) : random_(seed), style_(style) {}

  std::string Text() {
    text_ = "input " + Tensor("x") + " float32 [" + style_.batch + ",4,16,16]\n";
    std::string at = Tensor("x");
    for (int i = 0; i < 12; ++i) at = Layer(at);
    Node("GlobalAveragePool", {at}, Tensor("pooled"), "");
    Node("Flatten", {Tensor("pooled")}, Tensor("flat"), "");
    const std::string w = Constant("wf", {channels_, 10});
    Node("MatMul", {Tensor("flat"), w}, Tensor("out"), "");
    return text_ + "output " + Tensor("out") + " float32\n";
  }

 private:
  std::string Layer(const std::string& in) {
    const std::string out = Tensor("t" + std::to_string(++count_));
    switch (random_() % 5) {
      case 0: {
        const int to = static_cast<int>(4 << (random_() % 3));
        const std::string id = std::to_string(count_);
        const std::string w = Constant("w" + id, {to, channels_, 3, 3});
        const std::string b = Constant("b" + id, {to});
        Node("Conv", {in, w, b}, out, "pads=[1,1,1,1]");
        channels_ = to;
        break;
      }
      case 1: {
        const std::string mid = Tensor("s" + std::to_string(count_));
        Node("Sigmoid", {in}, mid, "");
        Node("Mul", {in, mid}, out, "");
        break;
      }
      case 2: {
        const std::string w = Constant("d" + std::to_string(count_), {channels_, 1, 3, 3});
        Node("Conv", {in, w}, out, "pads=[1,1,1,1] group=" + std::to_string(channels_));
        break;
      }
      case 3: {
        const std::string mid = Tensor("r" + std::to_string(count_));
        Node("Relu", {in}, mid, "");
        Node("Add", {mid, in}, out, "");
        break;
      }
      default:
        Node("MaxPool", {in}, out, "kernel_shape=[3,3] pads=[1,1,1,1]");
    }
    return out;
  }

  std::string Tensor(const std::string& name) const {
    return style_.names == Names::kOther ? "\"层/" + name + "\"" : name;
  }

  std::string Constant(const std::string& name, const std::vector<int>& dims) {
    std::string shape;
    for (const int dim : dims) shape += (shape.empty() ? "" : ",") + std::to_string(dim);
    if (!style_.constants_as_nodes) {
      text_ += "init " + Tensor(name) + " float32 [" + shape + "]\n";
      return Tensor(name);
    }
    text_ += "tensor v_" + name + " float32 [" + shape + "]\n";
    text_ += "node Constant () -> (" + Tensor(name) + ") value=init:v_" + name + "\n";
    return Tensor(name);
  }

  void Node(const std::string& op, const std::vector<std::string>& inputs,
            const std::string& output, const std::string& attributes) {
    text_ += "node " + op + " (";
    for (std::size_t i = 0; i < inputs.size(); ++i) text_ += (i == 0 ? "" : ", ") + inputs[i];
    text_ += ") -> (" + output + ") " + attributes;
    if (style_.names != Names::kEmpty) text_ += " name=\"n" + std::to_string(++nodes_) + "\"";
    text_ += "\n";
  }

  std::mt19937 random_;
  Style style_;
  std::string text_;
  int channels_ = 4;
  int count_ = 0;
  int nodes_ = 0;
};

Analysed OfNetwork(unsigned seed, const Style& style) {
  return AnalyseText(Network(seed, style).Text());
}

// Every number of the totals, in one list.
std::vector<Dim> Dims(const StaticTotals& t) {
  return {t.counts.macs,        t.counts.bias_adds,
          t.counts.elementwise, t.counts.transcendental,
          t.counts.comparisons, t.flops,
          t.operations,         t.parameters,
          t.statistics,         t.constants,
          t.parameter_bytes,    t.read_bytes,
          t.write_bytes,        t.weight_bytes,
          t.activation_bytes,   t.memory.live_peak_bytes,
          t.memory.naive_bytes, t.fused.read_bytes,
          t.fused.write_bytes,  t.fused.weight_bytes};
}

// The same as text, which a failure shows.
std::vector<std::string> Numbers(const Analysed& out) {
  std::vector<std::string> texts;
  for (const Dim dim : Dims(out.totals())) texts.push_back(out.Text(dim));
  return texts;
}

constexpr unsigned kSeeds = 30;

TEST(CostProperty, NamesAndThePlaceOfConstantsChangeNothing) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const std::vector<std::string> plain = Numbers(OfNetwork(seed, {}));
    EXPECT_EQ(plain, Numbers(OfNetwork(seed, {.names = Names::kOther}))) << seed;
    EXPECT_EQ(plain, Numbers(OfNetwork(seed, {.names = Names::kEmpty}))) << seed;
    EXPECT_EQ(plain, Numbers(OfNetwork(seed, {.constants_as_nodes = true}))) << seed;
  }
}

TEST(CostProperty, TwiceTheBatchIsTwiceTheMacs) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const StaticTotals once = OfNetwork(seed, {.batch = "3"}).totals();
    const StaticTotals twice = OfNetwork(seed, {.batch = "6"}).totals();
    EXPECT_EQ(twice.counts.macs, Dim(2 * once.counts.macs.number())) << seed;
    EXPECT_EQ(twice.parameters, once.parameters) << seed;
    EXPECT_EQ(twice.activation_bytes, Dim(2 * once.activation_bytes.number())) << seed;
  }
}

TEST(CostProperty, AFormulaWithItsSymbolBoundIsTheNumber) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Analysed free = OfNetwork(seed, {.batch = "N"});
    std::vector<std::string> bound;
    for (const Dim number : Dims(free.totals()))
      bound.push_back(free.Text(free.model.dims.Bind(number, {{"N", 5}})));
    EXPECT_EQ(bound, Numbers(OfNetwork(seed, {.batch = "5"}))) << seed;
  }
}

TEST(CostProperty, TotalsAreTheSumOfTheRows) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Analysed out = OfNetwork(seed, {});
    std::int64_t macs = 0, parameters = 0, written = 0, counted = 0;
    for (const Layer& layer : out.analysis.layers) {
      macs += layer.counts.macs.number() * layer.times.number();
      parameters += layer.parameters.number();
      written += layer.write_bytes.number() * layer.times.number();
      counted += layer.because.empty() ? 1 : 0;
    }
    EXPECT_EQ(out.totals().counts.macs, Dim(macs)) << seed;
    EXPECT_EQ(out.totals().parameters, Dim(parameters)) << seed;
    EXPECT_EQ(out.totals().write_bytes, Dim(written)) << seed;
    EXPECT_EQ(out.totals().counted, counted) << seed;
  }
}

TEST(CostProperty, TheLiveSetIsThePeak) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Analysed out = OfNetwork(seed, {});
    std::int64_t live = 0;
    for (const TensorId tensor : out.totals().memory.live_tensors)
      live += BytesOf(out.model.dims, out.analysis.fact(tensor)).number();
    EXPECT_EQ(out.totals().memory.live_peak_bytes, Dim(live)) << seed;
    EXPECT_LE(live, out.totals().memory.naive_bytes.number() + 2 * 4 * 16 * 16 * 4) << seed;
  }
}

TEST(CostProperty, InliningAFunctionChangesNothing) {
  const std::string head =
      "input x float32 [4,16]\ninit w float32 [16,16]\ninit v float32 [16,4]\n"
      "opset 17\nopset com.acme 1\n";
  const std::string called = head + R"(
node Block (x, w) -> (a) domain="com.acme"
node Block (a, v) -> (b) domain="com.acme"
node Softmax (b) -> (y)
output y float32
function com.acme Block (i, k) -> (o) opset 17
node MatMul (i, k) -> (m)
node Relu (m) -> (r)
node Identity (r) -> (o)
end)";
  const std::string inlined = head + R"(
node MatMul (x, w) -> (m1)
node Relu (m1) -> (r1)
node Identity (r1) -> (a)
node MatMul (a, v) -> (m2)
node Relu (m2) -> (r2)
node Identity (r2) -> (b)
node Softmax (b) -> (y)
output y float32)";
  EXPECT_EQ(Numbers(AnalyseText(called)), Numbers(AnalyseText(inlined)));
}

// A chain of pairs Relu, Add with `batch` rows.
std::string Chain(int pairs, const std::string& batch) {
  std::string text = "input t0 float32 [" + batch + ",8]\n";
  for (int i = 0; i < pairs; ++i) {
    const std::string from = "t" + std::to_string(i);
    const std::string to = "t" + std::to_string(i + 1);
    text += "node Relu (" + from + ") -> (r" + to + ")\nnode Add (r" + to + ", " + from + ") -> (" +
            to + ")\n";
  }
  return text + "output t" + std::to_string(pairs) + " float32\n";
}

double SecondsFor(int pairs, const std::string& batch) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Analysed out = AnalyseText(Chain(pairs, batch));
    EXPECT_TRUE(out.totals().complete);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

TEST(CostProperty, TenTimesTheNodesIsAboutTenTimesTheTime) {
  for (const char* batch : {"4", "N"})
    EXPECT_LT(SecondsFor(20'000, batch), 40 * SecondsFor(2'000, batch)) << batch;
}

}  // namespace
}  // namespace opscope
