#include "trace/export/tracks.h"

namespace opscope {

std::string TrackName(const Trace& trace, std::uint32_t track) {
  const Track& entry = trace.tracks[track];
  if (entry.kind == TrackKind::kStream)
    return "device " + std::to_string(entry.pid) + " stream " + std::to_string(entry.tid);
  std::string out = "thread " + std::to_string(entry.tid);
  if (entry.name.value != 0) out += " " + std::string(trace.text(entry.name));
  return out + " (process " + std::to_string(entry.pid) + ")";
}

}  // namespace opscope
