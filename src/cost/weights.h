// Weights: which stored constants a layer reads, what they are, and which layer they belong to.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// Shares the stored constants out: each belongs to the first runtime layer that reads it, directly
// or through nodes that are folded before a run (a DequantizeLinear, Cast, Reshape of constants).
// Sets parameters, statistics, constants, parameter_bytes and shared_with of `analysis.layers`.
//
//   parameter  floating or quantised, read as data and of more than one element, or read in a
//              weight slot (weight, bias, scale, zero point)
//   statistic  running mean and variance of BatchNormalization
//   constant   all others: integers and bools, single numbers, masks, tables, shape values
//
// Returns by TensorId the bytes that reading a constant tensor moves: of the stored constants where
// the nodes between only write them differently (as many elements), else its own.
std::vector<Dim> AssignWeights(Model& model, StaticAnalysis& analysis,
                               const std::vector<Dim>& tensor_bytes);

}  // namespace opscope
