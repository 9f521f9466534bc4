#include <gtest/gtest.h>

#include "cost/llm.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

struct Decoder {
  int layers, hidden, heads, kv_heads, inner, vocabulary;
};
// Llama 2 7B and Llama 3 8B, weights without data.
constexpr Decoder kLlama2 = {32, 4096, 32, 32, 11008, 32000};
constexpr Decoder kLlama3 = {32, 4096, 32, 8, 14336, 128256};

std::string Number(int value) { return std::to_string(value); }

// One layer as exporters write it: heads apart by Reshape and Transpose, the cache joined by
// Concat, keys and values repeated by Expand where there are fewer of them, a gated product behind.
std::string LayerText(const Decoder& model, int layer) {
  const std::string l = "_" + Number(layer);
  const int head = model.hidden / model.heads;
  const std::string width = Number(model.kv_heads * head);
  const std::string hidden = Number(model.hidden), inner = Number(model.inner);
  const std::string past =
      " float16 [batch," + Number(model.kv_heads) + ",past," + Number(head) + "]\n";
  std::string text = "input pk" + l + past + "input pv" + l + past;
  for (const auto& [name, in, out] : {std::tuple{"q", hidden, hidden},
                                      {"k", hidden, width},
                                      {"v", hidden, width},
                                      {"o", hidden, hidden},
                                      {"gate", hidden, inner},
                                      {"up", hidden, inner},
                                      {"down", inner, hidden}})
    text += std::string("init w") + name + l + " float16 [" + in + "," + out + "] none\n";
  const std::string h = "h" + l;
  for (const char* name : {"q", "k", "v"}) {
    const std::string n = name + l;
    text += "node MatMul (" + h + ", w" + n + ") -> (flat_" + n + ")\n";
    text += "node Reshape (flat_" + n + ", " + (name[0] == 'q' ? "split" : "split_kv") +
            ") -> (apart_" + n + ")\n";
    text += "node Transpose (apart_" + n + ") -> (" + n + ") perm=[0,2,1,3]\n";
  }
  for (const char* name : {"k", "v"}) {
    const std::string n = name + l;
    text += "node Concat (p" + n + ", " + n + ") -> (present_" + n + ") axis=-2\noutput present_" +
            n + " float16 [*]\n";
    if (model.kv_heads == model.heads) {
      text += "node Identity (present_" + n + ") -> (all_" + n + ")\n";
    } else {
      text += "node Unsqueeze (present_" + n + ", two) -> (wide_" + n + ")\n";
      text += "node Expand (wide_" + n + ", groups) -> (many_" + n + ")\n";
      text += "node Reshape (many_" + n + ", joined) -> (all_" + n + ")\n";
    }
  }
  text += "node Transpose (all_k" + l + ") -> (kt" + l + ") perm=[0,1,3,2]\n";
  text += "node MatMul (q" + l + ", kt" + l + ") -> (s" + l + ") name=\"scores" + l + "\"\n";
  text += "node Mul (s" + l + ", scale) -> (t" + l + ")\nnode Softmax (t" + l + ") -> (p" + l +
          ") axis=-1\n";
  text += "node MatMul (p" + l + ", all_v" + l + ") -> (c" + l + ")\n";
  text += "node Transpose (c" + l + ") -> (d" + l + ") perm=[0,2,1,3]\n";
  text += "node Reshape (d" + l + ", flat) -> (e" + l + ")\nnode MatMul (e" + l + ", wo" + l +
          ") -> (f" + l + ")\n";
  text += "node Add (" + h + ", f" + l + ") -> (g" + l + ")\n";
  text += "node MatMul (g" + l + ", wgate" + l + ") -> (i" + l + ")\nnode MatMul (g" + l + ", wup" +
          l + ") -> (j" + l + ")\n";
  text += "node Mul (i" + l + ", j" + l + ") -> (m" + l + ")\nnode MatMul (m" + l + ", wdown" + l +
          ") -> (n" + l + ")\n";
  text += "node Add (g" + l + ", n" + l + ") -> (h_" + Number(layer + 1) + ")\n";
  return text;
}

