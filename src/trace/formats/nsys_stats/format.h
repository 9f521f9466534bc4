// Reports of `nsys stats` as text: comma- or tab-separated, or in columns; several in one file.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace nsys_stats {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace nsys_stats

constexpr TraceFormat kNsysStats = {
    {"nsys-stats", "Nsight Systems report (nsys stats)", ".csv",
     "sums of kernels, calls, copies, ranges; rows of cuda_gpu_trace and cuda_api_trace"},
    &nsys_stats::Probe,
    &nsys_stats::Read};

}  // namespace opscope
