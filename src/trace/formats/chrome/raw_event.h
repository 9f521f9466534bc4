// One event of a trace in the Chrome "Trace Event" form (PyTorch, rocprof, Perfetto, Android …), as
// it stands in the file: nothing is judged here.
//
//   {"ph": "X", "cat": "kernel", "name": "ampere_sgemm_32x32", "pid": 0, "tid": 7,
//    "ts": 1428625731622.25, "dur": 18.112, "args": {"device": 0, "stream": 7, "correlation": 42}}
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace opscope::chrome {

constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

// The arguments that something reads. Numbers that are not there are kAbsent.
struct RawArgs {
  std::int64_t correlation = kAbsent, external_id = kAbsent;
  std::int64_t device = kAbsent, stream = kAbsent, context = kAbsent;
  std::int64_t bytes = kAbsent, address = kAbsent, device_type = kAbsent, device_id = kAbsent;
  std::int64_t total_allocated = kAbsent, total_reserved = kAbsent;
  std::int64_t wait_stream = kAbsent, wait_correlation = kAbsent;
  std::int64_t registers = kAbsent, shared_memory = kAbsent, occupancy_percent = kAbsent;
  std::int64_t blocks_per_sm_millionths = kAbsent, warps_per_sm_millionths = kAbsent;
  std::int64_t record = kAbsent;  // "Record function id"
  std::int64_t graph_node = kAbsent, group_size = kAbsent;
  std::array<std::int64_t, 3> grid = {kAbsent, kAbsent, kAbsent};
  std::array<std::int64_t, 3> block = {kAbsent, kAbsent, kAbsent};
  Str label{0};  // "name" or "labels" of metadata, "cuda_sync_kind", "Collective name"
};

constexpr std::uint32_t kNoArgs = 0xffffffffU;

struct RawEvent {
  Str name{0}, category{0};
  Str pid_text{0}, tid_text{0};  // where they are no numbers: "CPU functions", "stream 7"
  std::int64_t pid = 0, tid = 0;
  std::int64_t begin_ns = kAbsent, duration_ns = kAbsent;  // kAbsent also for "100a"
  std::int64_t id = kAbsent;                               // of a flow
  std::uint32_t args = kNoArgs;                            // into RawEvents::args
  char phase = 0;
};

// Events in file order with the strings they use.
struct RawEvents {
  std::vector<RawEvent> events;
  std::vector<RawArgs> args;

  void Clear() {
    events.clear();
    args.clear();
  }
};

}  // namespace opscope::chrome
