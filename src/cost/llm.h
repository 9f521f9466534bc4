// What a model with attention asks for: heads, cache, weights a token, prefill and decode.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/attention_layers.h"
#include "cost/kv_cache.h"
#include "cost/static_analysis.h"

namespace opscope {

struct CacheTotals {
  bool in_graph = true;     // false: what a cache would hold, from the keys and values of attention
  std::int64_t layers = 0;  // pairs of keys and values
  bool latent = false;      // one vector a token stands for both
  DType dtype = DType::kUnknown;
  Dim kv_heads, head;  // unknown where layers differ
  Dim bytes_per_token = 0;
  Dim tokens;  // of all sequences of the batch
  Dim bytes = 0;
};

// Weights of fewer than 8 bits, or in blocks with a scale each.
struct QuantisedKind {
  std::string dtype;  // of the packed weights: "uint8", "int4", "Q4_K"
  std::int64_t bits = 0;
  std::optional<std::int64_t> block;
  std::int64_t layers = 0;
  Dim weights = 0, weight_bytes = 0, scale_bytes = 0, zero_point_bytes = 0;
};

struct ExpertTotals {
  std::int64_t layers = 0;
  Dim experts, active;  // unknown where layers differ
  Dim weight_bytes = 0, active_weight_bytes = 0;
};

struct Phase {
  enum class Kind : std::uint8_t { kPrefill, kDecode, kChunk };  // chunk: new tokens after old ones
  Kind kind = Kind::kPrefill;
  std::vector<std::pair<std::string, std::int64_t>> bindings;  // beyond what the user gave
  Dim macs, bytes;
};

struct LlmFacts {
  std::vector<AttentionLayer> layers;
  Dim macs, macs_causal;  // of all attention layers; the second unknown where none is causal
  std::optional<CacheTotals> cache;  // of decoders: causal, or with grouped queries
  Dim weight_bytes_per_token;
  std::vector<QuantisedKind> quantised;
  std::optional<ExpertTotals> experts;
  std::vector<Phase> phases;  // of decoders
};

// Nullopt for a model without attention.
std::optional<LlmFacts> FindLlm(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
