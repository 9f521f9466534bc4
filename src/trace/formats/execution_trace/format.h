// Execution traces of PyTorch (ExecutionTraceObserver; Chakra schema 1.0 and 1.1).
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace execution_trace {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace execution_trace

constexpr TraceFormat kExecutionTrace = {
    {"torch-execution", "PyTorch execution trace", ".json",
     "ops with the shapes of inputs and outputs, no times; joined to the trace of the same run "
     "where both are given"},
    &execution_trace::Probe,
    &execution_trace::Read};

}  // namespace opscope
