#include <array>

#include "model/decoder/config.h"

namespace opscope::decoder {

namespace {

constexpr Architecture Llama(std::string_view id) { return {.id = id, .activation = "Swish"}; }

// Both spellings where config.json and GGUF differ.
constexpr std::array kArchitectures = {
    Llama("llama"),
    Llama("mistral"),
    Llama("mixtral"),
    Llama("qwen2"),
    Llama("qwen2_moe"),
    Llama("qwen2moe"),
    Llama("qwen3"),
    Llama("qwen3_moe"),
    Llama("qwen3moe"),
    Llama("phi3"),
    Llama("deepseek_v2"),
    Llama("deepseek_v3"),
    Llama("deepseek2"),
    Architecture{.id = "gemma", .activation = "Gelu", .scaled_embedding = true},
    Architecture{.id = "gemma2", .activation = "Gelu", .scaled_embedding = true, .local_period = 2},
    Architecture{.id = "gemma3", .activation = "Gelu", .scaled_embedding = true, .local_period = 6},
    Architecture{
        .id = "gemma3_text", .activation = "Gelu", .scaled_embedding = true, .local_period = 6},
    Architecture{.id = "phi", .norm = Norm::kLayer, .activation = "Gelu", .parallel = true},
    Architecture{.id = "phi2", .norm = Norm::kLayer, .activation = "Gelu", .parallel = true},
    Architecture{.id = "falcon", .norm = Norm::kLayer, .activation = "Gelu", .parallel = true},
    Architecture{.id = "gpt_neox", .norm = Norm::kLayer, .activation = "Gelu", .parallel = true},
    Architecture{.id = "gptneox", .norm = Norm::kLayer, .activation = "Gelu", .parallel = true},
    Architecture{.id = "starcoder2", .norm = Norm::kLayer, .activation = "Gelu"},
    Architecture{.id = "gpt2",
                 .norm = Norm::kLayer,
                 .activation = "Gelu",
                 .rotary = false,
                 .columns_first = true},
};

}  // namespace

const Architecture* FindArchitecture(std::string_view id) {
  for (const Architecture& architecture : kArchitectures)
    if (architecture.id == id) return &architecture;
  return nullptr;
}

std::string ArchitectureNames() {
  std::string names;
  for (const Architecture& architecture : kArchitectures)
    names += (names.empty() ? "" : ", ") + std::string(architecture.id);
  return names;
}

}  // namespace opscope::decoder
