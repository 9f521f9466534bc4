// Any bytes as an ONNX Runtime profile: no crash, no hang, and what is read adds up.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/source.h"
#include "join/join.h"
#include "trace/formats/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;  // NOLINT: a program of its own
  ImportLog log;
  Source source = Source::FromBytes("p.json", std::string(data, data + size));
  const Result<Trace> trace = ReadTrace({source, log}, "ort-profile");
  if (!trace.has_value()) return 0;
  CHECK(trace->size() <= size);
  for (std::size_t event = 0; event < trace->size(); ++event) {
    CHECK(trace->begin[event] <= trace->end[event]);
    CHECK(!trace->parent_of(event).valid() || trace->parent_of(event).index() < event);
  }
  static_cast<void>(Summarise(*trace));  // reconciles, or fails a CHECK of its own
  static_cast<void>(ReadTrace({source, log}));
  return 0;
}
