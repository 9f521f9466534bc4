#include "trace/launches.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace opscope {

namespace {

struct Call {
  std::int64_t correlation;
  std::uint32_t event;
};

std::vector<Call> CallsByCorrelation(const Trace& trace) {
  std::vector<Call> calls;
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    // An op that stands for its call: the older profiler of PyTorch recorded no calls.
    if ((trace.kind[event] == EventKind::kApi || trace.kind[event] == EventKind::kOp) &&
        trace.correlation[event] >= 0)
      calls.push_back({trace.correlation[event], event});
  std::sort(calls.begin(), calls.end(), [&](const Call& a, const Call& b) {
    return std::tuple(a.correlation, trace.begin[a.event], a.event) <
           std::tuple(b.correlation, trace.begin[b.event], b.event);
  });
  return calls;
}

}  // namespace

std::vector<EventId> OpsAround(const Trace& trace) {
  std::vector<EventId> around(trace.size());
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const EventId parent = trace.parent_of(event);  // stands before what it holds
    if (trace.kind[event] == EventKind::kOp)
      around[event] = EventId{event};
    else if (parent.valid())
      around[event] = around[parent.index()];
  }
  return around;
}

std::vector<DeviceWork> FindLaunches(const Trace& trace) {
  if (trace.correlation.empty()) return {};
  const std::vector<Call> calls = CallsByCorrelation(trace);
  const std::vector<EventId> around = OpsAround(trace);
  std::vector<DeviceWork> work;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (!IsDeviceWork(trace.kind[event])) continue;
    DeviceWork item{event, {}, {}};
    const std::int64_t correlation = trace.correlation[event];
    const auto call =
        std::lower_bound(calls.begin(), calls.end(), correlation,
                         [](const Call& a, std::int64_t b) { return a.correlation < b; });
    if (correlation >= 0 && call != calls.end() && call->correlation == correlation)
      item.call = EventId{call->event};
    if (item.call.valid()) item.op = around[item.call.index()];
    work.push_back(item);
  }
  std::sort(work.begin(), work.end(), [&](const DeviceWork& a, const DeviceWork& b) {
    return std::tuple(DeviceOf(trace, a.event), trace.begin[a.event], a.event) <
           std::tuple(DeviceOf(trace, b.event), trace.begin[b.event], b.event);
  });
  return work;
}

bool IsCommunication(std::string_view kernel) {
  constexpr std::array<std::string_view, 4> kNames = {"nccl", "rccl", "NCCL", "RCCL"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return kernel.find(name) != std::string_view::npos;
  });
}

}  // namespace opscope
