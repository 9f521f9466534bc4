// Internal to export: what a track is called.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace opscope {

// "thread 4711 main (process 42)", "device 0 stream 7".
std::string TrackName(const Trace& trace, std::uint32_t track);

}  // namespace opscope
