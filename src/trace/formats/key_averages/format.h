// What `print(prof.key_averages().table())` of PyTorch prints, of every version.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace key_averages {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace key_averages

constexpr TraceFormat kKeyAverages = {
    {"torch-table", "PyTorch profiler table (key_averages)", ".txt",
     "ops with calls, times and memory as printed; sums without a timeline"},
    &key_averages::Probe,
    &key_averages::Read};

}  // namespace opscope
