// {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
//  "num_key_value_heads": 8, "torch_dtype": "bfloat16", …}; of models of several parts
// {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", …}, "vision_config": {…}}
#include <array>
#include <utility>

#include "base/json_reader.h"
#include "base/result.h"
#include "model/decoder/config.h"

namespace opscope::decoder {

namespace {

struct Field {
  std::string_view key;
  std::int64_t Config::*member;
};
// GPT-2 (n_embd), Falcon (multi_query as a flag, num_kv_heads) and the newer spellings.
constexpr std::array kFields = {
    Field{"num_hidden_layers", &Config::layers},
    Field{"n_layer", &Config::layers},
    Field{"num_layers", &Config::layers},
    Field{"hidden_size", &Config::hidden},
    Field{"n_embd", &Config::hidden},
    Field{"num_attention_heads", &Config::heads},
    Field{"n_head", &Config::heads},
    Field{"num_key_value_heads", &Config::kv_heads},
    Field{"num_kv_heads", &Config::kv_heads},
    Field{"head_dim", &Config::head},
    Field{"num_local_experts", &Config::experts},
    Field{"num_experts", &Config::experts},
    Field{"n_routed_experts", &Config::experts},
    Field{"num_experts_per_tok", &Config::active_experts},
    Field{"sliding_window", &Config::window},
    Field{"kv_lora_rank", &Config::latent},
    Field{"qk_rope_head_dim", &Config::rope},
    Field{"qk_nope_head_dim", &Config::nope},
    Field{"v_head_dim", &Config::value},
};

DType TorchType(std::string_view name) {
  if (name == "half") return DType::kFloat16;
  return DTypeFromName(name);
}

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : reader_(text) {}

  std::optional<Config> Run() {
    const auto begin = reader_.Next();
    if (!begin.has_value() || begin->kind != JsonKind::kBeginObject) return std::nullopt;
    // What stands before the damage is kept.
    (void)ReadObject(outer_, 0).has_value();
    Config& best = inner_ ? *inner_ : outer_;
    if (best.id.empty()) best.id = outer_.id;
    if (best.compute == DType::kUnknown) best.compute = outer_.compute;
    if (best.id.empty()) return std::nullopt;
    best.packing = packing_;
    best.architecture = FindArchitecture(best.id);
    if (best.architecture != nullptr) Settle(best);
    return std::move(best);
  }

 private:
  Result<void> ReadObject(Config& config, int depth) {
    return reader_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string name(key);
      TRY_ASSIGN(const JsonToken token, reader_.Next());
      if (name == "text_config" && depth == 0 && token.kind == JsonKind::kBeginObject) {
        inner_.emplace();
        return ReadObject(*inner_, depth + 1);
      }
      if (name == "quantization_config" && token.kind == JsonKind::kBeginObject)
        return ReadPacking();
      if (name == "layer_types" && token.kind == JsonKind::kBeginArray) return ReadKinds(config);
      Take(name, token, config);
      return {};
    });
  }

  // {"quant_method": "gptq", "bits": 4, "group_size": 128, …}
  Result<void> ReadPacking() {
    std::string method;
    std::int64_t bits = 0;
    TRY(reader_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string name(key);
      TRY_ASSIGN(const JsonToken token, reader_.Next());
      if (name == "quant_method" && token.kind == JsonKind::kString) method = token.text;
      if ((name == "bits" || name == "w_bit") && token.kind == JsonKind::kNumber)
        bits = token.AsInt64().value_or(0);
      return {};
    }));
    const bool known = method == "gptq" || method == "awq";
    if (known && (bits == 2 || bits == 4 || bits == 8)) packing_ = {bits, method == "gptq"};
    return {};
  }

  // ["sliding_attention", "full_attention", …]
  Result<void> ReadKinds(Config& config) {
    constexpr std::size_t kMaxLayers = 1 << 16;
    config.local.clear();
    return reader_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (config.local.size() < kMaxLayers)
        config.local.push_back(token.text == "sliding_attention");
      return {};
    });
  }

  void Take(std::string_view key, const JsonToken& token, Config& config) {
    if (token.kind == JsonKind::kNumber) {
      const auto number = token.AsInt64();
      for (const Field& field : kFields)
        if (field.key == key && number && *number >= 0 && *number <= kMaxConfigSize)
          config.*field.member = *number;
      if (key == "sliding_window_pattern" && number && *number > 0 && *number <= kMaxConfigSize)
        pattern_ = *number;
    } else if (token.kind == JsonKind::kString) {
      const std::string value(token.text);
      if (key == "model_type") config.id = value;
      if (key == "torch_dtype" || key == "dtype") config.compute = TorchType(value);
      if (key == "hidden_act" || key == "hidden_activation" || key == "activation_function")
        config.activation = value;
    } else if (token.kind == JsonKind::kBool) {
      if (key == "use_sliding_window") windowed_ = token.boolean;
      if (key == "multi_query") multi_query_ = token.boolean;
      if (key == "parallel_attn" || key == "use_parallel_residual") parallel_ = token.boolean;
      if (key == "new_decoder_architecture") grouped_ = token.boolean;
    }
  }

  void Settle(Config& config) const {
    config.parallel = config.architecture->parallel;
    if (parallel_) config.parallel = *parallel_;
    if (config.id == "falcon" && !grouped_) config.kv_heads = multi_query_ ? 1 : config.heads;
    if (!windowed_) config.window = 0;
    if (config.window == 0 || !config.local.empty()) return;
    const std::int64_t period = pattern_ > 0 ? pattern_ : config.architecture->local_period;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(config.layers, 1 << 16); ++i)
      config.local.push_back(period == 0 || (i + 1) % period != 0);
  }

  JsonReader reader_;
  Config outer_;
  std::optional<Config> inner_;
  Packing packing_;
  std::int64_t pattern_ = 0;
  bool windowed_ = true;
  bool multi_query_ = true;
  bool grouped_ = false;
  std::optional<bool> parallel_;
};

}  // namespace

std::optional<Config> ReadConfigJson(std::string_view text) { return ConfigReader(text).Run(); }

}  // namespace opscope::decoder
