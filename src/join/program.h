// The run of a whole program (a PyTorch or Nsight trace) as rows that add up.
#pragma once

#include "join/analysis.h"
#include "trace/timeline.h"
#include "trace/trace.h"

namespace opscope {

// Wall = the steps as the main thread saw them; without steps, from its first event to its last.
// Each instant belongs to the innermost op or function (rows of kind kLayer) or call into the
// driver (kRuntime) that was open; the rest is the gap. A first step that took half as long again
// as the median of the others is warm-up.
RunAnalysis SummariseProgram(const Trace& trace, const Timeline& timeline);

}  // namespace opscope
