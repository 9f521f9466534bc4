// Statistics of repeated runs: exact integer nanoseconds, and an interval that is honest about
// the spread between sessions (two identical sessions differ
// persistently by more than their own iterations say).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace opscope {

// Why the numbers of a run should not be compared with others.
enum class InstabilityKind : std::uint8_t {
  kFewSessions,     // value = sessions; the spread between sessions is unknown
  kFewRuns,         // value = runs
  kWideInterval,    // value = half width of the interval / median
  kVaries,          // value = standard deviation of the middle four fifths / median
  kDrifts,          // value = change from first to last third / median
  kBimodal,         // value = distance of the two modes / median
  kSessionsDiffer,  // value = (largest - smallest session median) / median
  kContention,      // value = share of the threads' time in which they had no processor
};
std::string_view ToString(InstabilityKind kind);  // "few-sessions" …

struct Instability {
  InstabilityKind kind = InstabilityKind::kVaries;
  double value = 0;
  double limit = 0;  // that was passed
};

// In words: "the median drifts by 6.1 % (limit 3.0 %)".
std::string Describe(const Instability& instability);

struct LatencyStatistics {
  std::int64_t count = 0;
  Nanos median, mean, min, max, p90, p95, p99;
  std::optional<Nanos> trimmed_mean;  // without highest and lowest; ten runs or more
  double cv = 0;                      // standard deviation / mean
  Nanos ci95_low, ci95_high;          // of the median
  double throughput_per_s = 0;        // 1e9 / mean
  std::optional<Nanos> cpu_median;
  std::optional<bool> stable;  // nullopt: a single run
  std::vector<Instability> why;
};

// Bounds of `stable`; users may override them with the other thresholds.
struct StabilityLimits {
  int sessions = 1;  // fresh processes; a file that was recorded elsewhere is one session
  int runs = 3;      // below, `stable` is unknown
  double interval = 0.05;
  double variation = 0.10;
  double drift = 0.03;
  double bimodal = 0.05;
  double session_spread = 0.05;
  double contention = 0.10;
  Nanos floor{2'000};  // differences below this are the clock's, not the model's
  // Half width / median that ci95 has at least: what the machine's slow moods add, which sessions
  // of the same minute do not show.
  double repeatability = 0;
};

// One session's used iterations (warm-up already removed), in time order.
struct SessionSamples {
  std::span<const Nanos> wall;
  std::span<const Nanos> cpu;   // empty when unknown
  std::optional<Nanos> waited;  // sum over threads: ready to run, but without a processor
};

// `threads` that should work at the same time (for contention); 0 = unknown, or they wait for a
// device. No samples at all: count 0, stable nullopt.
//
// ci95: the t interval over session medians around their mean, widened until it holds the
// order-statistics interval of the median over all samples and limits.repeatability. A single
// session has no t interval.
LatencyStatistics Summarize(std::span<const SessionSamples> sessions, int threads = 0,
                            const StabilityLimits& limits = {});

// The q-quantile (0..1) of `sorted`, rounded half up between neighbours. `sorted` is not empty.
Nanos Quantile(std::span<const Nanos> sorted, double q);
// The same of values in any order, which are moved around. Linear.
Nanos QuantileOf(std::span<Nanos> values, double q);

}  // namespace opscope
