// Time by name of everything that ran on threads, with the device time it caused.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

struct OpRow {
  Str name{0};
  EventKind kind = EventKind::kOp;  // of the first event of this name
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;        // without and with what it calls
  std::int64_t self_device_ns = 0, device_ns = 0;  // work launched by it; by it and what it calls
};

// The table that torch's own `key_averages()` prints, computed from the events alone:
//   - rows of the profiler itself are hidden (aten::is_leaf, profiler::_record_function_enter …);
//   - ProfilerStep#3 counts as ProfilerStep*;
//   - the only child of its parent that has the parent's name is one with it;
//   - self = own time less that of the direct children.
// Device time goes to the innermost op around the launching call. Rows by falling self device time,
// then self CPU time, then name. `trace` interns the joint name of the steps.
std::vector<OpRow> OpTable(Trace& trace, const std::vector<DeviceWork>& work);

// The rows of the table whose events say what they were called with (OpArgs::inputs), by that.
struct OpShapeRow {
  Str inputs{0}, outputs{0};
  OpRow row;
};
std::vector<OpShapeRow> OpShapeTable(const Trace& trace, const std::vector<DeviceWork>& work);

}  // namespace opscope
