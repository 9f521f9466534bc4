// What `trtexec --exportTimes=FILE` writes: the time of every inference.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace trtexec_times {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace trtexec_times

constexpr TraceFormat kTrtexecTimes = {
    {"trtexec-times", "TensorRT inference times (trtexec --exportTimes)", ".json",
     "latency of every inference, split into copies and compute; of 7.x to 11"},
    &trtexec_times::Probe,
    &trtexec_times::Read};

}  // namespace opscope
