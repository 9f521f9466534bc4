// Folded stacks: "thread;outer;inner 1234", self time in nanoseconds, a line a stack.
#pragma once

#include "base/result.h"
#include "base/sink.h"
#include "trace/trace.h"

namespace opscope {

// Blanks, semicolons and line ends in names become "_". The lines of a track sum to the union of
// its events where events nest; of those that overlap in part each counts whole.
Result<void> WriteFolded(const Trace& trace, Sink& sink);

}  // namespace opscope
