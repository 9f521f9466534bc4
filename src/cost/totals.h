// Totals: exact sums of the layers, with what could not be counted by name.
#pragma once

#include <string>

#include "cost/static_analysis.h"

namespace opscope {

// With its domain unless that is ai.onnx: "Conv", "com.microsoft.FusedConv".
std::string OpName(const Model& model, const Node& node);

// Sets what a layer's own columns add up to: flops, operations and moved_bytes.
void SumEachLayer(Model& model, StaticAnalysis& analysis);
// Everything of StaticTotals but activation_bytes and memory.
StaticTotals SumLayers(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
