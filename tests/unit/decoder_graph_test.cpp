// Graphs built from weights alone: small decoders of every shape, as checkpoints and GGUF name
// them.
#include <gtest/gtest.h>

#include <string>

#include "cost/llm.h"
#include "model/formats/format.h"
#include "support/weights_bytes.h"

namespace opscope {
namespace {

using namespace testing;  // NOLINT

using Sizes = std::vector<std::int64_t>;

struct Built {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;

  std::string Macs() const { return model.dims.ToText(analysis.totals.counts.macs); }
  const Layer* Of(std::string_view name) const {
    for (const Layer& layer : analysis.layers)
      if (model.text(model.node(layer.node).name) == name) return &layer;
    return nullptr;
  }
  std::string Logged(std::string_view code) const {
    for (const ImportIssue& issue : log.issues())
      if (issue.code == code) return issue.message;
    return "";
  }
};

Built Read(std::string bytes, const std::string& config, const std::string& name) {
  Source source = Source::FromBytes(name, std::move(bytes));
  Built out;
  const auto sibling = [&](const std::string& file) -> Result<Source> {
    if (file == "config.json" && !config.empty()) return Source::FromBytes(file, config);
    return Error{"input.missing", "no such file", file};
  };
  auto model = ReadModel({source, out.log, sibling});
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  out.model = std::move(*model);
  PropagateOptions options;
  const std::vector<TensorId>& inputs = out.model.main().inputs;
  if (!inputs.empty() && out.model.text(out.model.tensor(inputs[0]).name) == "input_ids")
    options.bindings = {{"batch", 1}, {"sequence", 3}, {"past", 5}};
  auto analysis = AnalyzeStatic(out.model, options, out.log);
  EXPECT_TRUE(analysis.has_value());
  out.analysis = std::move(*analysis);
  return out;
}

class Checkpoint {
 public:
  Checkpoint& Add(const std::string& name, const Sizes& dims) {
    std::int64_t bytes = 2;
    for (const std::int64_t dim : dims) bytes *= dim;
    weights_.push_back({name + ".weight", "F16", dims, bytes});
    return *this;
  }
  Built Build(const std::string& config) const {
    return Read(Safetensors(weights_), config, "model.safetensors");
  }

