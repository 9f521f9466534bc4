#include "join/program.h"

#include <algorithm>
#include <numeric>

#include "base/checked.h"

namespace opscope {

namespace {

constexpr std::int64_t kMostNs = std::int64_t{1} << 61;

// The marks of the steps on the main thread, else the span of its events.
std::vector<Interval> Windows(const Trace& trace, TrackId main, bool& has_steps) {
  std::vector<Interval> windows;
  Interval span{0, 0, 0};
  bool any = false;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (trace.track[event] != main.value) continue;
    if (trace.kind[event] == EventKind::kAnnotation && IsStepMark(trace.name_of(event))) {
      const std::int64_t begin =
          windows.empty() ? trace.begin[event] : std::max(trace.begin[event], windows.back().end);
      windows.push_back({begin, std::max(begin, trace.end[event]), event});
    }
    span.begin = any ? span.begin : trace.begin[event];
    span.end = any ? std::max(span.end, trace.end[event]) : trace.end[event];
    any = true;
  }
  has_steps = !windows.empty();
  if (!has_steps && any) windows.push_back(span);
  return windows;
}

bool IsWarmUp(const std::vector<Interval>& steps) {
  constexpr std::size_t kLeast = 3;
  if (steps.size() < kLeast) return false;
  std::vector<std::int64_t> others;
  for (std::size_t i = 1; i < steps.size(); ++i) others.push_back(steps[i].end - steps[i].begin);
  std::sort(others.begin(), others.end());
  const std::int64_t median = others[others.size() / 2];
  return steps[0].end - steps[0].begin > median + median / 2;
}

Row RowOf(const Trace& trace, const FlatRow& flat, std::int64_t wall) {
  Row row;
  row.kind = flat.kind == EventKind::kApi ? RowKind::kRuntime : RowKind::kLayer;
  row.name = trace.text(flat.name);
  row.op = Name(flat.kind);
  row.calls = flat.calls;
  row.busy_ns = row.wall_ns = flat.ns;
  row.share = wall == 0 ? 0 : static_cast<double>(flat.ns) / static_cast<double>(wall);
  return row;
}

Row RowOf(const Trace& trace, const SumRow& sum) {
  Row row;
  const bool call = sum.kind == EventKind::kApi || sum.kind == EventKind::kSystem;
  row.kind = call ? RowKind::kRuntime : RowKind::kLayer;
  row.name = trace.text(sum.name);
  row.op = Name(sum.kind);
  row.calls = sum.calls;
  row.busy_ns = row.wall_ns = sum.self_cpu_ns ? *sum.self_cpu_ns : sum.cpu_ns.value_or(0);
  return row;
}

// Ops and calls of a file of sums. What a table gives as self time may be negative; the sums of a
// run may not.
void AddSums(const Trace& trace, const SumTables& sums, RunAnalysis& run) {
  run.sums_only = true;
  run.iterations.unit = "file";
  std::int64_t layers = 0, runtime = 0;
  for (const SumRow& sum : sums.ops) {
    if (!sum.self_cpu_ns && !sum.cpu_ns) continue;  // known by calls only: no time, not a time of 0
    run.rows.push_back(RowOf(trace, sum));
    std::int64_t& total = run.rows.back().kind == RowKind::kRuntime ? runtime : layers;
    total = SaturatingAdd(total, run.rows.back().wall_ns);
  }
  layers = std::clamp<std::int64_t>(layers, 0, kMostNs);
  runtime = std::clamp<std::int64_t>(runtime, 0, kMostNs);
  run.reconciliation = Reconciliation::Make(layers + runtime, layers, runtime, 0, 0);
  const double whole = static_cast<double>(std::max<std::int64_t>(layers + runtime, 1));
  for (Row& row : run.rows) row.share = static_cast<double>(row.wall_ns) / whole;
  run.notes.push_back(
      "the file holds sums, not events: there is no timeline, no idle time, no gap");
}

}  // namespace

RunAnalysis SummariseProgram(const Trace& trace, const Timeline& timeline) {
  RunAnalysis run;
  run.format = trace.format;
  run.file = trace.file;
  run.producer = trace.producer;
  run.notes = trace.notes;
  if (trace.size() == 0 && (!trace.sums.empty() || !trace.memory.empty())) {
    AddSums(trace, timeline.sums, run);
    return run;
  }
  bool has_steps = false;
  std::vector<Interval> windows = timeline.main_thread.valid()
                                      ? Windows(trace, timeline.main_thread, has_steps)
                                      : std::vector<Interval>();
  run.iterations.unit = has_steps ? "step" : "span";
  run.iterations.found = static_cast<std::int64_t>(windows.size());
  if (has_steps && IsWarmUp(windows)) {
    windows.erase(windows.begin());
    run.iterations.warmup = 1;
    run.iterations.why = "the first step is warm-up: it took half as long again as the others";
  }
  run.iterations.used = static_cast<std::int64_t>(windows.size());
  for (const Interval& window : windows) run.samples_ns.push_back(window.end - window.begin);
  const std::int64_t wall =
      std::accumulate(run.samples_ns.begin(), run.samples_ns.end(), std::int64_t{0});
  std::int64_t layers = 0, runtime = 0;
  if (timeline.main_thread.valid())
    for (const FlatRow& flat : FlatTimes(trace, timeline.main_thread, windows)) {
      run.rows.push_back(RowOf(trace, flat, wall));
      (run.rows.back().kind == RowKind::kRuntime ? runtime : layers) += flat.ns;
    }
  run.reconciliation = Reconciliation::Make(wall, layers, runtime, 0, wall - layers - runtime);
  if (trace.laid_out)
    run.notes.push_back("stacks have no order in time: they are laid one behind the other");
  run.notes.push_back(has_steps ? "wall: the steps as the launching thread saw them"
                                : "the file marks no steps: wall = all of the launching thread");
  if (trace.cut_at)
    run.notes.push_back("the file ends early, at byte " + std::to_string(*trace.cut_at));
  return run;
}

}  // namespace opscope
