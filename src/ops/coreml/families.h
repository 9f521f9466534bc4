// The families of Core ML: operations of ML programs (domain "coreml") by their named inputs,
// layers of neural networks (domain "coreml.nn") by the numbers of their parameters.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::coreml {

std::span<const Dialect> Dialects();

std::span<const OpEntry> ProgramControlOps();
std::span<const OpEntry> ProgramMathOps();
std::span<const OpEntry> ProgramPlainOps();
std::span<const OpEntry> LayerMathOps();
std::span<const OpEntry> LayerMoveOps();
std::span<const OpEntry> LayerPlainOps();
std::span<const OpEntry> LayerSliceOps();
std::span<const OpEntry> LayerWindowOps();
std::span<const OpEntry> ModelOps();

}  // namespace opscope::coreml
