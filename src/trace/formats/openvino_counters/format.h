// Performance counters as OpenVINO's benchmark_app writes them: `-report_type average_counters` or
// `detailed_counters`.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace openvino_counters {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace openvino_counters

constexpr TraceFormat kOpenvinoCounters = {
    {"openvino-counters", "OpenVINO counters (benchmark_app -report_type)", ".csv .json",
     "layers that ran, with kernels and types; means, or one block a request"},
    &openvino_counters::Probe,
    &openvino_counters::Read};

}  // namespace opscope
