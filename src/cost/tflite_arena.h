// The memory that TFLite's interpreter plans for a model's tensors when it runs its own kernels
// (no delegate): one arena for activations, one for what stays between runs.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/static_analysis.h"

namespace opscope {

struct TfliteArena {
  std::int64_t bytes = 0;             // of activations
  std::int64_t persistent_bytes = 0;  // of weights that are decoded once
  std::int64_t variable_bytes = 0;    // of state
};

// Follows the planner of the runtime: tensors that live for the whole run first, then by falling
// size, then in the order in which they are made; each into the smallest gap that fits; offsets are
// multiples of 64. Inputs and outputs of the graph are kept to the end. RESHAPE and its kin, and
// arithmetic whose operand dies, write over their input. Weights that are decoded (DEQUANTIZE,
// DENSIFY of constants) and variable tensors are persistent. Scratch of kernels is left out: it
// depends on which kernels a build has.
// Nullopt for models of other formats, while a size is free, and beyond some thousand tensors.
std::optional<TfliteArena> PlanTfliteArena(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
