// Ranges the program named (NVTX, record_function) and the device work launched in them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

struct RangeRow {
  Str name{0};  // Str{0} in `unattributed`
  std::int64_t calls = 0, ns = 0;
  std::int64_t kernels = 0, device_ns = 0;  // device_ns: of kernels, copies and memsets
};

struct Ranges {
  std::vector<RangeRow> rows;  // by falling device time, then time, then name
  RangeRow unattributed;       // work launched outside every range, or outside the file
};

// Work belongs to the innermost range that is open on the launching thread when its call begins.
// Ranges that need not nest (start/end, marks) are listed and get none. Steps count as one name,
// "ProfilerStep*". device_ns of all rows and `unattributed` sum to that of all work. One pass over
// the events, however deep they nest.
Ranges FindRanges(Trace& trace, const std::vector<DeviceWork>& work);

}  // namespace opscope
