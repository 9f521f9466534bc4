// The weights of archives that torch wrote before 2.8: a saved state_dict inside the archive.
#pragma once

#include <string>
#include <unordered_map>

#include "base/import_log.h"
#include "model/aten/archive.h"
#include "model/model.h"

namespace opscope::pt2 {

// serialized_state_dict.pt and serialized_constants.pt (.json in torch 2.1), where there are any.
Result<void> ReadStateDicts(Source& file, const aten::Archive& archive, ImportLog& log,
                            std::unordered_map<std::string, Payload>& payloads);

}  // namespace opscope::pt2
