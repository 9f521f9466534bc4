// Timeline: everything a trace of a whole program says, worked out once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/copies.h"
#include "trace/critical_path.h"
#include "trace/device_time.h"
#include "trace/gaps.h"
#include "trace/launches.h"
#include "trace/memory_curve.h"
#include "trace/op_table.h"
#include "trace/ranges.h"
#include "trace/steps.h"
#include "trace/sums.h"
#include "trace/threads.h"
#include "trace/trace.h"

namespace opscope {

// All runs of one kernel on one device.
struct KernelRow {
  std::int64_t device = 0;
  Str name{0}, op{0};  // the op that launched most of them; Str{0} = none is known
  std::int64_t calls = 0, ns = 0, shortest_ns = 0, longest_ns = 0;
  std::int32_t occupancy_percent = -1;  // of the first run; an estimate of the recorder
};

struct GapSum {
  std::int64_t count = 0, ns = 0;
};

struct Timeline {
  std::vector<DeviceWork> work;
  Steps steps;
  std::vector<DeviceTime> devices;
  std::vector<HostThreadTime> threads;
  std::vector<OpRow> ops;
  std::vector<KernelRow> kernels;  // by falling time
  Ranges ranges;
  std::vector<CopyRow> copies;
  std::vector<RepeatedUpload> uploads;
  std::vector<Gap> gaps;                   // the longest hundred, longest first
  std::array<GapSum, kGapKinds> gap_sums;  // of all; they sum to the idle time
  std::vector<MemoryCurve> memory;
  // Of all events but the recording's own; no timeline where the file holds sums only.
  std::int64_t first_ns = 0, last_ns = 0;
  // The thread that does the work: that of the steps, else the one with most launches, else the
  // busiest. Invalid: no thread has events.
  TrackId main_thread;
  std::optional<CriticalPath> critical_path;
  SumTables sums;                     // where the file holds sums and no events
  std::vector<OpShapeRow> op_shapes;  // where an execution trace was joined to the events
};

// `window`: of the critical path, as FindWindow reads it; empty = the last whole step, or the trace
// where there are no steps and it is not long.
Timeline BuildTimeline(Trace& trace, std::string_view window = {});

}  // namespace opscope
