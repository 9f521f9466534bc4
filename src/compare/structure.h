// Internal to compare: where a layer stands in its graph, as hashes.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/side_index.h"

namespace opscope {

// By LayerId. `before`: the op and all that its result hangs on, down to the inputs of the model.
// `after`: the op and all that hangs on its result, up to the outputs.
struct Structure {
  std::vector<std::uint64_t> before, after;
};

// `exact`: with attributes and the types of constants; else ops and their connections alone.
Structure HashStructure(const SideIndex& index, bool exact);

}  // namespace opscope
