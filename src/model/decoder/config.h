// What a file says about a decoder-only transformer, and what is known of its architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.h"

namespace opscope::decoder {

enum class Norm : std::uint8_t { kRms, kLayer };

// An architecture whose graph is known. What follows from the weights that a file holds (grouped
// queries, gates, biases, experts, norms of heads, tied embeddings) is not said here.
struct Architecture {
  std::string_view id;  // `model_type` of config.json, `general.architecture` of GGUF
  Norm norm = Norm::kRms;
  std::string_view activation;  // an op of ai.onnx, where the file names none
  bool rotary = true;           // positions turn queries and keys; else they are added or biases
  bool parallel = false;        // attention and feed-forward read the same residual
  bool columns_first = false;   // weights are [in, out] (Conv1D of GPT-2)
  bool scaled_embedding = false;
  int local_period = 0;  // with a window: every n-th layer sees all, the others a window; 0 = none
};

// nullptr: not known.
const Architecture* FindArchitecture(std::string_view id);
// "llama, mistral, …"
std::string ArchitectureNames();

// Of any size in a configuration: real ones stay far below, and products of a few fit 64 bits.
constexpr std::int64_t kMaxConfigSize = 1 << 20;

// How weights are stored with several numbers in each 32-bit word; the names of the tensors are
// those of GPTQ and AWQ alike: qweight, qzeros, scales.
struct Packing {
  std::int64_t bits = 0;    // 2, 4, 8; 0 = they are not
  bool along_rows = false;  // words hold neighbours along the inputs (GPTQ), else along the outputs
};

// Sizes as the file names them; 0 = not said.
struct Config {
  std::string id;
  const Architecture* architecture = nullptr;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head = 0;
  std::int64_t experts = 0, active_experts = 0;
  std::int64_t window = 0;  // of sliding attention
  std::vector<bool> local;  // by layer: sees a window only
  std::int64_t latent = 0,
               rope = 0;             // of latent attention: width of the cache, of its rotated part
  std::int64_t nope = 0, value = 0;  // of a head: its part that is not rotated, its values
  std::string activation;            // as the file spells it; empty = that of the architecture
  bool parallel = false;
  Packing packing;
  DType compute = DType::kUnknown;  // of activations; unknown = that of the weights
  DType cache = DType::kUnknown;    // of keys and values; unknown = that of activations
};

// The text of a config.json as the transformers library writes it. What cannot be read of it is
// left out; nullopt when it is no JSON object or names no `model_type`. A model of several parts
// has a `text_config` inside, which is the decoder then.
std::optional<Config> ReadConfigJson(std::string_view text);

}  // namespace opscope::decoder
