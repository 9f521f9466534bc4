// In-place reuse: outputs that may be written over an input that is not needed any more.
#pragma once

#include <cstddef>
#include <vector>

#include "cost/schedule.h"

namespace opscope {

// By lifetime of `run`: the one whose memory it takes over, else itself. An output takes over an
// operand when all of this holds:
//   - the layer is pointwise (work::Elementwise and work::Movement say so themselves; a batch
//     normalisation whose statistics are given is, in its data),
//   - the operand has as many elements and as many bytes as the output (so it is not broadcast),
//     and so has every other input of the layer that shows the same bytes,
//   - the operand's storage was made in this run (no input of the graph, no constant, nothing that
//     an outer graph owns) and nobody reads it later, under any of its views; it is no output of
//     the graph.
std::vector<std::size_t> ReuseInPlace(Model& model, const StaticAnalysis& analysis,
                                      const std::vector<Dim>& tensor_bytes, const GraphRun& run);

}  // namespace opscope
