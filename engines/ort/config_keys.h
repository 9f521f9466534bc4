// The session configuration entries that ONNX Runtime knows. The runtime takes any key in silence,
// so a misspelt one would be measured as if it had been set.
#pragma once

#include <string>

#include "base/result.h"

namespace opscope::ort {

// Errors: "option", the nearest known key named. Keys of providers ("ep.…") are theirs to judge.
Result<void> CheckConfigKey(const std::string& key);

}  // namespace opscope::ort
