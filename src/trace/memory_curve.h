// Memory over time, from the allocations and releases of a trace.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace opscope {

// The part of one category (Trace::memory_categories).
struct CategoryCurve {
  Str name{0};
  std::int64_t peak_bytes = 0, at_peak_bytes = 0;  // largest of its own; when the whole was largest
  std::vector<std::pair<std::int64_t, std::int64_t>> series;
};

struct MemoryCurve {
  std::int32_t device_type = 0, device = -1;  // 0 = CPU
  std::int64_t peak_bytes = 0, peak_at_ns = 0;
  std::int64_t allocations = 0, releases = 0;
  // False: the file gives changes only, and bytes count from what was there at its begin.
  bool absolute = false;
  std::vector<std::pair<std::int64_t, std::int64_t>> series;  // time, bytes; peaks are kept
  std::size_t peak_change = 0;                                // in Trace::memory
  std::vector<CategoryCurve> categories;  // that held memory; they sum to the whole at each time
};

// A curve for each memory the trace tells of, devices first, by falling peak. A series has at most
// `points` points: of each stretch of time the largest value.
std::vector<MemoryCurve> MemoryCurves(const Trace& trace, std::size_t points = 1000);

}  // namespace opscope
