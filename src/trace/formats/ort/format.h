// Profiles of ONNX Runtime, every release: session level and run level.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace ort {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace ort

constexpr TraceFormat kOrtProfile = {
    {"ort-profile", "ONNX Runtime profile", ".json",
     "runs, nodes, containers, threads, device kernels; invalid JSON and cut files included"},
    &ort::Probe,
    &ort::Read};

}  // namespace opscope
