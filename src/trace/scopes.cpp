// Nesting of traces of whole programs (FinishScopes).
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "trace/columns.h"
#include "trace/sort_runs.h"
#include "trace/trace.h"

namespace opscope {

namespace {

// Holders first; what shares an interval stays in the order of the file.
std::vector<std::uint32_t> SortedOrder(const Trace& trace,
                                       const std::vector<std::uint32_t>& first) {
  std::vector<std::uint32_t> order(trace.size()), spare;
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    order[next[trace.track[event]]++] = event;
  const std::int64_t *begin = trace.begin.data(), *end = trace.end.data();
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (begin[a] != begin[b]) return begin[a] < begin[b];
    if (end[a] != end[b]) return end[a] > end[b];
    return a < b;
  };
  for (std::size_t track = 0; track < trace.tracks.size(); ++track)
    SortRuns(order.data() + first[track], order.data() + first[track + 1], spare, before);
  return order;
}

void SetParents(Trace& trace, std::uint32_t begin, std::uint32_t end,
                std::vector<std::uint32_t>& open) {
  open.clear();
  for (std::uint32_t event = begin; event < end; ++event) {
    while (!open.empty() && (trace.begin[event] >= trace.end[open.back()] ||
                             trace.end[event] > trace.end[open.back()]))
      open.pop_back();
    if (!open.empty()) trace.parent[event] = open.back();
    open.push_back(event);
  }
}

}  // namespace

std::vector<std::uint32_t> FirstOfTracks(const Trace& trace) {
  std::vector<std::uint32_t> first(trace.tracks.size() + 1);
  for (const std::uint32_t track : trace.track) ++first[track + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

void FinishScopes(Trace& trace) {
  CHECK(trace.size() < EventId{}.value);
  SortTracks(trace);
  const std::vector<std::uint32_t> first = FirstOfTracks(trace);
  {
    const std::vector<std::uint32_t> order = SortedOrder(trace, first);
    if (!std::is_sorted(order.begin(), order.end())) {
      PermuteEvents(trace, order);
      std::vector<std::uint32_t> place(order.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
      for (Link& link : trace.links) link = {place[link.from], place[link.to]};
    }
  }
  trace.parent.assign(trace.size(), EventId{}.value);
  std::vector<std::uint32_t> open;
  for (std::size_t track = 0; track < trace.tracks.size(); ++track)
    SetParents(trace, first[track], first[track + 1], open);
}

}  // namespace opscope
