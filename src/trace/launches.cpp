#include "trace/launches.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "trace/beside.h"
#include "trace/near.h"
#include "trace/sort_runs.h"

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
  SortRuns(calls, [&](const Call& a, const Call& b) {
    if (a.correlation != b.correlation) return a.correlation < b.correlation;
    return std::tuple(trace.begin[a.event], a.event) < std::tuple(trace.begin[b.event], b.event);
  });
  return calls;
}

// Finds calls by their numbers, fast when numbers are asked for in about their order.
class CallFinder {
 public:
  explicit CallFinder(std::vector<Call> calls) : calls_(std::move(calls)), at_(calls_.begin()) {}

  EventId Find(std::int64_t correlation) {
    at_ = LowerBoundNear(calls_.begin(), calls_.end(), at_,
                         [&](const Call& call) { return call.correlation < correlation; });
    const bool found = correlation >= 0 && at_ != calls_.end() && at_->correlation == correlation;
    return found ? EventId{at_->event} : EventId{};
  }

 private:
  std::vector<Call> calls_;
  std::vector<Call>::iterator at_;
};

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
  std::vector<Call> by_number;
  std::vector<EventId> around;
  Beside(
      trace.size(), [&] { by_number = CallsByCorrelation(trace); },
      [&] { around = OpsAround(trace); });
  CallFinder calls(std::move(by_number));
  std::vector<DeviceWork> work;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (!IsDeviceWork(trace.kind[event])) continue;
    DeviceWork item{event, {}, {}};
    item.call = calls.Find(trace.correlation[event]);
    if (item.call.valid()) item.op = around[item.call.index()];
    work.push_back(item);
  }
  SortRuns(work, [&](const DeviceWork& a, const DeviceWork& b) {
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
