// What the name of an engine's layer says of the network (the grammar is base/fused_name.h).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/runtime_profile.h"

namespace opscope {

// `node_of`: nodes of layers that the importer called otherwise, where a log tells.
RowOrigin TensorrtOrigin(std::string_view layer,
                         const std::unordered_map<std::string, std::string>& node_of = {});

}  // namespace opscope
