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

// A disjoint, sorted set that is asked about stretches of time; fast when these come in about their
// order.
class CoveredTime {
 public:
  explicit CoveredTime(std::vector<Interval> set);
  // How much of [begin, end) the set covers.
  std::int64_t Of(std::int64_t begin, std::int64_t end);
  bool Touches(std::int64_t begin, std::int64_t end);

 private:
  std::int64_t Before(std::int64_t at);
  template <class IsBefore>
  std::size_t IndexNear(IsBefore is_before) const;

  std::vector<Interval> set_;
  std::vector<std::int64_t> sums_;  // in front of each, and of all
  std::size_t near_ = 0;            // where the last search ended
};

// What the host threads did, by track.
class HostActivity {
 public:
  explicit HostActivity(const Trace& trace);

  struct Thread {
    CoveredTime working, loading;  // ops and calls; data loading
    CoveredTime waiting;           // calls that wait for the device
  };
  Thread& of(TrackId track) { return threads_[track.index()]; }

 private:
  std::vector<Thread> threads_;
};

// cudaDeviceSynchronize, hipStreamSynchronize, a blocking cudaMemcpy …
bool IsWait(std::string_view call);
// What torch's data loaders call their work.
bool IsDataLoading(std::string_view name);

}  // namespace opscope
