#include "trace/gaps.h"

namespace opscope {

namespace {

GapKind KindOf(const Trace& trace, const Gap& gap, EventId call, HostActivity& host) {
  if (!call.valid() || trace.begin[call.index()] < gap.begin) return GapKind::kUnknown;
  HostActivity::Thread& thread = host.of(TrackId{trace.track[call.index()]});
  const std::int64_t launch = trace.begin[call.index()];
  if (thread.waiting.Touches(gap.begin, launch)) return GapKind::kSync;
  const std::int64_t length = launch - gap.begin;
  if (thread.loading.Of(gap.begin, launch) * 2 > length) return GapKind::kLoading;
  if (thread.working.Of(gap.begin, launch) * 2 > length) return GapKind::kLaunch;
  return GapKind::kHost;
}

}  // namespace

std::string_view Name(GapKind kind) {
  constexpr std::string_view kNames[] = {"launch", "sync", "data loading", "host", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

void FindGaps(const Trace& trace, const std::vector<DeviceWork>& work, HostActivity host,
              const std::function<void(const Gap&)>& take) {
  // What ended last so far on the device of the item in front.
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::uint32_t event = work[i].event;
    const bool same_device = i > 0 && DeviceOf(trace, work[i - 1].event) == DeviceOf(trace, event);
    if (!same_device) {
      last = event;
      continue;
    }
    if (trace.end[last] < trace.begin[event]) {
      Gap gap{DeviceOf(trace, event),
              trace.end[last],
              trace.begin[event],
              GapKind::kUnknown,
              last,
              event};
      gap.kind = KindOf(trace, gap, work[i].call, host);
      take(gap);
    }
    if (trace.end[event] > trace.end[last]) last = event;
  }
}

}  // namespace opscope
