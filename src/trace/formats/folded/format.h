// Folded stacks: `export_stacks` of PyTorch, stackcollapse of FlameGraph, our own .folded.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace folded {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace folded

constexpr TraceFormat kFoldedStacks = {
    {"folded", "folded stacks", ".folded",
     "frames with self and total values; laid one behind the other, as the file has no times"},
    &folded::Probe,
    &folded::Read};

}  // namespace opscope
