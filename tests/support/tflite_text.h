// TFLite files from a few words: a tensor or an operator a line.
//
//   input x int8 [?,8,8,3] scale=0.5 zero=-3      ? = free, stored as 1
//   const w int8 [4,3,3,3] scale=0.25,0.5,0.5,1 axis=0      zeros
//   value c int8 [1,4,4,4] scale=0.125
//   op 3 (x, w) -> (c) options=1 0:b=0 1=2 2=2    code of the operator, options by slot (b = a
//   byte) output c
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace opscope::testing {

Result<std::string> TfliteFromText(std::string_view text);

}  // namespace opscope::testing
