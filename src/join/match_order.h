// Rows whose names say nothing about the model, against the nodes that no other row has, by op and
// order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "join/match.h"
#include "join/model_index.h"
#include "join/rows.h"

namespace opscope {

// The node that tells where each open row came from, for those where it can be told: in the stretch
// between the rows placed before and after, else in the whole graph, there are as many nodes of the
// row's op (or of an op it is made from) as open rows.
std::vector<std::pair<std::uint32_t, NodeId>> MatchByOrder(const ModelIndex& index, GraphId graph,
                                                           const std::vector<std::uint32_t>& rows,
                                                           const RowTable& table,
                                                           const Matches& matches,
                                                           const std::vector<bool>& taken);

}  // namespace opscope
