#include "trace/threads.h"

#include <algorithm>
#include <unordered_map>

namespace opscope {

namespace {

bool IsHostWork(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kApi || kind == EventKind::kPython;
}

std::vector<std::int64_t> SumsInFront(const std::vector<Interval>& intervals) {
  std::vector<std::int64_t> sums{0};
  for (const Interval& interval : intervals)
    sums.push_back(sums.back() + interval.end - interval.begin);
  return sums;
}

// How much of [begin, end) a disjoint, sorted set covers.
std::int64_t Covered(const std::vector<Interval>& set, const std::vector<std::int64_t>& sums,
                     std::int64_t begin, std::int64_t end) {
  const auto before = [&](std::int64_t at) {
    const auto next =
        std::upper_bound(set.begin(), set.end(), at,
                         [](std::int64_t value, const Interval& b) { return value < b.begin; });
    const auto index = static_cast<std::size_t>(next - set.begin());
    const std::int64_t over = index == 0 ? 0 : std::max<std::int64_t>(0, set[index - 1].end - at);
    return sums[index] - over;
  };
  return begin < end ? before(end) - before(begin) : 0;
}

// The innermost open event over the events of one track, in time order.
class Flattener {
 public:
  Flattener(const Trace& trace, const std::vector<Interval>& windows, std::vector<FlatRow>& rows)
      : trace_(&trace), windows_(&windows), rows_(&rows), row_of_(trace.strings.size(), kNone) {}

  void Enter(std::uint32_t event) {
    while (!open_.empty() && trace_->end[open_.back()] <= trace_->begin[event]) Close();
    PassTo(trace_->begin[event]);
    open_.push_back(event);
    at_ = std::max(at_, trace_->begin[event]);
    Count(event);
  }
  void Finish() {
    while (!open_.empty()) Close();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void Close() {
    PassTo(trace_->end[open_.back()]);
    open_.pop_back();
  }
  // Time up to `to` belongs to the event on top.
  void PassTo(std::int64_t to) {
    if (!open_.empty() && at_ < to) Add(open_.back(), at_, to);
    at_ = std::max(at_, to);
  }
  void Add(std::uint32_t event, std::int64_t begin, std::int64_t end) {
    while (window_ < windows_->size() && (*windows_)[window_].end <= begin) ++window_;
    for (std::size_t i = window_; i < windows_->size() && (*windows_)[i].begin < end; ++i)
      RowOf(event).ns += std::min(end, (*windows_)[i].end) - std::max(begin, (*windows_)[i].begin);
  }
  // A call belongs to the window in which it begins.
  void Count(std::uint32_t event) {
    const std::int64_t begin = trace_->begin[event];
    const auto next =
        std::upper_bound(windows_->begin(), windows_->end(), begin,
                         [](std::int64_t value, const Interval& b) { return value < b.begin; });
    if (next != windows_->begin() && begin < (next - 1)->end) ++RowOf(event).calls;
  }
  FlatRow& RowOf(std::uint32_t event) {
    std::uint32_t& place = row_of_[trace_->name[event].index()];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(rows_->size());
      rows_->push_back({trace_->name[event], trace_->kind[event], 0, 0});
    }
    return (*rows_)[place];
  }

  const Trace* trace_;
  const std::vector<Interval>* windows_;
  std::vector<FlatRow>* rows_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::uint32_t> open_;
  std::int64_t at_ = INT64_MIN;
  std::size_t window_ = 0;
};

}  // namespace

bool IsWait(std::string_view call) {
  if (call.find("Synchronize") != std::string_view::npos) return true;
  const bool copies = call.find("Memcpy") != std::string_view::npos;
  return copies && call.find("Async") == std::string_view::npos;
}

bool IsDataLoading(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

std::vector<HostThreadTime> HostThreadTimes(const Trace& trace) {
  std::vector<HostThreadTime> out;
  std::vector<Interval> busy;
  for (std::uint32_t event = 0, next = 0; event < trace.size(); event = next) {
    const std::uint32_t track = trace.track[event];
    busy.clear();
    HostThreadTime time{TrackId{track}, 0, 0, 0};
    std::int64_t last = trace.end[event];
    for (next = event; next < trace.size() && trace.track[next] == track; ++next) {
      ++time.events;
      last = std::max(last, trace.end[next]);
      if (IsHostWork(trace.kind[next])) busy.push_back({trace.begin[next], trace.end[next], next});
    }
    if (trace.tracks[track].kind != TrackKind::kThread || busy.empty()) continue;
    time.span_ns = last - trace.begin[event];
    time.busy_ns = UnionLength(busy);
    out.push_back(time);
  }
  return out;
}

std::vector<FlatRow> FlatTimes(const Trace& trace, TrackId track,
                               const std::vector<Interval>& windows) {
  std::vector<FlatRow> rows;
  Flattener flattener(trace, windows, rows);
  const auto first = std::lower_bound(trace.track.begin(), trace.track.end(), track.value);
  const auto last = std::upper_bound(first, trace.track.end(), track.value);
  for (auto event = first; event != last; ++event) {
    const auto index = static_cast<std::uint32_t>(event - trace.track.begin());
    if (IsHostWork(trace.kind[index])) flattener.Enter(index);
  }
  flattener.Finish();
  return rows;
}

HostActivity::HostActivity(const Trace& trace) : tracks_(trace.tracks.size()) {
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    Track& track = tracks_[trace.track[event]];
    const Interval interval{trace.begin[event], trace.end[event], event};
    const EventKind kind = trace.kind[event];
    if (kind == EventKind::kOp || kind == EventKind::kApi) track.working.push_back(interval);
    if (kind == EventKind::kApi && IsWait(trace.name_of(event))) track.waiting.push_back(interval);
    if ((kind == EventKind::kOp || kind == EventKind::kAnnotation) &&
        IsDataLoading(trace.name_of(event)))
      track.loading.push_back(interval);
  }
  for (Track& track : tracks_) {
    track.working = Union(std::move(track.working));
    track.loading = Union(std::move(track.loading));
    track.waiting = Union(std::move(track.waiting));
    track.worked = SumsInFront(track.working);
    track.loaded = SumsInFront(track.loading);
  }
}

std::int64_t HostActivity::Working(TrackId track, std::int64_t begin, std::int64_t end) const {
  const Track& times = tracks_[track.index()];
  return Covered(times.working, times.worked, begin, end);
}

std::int64_t HostActivity::Loading(TrackId track, std::int64_t begin, std::int64_t end) const {
  const Track& times = tracks_[track.index()];
  return Covered(times.loading, times.loaded, begin, end);
}

bool HostActivity::Waits(TrackId track, std::int64_t begin, std::int64_t end) const {
  const auto& waits = tracks_[track.index()].waiting;
  const auto next =
      std::lower_bound(waits.begin(), waits.end(), begin,
                       [](const Interval& a, std::int64_t value) { return a.end <= value; });
  return next != waits.end() && next->begin < end;
}

}  // namespace opscope
