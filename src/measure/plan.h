// How many sessions and runs a measurement takes. Pure functions of what was asked for and of what
// the first runs showed.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "engine/engine.h"
#include "measure/measure.h"

namespace opscope {

// Fresh processes at first, and at most when the interval stays wide.
inline constexpr int kSessions = 5;
inline constexpr int kMostSessions = 10;

// What the first run of a session told: how long one takes, and how long loading took.
struct Pace {
  Nanos first_run;
  Nanos load_time;
};

// Warm-up after the first run, which is part of it: three runs and 100 ms, unless one run takes a
// second already. nullopt: no more is needed. Lead runs come on top when nobody fixed the warm-up.
std::optional<RunRequest> WarmUpAfter(const MeasureRequest& request, Nanos first_run);

// Runs just ahead of the used ones, without a pause between.
std::int64_t LeadRuns(const MeasureRequest& request, Nanos one_run);

// Sessions for a model of this pace: five, but three when five would take longer than half a
// minute.
int PlannedSessions(const MeasureRequest& request, const Pace& pace);

// The used iterations of session `index` of `sessions`.
RunRequest SessionRuns(const MeasureRequest& request, int index, int sessions, Nanos one_run);

// Whether another session is worth its time: the interval is wide, nobody fixed the number, less
// than a third of a minute has gone, and the machine is ours.
bool WantsMoreSessions(const MeasureRequest& request, const LatencyStatistics& latency,
                       int sessions, Nanos passed);

// Recorded runs after the `warmup` ones of the profiled session: bounded by time, by `event_limit`
// and by what is enough for a median per layer.
std::int64_t ProfileRuns(const MeasureRequest& request, Nanos one_run, std::int64_t warmup,
                         std::int64_t event_limit);

}  // namespace opscope
