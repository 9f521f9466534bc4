#include "measure/plan.h"

#include <algorithm>

namespace opscope {
namespace {

constexpr Nanos kSecond{1'000'000'000};
constexpr Nanos kWarmUpTime{100'000'000};
constexpr std::int64_t kWarmUpRuns = 3;
constexpr Nanos kMeasuringTime{5'000'000'000};  // all sessions together
constexpr std::int64_t kMostRunsASession = 2000;
constexpr std::int64_t kLeastRunsASession = 3;
constexpr Nanos kLongWait{30'000'000'000};
constexpr int kFewSessions = 3;
constexpr double kTight = 0.02;  // half width of the interval / median
constexpr Nanos kPatience{20'000'000'000};
constexpr std::int64_t kProfileRuns = 100;
constexpr std::int64_t kLeastProfileRuns = 5;

std::int64_t RunsIn(Nanos time, Nanos one_run) {
  return time.value / std::max<std::int64_t>(1, one_run.value);
}

// A run of ten seconds needs no company.
std::int64_t LeastRuns(Nanos one_run) {
  return one_run > Nanos{10 * kSecond.value} ? 1 : kLeastRunsASession;
}

}  // namespace

std::optional<RunRequest> WarmUpAfter(const MeasureRequest& request, Nanos first_run) {
  if (request.warmup) {
    const std::int64_t rest = *request.warmup - 1 - LeadRuns(request, first_run);
    if (rest <= 0) return std::nullopt;
    return RunRequest{.min_runs = rest, .max_runs = rest, .min_time = {}};
  }
  if (first_run >= kSecond) return std::nullopt;
  const Nanos rest = std::max(Nanos{}, kWarmUpTime - first_run);
  return RunRequest{.min_runs = kWarmUpRuns - 1, .max_runs = 1'000'000, .min_time = rest};
}

std::int64_t LeadRuns(const MeasureRequest& request, Nanos one_run) {
  constexpr Nanos kFast{10'000'000};
  const std::int64_t lead = one_run < kFast ? 3 : one_run < kSecond ? 1 : 0;
  return request.warmup ? std::clamp<std::int64_t>(*request.warmup - 1, 0, lead) : lead;
}

int PlannedSessions(const MeasureRequest& request, const Pace& pace) {
  int sessions = request.sessions.value_or(kSessions);
  if (request.runs) sessions = static_cast<int>(std::min<std::int64_t>(sessions, *request.runs));
  if (request.sessions || request.time) return std::max(1, sessions);
  const Nanos used{
      std::max(kMeasuringTime.value / kSessions, LeastRuns(pace.first_run) * pace.first_run.value)};
  const Nanos session = pace.load_time + std::max(kWarmUpTime, pace.first_run) + used;
  if (session.value * sessions > kLongWait.value) sessions = std::min(sessions, kFewSessions);
  return std::max(1, sessions);
}

RunRequest SessionRuns(const MeasureRequest& request, int index, int sessions, Nanos one_run) {
  if (request.runs) {
    const std::int64_t share = *request.runs / sessions;
    const std::int64_t runs = std::max<std::int64_t>(1, share + (index < *request.runs % sessions));
    return {.min_runs = runs, .max_runs = runs, .min_time = {}};
  }
  const Nanos time{request.time.value_or(kMeasuringTime).value / std::max(1, sessions)};
  const std::int64_t runs =
      std::clamp(RunsIn(time, one_run), LeastRuns(one_run), kMostRunsASession);
  return {.min_runs = runs, .max_runs = runs, .min_time = {}};
}

bool WantsMoreSessions(const MeasureRequest& request, const LatencyStatistics& latency,
                       int sessions, Nanos passed) {
  if (request.sessions || request.runs || request.time) return false;
  if (sessions >= kMostSessions || passed > kPatience || latency.median.value <= 0) return false;
  // What others do to this machine does not get better by waiting.
  for (const Instability& instability : latency.why)
    if (instability.kind == InstabilityKind::kContention) return false;
  const double half = static_cast<double>((latency.ci95_high - latency.ci95_low).value) / 2;
  return half > kTight * static_cast<double>(latency.median.value);
}

std::int64_t ProfileRuns(const MeasureRequest& request, Nanos one_run, std::int64_t warmup,
                         std::int64_t event_limit) {
  std::int64_t runs = std::clamp(RunsIn(kSecond, one_run), kLeastProfileRuns, kProfileRuns);
  if (request.profile_runs) runs = std::max<std::int64_t>(1, *request.profile_runs);
  if (request.nodes > 0) {
    const std::int64_t fits = event_limit / (request.nodes * 2 + 4) - warmup;
    runs = std::min(runs, std::max<std::int64_t>(1, fits));
  }
  return runs;
}

}  // namespace opscope