std::string DecoderText(const Decoder& model) {
  const std::string hidden = Number(model.hidden), head = Number(model.hidden / model.heads);
  std::string text = "opset 17\ninput ids int64 [batch,sequence]\n";
  text += "init table float16 [" + Number(model.vocabulary) + "," + hidden + "] none\n";
  text += "init out float16 [" + hidden + "," + Number(model.vocabulary) + "] none\n";
  text += "init split int64 [4] = 0 0 " + Number(model.heads) + " " + head + "\n";
  text += "init split_kv int64 [4] = 0 0 " + Number(model.kv_heads) + " " + head + "\n";
  text += "init flat int64 [3] = 0 0 " + hidden + "\ninit two int64 [1] = 2\n";
  text += "init groups int64 [5] = 1 1 " + Number(model.heads / model.kv_heads) + " 1 1\n";
  text += "init joined int64 [4] = 0 " + Number(model.heads) + " -1 " + head + "\n";
  text += "init scale float16 [] = 0x2da8\n";
  text += "node Gather (table, ids) -> (h_0)\n";
  for (int layer = 0; layer < model.layers; ++layer) text += LayerText(model, layer);
  text +=
      "node MatMul (h_" + Number(model.layers) + ", out) -> (logits)\noutput logits float16 [*]\n";
  return text;
}

LlmFacts FactsOf(Analysed& analysed) {
  std::optional<LlmFacts> facts = FindLlm(analysed.model, analysed.analysis);
  EXPECT_TRUE(facts.has_value());
  return facts ? std::move(*facts) : LlmFacts();
}

