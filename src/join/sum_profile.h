// The profile of a runtime that sums over runs, as rows; of the same order and index.
#pragma once

#include "join/summary.h"
#include "trace/trace.h"

namespace opscope {

// `trace` has a profile. Where it says no wall time, or one that its rows exceed, the run is
// sums_only: the wall is the sum of the rows.
Summary SumProfile(const Trace& trace);

}  // namespace opscope
