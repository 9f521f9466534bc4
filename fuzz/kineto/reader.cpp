// Any bytes as a PyTorch trace: no crash, no hang, one thread and two read the same, and all that
// is worked out of it adds up.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "base/check.h"
#include "base/source.h"
#include "join/program.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace {

using namespace opscope;  // NOLINT: a program of its own

void CheckNesting(const Trace& trace) {
  for (std::size_t event = 0; event < trace.size(); ++event) {
    CHECK(trace.begin[event] <= trace.end[event]);
    const EventId parent = trace.parent_of(event);
    if (!parent.valid()) continue;
    CHECK(parent.index() < event);
    CHECK(trace.end[event] <= trace.end[parent.index()]);
  }
}

void CheckTimeline(const Trace& trace, const Timeline& timeline) {
  std::int64_t idle = 0, gaps = 0;
  for (const DeviceTime& device : timeline.devices) {
    CHECK(device.all.busy_ns + device.all.idle_ns == device.all.span_ns);
    CHECK(device.linked.busy_ns + device.linked.idle_ns == device.linked.span_ns);
    idle += device.all.idle_ns;
  }
  for (const GapSum& sum : timeline.gap_sums) gaps += sum.ns;
  CHECK(idle == gaps);
  for (const Step& step : timeline.steps.steps)
    CHECK(std::accumulate(step.parts_ns.begin(), step.parts_ns.end(), std::int64_t{0}) ==
          step.end - step.begin);
  if (!timeline.critical_path) return;
  const CriticalPath& path = *timeline.critical_path;
  CHECK(std::accumulate(path.parts.begin(), path.parts.end(), std::int64_t{0}) == path.ns);
  CHECK(path.graph_nodes >= path.path_nodes && path.path_nodes == path.path_edges + 1);
  static_cast<void>(SummariseProgram(trace, timeline));  // reconciles, or fails a CHECK of its own
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ImportLog log, other_log;
  Source source = Source::FromBytes("t.json", std::string(data, data + size));
  Result<Trace> trace = ReadTrace({source, log, 1}, "kineto");
  if (!trace.has_value()) return 0;
  CHECK(trace->size() <= size);
  const Result<Trace> other = ReadTrace({source, other_log, 2}, "kineto");
  CHECK(other.has_value() && other->begin == trace->begin && other->end == trace->end);
  CheckNesting(*trace);
  CheckTimeline(*trace, BuildTimeline(*trace));
  return 0;
}
