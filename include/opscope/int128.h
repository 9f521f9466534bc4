// 128-bit integers: FLOPs of a large batch pass 9.2e18.
#pragma once

#include <cstdint>

namespace opscope {

__extension__ typedef __int128 Int128;

}  // namespace opscope