 private:
  std::vector<WeightSpec> weights_;
};

constexpr std::int64_t kHidden = 8, kInner = 20, kRows = 11;

// One layer of Llama with 4 heads of 2 and 2 for keys and values.
Checkpoint Llama(const std::string& prefix, bool tied) {
  Checkpoint out;
  const std::string layer = prefix + "layers.0.";
  out.Add(prefix + "embed_tokens", {kRows, kHidden})
      .Add(layer + "input_layernorm", {kHidden})
      .Add(layer + "self_attn.q_proj", {8, kHidden})
      .Add(layer + "self_attn.k_proj", {4, kHidden})
      .Add(layer + "self_attn.v_proj", {4, kHidden})
      .Add(layer + "self_attn.o_proj", {kHidden, 8})
      .Add(layer + "post_attention_layernorm", {kHidden})
      .Add(layer + "mlp.gate_proj", {kInner, kHidden})
      .Add(layer + "mlp.up_proj", {kInner, kHidden})
      .Add(layer + "mlp.down_proj", {kHidden, kInner})
      .Add(prefix + "norm", {kHidden});
  if (!tied) out.Add("lm_head", {kRows, kHidden});
  return out;
}

std::string Config(const std::string& type, const std::string& more = "") {
  return "{\"model_type\":\"" + type +
         "\",\"hidden_size\":8,\"num_hidden_layers\":1,\"num_attention_heads\":4,"
         "\"num_key_value_heads\":2,\"hidden_act\":\"silu\",\"torch_dtype\":\"float16\"" +
         more + "}";
}

constexpr std::int64_t kAttention = 8 * 8 + 2 * 4 * 8 + 8 * 8;  // products with weights, a token
constexpr std::int64_t kMlp = 3 * kInner * kHidden;
constexpr std::int64_t kHead = kRows * kHidden;
constexpr std::int64_t kPairs = 3 * 8 * 4 * (2 + 2);  // new * all * heads * (head + value)

TEST(DecoderGraph, Llama) {
  const Built built = Llama("model.", false).Build(Config("llama"));
  EXPECT_EQ(built.Macs(), std::to_string(3 * (kAttention + kMlp + kHead) + kPairs));
  EXPECT_TRUE(built.analysis.totals.complete);
  EXPECT_EQ(built.analysis.totals.parameters, Dim(2 * kHead + kAttention + kMlp + 3 * kHidden));
  EXPECT_TRUE(built.log.issues().empty());
  ASSERT_NE(built.Of("model.layers.0.self_attn.q_proj"), nullptr);
  EXPECT_EQ(built.Of("model.layers.0.self_attn.q_proj")->counts.macs, Dim(3 * 64));
  Built copy = Llama("model.", false).Build(Config("llama"));
  const auto llm = FindLlm(copy.model, copy.analysis);
  ASSERT_TRUE(llm && llm->cache);
  EXPECT_EQ(llm->cache->bytes_per_token, Dim(2 * 2 * 2 * 2));  // both, heads, width, bytes
  EXPECT_EQ(llm->macs_causal, Dim((3 * 5 + 6) * 4 * 4));
}

TEST(DecoderGraph, TiedEmbeddingsCountOnce) {
  const Built built = Llama("model.", true).Build(Config("llama"));
  EXPECT_EQ(built.Macs(), std::to_string(3 * (kAttention + kMlp + kHead) + kPairs));
  EXPECT_EQ(built.analysis.totals.parameters, Dim(kHead + kAttention + kMlp + 3 * kHidden));
  ASSERT_NE(built.Of("lm_head"), nullptr);
  EXPECT_TRUE(built.Of("lm_head")->shared_with.valid());
}

// The decoder of a model of several parts, and weights that it does not use.
TEST(DecoderGraph, PartsOfALargerModel) {
  Checkpoint weights = Llama("language_model.model.", true);
  weights.Add("vision_tower.encoder.layers.0.fc1", {4, 4});
  const Built built = weights.Build(
      "{\"model_type\":\"gemma3\",\"torch_dtype\":\"float16\","
      "\"text_config\":" +
      Config("gemma3_text", ",\"head_dim\":2") + "}");
  EXPECT_NE(built.Of("language_model.model.layers.0.attention"), nullptr);
  EXPECT_FALSE(built.analysis.totals.complete);
  EXPECT_NE(built.Logged("weights.unused").find("1 weights"), std::string::npos);
  const Layer* left = built.Of("vision_tower.encoder.layers.0.fc1");
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->parameters, Dim(16));
  EXPECT_EQ(left->status, LayerStatus::kUnknown);
}

TEST(DecoderGraph, UnknownArchitecturesHaveParametersOnly) {
  const Built other = Llama("model.", false).Build(Config("mamba"));
  EXPECT_NE(other.Logged("weights.no-graph").find("\"mamba\""), std::string::npos);
  EXPECT_EQ(other.analysis.totals.parameters, Dim(2 * kHead + kAttention + kMlp + 3 * kHidden));
  EXPECT_FALSE(other.analysis.totals.complete);
  const Built none = Llama("model.", false).Build("");
  EXPECT_NE(none.Logged("weights.no-graph").find("config.json"), std::string::npos);
  // The configuration speaks of other sizes than the weights have.
  const Built wrong = Llama("model.", false).Build(Config("llama", ",\"head_dim\":3"));
  EXPECT_NE(wrong.Logged("weights.no-graph").find("do not fit"), std::string::npos);
  EXPECT_EQ(wrong.analysis.totals.parameters, other.analysis.totals.parameters);
  for (const char* broken : {"{", "[1]", "{\"model_type\":3}", "{\"model_type\":\"llama\""})
    EXPECT_FALSE(Llama("model.", false).Build(broken).analysis.totals.parameters.is_unknown());
}

// Eight weights of four bits in a word: said, not hidden in the count.
TEST(DecoderGraph, PackedWeightsAreSaid) {
  const Built built =
      Read(Safetensors({{"model.layers.0.self_attn.q_proj.qweight", "I32", {8, 64}, 2048}}),
           Config("llama"), "model.safetensors");
  EXPECT_NE(built.Logged("weights.packed").find("too few"), std::string::npos);
  EXPECT_EQ(built.analysis.layers.at(0).weight_bytes, Dim(2048));
}

TEST(DecoderGraph, Experts) {
  Checkpoint weights;
  const std::string layer = "model.layers.0.";
  weights.Add("model.embed_tokens", {kRows, kHidden})
      .Add(layer + "input_layernorm", {kHidden})
      .Add(layer + "self_attn.q_proj", {8, kHidden})
      .Add(layer + "self_attn.k_proj", {4, kHidden})
      .Add(layer + "self_attn.v_proj", {4, kHidden})
      .Add(layer + "self_attn.o_proj", {kHidden, 8})
      .Add(layer + "post_attention_layernorm", {kHidden})
      .Add(layer + "block_sparse_moe.gate", {3, kHidden})
      .Add("model.norm", {kHidden});
  for (int e = 0; e < 3; ++e) {
    const std::string expert = layer + "block_sparse_moe.experts." + std::to_string(e);
    weights.Add(expert + ".w1", {kInner, kHidden})
        .Add(expert + ".w2", {kHidden, kInner})
        .Add(expert + ".w3", {kInner, kHidden});
  }
  const Built built =
      weights.Build(Config("mixtral", ",\"num_local_experts\":3,\"num_experts_per_tok\":2"));
  // Two of three for each token.
  EXPECT_EQ(built.Macs(),
            std::to_string(3 * (kAttention + 3 * kHidden + 2 * kMlp + kHead) + kPairs));
  EXPECT_EQ(built.analysis.totals.parameters,
            Dim(kHead + kAttention + 3 * kHidden + 3 * kMlp + 3 * kHidden));
  EXPECT_TRUE(built.analysis.totals.complete);
}

// Both ways of latent attention, the cheaper one counted: sizes at which each is it.
TEST(DecoderGraph, LatentAttention) {
  constexpr std::int64_t kLatent = 4, kRope = 2, kNope = 3, kValue = 5, kHeads = 4;
  Checkpoint weights;
  const std::string layer = "model.layers.0.";
  weights.Add("model.embed_tokens", {kRows, kHidden})
      .Add(layer + "input_layernorm", {kHidden})
      .Add(layer + "self_attn.q_proj", {kHeads * (kNope + kRope), kHidden})
      .Add(layer + "self_attn.kv_a_proj_with_mqa", {kLatent + kRope, kHidden})
      .Add(layer + "self_attn.kv_a_layernorm", {kLatent})
      .Add(layer + "self_attn.kv_b_proj", {kHeads * (kNope + kValue), kLatent})
      .Add(layer + "self_attn.o_proj", {kHidden, kHeads * kValue})
      .Add(layer + "post_attention_layernorm", {kHidden})
      .Add(layer + "mlp.gate_proj", {kInner, kHidden})
      .Add(layer + "mlp.up_proj", {kInner, kHidden})
      .Add(layer + "mlp.down_proj", {kHidden, kInner})
      .Add("model.norm", {kHidden});
  Built built =
      weights.Build(Config("deepseek_v2",
                           ",\"kv_lora_rank\":4,\"qk_rope_head_dim\":2,\"qk_nope_head_dim\":3,"
                           "\"v_head_dim\":5"));
  ASSERT_TRUE(built.log.issues().empty()) << built.log.issues().front().message;
  const Layer* attention = built.Of("model.layers.0.attention");
  ASSERT_NE(attention, nullptr);
  const std::int64_t pairs = 3 * 8 * kHeads * (kNope + kRope + kValue);
  const std::int64_t made = 3 * kHeads * kLatent * (kNope + kValue);
  const std::int64_t expanded = 5 * kHeads * kLatent * (kNope + kValue);
  const std::int64_t absorbed = 3 * 8 * kHeads * (2 * kLatent - kNope - kValue);
  EXPECT_EQ(attention->counts.macs, Dim(pairs + made + std::min(expanded, absorbed)));
  EXPECT_EQ(attention->parameters, Dim(kHeads * (kNope + kValue) * kLatent));
  const auto llm = FindLlm(built.model, built.analysis);
  ASSERT_TRUE(llm && llm->cache);
  EXPECT_TRUE(llm->cache->latent);
  EXPECT_EQ(llm->cache->layers, 1);
  EXPECT_EQ(llm->cache->bytes_per_token, Dim((kLatent + kRope) * 2));
}

// GPT-2: weights the other way round, positions from a table, norms with a mean, one fused product.
TEST(DecoderGraph, Gpt2) {
  Checkpoint weights;
  weights.Add("wte", {kRows, kHidden})
      .Add("wpe", {16, kHidden})
      .Add("h.0.ln_1", {kHidden})
      .Add("h.0.attn.c_attn", {kHidden, 3 * kHidden})
      .Add("h.0.attn.c_proj", {kHidden, kHidden})
      .Add("h.0.ln_2", {kHidden})
      .Add("h.0.mlp.c_fc", {kHidden, kInner})
      .Add("h.0.mlp.c_proj", {kInner, kHidden})
      .Add("ln_f", {kHidden});
  const Built built =
      weights.Build("{\"model_type\":\"gpt2\",\"n_embd\":8,\"n_layer\":1,\"n_head\":4}");
  EXPECT_EQ(built.Macs(), std::to_string(3 * (4 * 64 + 2 * kInner * kHidden + kHead) + kPairs));
  EXPECT_EQ(built.analysis.totals.parameters,
            Dim(kHead + 16 * kHidden + 4 * 64 + 2 * kInner * kHidden + 3 * kHidden));
  EXPECT_TRUE(built.analysis.totals.complete);
}

// --- GGUF ---

TEST(DecoderGraph, BytesOfEveryBlock) {
  // type of ggml, elements of a block, bytes of it
  constexpr std::uint32_t kBlocks[][3] = {
      {0, 1, 4},      {1, 1, 2},     {2, 32, 18},    {3, 32, 20},    {6, 32, 22},    {7, 32, 24},
      {8, 32, 34},    {10, 256, 84}, {11, 256, 110}, {12, 256, 144}, {13, 256, 176}, {14, 256, 210},
      {15, 256, 292}, {16, 256, 66}, {17, 256, 74},  {18, 256, 98},  {19, 256, 50},  {20, 32, 18},
      {21, 256, 110}, {22, 256, 82}, {23, 256, 136}, {24, 1, 1},     {25, 1, 2},     {26, 1, 4},
      {27, 1, 8},     {28, 1, 8},    {29, 256, 56},  {30, 1, 2},     {34, 256, 54},  {35, 256, 66},
      {39, 32, 17},   {40, 64, 36},  {41, 128, 18}};
  for (const auto& [type, elements, bytes] : kBlocks) {
    const std::uint64_t size = 3ULL * 512 / elements * bytes;
    const Built built = Read(Gguf({}, {{"a.weight", {512, 3}, type, 0}}, size), "", "m.gguf");
    ASSERT_EQ(built.analysis.layers.size(), 1U) << type;
    EXPECT_EQ(built.analysis.layers[0].parameters, Dim(1536)) << type;
    EXPECT_EQ(built.analysis.layers[0].weight_bytes, Dim(static_cast<std::int64_t>(size))) << type;
    // The data end with the tensor, to the byte.
    Source source = Source::FromBytes("m.gguf", Gguf({}, {{"a", {512, 3}, type, 0}}, size - 1));
    ImportLog log;
    EXPECT_FALSE(ReadModel({source, log, {}}).has_value()) << type;
  }
}

TEST(DecoderGraph, QuantisedLlamaOfGguf) {
  std::vector<GgufTensor> tensors;
  std::uint64_t at = 0;
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> dims,
                       std::uint32_t type) {
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : dims) elements *= dim;
    tensors.push_back({name + ".weight", std::move(dims), type, at});
    at += type == 0 ? 4 * elements : elements / 256 * 144;
    at += (32 - at % 32) % 32;
  };
  add("token_embd", {256, 10}, 12);
  add("blk.0.attn_norm", {256}, 0);
  for (const char* name : {"q", "k", "v"}) add(std::string("blk.0.attn_") + name, {256, 256}, 12);
  add("blk.0.attn_output", {256, 256}, 12);
  add("blk.0.ffn_norm", {256}, 0);
  add("blk.0.ffn_gate", {256, 512}, 12);
  add("blk.0.ffn_up", {256, 512}, 12);
  add("blk.0.ffn_down", {512, 256}, 12);
  add("output_norm", {256}, 0);
  Built built = Read(
      Gguf({GgufText("general.architecture", "llama"), GgufNumber("llama.block_count", 1),
            GgufNumber("llama.embedding_length", 256), GgufNumber("llama.attention.head_count", 4)},
           tensors, at),
      "", "m.gguf");
  EXPECT_TRUE(built.log.issues().empty());
  constexpr std::int64_t kWeights = 4 * 65536 + 3 * 131072 + 2560;
  EXPECT_EQ(built.analysis.totals.parameters, Dim(kWeights + 3 * 256));
  EXPECT_EQ(built.Macs(), std::to_string(3 * kWeights + 3 * 8 * 4 * 128));
  const auto llm = FindLlm(built.model, built.analysis);
  ASSERT_TRUE(llm);
  ASSERT_EQ(llm->quantised.size(), 1U);
  EXPECT_EQ(llm->quantised[0].dtype, "Q4_K");
  EXPECT_EQ(llm->quantised[0].bits, 4);
  EXPECT_EQ(llm->quantised[0].weights, Dim(kWeights));
  EXPECT_EQ(llm->quantised[0].weight_bytes, Dim(kWeights / 2));
  EXPECT_EQ(llm->quantised[0].scale_bytes, Dim(kWeights / 256 * 8));
  EXPECT_EQ(llm->quantised[0].zero_point_bytes, Dim(kWeights / 256 * 8));
  ASSERT_TRUE(llm->cache);
  EXPECT_EQ(llm->cache->dtype, DType::kFloat16);
}

