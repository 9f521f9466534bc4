// What a model with attention asks for: heads, the cache of keys and values, weights a token,
// prefill and decode.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"

namespace opscope::doc {

struct LlmAttention {
  static constexpr std::string_view kTitle = "LlmAttention";

  std::int64_t layers = 0;
  std::int64_t fused = 0;
  std::int64_t causal = 0;
  Count heads, kv_heads, head_dim;
  Count macs, macs_causal;
  std::optional<double> share;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("layers", self.layers, {"Products of queries with keys, softmax, product with values", "1"});
    v("fused", self.fused, {"Layers that are one node of the file", "1"});
    v("causal", self.causal, {"Layers known to look only back", "1"});
    v("heads", self.heads, {"Query heads; null where layers differ", "1"});
    v("kv_heads", self.kv_heads, {"Heads of keys and values; null where layers differ", "1"});
    v("head_dim", self.head_dim, {"Of queries and keys; null where layers differ", "elements"});
    v("macs", self.macs, {"Of the full square, as in static.totals", "MAC"});
    v("macs_causal", self.macs_causal,
      {"With the causal layers' upper triangle left out; null where none is causal", "MAC"});
    v("share", self.share, {"macs / MACs of the model", "1"});
    v.Part("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
  }
};

struct KvCache {
  static constexpr std::string_view kTitle = "KvCache";

  std::int64_t layers = 0;
  bool in_graph = false;
  bool latent = false;
  std::string dtype;
  Count kv_heads, head_dim;
  Count bytes_per_token;
  Count tokens;
  Count bytes;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("layers", self.layers, {"Pairs of a key and a value tensor", "1"});
    v("in_graph", self.in_graph,
      {"Inputs and outputs of the graph; false: what one for all positions would hold"});
    v("latent", self.latent, {"One vector a token, of which keys and values are made"});
    v("dtype", self.dtype);
    v("kv_heads", self.kv_heads, {"Null where layers differ", "1"});
    v("head_dim", self.head_dim, {"Null where layers differ", "elements"});
    v("bytes_per_token", self.bytes_per_token,
      {"2 * layers * kv_heads * head_dim * bytes of an element (without 2 for a latent one), for "
       "one sequence",
       "bytes"});
    v("tokens", self.tokens, {"Past and new ones, times the batch", "1"});
    v("bytes", self.bytes, {"bytes_per_token * tokens", "bytes"});
    v.Part("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
  }
};

// Weights stored below 8 bits or in blocks, by kind.
struct QuantisedWeights {
  static constexpr std::string_view kTitle = "QuantisedWeights";

  std::int64_t layers = 0;
  std::string dtype;
  std::int64_t bits = 0;
  std::optional<std::int64_t> block;
  Count weights, weight_bytes, scale_bytes, zero_point_bytes;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("layers", self.layers, {"", "1"});
    v("dtype", self.dtype, {"Of the packed tensors"});
    v("bits", self.bits, {"Of one weight", "bits"});
    v("block", self.block, {"Weights that share a scale; null = a row or a tensor", "1"});
    v("weights", self.weights, {"", "elements"});
    v("weight_bytes", self.weight_bytes, {"Packed", "bytes"});
    v("scale_bytes", self.scale_bytes, {"", "bytes"});
    v("zero_point_bytes", self.zero_point_bytes, {"", "bytes"});
  }
};

struct Experts {
  static constexpr std::string_view kTitle = "Experts";

  std::int64_t layers = 0;
  Count experts, active;
  Count weight_bytes, active_weight_bytes;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("layers", self.layers, {"", "1"});
    v("experts", self.experts, {"Of a layer; null where layers differ", "1"});
    v("active", self.active, {"A token uses; null where layers differ", "1"});
    v("weight_bytes", self.weight_bytes, {"Of all experts", "bytes"});
    v("active_weight_bytes", self.active_weight_bytes, {"Of those that one token uses", "bytes"});
  }
};

struct LlmPhase {
  static constexpr std::string_view kTitle = "LlmPhase";

  std::string name;
  Map<std::int64_t> bindings;
  Count macs, bytes;
  std::optional<double> intensity;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name, {"", "", "prefill|decode|chunk"});
    v("bindings", self.bindings, {"Symbols that make this phase"});
    v("macs", self.macs, {"", "MAC"});
    v("bytes", self.bytes, {"read + write + weight bytes, unfused", "bytes"});
    v("intensity", self.intensity, {"2 * macs / bytes", "FLOP/byte"});
    v.Part("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
  }
};

struct Llm {
  static constexpr std::string_view kTitle = "Llm";

  LlmAttention attention;
  std::optional<KvCache> kv_cache;
  Count weight_bytes_per_token;
  std::vector<QuantisedWeights> quantised;
  std::optional<Experts> moe;
  std::vector<LlmPhase> phases;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("attention", self.attention);
    v("kv_cache", self.kv_cache, {"Null where keys and values are not kept"});
    v("weight_bytes_per_token", self.weight_bytes_per_token,
      {"Read to generate one token of one sequence; of experts the active ones", "bytes"});
    v("quantised", self.quantised, {"Weights below 8 bits or in blocks"});
    v("moe", self.moe, {"Null without a mixture of experts"});
    v("phases", self.phases, {"The model as bound, or with its sequence symbols set"});
    v.Part("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
  }
};

}  // namespace opscope::doc
