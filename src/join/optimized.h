// What the engine's saved optimised model says about rows.
#pragma once

#include <cstdint>
#include <vector>

#include "join/match.h"
#include "join/model_index.h"
#include "join/rows.h"

namespace opscope {

// The node of the optimised graph that each row of a group ran; invalid where none is found. Names
// agree; nodes without one are found by index, then by op and order.
std::vector<NodeId> FindOptimizedNodes(const ModelIndex& optimized, GraphId optimized_graph,
                                       const RowTable& table,
                                       const std::vector<std::uint32_t>& rows);

// The node of the original graph whose result an optimised node's output holds; invalid when the
// original has no such tensor. Layout changes that the engine put behind it are looked through.
NodeId OriginalOf(const ModelIndex& optimized, const ModelIndex& original, GraphId original_graph,
                  NodeId optimized_node);

// True when all that an optimised node reads are constants and tensors that the original has too,
// inserted layout changes looked through.
bool ReadsOriginalTensors(const ModelIndex& optimized, const ModelIndex& original,
                          GraphId original_graph, NodeId optimized_node);

// True for a node that only changes layout or type and that the original does not have.
bool IsInserted(const ModelIndex& optimized, const ModelIndex& original, GraphId original_graph,
                NodeId optimized_node);

}  // namespace opscope
