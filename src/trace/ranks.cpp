#include "trace/ranks.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/checked.h"

namespace opscope {

namespace {

struct Shortest {
  std::int64_t ns = std::numeric_limits<std::int64_t>::max();
  std::size_t ranks = 0;
};
using ShortestOf = std::map<std::pair<std::string_view, std::int64_t>, Shortest>;

ShortestOf FindShortest(const std::vector<RankTrace>& traces) {
  ShortestOf out;
  for (const RankTrace& trace : traces)
    for (const Collective& collective : trace.collectives) {
      Shortest& shortest = out[{collective.name, collective.nth}];
      shortest.ns = std::min(shortest.ns, collective.ns);
      ++shortest.ranks;
    }
  return out;
}

void MarkStraggler(std::vector<RankRow>& rows) {
  const auto [least, most] =
      std::minmax_element(rows.begin(), rows.end(),
                          [](const RankRow& a, const RankRow& b) { return a.wait_ns < b.wait_ns; });
  if (least->collectives > 0 && most->wait_ns - least->wait_ns > most->busy_ns / 20)
    least->straggler = true;
}

// On one clock: base + time of the first event. Without a base on each there is no common clock.
void Align(const std::vector<RankTrace>& traces, std::vector<RankRow>& rows) {
  std::vector<std::int64_t> begins;
  for (const RankTrace& trace : traces) {
    const auto begin = CheckedAdd(trace.base_ns, trace.first_ns);
    if (trace.base_ns == 0 || !begin) return;
    begins.push_back(*begin);
  }
  const std::int64_t first = *std::min_element(begins.begin(), begins.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].begin_ns = CheckedSub(begins[i], first);
}

std::vector<std::uint32_t> DeviceCollectives(const Trace& trace,
                                             const std::vector<DeviceWork>& work) {
  std::vector<std::uint32_t> out;
  for (const DeviceWork& item : work)
    if (trace.kind[item.event] == EventKind::kKernel && IsCommunication(trace.name_of(item.event)))
      out.push_back(item.event);
  return out;
}

// "gloo:all_reduce": what a library that runs on processors notes on its own threads.
std::vector<std::uint32_t> HostCollectives(const Trace& trace) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const std::string_view name = trace.name_of(event);
    if (trace.kind[event] == EventKind::kAnnotation &&
        (name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("ucc:")))
      out.push_back(event);
  }
  std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.begin[a] < trace.begin[b];
  });
  return out;
}

}  // namespace

std::int64_t RankInName(std::string_view file) {
  std::size_t at = file.rfind("rank");
  if (at == std::string_view::npos) return -1;
  at += 4;
  if (at < file.size() && (file[at] == '-' || file[at] == '_')) ++at;
  std::size_t end = at;
  while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end]))) ++end;
  return ParseInt64(file.substr(at, end - at)).value_or(-1);
}

RankTrace SummariseRank(const Trace& trace, const Timeline& timeline) {
  RankTrace out;
  out.rank = trace.recording.rank >= 0 ? trace.recording.rank : RankInName(trace.file);
  out.file = trace.file;
  out.base_ns = trace.recording.base_ns;
  out.first_ns = timeline.first_ns;
  for (const DeviceTime& device : timeline.devices) out.busy_ns += device.all.busy_ns;
  if (timeline.devices.empty())
    for (const HostThreadTime& thread : timeline.threads)
      if (thread.track == timeline.main_thread) out.busy_ns = thread.busy_ns;
  std::unordered_map<std::uint32_t, std::int64_t> seen;
  for (const std::uint32_t event :
       timeline.devices.empty() ? HostCollectives(trace) : DeviceCollectives(trace, timeline.work))
    out.collectives.push_back({std::string(trace.name_of(event)), seen[trace.name[event].value]++,
                               trace.duration(event)});
  return out;
}

std::vector<RankRow> CompareRanks(std::vector<RankTrace> traces) {
  std::sort(traces.begin(), traces.end(),
            [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  const bool apart =
      std::adjacent_find(traces.begin(), traces.end(), [](const RankTrace& a, const RankTrace& b) {
        return a.rank == b.rank;
      }) == traces.end();
  if (traces.size() < 2 || !apart || traces.front().rank < 0) return {};
  const ShortestOf shortest = FindShortest(traces);
  std::vector<RankRow> rows;
  for (const RankTrace& trace : traces) {
    RankRow row;
    row.rank = trace.rank;
    row.file = trace.file;
    row.busy_ns = trace.busy_ns;
    for (const Collective& collective : trace.collectives) {
      const Shortest& other = shortest.at({collective.name, collective.nth});
      if (other.ranks < traces.size()) continue;
      ++row.collectives;
      row.wait_ns += collective.ns - other.ns;
    }
    rows.push_back(std::move(row));
  }
  MarkStraggler(rows);
  Align(traces, rows);
  return rows;
}

}  // namespace opscope
