// Work -> counts: the only place that counts. Conventions of other tools are weightings of these.
#pragma once

#include <string_view>

#include "cost/elementwise.h"
#include "model/model.h"
#include "ops/work.h"

namespace opscope {

// The columns of the cost model for one execution. 1 MAC = one multiply and one add.
struct Counts {
  Dim macs, bias_adds, elementwise, transcendental, comparisons;
};
constexpr Counts kNoCounts = {0, 0, 0, 0, 0};

// Multiply-accumulates alone.
Dim CountMacs(DimTable& dims, const Work& work);
// Additions of a bias.
Dim CountBiasAdds(DimTable& dims, const Work& work);
// What the element-wise table multiplies; 0 where a kind of work has no such amount.
Amounts AmountsOf(DimTable& dims, const Work& work);
// True for kinds whose cost stands in the element-wise table: without a rule it is unknown.
bool NeedsElementwiseRule(const Work& work);
// Element-wise arithmetic that is part of a fused op whatever its activation.
Dim FusedArithmetic(DimTable& dims, const Work& work);
// The mode that picks a rule of the table: "linear" …, "training" (statistics are computed), else
// empty.
std::string_view ModeOf(const Work& work);

// What the bytes of a packed weight hold (MatMulNBits: uint4 in uint8); kUnknown where none is.
DType PackedTypeOf(const Work& work);

// The row of the element-wise table for a node: that of its activation where it is fused with one.
const ElementwiseRule* TableRow(const Model& model, const Node& node, const Work& work);

// All columns; `rule` may be null.
Counts CountWork(DimTable& dims, const Work& work, const ElementwiseRule* rule);

bool AnyUnknown(const Counts& counts);

// The rule of a kind of work, for `opscope explain`: "conv", "matmul", "softmax" …
std::string_view RuleOf(const Work& work);

}  // namespace opscope
