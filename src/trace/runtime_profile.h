// What a model runtime's profile says row by row when it sums over runs (TensorRT's per-layer
// profile, TFLite's table, OpenVINO's counters): there are no events, only rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace opscope {

// What of the model a row is, as its format tells; names become nodes in join/match_origin.h.
struct RowOrigin {
  std::vector<std::string> nodes;  // names of nodes that it computes (constants may be among them)
  std::vector<std::string> outputs;   // names of tensors that it writes
  std::int32_t node_index = -1;       // in the main graph
  std::vector<std::string_view> ops;  // literals: ops that it may be, best first; joined by order
  std::string_view otherwise = {};    // what it does where none of these is free; empty = unknown
  bool region = false;       // `nodes` are the first and the last: what lies between is its as well
  bool outputs_all = false;  // it computes everything before its outputs that no other row does
  bool generated = false;    // its name says nothing about the model
  std::string made;          // not empty: it is no node's; what it does
};

// A row's time in one run; runs that it did not take part in have none.
struct RunSample {
  std::uint32_t run = 0;
  std::int64_t ns = 0;
};

// One kernel, layer or delegate as the runtime names it. Times are sums over all runs.
struct RuntimeRow {
  Str name{0};
  Str op{0};
  Str provider{0};            // delegate, backend, device; empty = the file does not say
  Str dtype{0};               // that it ran in
  Str inputs{0}, outputs{0};  // as OpArgs has them
  Str because{0};             // why it ran as it did, as far as the file tells
  std::int32_t inside = -1;   // index of the row whose time holds this one's; it comes before
  std::int64_t calls = 0;     // 0 = it did not run: its times are unknown
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> typical_ns;  // median of one run; else the mean
  std::vector<RunSample> samples;          // where the file has them, by run
  std::optional<std::int64_t> device_ns;   // of kernels that it launched
  RowOrigin origin;
};

// What the file says of the time of one run without naming every run.
struct GivenLatency {
  std::optional<std::int64_t> min_ns, max_ns, mean_ns, median_ns, p90_ns, p95_ns, p99_ns;
  std::optional<double> throughput_per_s;
};

struct RuntimeProfile {
  std::int64_t runs = 0;                 // that the sums are of; 0 = nothing ran
  std::int64_t warmup = 0;               // runs before them that are left out
  bool runs_known = true;                // false: the file holds means and not of how many
  std::optional<std::int64_t> wall_ns;   // of all runs, as the caller saw them
  std::vector<std::int64_t> samples_ns;  // the wall run by run, where the file has it
  std::optional<GivenLatency> latency;   // of runs that need not be those of the rows
  std::optional<std::int64_t> setup_ns;  // loading and preparing the model
  std::vector<RuntimeRow> rows;          // in the order in which they run
};

// Refuses what cannot be, so that sums over a profile never overflow. One for all rows.
class ProfileBuilder {
 public:
  explicit ProfileBuilder(RuntimeProfile& profile) : profile_(&profile) {}

  // False, and nothing added: a negative time, more than 2^24 rows, or all times together would
  // pass 2^60 ns.
  bool Add(RuntimeRow row);

 private:
  RuntimeProfile* profile_;
  std::int64_t total_ns_ = 0;
};

}  // namespace opscope
