// Any bytes as an export of Nsight Systems: no crash, no hang, and what is read adds up.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/source.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;  // NOLINT: a program of its own
  ImportLog log;
  Source source = Source::FromBytes("run.sqlite", std::string(data, data + size));
  Result<Trace> trace = ReadTrace({source, log}, "nsys");
  if (!trace.has_value()) return 0;
  CHECK(trace->size() <= size);
  for (std::size_t event = 0; event < trace->size(); ++event) {
    CHECK(trace->begin[event] <= trace->end[event]);
    CHECK(!trace->parent_of(event).valid() || trace->parent_of(event).index() < event);
  }
  const Timeline timeline = BuildTimeline(*trace);
  std::int64_t work_ns = 0, ranges_ns = timeline.ranges.unattributed.device_ns;
  for (const DeviceWork& item : timeline.work) work_ns += trace->duration(item.event);
  for (const RangeRow& row : timeline.ranges.rows) ranges_ns += row.device_ns;
  CHECK(work_ns == ranges_ns);
  return 0;
}
