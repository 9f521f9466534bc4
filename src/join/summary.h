// A trace summed into rows, before any model is looked at; and the totals over finished rows.
#pragma once

#include <cstdint>
#include <optional>

#include "join/analysis.h"
#include "join/rows.h"
#include "trace/trace.h"

namespace opscope {

struct Summary {
  RunAnalysis run;  // without rows
  RowTable table;
  std::optional<std::int64_t> wall_ns;  // where it is not the sum of the samples
};

// Iterations, samples, rows with their time, threads. Rows that only the runtime can have made are
// kRuntime.
Summary SumTrace(const Trace& trace, std::int64_t warmup = 0);

// Moves the rows into the run and adds what hangs on their kinds: reconciliation, shares, ops,
// coverage, placement by provider (layer counts and MACs are the join's business).
RunAnalysis Settle(Summary summary);

}  // namespace opscope
