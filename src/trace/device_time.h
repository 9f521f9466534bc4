// What each device did and how long it did nothing, exactly, in integer nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/interval.h"
#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

// Unions over all streams of the device. busy = union of kernels, copies and memsets; idle = span -
// busy; span from the first begin to the last end.
struct BusyTime {
  std::int64_t busy_ns = 0, idle_ns = 0, span_ns = 0;
  std::int64_t compute_ns = 0;  // kernels that are no communication
};

struct DeviceTime {
  std::int64_t device = 0;
  BusyTime all;     // orphans included
  BusyTime linked;  // only work whose launch is in the file
  std::int64_t communication_ns = 0, copy_ns = 0, memset_ns = 0;
  // Communication while neither another kernel nor a memset ran; copies while none of these three.
  std::int64_t exposed_communication_ns = 0, exposed_copy_ns = 0;
  std::int64_t kernels = 0, communication_kernels = 0, orphans = 0, work = 0;
  std::int64_t first_ns = 0, last_ns = 0;  // of the span
  // kernel.begin - end of the launching call, at least 0; of linked kernels.
  std::optional<std::int64_t> launch_delay_median_ns, launch_delay_p95_ns;
  std::int64_t queue_max = 0;  // launched and not yet begun, on one stream
  // Over the steps, or over the span where there are none.
  std::optional<double> utilisation;    // kernels running / window
  std::optional<double> sm_efficiency;  // min(1, blocks per SM of the kernels running) / window
  std::optional<double> occupancy;      // estimated from the launch, weighted with time
};

// `work` as FindLaunches gives it; `steps`: disjoint windows, sorted, or empty.
std::vector<DeviceTime> DeviceTimes(const Trace& trace, const std::vector<DeviceWork>& work,
                                    const std::vector<Interval>& steps);

// The union of all work of one device, sorted. Rows are events.
std::vector<Interval> BusyIntervals(const Trace& trace, const std::vector<DeviceWork>& work,
                                    std::int64_t device);

}  // namespace opscope
