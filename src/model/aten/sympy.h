// Sizes as PyTorch writes them: expressions of sympy.
//   s77    2*s0 + 1    Max(1, s0)    (s0//2)    FloorDiv(s0, 2)    s0**2      as people read them
//   Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(1))   as repr gives
//   them
#pragma once

#include <string_view>

#include "model/dim.h"

namespace opscope::aten {

// Unknown for what is no such expression, is too long or too deep, or has no counterpart.
Dim ParseSympy(DimTable& dims, std::string_view text);

}  // namespace opscope::aten
