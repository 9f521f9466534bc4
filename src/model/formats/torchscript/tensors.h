// Tensors of a pickle: where their bytes lie in the archive, and what a checkpoint calls them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/aten/archive.h"
#include "model/formats/torchscript/pickle.h"
#include "model/model.h"

namespace opscope::torchscript {

// `folder`: where the archive keeps storages, "data/".
Result<Payload> PayloadOf(Source& file, const aten::Archive& archive, const PickleValue& tensor,
                          std::string_view folder);

struct NamedTensor {
  std::string name;
  const PickleValue* tensor = nullptr;
};
// Every tensor in dicts and lists, by the keys on the way to it, in the order of the file.
Result<void> ListTensors(const Pickle& pickle, std::vector<NamedTensor>& out);

}  // namespace opscope::torchscript
