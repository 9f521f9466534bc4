// What a model runtime's profile says row by row when it sums over runs (TensorRT's per-layer
// profile, TFLite's table, OpenVINO's counters): there are no events, only rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/string_pool.h"

namespace opscope {

// One kernel, layer or delegate as the runtime names it. Times are sums over all runs.
struct RuntimeRow {
  Str name{0};
  Str op{0};
  Str provider{0};               // delegate, backend, device; empty = the file does not say
  Str dtype{0};                  // that it ran in
  Str inputs{0}, outputs{0};     // as OpArgs has them
  Str origin{0};                 // what the file itself says of the model's nodes, as written
  std::int32_t node_index = -1;  // in the graph that ran
  Str because{0};                // why it ran as it did, as far as the file tells
  std::int32_t inside = -1;      // index of the row whose time holds this one's; it comes before
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> typical_ns;  // median of one run; else the mean
  std::vector<std::int64_t> samples_ns;    // run by run, where the file has them: `runs` of them
  std::optional<std::int64_t> device_ns;   // of kernels that it launched
};

// What the file says of the time of one run without naming every run.
struct GivenLatency {
  std::optional<std::int64_t> min_ns, max_ns, mean_ns, median_ns, p90_ns, p95_ns, p99_ns;
  std::optional<double> throughput_per_s;
};

struct RuntimeProfile {
  std::int64_t runs = 1;                 // that the sums are of
  std::int64_t warmup = 0;               // runs before them that are left out
  bool runs_known = true;                // false: the file holds means and not of how many
  std::optional<std::int64_t> wall_ns;   // of all runs, as the caller saw them
  std::vector<std::int64_t> samples_ns;  // the wall run by run, where the file has it
  std::optional<GivenLatency> latency;   // of runs that need not be those of the rows
  std::optional<std::int64_t> setup_ns;  // loading and preparing the model
  std::vector<RuntimeRow> rows;          // in the order in which they run
};

// Refuses what cannot be, so that sums over a profile never overflow.
class ProfileBuilder {
 public:
  explicit ProfileBuilder(RuntimeProfile& profile) : profile_(&profile) {}

  // False, and nothing added: a negative time, more than 2^24 rows, or all times together would
  // pass 2^60 ns.
  bool Add(const RuntimeRow& row);

 private:
  RuntimeProfile* profile_;
  std::int64_t total_ns_ = 0;
};

}  // namespace opscope
