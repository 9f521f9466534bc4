// Files that are parts of one: "model-00002-of-00003.safetensors", "llama-00001-of-00009.gguf".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opscope {

struct ShardName {
  std::string stem;         // "model"
  std::int64_t number = 0;  // from 1
  std::int64_t of = 0;
  std::string ending;  // ".safetensors"
};

// Nullopt for the name of a whole file. `file_name` without folders.
std::optional<ShardName> ParseShardName(std::string_view file_name);
// The name of one of the parts, with five digits as everybody writes it.
std::string ToText(const ShardName& shard);

}  // namespace opscope
