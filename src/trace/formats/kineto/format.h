// Traces of the PyTorch profiler (Kineto), every era from 2021 on, CUDA, ROCm and CPU-only, and the
// older autograd profiler.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace kineto {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace kineto

constexpr TraceFormat kKinetoTrace = {
    {"kineto", "PyTorch profiler trace", ".pt.trace.json",
     "ops, launches, kernels, copies, annotations, Python stacks, memory; object or bare list; "
     "invalid JSON and cut files included"},
    &kineto::Probe,
    &kineto::Read};

}  // namespace opscope
