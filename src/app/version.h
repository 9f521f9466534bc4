// The version as reports state it; the build sets it.
#pragma once

namespace opscope {

inline constexpr const char* kVersion = OPSCOPE_VERSION;

}  // namespace opscope
