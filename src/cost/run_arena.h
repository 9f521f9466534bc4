// The arenas of the main graph or of a body: its tensors, and the arenas of the bodies inside.
#pragma once

#include <vector>

#include "cost/schedule.h"

namespace opscope {

// Fills the arena fields of memory[index]; those of the bodies inside are there already (they
// follow in the schedule). Every container holds a block for its largest body while it runs.
void PlanRunArena(Model& model, const Schedule& schedule, std::size_t index,
                  const std::vector<Dim>& tensor_bytes, const StaticAnalysis& analysis,
                  std::vector<RunMemory>& memory);

}  // namespace opscope
