// What `ExecuteNetwork -e` prints: the events of Arm NN's profiler as JSON, between other lines.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace armnn {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace armnn

constexpr TraceFormat kArmnnProfile = {
    {"armnn", "Arm NN profile (ExecuteNetwork -e)", ".json .txt .prof",
     "workloads, copies and kernels of every inference; JSON alone or in a log"},
    &armnn::Probe,
    &armnn::Read};

}  // namespace opscope
