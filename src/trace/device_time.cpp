#include "trace/device_time.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "trace/name_test.h"
#include "trace/sort_runs.h"
#include "trace/statistics.h"

namespace opscope {

namespace {

// Work of one device, sorted by begin.
using Work = std::span<const DeviceWork>;

Interval IntervalOf(const Trace& trace, std::uint32_t event) {
  return {trace.begin[event], trace.end[event], event};
}

// From the first begin to the last end, work without a duration (clocks of microseconds) included.
class Span {
 public:
  void Add(const Interval& work) {
    span_.begin = any_ ? std::min(span_.begin, work.begin) : work.begin;
    span_.end = any_ ? std::max(span_.end, work.end) : work.end;
    any_ = true;
  }
  const Interval& get() const { return span_; }

 private:
  Interval span_;
  bool any_ = false;
};

// What a device did, by what it was; all in one pass over its work, which comes by begin.
struct Unions {
  std::vector<Interval> compute, communication, copies, memsets;
  std::int64_t busy = 0, linked = 0, linked_compute = 0;  // their lengths
  Interval span, linked_span;
};

Unions UnionsOf(const Trace& trace, Work work, NameTest& is_communication, DeviceTime& out) {
  UnionBuilder compute, communication, copies, memsets;
  SortedUnionLength busy, linked, linked_compute;
  Span span, linked_span;
  for (const DeviceWork& item : work) {
    const Interval interval = IntervalOf(trace, item.event);
    const EventKind kind = trace.kind[item.event];
    const bool communicates = kind == EventKind::kKernel && is_communication(item.event);
    const bool computes = kind == EventKind::kKernel && !communicates;
    busy.Add(interval);
    span.Add(interval);
    if (communicates) communication.Add(interval);
    if (computes) compute.Add(interval);
    if (kind == EventKind::kCopy) copies.Add(interval);
    if (kind == EventKind::kMemset) memsets.Add(interval);
    if (item.call.valid()) {
      linked.Add(interval);
      linked_span.Add(interval);
      if (computes) linked_compute.Add(interval);
    }
    ++out.work;
    out.orphans += item.call.valid() ? 0 : 1;
    out.kernels += kind == EventKind::kKernel ? 1 : 0;
    out.communication_kernels += communicates ? 1 : 0;
  }
  Unions unions;
  unions.compute = compute.Take();
  unions.communication = communication.Take();
  unions.copies = copies.Take();
  unions.memsets = memsets.Take();
  unions.busy = busy.length();
  unions.linked = linked.length();
  unions.linked_compute = linked_compute.length();
  unions.span = span.get();
  unions.linked_span = linked_span.get();
  return unions;
}

BusyTime BusyOf(std::int64_t busy_ns, const Interval& span, std::int64_t compute_ns) {
  BusyTime out;
  out.busy_ns = busy_ns;
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
  out.launch_delay_median_ns = QuantileOf(delays, 0.5).value;
  out.launch_delay_p95_ns = QuantileOf(delays, 0.95).value;
}

// Begins of calls and of the work they launched, of one stream.
struct Queue {
  std::vector<std::int64_t> calls, work;
};

// +1 when the call begins, -1 when the work does; what begins at the time of a call comes first.
std::int64_t LongestOf(Queue& queue) {
  SortRuns(queue.calls, std::less<>());
  SortRuns(queue.work, std::less<>());
  std::int64_t longest = 0;
  std::size_t begun = 0;
  for (std::size_t called = 0; called < queue.calls.size(); ++called) {
    while (begun < queue.work.size() && queue.work[begun] <= queue.calls[called]) ++begun;
    longest =
        std::max(longest, static_cast<std::int64_t>(called + 1) - static_cast<std::int64_t>(begun));
  }
  return longest;
}

std::int64_t LongestQueue(const Trace& trace, Work work) {
  std::map<std::uint32_t, Queue> streams;
  Queue* queue = nullptr;
  std::uint32_t track = 0;
  for (const DeviceWork& item : work) {
    if (!item.call.valid()) continue;
    if (queue == nullptr || trace.track[item.event] != track) {
      track = trace.track[item.event];
      queue = &streams[track];
    }
    queue->calls.push_back(trace.begin[item.call.index()]);
    queue->work.push_back(trace.begin[item.event]);
  }
  std::int64_t longest = 0;
  for (auto& [stream, of_stream] : streams) longest = std::max(longest, LongestOf(of_stream));
  return longest;
}

// time * min(1, blocks per SM of all kernels that run), in nanoseconds; nullopt where no kernel has
// the number. Blocks per SM are kept as integers of a millionth.
std::optional<double> EfficientTime(const Trace& trace, Work work, const Interval& window) {
  constexpr std::int64_t kFull = 1'000'000;
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  changes.reserve(2 * work.size());  // growing needs room for twice as much
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
  SortRuns(changes, std::less<>());
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
  const std::int64_t inside =
      IntersectionLength(kernels, steps.empty() ? std::vector{window} : steps);
  out.utilisation = static_cast<double>(inside) / length;
  if (const auto efficient = EfficientTime(trace, work, window))
    out.sm_efficiency = *efficient / length;
  out.occupancy = Occupancy(trace, work);
}

// The union of two; `room` is where it lies when it is not one of them.
const std::vector<Interval>& Joined(const std::vector<Interval>& a, const std::vector<Interval>& b,
                                    std::vector<Interval>& room) {
  if (b.empty()) return a;
  room = a;
  room.insert(room.end(), b.begin(), b.end());
  room = Union(std::move(room));
  return room;
}

DeviceTime TimeOf(const Trace& trace, Work work, const std::vector<Interval>& steps,
                  NameTest& is_communication) {
  DeviceTime out;
  out.device = DeviceOf(trace, work.front().event);
  const Unions unions = UnionsOf(trace, work, is_communication, out);
  std::vector<Interval> room;
  const std::vector<Interval>& own = Joined(unions.compute, unions.memsets, room);
  out.all = BusyOf(unions.busy, unions.span, Length(unions.compute));
  out.linked = BusyOf(unions.linked, unions.linked_span, unions.linked_compute);
  out.communication_ns = Length(unions.communication);
  out.copy_ns = Length(unions.copies);
  out.memset_ns = Length(unions.memsets);
  out.exposed_communication_ns = Length(Without(unions.communication, own));
  out.exposed_copy_ns = Length(Without(Without(unions.copies, own), unions.communication));
  out.first_ns = unions.span.begin;
  out.last_ns = unions.span.end;
  SetDelays(trace, work, out);
  out.queue_max = LongestQueue(trace, work);
  SetUse(trace, work, Joined(unions.compute, unions.communication, room), steps, out);
  return out;
}

}  // namespace

std::vector<DeviceTime> DeviceTimes(const Trace& trace, const std::vector<DeviceWork>& work,
                                    const std::vector<Interval>& steps) {
  std::vector<DeviceTime> out;
  NameTest is_communication(trace, &IsCommunication);
  for (std::size_t begin = 0, end = 0; begin < work.size(); begin = end) {
    const std::int64_t device = DeviceOf(trace, work[begin].event);
    for (end = begin; end < work.size() && DeviceOf(trace, work[end].event) == device;) ++end;
    out.push_back(TimeOf(trace, Work(work).subspan(begin, end - begin), steps, is_communication));
  }
  return out;
}

std::vector<Interval> BusyIntervals(const Trace& trace, const std::vector<DeviceWork>& work,
                                    std::int64_t device) {
  UnionBuilder busy;
  for (const DeviceWork& item : work)
    if (DeviceOf(trace, item.event) == device) busy.Add(IntervalOf(trace, item.event));
  return busy.Take();
}

}  // namespace opscope
