// Which nodes each row covers, beyond its anchors.
//
// A row that is known by its output covers what lies before it, back to nodes of other rows; a row
// that keeps its first node's name covers what follows along single readers. Nodes that nothing
// names go to the row that produces their input, or to the rows that read them.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/static_analysis.h"
#include "join/match.h"
#include "join/model_index.h"
#include "join/rows.h"

namespace opscope {

// By node: the rows that cover it, ascending. Compiled rows that find their nodes here get their
// kind and method.
std::vector<std::vector<std::uint32_t>> Cover(const ModelIndex& index, const StaticAnalysis& layers,
                                              const Matches& matches, RowTable& table);

}  // namespace opscope
