// Any bytes as this format: no crash, no hang, and what is read can be summed and shown.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/source.h"
#include "join/program.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;  // NOLINT: a program of its own
  ImportLog log;
  Source source = Source::FromBytes("t", std::string(data, data + size));
  Result<Trace> trace = ReadTrace({source, log}, "nsys-stats");
  if (!trace.has_value()) return 0;
  CHECK(trace->sums.size() <= size && trace->memory.size() <= size && trace->size() <= size);
  for (std::size_t event = 0; event < trace->size(); ++event)
    CHECK(!trace->parent_of(event).valid() || trace->parent_of(event).index() < event);
  const Timeline timeline = BuildTimeline(*trace);
  static_cast<void>(SummariseProgram(*trace, timeline));  // reconciles, or fails a CHECK of its own
  return 0;
}
