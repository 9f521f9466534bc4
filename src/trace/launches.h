// Which call launched a piece of device work, and which op made that call.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace opscope {

struct DeviceWork {
  std::uint32_t event = 0;  // kernel, copy or memset
  EventId call;             // invalid: launched outside the file (an orphan)
  EventId op;               // the innermost op around the call; invalid: none
};

// All device work in the order of (device, begin, event), joined by correlation. "External id" is
// not used: in the files of 2022-2023 it names the wrong op. A launch may have many kernels (graph
// replay); of several calls with one number the first counts.
std::vector<DeviceWork> FindLaunches(const Trace& trace);

// By EventId: the innermost op that holds this event, or the event itself when it is one; invalid:
// none.
std::vector<EventId> OpsAround(const Trace& trace);

// Device of a stream's track.
inline std::int64_t DeviceOf(const Trace& trace, std::uint32_t event) {
  return trace.tracks[trace.track[event]].pid;
}

// Kernels of collectives: nccl, rccl and their kin by name.
bool IsCommunication(std::string_view kernel);

}  // namespace opscope
