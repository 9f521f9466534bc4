// How a model is measured: latency from several fresh sessions without profiling, the profile from
// another session, the optimised model from a third. See docs/measuring.md for the reasons.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "engine/engine.h"
#include "measure/conditions.h"
#include "measure/temp_folder.h"
#include "trace/statistics.h"

namespace opscope {

struct MeasureRequest {
  EngineOptions engine;
  bool timing = true;
  bool profile = true;
  bool optimized_model = true;

  // Unset = chosen so that a 20 ms model takes about ten seconds in all.
  std::optional<int> sessions;               // fresh processes; default 5, fewer for slow models
  std::optional<std::int64_t> warmup;        // iterations a session; default >= 3 and >= 100 ms
  std::optional<std::int64_t> runs;          // used iterations in all
  std::optional<Nanos> time;                 // measuring time in all
  std::optional<std::int64_t> profile_runs;  // recorded iterations after the warm-up
  std::int64_t nodes = 0;                    // of the model, 0 = unknown: bounds the profile's size
  Nanos time_limit;                          // of the whole measurement; 0 = none
  std::string temp_root = "/tmp";            // where profile and optimised model are put
  StabilityLimits stability;
};

enum class MeasurePhase : std::uint8_t { kTiming, kProfile, kOptimizedModel };

struct MeasureProgress {
  MeasurePhase phase = MeasurePhase::kTiming;
  int session = 0;   // that runs now, from 0
  int sessions = 1;  // planned in this phase
  std::int64_t runs = 0;
  std::optional<Nanos> median;     // so far
  std::optional<Nanos> time_left;  // of this phase, estimated
};
using OnMeasureProgress = std::function<void(const MeasureProgress&)>;

// One fresh process without profiling.
struct TimingSession {
  RunSamples samples;  // used iterations
  std::int64_t warmup = 0;
  Nanos first_run;
  Nanos load_time;
  std::int64_t peak_resident_bytes = 0;
};

struct ProfiledSession {
  ProfileFile file;
  RunSamples samples;              // used iterations: the last ones in the file
  std::int64_t warmup = 0;         // the first ones in the file
  std::optional<double> overhead;  // profiled median / timing median - 1
};

struct Measurement {
  EngineDescription engine;
  std::vector<TimingSession> sessions;
  LatencyStatistics latency;  // over all sessions; count 0 when timing was not asked for
  std::optional<ProfiledSession> profiled;
  std::optional<std::string> optimized_model;  // path
  std::vector<OutputShape> outputs;
  std::int64_t peak_resident_bytes = 0;

  Machine machine;
  MachineState before, after;

  std::vector<std::string> assumptions;  // how inputs were made, what was guessed
  std::vector<std::string> warnings;     // parts that are missing, and why
  // What failed though something else could be kept; a timing error is that of a later session.
  std::optional<Error> timing_error, profile_error, optimized_model_error;
  bool interrupted = false;  // ended by the stop flag: what is here is complete in itself

  // Owns the profile and the optimised model; they go when the measurement goes.
  TempFolder files;
};

// Errors as of EngineSession, when nothing at all could be measured (an interrupt before the first
// sample included); measure.temp when no folder could be made. The calling thread must live as long
// as the call.
Result<Measurement> Measure(const MeasureRequest& request, const std::atomic<bool>* stop = nullptr,
                            const OnMeasureProgress& on_progress = {});

}  // namespace opscope
