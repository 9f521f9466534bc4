// In which order the nodes of each graph can be computed.
#pragma once

#include <vector>

#include "model/model.h"

namespace opscope {

struct ExecutionOrder {
  std::vector<std::vector<NodeId>> nodes;  // by GraphId; those that wait for a cycle stand last
  std::vector<GraphId> unsorted;           // graphs whose file order does not work
  std::vector<bool> waits_for_cycle;       // by NodeId: never ready
};

// File order where that works, else the order nearest to it. A body reads what its owner could
// read, so an owner also waits for the outer tensors that its bodies use.
ExecutionOrder FindOrder(const Model& model);

}  // namespace opscope
