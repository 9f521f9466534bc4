// Memory: the most bytes of activations that exist at one moment, and an arena for them.
#pragma once

#include <vector>

#include "cost/schedule.h"

namespace opscope {

// Nodes run in file order. Inputs and outputs of a node live together; a graph input lives until
// its last use, a graph output to the end; views share storage; nothing is computed in place;
// weights are left out, and so are outputs that nobody reads. The peak of a body is added on top
// while its container runs (of an If: the larger), and so is its arena: a block of the arena
// outside. Nodes of a called function stand in place of the call. Fills everything but naive_bytes.
MemoryPlan PlanMemory(Model& model, const Schedule& schedule, const std::vector<Dim>& tensor_bytes,
                      const StaticAnalysis& analysis);

}  // namespace opscope
