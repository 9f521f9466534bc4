// The rule of a layer with its factors: "1*64*112*112 * 3 * 7*7".
#pragma once

#include <string>

#include "cost/elementwise.h"
#include "cost/static_analysis.h"

namespace opscope {

// A Dim as a factor: sums and quotients in parentheses.
std::string FactorText(const DimTable& dims, Dim dim);

// MACs of the node as a product of dimensions; empty where its kind of work has none.
std::string MacFormula(Model& model, const StaticAnalysis& analysis, NodeId node);

// A sum of multiples with this layer's amounts: "3*1000 - 1"; empty when it is 0.
std::string SubstitutedText(const DimTable& dims, const Multiples& multiples,
                            const Amounts& amounts);

// The MACs, or the columns of the element-wise table: "elementwise: 3*1000 - 1; comparisons: …".
std::string FormulaOf(Model& model, const StaticAnalysis& analysis, NodeId node,
                      const ElementwiseRule* rule);

}  // namespace opscope
