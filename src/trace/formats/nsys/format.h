// SQLite exports of Nsight Systems (`nsys export --type sqlite`), every schema from the trimmed to
// that of 2026.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace nsys {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace nsys

constexpr TraceFormat kNsysExport = {
    {"nsys", "Nsight Systems export", ".sqlite",
     "kernels, copies, memsets, waits, graph launches, CUDA calls, NVTX ranges, system calls, "
     "profiler overhead; several processes; damaged and cut files included"},
    &nsys::Probe,
    &nsys::Read};

}  // namespace opscope
