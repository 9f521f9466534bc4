// Internal to trace: the columns of a trace in another order.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace opscope {

// Element i of the new column is element order[i] of the old one. Empty columns stay so.
template <class T>
void Permute(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  if (column.empty()) return;
  std::vector<T> sorted(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

// All columns but `parent`, which holds places.
void PermuteEvents(Trace& trace, const std::vector<std::uint32_t>& order);

// The tracks in the order of (kind, pid, tid), so that ids do not depend on the order of the file.
void SortTracks(Trace& trace);

}  // namespace opscope
