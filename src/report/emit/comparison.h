// A comparison as lines and tables, for every output that people read.
#pragma once

#include <string>
#include <vector>

#include "opscope/document.h"
#include "report/emit/shown_table.h"

namespace opscope {

// "no difference", or how many nodes were matched, added, removed and changed.
std::string ComparisonVerdict(const doc::Comparison& comparison, Language language);
// What differs in the models' settings: "opset ai.onnx: 17 -> 18".
std::vector<std::string> ComparisonSettings(const doc::Comparison& comparison, Language language);
// Totals, ops, then removed, added and changed nodes, those that cost most first, `top` rows each.
// `all`: totals that are the same on both sides as well.
std::vector<ShownTable> ComparisonTables(const doc::Comparison& comparison, std::size_t top,
                                         bool all, Language language);

}  // namespace opscope
