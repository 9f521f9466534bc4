// Any bytes as a profile of a model runtime: no crash, no hang, and what is read adds up. The first
// byte says which format.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/source.h"
#include "join/join.h"
#include "trace/formats/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;  // NOLINT: a program of its own
  constexpr std::array kFormats = {"tensorrt-profile", "trtexec-log", "trtexec-times",
                                   "tflite-profile",   "armnn",       "openvino-counters"};
  if (size == 0) return 0;
  ImportLog log;
  Source source = Source::FromBytes("t", std::string(data + 1, data + size));
  Result<Trace> trace = ReadTrace({source, log}, kFormats[data[0] % kFormats.size()]);
  if (trace.has_value()) static_cast<void>(Summarise(*trace));
  return 0;
}
