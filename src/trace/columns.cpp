#include "trace/columns.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "trace/beside.h"

namespace opscope {

void PermuteEvents(Trace& trace, const std::vector<std::uint32_t>& order) {
  Beside(
      order.size(),
      [&] {
        Permute(trace.name, order);
        Permute(trace.track, order);
        Permute(trace.kind, order);
        Permute(trace.begin, order);
      },
      [&] {
        Permute(trace.end, order);
        Permute(trace.event_args, order);
        Permute(trace.correlation, order);
        Permute(trace.event_device, order);
        Permute(trace.record, order);
      });
}

void SortTracks(Trace& trace) {
  std::vector<std::uint32_t> order(trace.tracks.size()), place(trace.tracks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Track &left = trace.tracks[a], &right = trace.tracks[b];
    return std::tuple(left.kind, left.pid, left.tid) < std::tuple(right.kind, right.pid, right.tid);
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  Permute(trace.tracks, order);
  for (std::uint32_t& track : trace.track) track = place[track];
}

}  // namespace opscope
