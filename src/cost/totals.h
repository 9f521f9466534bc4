// Totals: exact sums of the layers, with what could not be counted by name.
#pragma once

#include "cost/static_analysis.h"

namespace opscope {

// Everything of StaticTotals but activation_bytes and memory.
StaticTotals SumLayers(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
