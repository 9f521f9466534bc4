// What `benchmark_model --enable_op_profiling=true` prints or writes: tables of TFLite's profiler.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace tflite_profile {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace tflite_profile

constexpr TraceFormat kTfliteProfile = {
    {"tflite-profile", "TFLite op profile (benchmark_model)", ".txt .csv .log",
     "console, tables or CSV: ops, delegates and what runs inside them, in the order in which they "
     "ran"},
    &tflite_profile::Probe,
    &tflite_profile::Read};

}  // namespace opscope
