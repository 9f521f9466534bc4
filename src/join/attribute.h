// The time of rows divided over the layers they cover, and what each layer got.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/static_analysis.h"
#include "join/analysis.h"
#include "join/match.h"
#include "join/model_index.h"
#include "join/rows.h"

namespace opscope {

// Fills `layers` and weights of the rows, and returns the time of every layer. A row's time is
// divided by modelled cost (MACs, else bytes, else equally), exactly, iteration by iteration.
// `rows_of`: by node, the rows that cover it.
std::vector<LayerTime> AttributeTime(const ModelIndex& index, const StaticAnalysis& layers,
                                     const std::vector<std::vector<std::uint32_t>>& rows_of,
                                     std::int64_t iterations, RowTable& table);

}  // namespace opscope
