// A line of "Engine Layer Information:".
//   Layer(CaskPooling): node_max_pool2d, Tactic: 0xdd39, relu (Float[-1,32,28,28]) -> max_pool2d
//   (Float[-1,32,14,14])
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opscope::trtexec_log {

struct EngineLayer {
  std::string_view kind;  // "CaskPooling", "Myelin", "Reformat"
  std::string_view name;
  std::string_view tactic;
  std::string inputs, outputs;  // "float16[-1,32:8,14,14] …": types as the report names them
  std::string type;             // of the first output: what the layer runs in; empty = not said
};

std::optional<EngineLayer> ParseEngineLayer(std::string_view text);

}  // namespace opscope::trtexec_log
