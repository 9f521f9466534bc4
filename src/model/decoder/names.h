// What the weights of a decoder are called, in checkpoints and in GGUF files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/decoder/weights.h"

namespace opscope::decoder {

// The modules of one layer, then those of the whole model.
enum class Role : std::uint8_t {
  kAttentionNorm,
  kSecondNorm,  // of the feed-forward beside parallel attention
  kQuery,
  kKey,
  kValue,
  kQueryKeyValue,
  kQueryNorm,
  kKeyNorm,
  kAttentionOut,
  kAfterAttentionNorm,
  kFeedForwardNorm,
  kGate,
  kUp,
  kGateUp,
  kDown,
  kAfterFeedForwardNorm,
  kRouter,
  kExpertGates,  // all experts in one tensor
  kExpertUps,
  kExpertDowns,
  kSharedGate,
  kSharedUp,
  kSharedDown,
  kSharedRouter,
  kQueryLow,  // latent attention
  kQueryLowNorm,
  kQueryHigh,
  kLatent,
  kLatentNorm,
  kLatentHigh,
  kLatentKey,
  kLatentValue,
};

struct Stem {
  std::string embedding;  // module
  std::string positions;  // empty = none
  std::string final_norm;
  std::string head;    // empty = the embedding is used again
  std::string layers;  // "model.layers.": a number follows
};

// Finds the embedding of tokens and with it the rest. Nullopt when there is none.
std::optional<Stem> FindStem(const Weights& weights);

// The module with that role whose weight is there; empty = none. `layer` = "model.layers.0.".
std::string FindModule(const Weights& weights, const std::string& layer, Role role);
// The module of one expert: "model.layers.0.mlp.experts.7.gate_proj"; `role` kGate, kUp or kDown.
std::string FindExpert(const Weights& weights, const std::string& layer, Role role,
                       std::int64_t expert);

// Tables that are computed from the sizes alone (rotary frequencies, causal masks): no weights.
bool IsBuffer(std::string_view weight);

}  // namespace opscope::decoder
