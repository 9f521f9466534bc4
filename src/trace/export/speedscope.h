// speedscope: one profile a track, frames that open and close.
#pragma once

#include "base/result.h"
#include "base/sink.h"
#include "trace/trace.h"

namespace opscope {

// speedscope wants frames to close in the reverse order of their opening: events that overlap
// without nesting go into further profiles of their track ("… (2)").
Result<void> WriteSpeedscope(const Trace& trace, Sink& sink);

}  // namespace opscope
