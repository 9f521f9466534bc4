// Chrome "Trace Event" JSON, in the form of the PyTorch profiler: what is read back is the same
// trace.
#pragma once

#include "base/result.h"
#include "base/sink.h"
#include "trace/trace.h"

namespace opscope {

Result<void> WriteChromeTrace(const Trace& trace, Sink& sink);

}  // namespace opscope
