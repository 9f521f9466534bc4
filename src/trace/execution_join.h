// An execution trace beside the profiler's trace of the same run.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace opscope {

struct ExecutionMatch {
  std::int64_t events = 0;   // that carry the number of a record
  std::int64_t matched = 0;  // whose record is in the execution trace, with the same name
};
ExecutionMatch MatchExecution(const Trace& execution, const Trace& trace);
// Gives every event that matches the arguments of its record, and says so in the trace's notes.
void JoinExecution(const Trace& execution, Trace& trace);

}  // namespace opscope
