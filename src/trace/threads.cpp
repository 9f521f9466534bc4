#include "trace/threads.h"

#include <algorithm>

#include "trace/name_test.h"
#include "trace/near.h"

namespace opscope {

namespace {

bool IsHostWork(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kApi || kind == EventKind::kPython;
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
  for (std::uint32_t event = 0, next = 0; event < trace.size(); event = next) {
    const std::uint32_t track = trace.track[event];
    SortedUnionLength busy;
    bool any = false;
    HostThreadTime time{TrackId{track}, 0, 0, 0};
    std::int64_t last = trace.end[event];
    for (next = event; next < trace.size() && trace.track[next] == track; ++next) {
      ++time.events;
      last = std::max(last, trace.end[next]);
      if (!IsHostWork(trace.kind[next])) continue;
      busy.Add({trace.begin[next], trace.end[next], next});
      any = true;
    }
    if (trace.tracks[track].kind != TrackKind::kThread || !any) continue;
    time.span_ns = last - trace.begin[event];
    time.busy_ns = busy.length();
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

CoveredTime::CoveredTime(std::vector<Interval> set) : set_(std::move(set)) {
  sums_.reserve(set_.size() + 1);
  sums_.push_back(0);
  for (const Interval& interval : set_)
    sums_.push_back(sums_.back() + interval.end - interval.begin);
}

template <class IsBefore>
std::size_t CoveredTime::IndexNear(IsBefore is_before) const {
  const auto near = set_.begin() + static_cast<std::ptrdiff_t>(near_);
  return static_cast<std::size_t>(LowerBoundNear(set_.begin(), set_.end(), near, is_before) -
                                  set_.begin());
}

std::int64_t CoveredTime::Before(std::int64_t at) {
  near_ = IndexNear([&](const Interval& interval) { return interval.begin <= at; });
  if (near_ == 0) return 0;
  return sums_[near_] - std::max<std::int64_t>(0, set_[near_ - 1].end - at);
}

std::int64_t CoveredTime::Of(std::int64_t begin, std::int64_t end) {
  if (set_.empty() || begin >= end) return 0;
  const std::int64_t before = Before(begin);
  return Before(end) - before;
}

bool CoveredTime::Touches(std::int64_t begin, std::int64_t end) {
  if (set_.empty()) return false;
  near_ = IndexNear([&](const Interval& interval) { return interval.end <= begin; });
  return near_ < set_.size() && set_[near_].begin < end;
}

HostActivity::HostActivity(const Trace& trace) {
  struct Unions {
    UnionBuilder working, loading, waiting;
  };
  std::vector<Unions> unions(trace.tracks.size());
  NameTest waits(trace, &IsWait), loads(trace, &IsDataLoading);
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    Unions& track = unions[trace.track[event]];
    const Interval interval{trace.begin[event], trace.end[event], event};
    const EventKind kind = trace.kind[event];
    if (kind == EventKind::kOp || kind == EventKind::kApi) track.working.Add(interval);
    if (kind == EventKind::kApi && waits(event)) track.waiting.Add(interval);
    if ((kind == EventKind::kOp || kind == EventKind::kAnnotation) && loads(event))
      track.loading.Add(interval);
  }
  for (Unions& track : unions)
    threads_.push_back({CoveredTime(track.working.Take()), CoveredTime(track.loading.Take()),
                        CoveredTime(track.waiting.Take())});
}

}  // namespace opscope
