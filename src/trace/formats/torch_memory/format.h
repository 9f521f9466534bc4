// What `prof.export_memory_timeline()` of PyTorch writes as .json and .raw.json.gz.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace torch_memory {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace torch_memory

constexpr TraceFormat kTorchMemory = {
    {"torch-memory", "PyTorch memory timeline", ".json",
     "memory over time by category (parameters, activations, gradients …), peak"},
    &torch_memory::Probe,
    &torch_memory::Read};

}  // namespace opscope
