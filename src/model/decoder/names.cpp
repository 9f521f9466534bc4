#include "model/decoder/names.h"

#include <array>
#include <span>

namespace opscope::decoder {

namespace {

struct RoleName {
  Role role;
  std::string_view module;  // behind the layer's prefix
};

// The first one that is there counts. Checkpoints: Llama and its kin, Phi, Falcon, GPT-NeoX, GPT-2,
// DeepSeek; GGUF has one spelling for all.
constexpr std::array kRoleNames = {
    RoleName{Role::kAttentionNorm, "input_layernorm"},
    RoleName{Role::kAttentionNorm, "ln_1"},
    RoleName{Role::kAttentionNorm, "ln_attn"},
    RoleName{Role::kAttentionNorm, "attn_norm"},
    RoleName{Role::kSecondNorm, "ln_mlp"},
    RoleName{Role::kSecondNorm, "attn_norm_2"},
    RoleName{Role::kQuery, "self_attn.q_proj"},
    RoleName{Role::kQuery, "attn_q"},
    RoleName{Role::kKey, "self_attn.k_proj"},
    RoleName{Role::kKey, "attn_k"},
    RoleName{Role::kValue, "self_attn.v_proj"},
    RoleName{Role::kValue, "attn_v"},
    RoleName{Role::kQueryKeyValue, "self_attn.qkv_proj"},
    RoleName{Role::kQueryKeyValue, "self_attention.query_key_value"},
    RoleName{Role::kQueryKeyValue, "attention.query_key_value"},
    RoleName{Role::kQueryKeyValue, "attn.c_attn"},
    RoleName{Role::kQueryKeyValue, "attn_qkv"},
    RoleName{Role::kQueryNorm, "self_attn.q_norm"},
    RoleName{Role::kQueryNorm, "self_attn.q_layernorm"},
    RoleName{Role::kQueryNorm, "attn_q_norm"},
    RoleName{Role::kKeyNorm, "self_attn.k_norm"},
    RoleName{Role::kKeyNorm, "self_attn.k_layernorm"},
    RoleName{Role::kKeyNorm, "attn_k_norm"},
    RoleName{Role::kAttentionOut, "self_attn.o_proj"},
    RoleName{Role::kAttentionOut, "self_attn.dense"},
    RoleName{Role::kAttentionOut, "self_attention.dense"},
    RoleName{Role::kAttentionOut, "attention.dense"},
    RoleName{Role::kAttentionOut, "attn.c_proj"},
    RoleName{Role::kAttentionOut, "attn_output"},
    RoleName{Role::kAfterAttentionNorm, "post_attention_norm"},
    RoleName{Role::kFeedForwardNorm, "pre_feedforward_layernorm"},
    RoleName{Role::kFeedForwardNorm, "post_attention_layernorm"},
    RoleName{Role::kFeedForwardNorm, "ln_2"},
    RoleName{Role::kFeedForwardNorm, "ffn_norm"},
    RoleName{Role::kGate, "mlp.gate_proj"},
    RoleName{Role::kGate, "ffn_gate"},
    RoleName{Role::kUp, "mlp.up_proj"},
    RoleName{Role::kUp, "mlp.fc1"},
    RoleName{Role::kUp, "mlp.c_fc"},
    RoleName{Role::kUp, "mlp.dense_h_to_4h"},
    RoleName{Role::kUp, "ffn_up"},
    RoleName{Role::kGateUp, "mlp.gate_up_proj"},
    RoleName{Role::kDown, "mlp.down_proj"},
    RoleName{Role::kDown, "mlp.fc2"},
    RoleName{Role::kDown, "mlp.c_proj"},
    RoleName{Role::kDown, "mlp.dense_4h_to_h"},
    RoleName{Role::kDown, "ffn_down"},
    RoleName{Role::kAfterFeedForwardNorm, "post_feedforward_layernorm"},
    RoleName{Role::kAfterFeedForwardNorm, "post_ffw_norm"},
    RoleName{Role::kRouter, "block_sparse_moe.gate"},
    RoleName{Role::kRouter, "mlp.gate"},
    RoleName{Role::kRouter, "ffn_gate_inp"},
    RoleName{Role::kExpertGates, "ffn_gate_exps"},
    RoleName{Role::kExpertUps, "ffn_up_exps"},
    RoleName{Role::kExpertDowns, "ffn_down_exps"},
    RoleName{Role::kSharedGate, "mlp.shared_expert.gate_proj"},
    RoleName{Role::kSharedGate, "mlp.shared_experts.gate_proj"},
    RoleName{Role::kSharedGate, "ffn_gate_shexp"},
    RoleName{Role::kSharedUp, "mlp.shared_expert.up_proj"},
    RoleName{Role::kSharedUp, "mlp.shared_experts.up_proj"},
    RoleName{Role::kSharedUp, "ffn_up_shexp"},
    RoleName{Role::kSharedDown, "mlp.shared_expert.down_proj"},
    RoleName{Role::kSharedDown, "mlp.shared_experts.down_proj"},
    RoleName{Role::kSharedDown, "ffn_down_shexp"},
    RoleName{Role::kSharedRouter, "mlp.shared_expert_gate"},
    RoleName{Role::kSharedRouter, "ffn_gate_inp_shexp"},
    RoleName{Role::kQueryLow, "self_attn.q_a_proj"},
    RoleName{Role::kQueryLow, "attn_q_a"},
    RoleName{Role::kQueryLowNorm, "self_attn.q_a_layernorm"},
    RoleName{Role::kQueryLowNorm, "attn_q_a_norm"},
    RoleName{Role::kQueryHigh, "self_attn.q_b_proj"},
    RoleName{Role::kQueryHigh, "attn_q_b"},
    RoleName{Role::kLatent, "self_attn.kv_a_proj_with_mqa"},
    RoleName{Role::kLatent, "attn_kv_a_mqa"},
    RoleName{Role::kLatentNorm, "self_attn.kv_a_layernorm"},
    RoleName{Role::kLatentNorm, "attn_kv_a_norm"},
    RoleName{Role::kLatentHigh, "self_attn.kv_b_proj"},
    RoleName{Role::kLatentHigh, "attn_kv_b"},
    RoleName{Role::kLatentKey, "attn_k_b"},
    RoleName{Role::kLatentValue, "attn_v_b"},
};

struct ExpertName {
  Role role;
  std::string_view before, after;  // the expert's number stands between
};
constexpr std::array kExpertNames = {
    ExpertName{Role::kGate, "block_sparse_moe.experts.", ".w1"},
    ExpertName{Role::kGate, "mlp.experts.", ".gate_proj"},
    ExpertName{Role::kGate, "ffn_gate.", ""},
    ExpertName{Role::kUp, "block_sparse_moe.experts.", ".w3"},
    ExpertName{Role::kUp, "mlp.experts.", ".up_proj"},
    ExpertName{Role::kUp, "ffn_up.", ""},
    ExpertName{Role::kDown, "block_sparse_moe.experts.", ".w2"},
    ExpertName{Role::kDown, "mlp.experts.", ".down_proj"},
    ExpertName{Role::kDown, "ffn_down.", ""},
};

constexpr std::array<std::string_view, 5> kEmbeddings = {"token_embd", "embed_tokens", "wte",
                                                         "word_embeddings", "embed_in"};
constexpr std::array<std::string_view, 2> kPositions = {"position_embd", "wpe"};
constexpr std::array<std::string_view, 5> kFinalNorms = {"output_norm", "norm", "ln_f",
                                                         "final_layer_norm", "final_layernorm"};
constexpr std::array<std::string_view, 3> kHeads = {"output", "lm_head", "embed_out"};
constexpr std::array<std::string_view, 3> kLayers = {"blk.", "layers.", "h."};

bool Has(const Weights& weights, const std::string& module) {
  return weights.Find(module + ".weight").valid();
}

std::string FirstOf(const Weights& weights, const std::string& prefix,
                    std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (std::string module = prefix + std::string(name); Has(weights, module)) return module;
  return {};
}

// "model.language_model." -> "model."
std::string Parent(const std::string& prefix) {
  const std::size_t dot =
      prefix.size() < 2 ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
  return dot == std::string::npos ? std::string() : prefix.substr(0, dot + 1);
}

// "model.embed_tokens.weight" -> "model."; nullopt when the weight is no embedding of tokens.
std::optional<std::string> PrefixOf(std::string_view weight) {
  for (const std::string_view name : kEmbeddings) {
    const std::string ending = std::string(name) + ".weight";
    if (!weight.ends_with(ending)) continue;
    const std::string_view prefix = weight.substr(0, weight.size() - ending.size());
    if (prefix.empty() || prefix.back() == '.') return std::string(prefix);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Stem> FindStem(const Weights& weights) {
  for (const TensorId tensor : weights.all()) {
    const auto prefix = PrefixOf(weights.name(tensor));
    if (!prefix) continue;
    Stem stem;
    stem.embedding = FirstOf(weights, *prefix, kEmbeddings);
    stem.positions = FirstOf(weights, *prefix, kPositions);
    stem.final_norm = FirstOf(weights, *prefix, kFinalNorms);
    for (const std::string_view layers : kLayers) {
      const std::string layer = *prefix + std::string(layers);
      if (!FindModule(weights, layer + "0.", Role::kAttentionNorm).empty()) stem.layers = layer;
    }
    if (stem.layers.empty()) continue;
    stem.head = FirstOf(weights, *prefix, kHeads);
    for (std::string outer = Parent(*prefix); stem.head.empty(); outer = Parent(outer)) {
      stem.head = FirstOf(weights, outer, kHeads);
      if (outer.empty()) break;
    }
    return stem;
  }
  return std::nullopt;
}

std::string FindModule(const Weights& weights, const std::string& layer, Role role) {
  for (const RoleName& name : kRoleNames) {
    if (name.role != role) continue;
    if (std::string module = layer + std::string(name.module); Has(weights, module)) return module;
  }
  return {};
}

std::string FindExpert(const Weights& weights, const std::string& layer, Role role,
                       std::int64_t expert) {
  for (const ExpertName& name : kExpertNames) {
    if (name.role != role) continue;
    std::string module =
        layer + std::string(name.before) + std::to_string(expert) + std::string(name.after);
    if (Has(weights, module)) return module;
  }
  return {};
}

bool IsBuffer(std::string_view weight) {
  constexpr std::array<std::string_view, 6> kEndings = {
      "rotary_emb.inv_freq",    ".attn.bias",       ".attn.masked_bias", ".attention.bias",
      ".attention.masked_bias", "rope_freqs.weight"};
  for (const std::string_view ending : kEndings)
    if (weight.ends_with(ending)) return true;
  return weight.starts_with("rope_factors_");
}

}  // namespace opscope::decoder
