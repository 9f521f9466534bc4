#include "trace/export/tracks.h"

namespace opscope {

std::string TrackName(const Trace& trace, std::uint32_t track) {
  const Track& entry = trace.tracks[track];
  if (entry.kind == TrackKind::kStream) {
    // The reader of Nsight exports counts the processes that share a device in the upper half.
    constexpr int kStreamBits = 32;
    const std::int64_t sharer = entry.tid >> kStreamBits;
    std::string out = "device " + std::to_string(entry.pid) + " stream ";
    if (entry.tid < 0 || sharer == 0) return out + std::to_string(entry.tid);
    return out + std::to_string(entry.tid & 0xffffffff) + " of process " +
           std::to_string(sharer + 1);
  }
  std::string out = entry.kind == TrackKind::kRanges ? "ranges of thread "
                                                     : "thread " + std::to_string(entry.tid);
  if (entry.name.value != 0) out += " " + std::string(trace.text(entry.name));
  return out + " (process " + std::to_string(entry.pid) + ")";
}

}  // namespace opscope
