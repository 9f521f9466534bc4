// Live peak: the most bytes of activations that exist at one moment.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// Nodes run in file order. Inputs and outputs of a node live together; a graph input lives until
// its last use, a graph output to the end; views share storage; nothing is computed in place;
// weights are left out, and so are outputs that nobody reads. The peak of a body is added on top
// while its container runs (of an If: the larger). Nodes of a called function stand in place of the
// call. Linear in the nodes. Fills everything but naive_bytes.
MemoryPlan PlanMemory(Model& model, const std::vector<std::vector<GraphId>>& bodies,
                      const std::vector<Dim>& tensor_bytes, const std::vector<bool>& kept,
                      const StaticAnalysis& analysis);

}  // namespace opscope
