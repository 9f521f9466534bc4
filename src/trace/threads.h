// What host threads did: which of their events were open at an instant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/interval.h"
#include "trace/trace.h"

namespace opscope {

struct HostThreadTime {
  TrackId track;
  std::int64_t busy_ns = 0;  // union of ops, calls and functions; ranges are no work
  std::int64_t span_ns = 0;  // first begin to last end
  std::int64_t events = 0;
};
// Threads with events, in the order of their tracks.
std::vector<HostThreadTime> HostThreadTimes(const Trace& trace);

// The time of one thread inside windows, given to the innermost open event: what an instant is
// spent on. Sums to the union of the events inside the windows. Of partly overlapping events the
// later one counts.
struct FlatRow {
  Str name{0};
  EventKind kind = EventKind::kOp;
  std::int64_t ns = 0, calls = 0;
};
std::vector<FlatRow> FlatTimes(const Trace& trace, TrackId track,
                               const std::vector<Interval>& windows);

// Answers what the host threads did in short stretches of time.
class HostActivity {
 public:
  explicit HostActivity(const Trace& trace);

  // Time in [begin, end) of ops and calls of this thread, and of data loading.
  std::int64_t Working(TrackId track, std::int64_t begin, std::int64_t end) const;
  std::int64_t Loading(TrackId track, std::int64_t begin, std::int64_t end) const;
  // A call that waits for the device was open in [begin, end).
  bool Waits(TrackId track, std::int64_t begin, std::int64_t end) const;

 private:
  struct Track {
    std::vector<Interval> working, loading, waiting;  // disjoint, sorted
    std::vector<std::int64_t> worked, loaded;         // sums in front of each
  };
  std::vector<Track> tracks_;
};

// cudaDeviceSynchronize, hipStreamSynchronize, a blocking cudaMemcpy …
bool IsWait(std::string_view call);
// What torch's data loaders call their work.
bool IsDataLoading(std::string_view name);

}  // namespace opscope
