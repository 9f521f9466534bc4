// Weights that an archive of torch.export keeps in a file of torch.save inside it, as torch before
// 2.8 wrote all of them: "serialized_state_dict.pt", "serialized_constants.pt".
#pragma once

#include <string>
#include <unordered_map>

#include "model/aten/archive.h"
#include "model/formats/format.h"
#include "model/model.h"

namespace opscope::pt2 {

// Adds the tensors of `member` to `payloads`, by name. One archive inside another is read, never a
// third. Nothing in a pickle is run (pickle.h); what cannot be read is noted in the log.
void AddPickled(const ModelReadContext& context, const aten::Archive& archive,
                const ZipMember& member, std::unordered_map<std::string, Payload>& payloads);

}  // namespace opscope::pt2
