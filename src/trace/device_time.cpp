#include "trace/device_time.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "trace/statistics.h"

namespace opscope {

namespace {

// Work of one device, sorted by begin.
using Work = std::span<const DeviceWork>;

Interval IntervalOf(const Trace& trace, std::uint32_t event) {
  return {trace.begin[event], trace.end[event], event};
}

template <class Wanted>
std::vector<Interval> UnionOf(const Trace& trace, Work work, Wanted wanted) {
  std::vector<Interval> intervals;
  for (const DeviceWork& item : work)
    if (wanted(item)) intervals.push_back(IntervalOf(trace, item.event));
  return Union(std::move(intervals));
}

// Names are looked at once.
class Communication {
 public:
  explicit Communication(const Trace& trace) : trace_(&trace), known_(trace.strings.size(), 2) {}
  bool operator()(std::uint32_t event) {
    if (trace_->kind[event] != EventKind::kKernel) return false;
    std::uint8_t& known = known_[trace_->name[event].index()];
    if (known == 2) known = IsCommunication(trace_->name_of(event)) ? 1 : 0;
    return known == 1;
  }

 private:
  const Trace* trace_;
  std::vector<std::uint8_t> known_;
};

// From the first begin to the last end, work without a duration (clocks of microseconds) included.
template <class Wanted>
Interval SpanOf(const Trace& trace, Work work, Wanted wanted) {
  Interval span;
  bool any = false;
  for (const DeviceWork& item : work) {
    if (!wanted(item)) continue;
    span.begin = any ? std::min(span.begin, trace.begin[item.event]) : trace.begin[item.event];
    span.end = any ? std::max(span.end, trace.end[item.event]) : trace.end[item.event];
    any = true;
  }
  return span;
}

BusyTime BusyOf(const std::vector<Interval>& busy, const Interval& span, std::int64_t compute_ns) {
  BusyTime out;
  out.busy_ns = Length(busy);
  out.span_ns = span.end - span.begin;
  out.idle_ns = out.span_ns - out.busy_ns;
  out.compute_ns = compute_ns;
  return out;
}

void SetDelays(const Trace& trace, Work work, DeviceTime& out) {
  std::vector<Nanos> delays;
  for (const DeviceWork& item : work)
    if (item.call.valid() && trace.kind[item.event] == EventKind::kKernel)
      delays.push_back(
          {std::max<std::int64_t>(0, trace.begin[item.event] - trace.end[item.call.index()])});
  if (delays.empty()) return;
  std::sort(delays.begin(), delays.end());
  out.launch_delay_median_ns = Quantile(delays, 0.5).value;
  out.launch_delay_p95_ns = Quantile(delays, 0.95).value;
}

// Per stream: +1 when the call begins, -1 when the work does.
std::int64_t LongestQueue(const Trace& trace, Work work) {
  std::map<std::uint32_t, std::vector<std::pair<std::int64_t, int>>> streams;
  for (const DeviceWork& item : work) {
    if (!item.call.valid()) continue;
    auto& changes = streams[trace.track[item.event]];
    changes.emplace_back(trace.begin[item.call.index()], 1);
    changes.emplace_back(trace.begin[item.event], -1);
  }
  std::int64_t longest = 0;
  for (auto& [track, changes] : streams) {
    std::sort(changes.begin(), changes.end());
    std::int64_t length = 0;
    for (const auto& [at, change] : changes) longest = std::max(longest, length += change);
  }
  return longest;
}

// time * min(1, blocks per SM of all kernels that run), in nanoseconds; nullopt where no kernel has
// the number. Blocks per SM are kept as integers of a millionth.
std::optional<double> EfficientTime(const Trace& trace, Work work, const Interval& window) {
  constexpr std::int64_t kFull = 1'000'000;
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  for (const DeviceWork& item : work) {
    const DeviceArgs* args = trace.device_of(item.event);
    if (args == nullptr || args->blocks_per_sm_millionths < 0) continue;
    const std::int64_t begin = std::max(trace.begin[item.event], window.begin);
    const std::int64_t end = std::min(trace.end[item.event], window.end);
    if (begin >= end) continue;
    const std::int64_t blocks = std::min(args->blocks_per_sm_millionths, kFull);
    changes.emplace_back(begin, blocks);
    changes.emplace_back(end, -blocks);
  }
  if (changes.empty()) return std::nullopt;
  std::sort(changes.begin(), changes.end());
  double time = 0;
  std::int64_t running = 0, at = changes.front().first;
  for (const auto& [next, change] : changes) {
    time += static_cast<double>(next - at) * static_cast<double>(std::min(running, kFull)) /
            static_cast<double>(kFull);
    running += change;
    at = next;
  }
  return time;
}

std::optional<double> Occupancy(const Trace& trace, Work work) {
  double weighted = 0, time = 0;
  for (const DeviceWork& item : work) {
    const DeviceArgs* args = trace.device_of(item.event);
    if (args == nullptr || args->occupancy_percent < 0) continue;
    const auto duration = static_cast<double>(trace.duration(item.event));
    weighted += duration * args->occupancy_percent / 100;
    time += duration;
  }
  return time > 0 ? std::optional(weighted / time) : std::nullopt;
}

void SetUse(const Trace& trace, Work work, const std::vector<Interval>& kernels,
            const std::vector<Interval>& steps, DeviceTime& out) {
  const Interval window = steps.empty() ? Interval{out.first_ns, out.last_ns, 0}
                                        : Interval{steps.front().begin, steps.back().end, 0};
  const auto length = static_cast<double>(window.end - window.begin);
  if (length <= 0 || out.kernels == 0) return;
  const std::vector<Interval> inside =
      Intersect(kernels, steps.empty() ? std::vector{window} : steps);
  out.utilisation = static_cast<double>(Length(inside)) / length;
  if (const auto efficient = EfficientTime(trace, work, window))
    out.sm_efficiency = *efficient / length;
  out.occupancy = Occupancy(trace, work);
}

DeviceTime TimeOf(const Trace& trace, Work work, const std::vector<Interval>& steps,
                  Communication& is_communication) {
  DeviceTime out;
  out.device = DeviceOf(trace, work.front().event);
  const auto kind = [&](const DeviceWork& item) { return trace.kind[item.event]; };
  const auto is_compute = [&](const DeviceWork& item) {
    return kind(item) == EventKind::kKernel && !is_communication(item.event);
  };
  const auto everything = [](const DeviceWork&) { return true; };
  const auto busy = UnionOf(trace, work, everything);
  const Interval span = SpanOf(trace, work, everything);
  const auto compute = UnionOf(trace, work, is_compute);
  const auto communication =
      UnionOf(trace, work, [&](const DeviceWork& item) { return is_communication(item.event); });
  const auto copies =
      UnionOf(trace, work, [&](const DeviceWork& item) { return kind(item) == EventKind::kCopy; });
  const auto memsets = UnionOf(
      trace, work, [&](const DeviceWork& item) { return kind(item) == EventKind::kMemset; });
  std::vector<Interval> own = compute;
  own.insert(own.end(), memsets.begin(), memsets.end());
  own = Union(std::move(own));
  out.all = BusyOf(busy, span, Length(compute));
  out.communication_ns = Length(communication);
  out.copy_ns = Length(copies);
  out.memset_ns = Length(memsets);
  out.exposed_communication_ns = Length(Without(communication, own));
  out.exposed_copy_ns = Length(Without(Without(copies, own), communication));
  out.first_ns = span.begin;
  out.last_ns = span.end;
  for (const DeviceWork& item : work) {
    ++out.work;
    out.orphans += item.call.valid() ? 0 : 1;
    out.kernels += kind(item) == EventKind::kKernel ? 1 : 0;
    out.communication_kernels += is_communication(item.event) ? 1 : 0;
  }
  const auto linked = [](const DeviceWork& item) { return item.call.valid(); };
  out.linked = BusyOf(UnionOf(trace, work, linked), SpanOf(trace, work, linked),
                      Length(UnionOf(trace, work, [&](const DeviceWork& item) {
                        return linked(item) && is_compute(item);
                      })));
  SetDelays(trace, work, out);
  out.queue_max = LongestQueue(trace, work);
  std::vector<Interval> kernels = compute;
  kernels.insert(kernels.end(), communication.begin(), communication.end());
  SetUse(trace, work, Union(std::move(kernels)), steps, out);
  return out;
}

}  // namespace

std::vector<DeviceTime> DeviceTimes(const Trace& trace, const std::vector<DeviceWork>& work,
                                    const std::vector<Interval>& steps) {
  std::vector<DeviceTime> out;
  Communication is_communication(trace);
  for (std::size_t begin = 0, end = 0; begin < work.size(); begin = end) {
    const std::int64_t device = DeviceOf(trace, work[begin].event);
    for (end = begin; end < work.size() && DeviceOf(trace, work[end].event) == device;) ++end;
    out.push_back(TimeOf(trace, Work(work).subspan(begin, end - begin), steps, is_communication));
  }
  return out;
}

std::vector<Interval> BusyIntervals(const Trace& trace, const std::vector<DeviceWork>& work,
                                    std::int64_t device) {
  return UnionOf(trace, work,
                 [&](const DeviceWork& item) { return DeviceOf(trace, item.event) == device; });
}

}  // namespace opscope
