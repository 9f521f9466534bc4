// Several ranks of one distributed run, each traced into a file of its own, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/timeline.h"
#include "trace/trace.h"

namespace opscope {

struct Collective {
  std::string name;      // of the kernel; without devices, of the range on the thread
  std::int64_t nth = 0;  // among those of this name on this rank, by begin
  std::int64_t ns = 0;
};

// What of one trace its neighbours are compared with.
struct RankTrace {
  std::int64_t rank = -1;  // -1: neither the file nor its name says
  std::string file;
  std::int64_t busy_ns = 0;                // sum over devices; without any, of the main thread
  std::int64_t first_ns = 0, base_ns = 0;  // base 0: the file has no wall clock
  std::vector<Collective> collectives;
};
RankTrace SummariseRank(const Trace& trace, const Timeline& timeline);

// "run_rank-3.json", "rank3", "rank_03" -> 3; -1: none.
std::int64_t RankInName(std::string_view file);

struct RankRow {
  std::int64_t rank = 0;
  std::string file;
  std::int64_t busy_ns = 0;
  // A collective ends for all when the last rank has come: what it took longer than on the rank
  // where it was shortest was waiting. Example: 3 ms and 10 ms -> waits of 0 and 7 ms, and the
  // first is who came last.
  std::int64_t wait_ns = 0;
  std::int64_t collectives = 0;
  std::optional<std::int64_t> begin_ns;  // after the earliest rank's first event
  bool straggler = false;
};

// By rank. Empty unless there are two or more traces, all of different known ranks. Only
// collectives that every rank has count. The straggler is the rank that waits least where another
// waits at least a twentieth of its busy time more.
std::vector<RankRow> CompareRanks(std::vector<RankTrace> traces);

}  // namespace opscope
