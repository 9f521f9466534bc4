#include "join/summary.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "join/join.h"
#include "join/names.h"
#include "join/sum_profile.h"

namespace opscope {

namespace {

double Ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void NameRuntimeRows(RowTable& table) {
  for (Row& row : table.rows) {
    const std::string_view what = WhatRuntimeRowDoes(row.name, row.op);
    if (what.empty()) continue;
    row.kind = RowKind::kRuntime;
    row.method = MatchMethod::kRuntimeName;
    row.confidence = Confidence::kExact;
    row.because = what;
  }
}

// Device time of the kernels that a row's op launched, in the used runs.
void AddDeviceTime(const Trace& trace, const Runs& runs, RowTable& table,
                   std::vector<std::string>& notes) {
  std::map<std::uint32_t, std::int64_t> by_launcher;
  std::int64_t unowned = 0;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    if (trace.kind[event] != EventKind::kKernel && trace.kind[event] != EventKind::kCopy) continue;
    const std::uint32_t run = runs.of[event];
    const OpArgs* args = trace.args_of(event);
    if (run == kNoRun || !runs.windows[run].used) continue;
    if (args == nullptr || args->parent_name == Str{0})
      unowned += trace.duration(event);
    else
      by_launcher[args->parent_name.value] += trace.duration(event);
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto found = by_launcher.find(table.keys[row].name.value);
    if (found == by_launcher.end() || row == table.fences || row == table.session) continue;
    table.rows[row].device_ns = found->second;
    by_launcher.erase(found);  // names are unique per graph: the first row has it
  }
  for (const auto& left : by_launcher) unowned += left.second;
  if (unowned > 0)
    notes.push_back("device rows of " + std::to_string(unowned) +
                    " ns name no node that launched them");
}

void AddThreads(const Trace& trace, const Runs& runs, RunAnalysis& run) {
  std::map<std::uint32_t, ThreadTime> threads;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> spans;
  for (const RunWindow& window : runs.windows) {
    if (!window.track.valid()) continue;
    const std::uint32_t track = window.track.value;
    ThreadTime& thread = threads[track];
    thread.pid = trace.tracks[track].pid;
    thread.tid = trace.tracks[track].tid;
    ++thread.runs;
    if (window.used) thread.busy_ns += window.end - window.begin;
    auto& [begin, end] = spans.try_emplace(track, window.begin, window.end).first->second;
    end = std::max(end, window.end);
    thread.span_ns = end - begin;
  }
  for (const auto& thread : threads) run.threads.push_back(thread.second);
}

void AddSetup(const Trace& trace, RunAnalysis& run) {
  for (std::size_t event = 0; event < trace.size(); ++event)
    if (trace.kind[event] == EventKind::kSetup)
      run.setup_ns = run.setup_ns.value_or(0) + trace.duration(event);
}

void Note(const Trace& trace, const Runs& runs, std::vector<std::string>& notes) {
  if (runs.windows.empty()) notes.push_back("the file holds no run of the model");
  if (!runs.windows.empty() && !runs.has_sessions)
    notes.push_back(
        "no model_run in the file: the wall is that of " +
        std::string(runs.iterations.unit == "span" ? "all recorded nodes" : "the executions"));
  if (runs.outside > 0)
    notes.push_back(std::to_string(runs.outside) +
                    " events belong to no single run and are left out");
  if (trace.cut_at)
    notes.push_back("the file ends early, at byte " + std::to_string(*trace.cut_at));
  if (trace.event_cap) notes.push_back("the recorder stopped at its limit of events");
}

Reconciliation Reconcile(std::int64_t wall, const RowTable& table) {
  std::int64_t layers = 0, runtime = 0, unmatched = 0;
  for (const Row& row : table.rows) {
    switch (row.kind) {
      case RowKind::kLayer:
      case RowKind::kContainer:
        layers += row.wall_ns;
        break;
      case RowKind::kRuntime:
        runtime += row.wall_ns;
        break;
      case RowKind::kUnmatched:
        unmatched += row.wall_ns;
        break;
    }
  }
  return Reconciliation::Make(wall, layers, runtime, unmatched, table.gap_ns);
}

void SumOps(RunAnalysis& run) {
  std::map<std::string, OpTime> ops;
  for (const Row& row : run.rows) {
    OpTime& op = ops[row.op.empty() ? row.name : row.op];
    op.op = row.op.empty() ? row.name : row.op;
    ++op.rows;
    op.calls += row.calls;
    op.busy_ns += row.busy_ns;
    op.wall_ns += row.wall_ns;
  }
  for (auto& op : ops) run.ops.push_back(std::move(op.second));
  std::stable_sort(run.ops.begin(), run.ops.end(),
                   [](const OpTime& a, const OpTime& b) { return a.wall_ns > b.wall_ns; });
}

void SumProviders(RunAnalysis& run) {
  std::map<std::string, std::int64_t> wall, layers;
  for (const Row& row : run.rows) {
    if (row.kind != RowKind::kLayer && row.kind != RowKind::kContainer) continue;
    wall[row.provider] += row.wall_ns;
    ++layers[row.provider];
  }
  for (const auto& [provider, ns] : wall)
    run.placement.push_back(
        {provider, layers[provider], std::nullopt, Ratio(ns, run.reconciliation.layers_ns())});
  std::stable_sort(run.placement.begin(), run.placement.end(),
                   [](const ProviderPlacement& a, const ProviderPlacement& b) {
                     return a.wall_share > b.wall_share;
                   });
}

}  // namespace

Summary SumTrace(const Trace& trace, std::int64_t warmup) {
  const Runs runs = FindRuns(trace, warmup);
  Summary summary{{}, GroupRows(trace, runs), std::nullopt};
  RunAnalysis& run = summary.run;
  run.format = trace.format;
  run.file = trace.file;
  run.producer = trace.producer;
  run.iterations = runs.iterations;
  for (const RunWindow& window : runs.windows)
    if (window.used) run.samples_ns.push_back(window.end - window.begin);
  NameRuntimeRows(summary.table);
  AddDeviceTime(trace, runs, summary.table, run.notes);
  AddThreads(trace, runs, run);
  AddSetup(trace, run);
  Note(trace, runs, run.notes);
  return summary;
}

RunAnalysis Settle(Summary summary) {
  FillSamples(summary.run.iterations.used, summary.table);
  RunAnalysis run = std::move(summary.run);
  const std::int64_t sampled =
      std::accumulate(run.samples_ns.begin(), run.samples_ns.end(), std::int64_t{0});
  run.reconciliation = Reconcile(summary.wall_ns.value_or(sampled), summary.table);
  run.rows = std::move(summary.table.rows);
  for (Row& row : run.rows) {
    row.share = Ratio(row.wall_ns, run.reconciliation.wall_ns());
    const bool placed = row.kind != RowKind::kUnmatched;
    ++run.coverage.rows;
    run.coverage.placed += placed ? 1 : 0;
    run.coverage.rows_ns += row.wall_ns;
    run.coverage.placed_ns += placed ? row.wall_ns : 0;
  }
  SumOps(run);
  SumProviders(run);
  return run;
}

RunAnalysis Summarise(const Trace& trace) {
  RunAnalysis run = Settle(trace.profile ? SumProfile(trace) : SumTrace(trace));
  run.notes.push_back(
      "no model was given: rows are named as in the profile and placed on no layer");
  return run;
}

}  // namespace opscope
