#include "join/runs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace opscope {

namespace {

bool IsWork(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kContainer || kind == EventKind::kSync;
}

// Windows from the events of one kind that nothing holds.
void AddWindows(const Trace& trace, EventKind kind, Runs& runs) {
  std::vector<std::uint32_t> events;
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    if (trace.kind[event] == kind && !trace.parent_of(event).valid()) events.push_back(event);
  std::sort(events.begin(), events.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(trace.begin[a], a) < std::tuple(trace.begin[b], b);
  });
  for (const std::uint32_t event : events) {
    runs.of[event] = static_cast<std::uint32_t>(runs.windows.size());
    runs.windows.push_back(
        {trace.begin[event], trace.end[event], TrackId{trace.track[event]}, true});
  }
}

void AddSpan(const Trace& trace, Runs& runs) {
  std::optional<RunWindow> span;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    if (!IsWork(trace.kind[event])) continue;
    if (!span) span = RunWindow{trace.begin[event], trace.end[event], TrackId{}, true};
    span->begin = std::min(span->begin, trace.begin[event]);
    span->end = std::max(span->end, trace.end[event]);
  }
  if (span) runs.windows.push_back(*span);
}

// Tells which run goes on at a time, when it is only one.
class RunsByTime {
 public:
  explicit RunsByTime(const std::vector<RunWindow>& windows) {
    for (std::uint32_t i = 0; i < windows.size(); ++i) {
      begins_.push_back(windows[i].begin);
      ends_.push_back(windows[i].end);
      const bool later = last_.empty() || windows[i].end >= windows[last_.back()].end;
      last_.push_back(later ? i : last_.back());
    }
    std::sort(ends_.begin(), ends_.end());
  }
  std::uint32_t At(std::int64_t time) const {
    const auto begun = std::upper_bound(begins_.begin(), begins_.end(), time) - begins_.begin();
    const auto ended = std::upper_bound(ends_.begin(), ends_.end(), time) - ends_.begin();
    // Of those begun, the one that ends last is the one still going on.
    return begun - ended == 1 ? last_[static_cast<std::size_t>(begun - 1)] : kNoRun;
  }

 private:
  std::vector<std::int64_t> begins_, ends_;
  std::vector<std::uint32_t> last_;
};

void AssignEvents(const Trace& trace, Runs& runs) {
  const RunsByTime by_time(runs.windows);
  std::vector<bool> has_runs(trace.tracks.size());
  for (const RunWindow& window : runs.windows)
    if (window.track.valid()) has_runs[window.track.index()] = true;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (runs.of[event] != kNoRun || trace.kind[event] == EventKind::kSetup) continue;
    const EventId parent = trace.parent_of(event);
    if (parent.valid())
      runs.of[event] = runs.of[parent.index()];
    else if (!has_runs[trace.track[event]])
      runs.of[event] = by_time.At(trace.begin[event]);
  }
}

void MarkWarmUp(Runs& runs, std::int64_t warmup) {
  std::map<std::uint32_t, std::int64_t> seen;
  std::int64_t first_runs = 0;
  for (RunWindow& window : runs.windows) {
    window.used = seen[window.track.value]++ >= std::max<std::int64_t>(warmup, 1);
    first_runs += window.used ? 0 : 1;
  }
  Iterations& iterations = runs.iterations;
  iterations.found = static_cast<std::int64_t>(runs.windows.size());
  if (first_runs == iterations.found) {
    for (RunWindow& window : runs.windows) window.used = true;
    iterations.used = iterations.found;
    if (iterations.found == 1)
      iterations.why = "a single run: used although first runs are usually slower";
    if (iterations.found > 1)
      iterations.why = "one run per thread: used although first runs are usually slower";
    return;
  }
  iterations.warmup = first_runs;
  iterations.used = iterations.found - first_runs;
  if (warmup > 1)
    iterations.why = "the first " + std::to_string(warmup) + " runs are warm-up";
  else
    iterations.why =
        seen.size() > 1 ? "the first run of each thread is warm-up" : "the first run is warm-up";
}

// Ops and executions that no run holds, on a thread that has runs, after the last of them: a run
// that the end of the file cuts.
void CountOutside(const Trace& trace, Runs& runs) {
  std::map<std::uint32_t, std::int64_t> last_end;
  for (const RunWindow& window : runs.windows) {
    std::int64_t& end = last_end.try_emplace(window.track.value, window.end).first->second;
    end = std::max(end, window.end);
  }
  std::map<std::uint32_t, bool> partial;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    if (runs.of[event] != kNoRun) continue;
    if (!IsWork(trace.kind[event]) && trace.kind[event] != EventKind::kExecute) continue;
    const auto last = last_end.find(trace.track[event]);
    if (last != last_end.end() && trace.begin[event] >= last->second)
      partial[trace.track[event]] = true;
    else if (IsWork(trace.kind[event]))
      ++runs.outside;
  }
  runs.iterations.partial = static_cast<std::int64_t>(partial.size());
  if (partial.empty()) return;
  std::string& why = runs.iterations.why;
  why += why.empty() ? "" : "; ";
  why += "a last run that the file cuts off is left out";
}

}  // namespace

Runs FindRuns(const Trace& trace, std::int64_t warmup) {
  Runs runs;
  runs.of.assign(trace.size(), kNoRun);
  runs.iterations.unit = "model_run";
  AddWindows(trace, EventKind::kRun, runs);
  runs.has_sessions = !runs.windows.empty();
  if (runs.windows.empty() && !trace.cut_at) {
    runs.iterations.unit = "execution";
    AddWindows(trace, EventKind::kExecute, runs);
  }
  if (runs.windows.empty()) {
    runs.iterations.unit = "span";
    AddSpan(trace, runs);
  }
  AssignEvents(trace, runs);
  MarkWarmUp(runs, warmup);
  CountOutside(trace, runs);
  return runs;
}

}  // namespace opscope
