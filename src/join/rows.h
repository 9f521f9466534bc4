// Rows of a run: events of the same node grouped, and the wall time shared out among them.
#pragma once

#include <cstdint>
#include <vector>

#include "join/analysis.h"
#include "join/runs.h"
#include "trace/trace.h"

namespace opscope {

// What the join needs of a row beyond what is reported.
struct RowKey {
  std::uint32_t container = kNoRow;  // the row of the op whose body this row belongs to
  std::uint64_t body = 0;            // tells the bodies of one If apart
  Str name, op, provider;
  std::int32_t node_index = -1;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

// Wall time of a row (or a layer) in one used iteration; iterations without time have none.
struct Sample {
  std::uint32_t iteration = 0;
  std::int64_t ns = 0;
};

struct RowTable {
  std::vector<Row> rows;                     // by first appearance in the used runs
  std::vector<RowKey> keys;                  // of the same index
  std::vector<std::vector<Sample>> samples;  // of the same index, by iteration
  std::int64_t gap_ns = 0;                   // nothing that was recorded ran
  // Of the same index, where a file has no samples but says what one run takes; else empty.
  std::vector<std::int64_t> typical_ns;
  std::uint32_t fences = kNoRow, session = kNoRow;  // the two rows that are no node's, if any
};

// Rows of the used runs with calls, busy and wall time; kinds are kContainer or kLayer, those of
// fences and session kRuntime. Sum of the rows' wall + gap = sum of the used runs. samples_ns of
// the rows stay empty: FillSamples.
RowTable GroupRows(const Trace& trace, const Runs& runs);

// Sets samples_ns where all of them together are few enough to keep.
void FillSamples(std::int64_t iterations, RowTable& table);

// Of `iterations` values, those that are not in `samples` being 0.
std::int64_t MedianOf(const std::vector<Sample>& samples, std::int64_t iterations);

}  // namespace opscope
