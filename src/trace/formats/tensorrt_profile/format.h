// What `trtexec --exportProfile=FILE` writes: the time of every layer of the engine, summed.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace tensorrt_profile {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace tensorrt_profile

constexpr TraceFormat kTensorrtProfile = {
    {"tensorrt-profile", "TensorRT layer profile (trtexec --exportProfile)", ".json",
     "sums and medians of every layer of the engine; of 7.x to 11"},
    &tensorrt_profile::Probe,
    &tensorrt_profile::Read};

}  // namespace opscope