// Keys and values of Llama 2 7B: 524,288 bytes a token; a token after 1,023 others 6,875,512,832
// MAC.
TEST(Llm, Llama2DecodesOneToken) {
  Analysed model =
      AnalyseText(DecoderText(kLlama2), {{{"batch", 1}, {"sequence", 1}, {"past", 1023}}, {}});
  EXPECT_EQ(model.totals().counts.macs, Dim(6'875'512'832));
  const LlmFacts facts = FactsOf(model);
  ASSERT_EQ(facts.layers.size(), 32u);
  EXPECT_EQ(facts.layers[0].heads, Dim(32));
  EXPECT_EQ(facts.layers[0].kv_heads, Dim(32));
  EXPECT_EQ(facts.macs, Dim(std::int64_t{32} * 2 * 1024 * 4096));
  EXPECT_EQ(facts.macs_causal, facts.macs) << "one query sees all that came before";
  ASSERT_TRUE(facts.cache.has_value());
  EXPECT_TRUE(facts.cache->in_graph);
  EXPECT_EQ(facts.cache->layers, 32);
  EXPECT_EQ(facts.cache->bytes_per_token, Dim(524'288));
  EXPECT_EQ(facts.cache->bytes, Dim(std::int64_t{524'288} * 1024));
  // All matrices, one row of the table, the scale of each layer.
  EXPECT_EQ(facts.weight_bytes_per_token, Dim(std::int64_t{2} * (6'607'077'376 + 4096) + 32 * 2));
  ASSERT_EQ(facts.phases.size(), 1u);
  EXPECT_EQ(facts.phases[0].kind, Phase::Kind::kDecode);
  EXPECT_EQ(facts.phases[0].macs, Dim(6'875'512'832));
}

TEST(Llm, GroupedQueriesOfLlama3) {
  Analysed model = AnalyseText(DecoderText(kLlama3));
  const LlmFacts facts = FactsOf(model);
  ASSERT_EQ(facts.layers.size(), 32u);
  EXPECT_EQ(facts.layers[0].heads, Dim(32));
  EXPECT_EQ(facts.layers[0].kv_heads, Dim(8));
  ASSERT_TRUE(facts.cache.has_value());
  EXPECT_EQ(facts.cache->kv_heads, Dim(8));
  EXPECT_EQ(facts.cache->bytes_per_token, Dim(131'072));
  EXPECT_EQ(model.Text(facts.cache->tokens), "batch*past + batch*sequence");
}

// Free symbols: prefill is the past at 0, decode one token at a time; both as formulas.
TEST(Llm, PhasesBindTheSymbolsOfTheSequence) {
  constexpr Decoder kTiny = {2, 64, 4, 2, 128, 100};
  Analysed model = AnalyseText(DecoderText(kTiny));
  const LlmFacts facts = FactsOf(model);
  ASSERT_EQ(facts.phases.size(), 2u);
  EXPECT_EQ(facts.phases[0].kind, Phase::Kind::kPrefill);
  EXPECT_EQ(facts.phases[0].bindings[0], std::pair(std::string("past"), std::int64_t{0}));
  EXPECT_EQ(facts.phases[1].kind, Phase::Kind::kDecode);
  EXPECT_EQ(facts.phases[1].bindings[0], std::pair(std::string("sequence"), std::int64_t{1}));
  const int linear = 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128) + 64 * 100;
  EXPECT_EQ(model.Text(facts.phases[0].macs),
            "batch*sequence*sequence*256 + batch*sequence*" + Number(linear));
  EXPECT_EQ(model.Text(facts.phases[1].macs), "batch*past*256 + batch*" + Number(linear + 256));
}

// 12 query heads, 3 of keys and values, 96 positions, 32 wide: 7,077,888 MAC; 36,864 bytes of
// cache.
TEST(Llm, AttentionAsOneOpHasBothMacs) {
  Analysed model = AnalyseText(R"(
opset 23
input q float16 [1,12,96,32]
input k float16 [1,3,96,32]
input v float16 [1,3,96,32]
node Attention (q, k, v) -> (y) is_causal=1
output y float16 [*]
)");
  const LlmFacts facts = FactsOf(model);
  ASSERT_EQ(facts.layers.size(), 1u);
  EXPECT_EQ(facts.macs, Dim(7'077'888));
  EXPECT_EQ(facts.macs_causal, Dim(3'575'808));
  ASSERT_TRUE(facts.cache.has_value());
  EXPECT_FALSE(facts.cache->in_graph);
  EXPECT_EQ(facts.cache->bytes, Dim(36'864));
}

// The cache of an op: present keys and values grow from the past ones, whatever the inputs are
// named.
TEST(Llm, CacheOfOneOp) {
  Analysed model = AnalyseText(R"(
opset 23
input q float16 [1,8,1,64]
input k float16 [1,2,1,64]
input v float16 [1,2,1,64]
input a float16 [1,2,past,64]
input b float16 [1,2,past,64]
node Attention (q, k, v, , a, b) -> (y, c, d) is_causal=1
output y float16 [*]
output c float16 [*]
output d float16 [*]
)");
  const LlmFacts facts = FactsOf(model);
  ASSERT_TRUE(facts.cache.has_value());
  EXPECT_TRUE(facts.cache->in_graph);
  EXPECT_EQ(facts.cache->layers, 1);
  EXPECT_EQ(facts.cache->bytes_per_token, Dim(2 * 2 * 64 * 2));
  EXPECT_EQ(model.Text(facts.cache->tokens), "past + 1");
  ASSERT_EQ(facts.phases.size(), 1u) << "one new token: decode alone";
  EXPECT_EQ(facts.phases[0].kind, Phase::Kind::kDecode);
}

// Two layers with 2 of 8 experts of 64 -> 128 -> 64 in float16 behind attention: a token reads the
// attention's own weights whole, of the experts a quarter.
TEST(Llm, ExpertsCountByThoseThatAreActive) {
  Analysed model = AnalyseText(R"(
input x float16 [1,5,64]
input r float16 [5,8]
init wq float16 [64,192] none
init bq float16 [192] none
init a float16 [8,128,64] none
init b float16 [8,64,128] none
init c float16 [8,128,64] none
init d float16 [8,64,128] none
node Attention (x, wq, bq) -> (y) domain="com.microsoft" num_heads=4
node MoE (y, r, a, , b) -> (z) domain="com.microsoft" k=2 activation_type="relu"
node MoE (z, r, c, , d) -> (out) domain="com.microsoft" k=2 activation_type="relu"
output out float16 [*]
)");
  const LlmFacts facts = FactsOf(model);
  ASSERT_TRUE(facts.experts.has_value());
  EXPECT_EQ(facts.experts->layers, 2);
  EXPECT_EQ(facts.experts->experts, Dim(8));
  EXPECT_EQ(facts.experts->active, Dim(2));
  constexpr std::int64_t kLayer = 2 * 8 * 64 * 128 * 2;
  EXPECT_EQ(facts.experts->weight_bytes, Dim(2 * kLayer));
  EXPECT_EQ(facts.experts->active_weight_bytes, Dim(2 * kLayer / 4));
  EXPECT_EQ(facts.weight_bytes_per_token, Dim(2 * kLayer / 4 + (64 * 192 + 192) * 2));
}

// An encoder: no mask that looks back, so no cache; a classifier has a softmax and no attention.
TEST(Llm, NoCacheAndNoAttentionWhereThereIsNone) {
  Analysed encoder = AnalyseText(R"(
input q float32 [2,8,16,64]
input k float32 [2,8,64,16]
input v float32 [2,8,16,64]
input mask float32 [2,1,1,16]
node MatMul (q, k) -> (s)
node Add (s, mask) -> (t)
node Softmax (t) -> (p) axis=-1
node MatMul (p, v) -> (y)
output y float32 [*]
)");
  const LlmFacts facts = FactsOf(encoder);
  EXPECT_EQ(facts.macs, Dim(2 * 8 * 16 * 16 * 128));
  EXPECT_TRUE(facts.macs_causal.is_unknown());
  EXPECT_FALSE(facts.cache.has_value());
  Analysed classifier = AnalyseText(R"(
input x float32 [2,8]
init w float32 [8,4]
node MatMul (x, w) -> (m)
node Softmax (m) -> (y)
output y float32 [*]
)");
  EXPECT_FALSE(FindLlm(classifier.model, classifier.analysis).has_value());
}

}  // namespace
}  // namespace opscope