// A part that is missing costs its weights; names in any script are kept.
TEST(DecoderGraph, PartsOfGguf) {
  const Built built = Read(
      Gguf({GgufNumber("split.count", 2)}, {{"层.权重", {8}, 0, 0}, {"\xff\xfe", {8}, 0, 32}}, 64),
      "", "模型-00001-of-00002.gguf");
  EXPECT_EQ(built.analysis.totals.parameters, Dim(16));
  ASSERT_EQ(built.model.external_files.size(), 1U);
  EXPECT_EQ(built.model.external_files[0].path, "模型-00002-of-00002.gguf");
  EXPECT_FALSE(built.Logged("gguf.part-missing").empty());
}

// One layer of width 64: projections of four bits in groups of 32, as GPTQ or AWQ stores them.
Built Packed(bool gptq) {
  std::vector<WeightSpec> weights;
  const auto plain = [&](const std::string& name, const Sizes& dims) {
    std::int64_t bytes = 2;
    for (const std::int64_t dim : dims) bytes *= dim;
    weights.push_back({name + ".weight", "F16", dims, bytes});
  };
  const auto packed = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    const Sizes words = gptq ? Sizes{in / 8, out} : Sizes{in, out / 8};
    weights.push_back({name + ".qweight", "I32", words, in * out / 2});
    weights.push_back({name + ".qzeros", "I32", {in / 32, out / 8}, in / 32 * out / 2});
    weights.push_back({name + ".scales", "F16", {in / 32, out}, in / 32 * out * 2});
    if (gptq) weights.push_back({name + ".g_idx", "I32", {in}, in * 4});
  };
  const std::string layer = "model.layers.0.";
  plain("model.embed_tokens", {11, 64});
  plain(layer + "input_layernorm", {64});
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
    packed(layer + "self_attn." + name, 64, 64);
  plain(layer + "post_attention_layernorm", {64});
  packed(layer + "mlp.gate_proj", 128, 64);
  packed(layer + "mlp.up_proj", 128, 64);
  packed(layer + "mlp.down_proj", 64, 128);
  plain("model.norm", {64});
  plain("lm_head", {11, 64});
  return Read(Safetensors(weights),
              "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":1,"
              "\"num_attention_heads\":4,\"num_key_value_heads\":4,\"hidden_act\":\"silu\","
              "\"torch_dtype\":\"float16\",\"quantization_config\":{\"quant_method\":\"" +
                  std::string(gptq ? "gptq" : "awq") + "\",\"bits\":4,\"group_size\":32}}",
              "model.safetensors");
}

TEST(DecoderGraph, WordsOfSeveralWeights) {
  constexpr std::int64_t kProducts = 4 * 64 * 64 + 3 * 128 * 64;
  for (const bool gptq : {true, false}) {
    const Built built = Packed(gptq);
    EXPECT_TRUE(built.log.issues().empty());
    EXPECT_TRUE(built.analysis.totals.complete);
    EXPECT_EQ(built.Macs(), std::to_string(3 * (kProducts + 11 * 64) + 3 * 8 * 4 * 32));
    // A scale and a zero point for each 32 weights.
    constexpr std::int64_t kOthers = 2 * 11 * 64 + 3 * 64;
    EXPECT_EQ(built.analysis.totals.parameters, Dim(kProducts + kProducts / 32 * 2 + kOthers));
    EXPECT_EQ(built.analysis.totals.parameter_bytes,
              Dim(kProducts / 2 + kProducts / 32 * 2 + kProducts / 32 / 2 + kOthers * 2));
  }
}

}  // namespace
}  // namespace opscope
