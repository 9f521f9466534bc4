#include "measure/measure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "measure/plan.h"

namespace opscope {
namespace {

// ORT drops what comes after a million events without a word in the file.
constexpr std::int64_t kEventCap = 1'000'000;
constexpr std::int64_t kEventsPlanned = 300'000;  // 120 MB of JSON
constexpr int kMeasuredSessions = 3;              // fewer, and the spread between them is unknown
constexpr int kJudgedRuns = 3;
// Eight measurements of one model within two minutes on a quiet virtual machine: medians within
// +-0.6 %, while the sessions of each agreed within +-0.3 % (docs/measuring.md).
constexpr double kRepeatability = 0.01;

Nanos Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec};
}

Nanos MedianOf(std::vector<Nanos> values) {
  std::sort(values.begin(), values.end());
  return Quantile(values, 0.5);
}

bool OnlyCpu(const EngineOptions& options) {
  return std::all_of(options.providers.begin(), options.providers.end(),
                     [](const EngineProvider& provider) {
                       return provider.name == "CPU" || provider.name == "CPUExecutionProvider";
                     });
}

// Lines of a file: an ORT profile has one event on each.
std::int64_t CountLines(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::vector<char> block(1 << 20);
  std::int64_t lines = 0;
  for (ssize_t got; (got = read(file, block.data(), block.size())) > 0;)
    lines += std::count(block.begin(), block.begin() + got, '\n');
  close(file);
  return lines;
}

class Measurer {
 public:
  Measurer(const MeasureRequest& request, const std::atomic<bool>* stop,
           const OnMeasureProgress& on_progress)
      : request_(request), stop_(stop), on_progress_(on_progress), begin_(Now()) {
    request_.stability.sessions = std::max(request_.stability.sessions, kMeasuredSessions);
    request_.stability.runs = std::max(request_.stability.runs, kJudgedRuns);
    request_.stability.repeatability = std::max(request_.stability.repeatability, kRepeatability);
  }

  Result<Measurement> Run() {
    out_.machine = ReadMachine();
    out_.before = ReadMachineState();
    TRY_ASSIGN(out_.files, TempFolder::Make(request_.temp_root));
    std::optional<Error> first_failure;
    const auto phase = [&](bool wanted, Result<void> (Measurer::*run)(),
                           std::optional<Error>& out) {
      if (!wanted || out_.interrupted) return;
      const Result<void> result = (this->*run)();
      if (result.has_value()) return;
      out_.interrupted = result.error().code == "engine.interrupted";
      if (!first_failure) first_failure = result.error();
      if (!out_.interrupted) out = result.error();
    };
    phase(request_.timing, &Measurer::Time, out_.timing_error);
    // A model that does not run at all fails once, not three times.
    if (!(request_.timing && out_.sessions.empty())) {
      phase(request_.profile, &Measurer::Profile, out_.profile_error);
      phase(request_.optimized_model, &Measurer::SaveOptimized, out_.optimized_model_error);
    }
    out_.after = ReadMachineState();
    const bool something = !out_.sessions.empty() || out_.profiled || out_.optimized_model;
    if (!something && first_failure) return std::move(*first_failure);
    return std::move(out_);
  }

 private:
  // --- sessions ---

  // Of the time limit.
  Nanos Left() const {
    return request_.time_limit.value > 0 ? begin_ + request_.time_limit - Now() : Nanos{INT64_MAX};
  }

  Result<EngineSession> Open(EngineOptions options) {
    const Nanos left = Left();
    if (left.value <= 0)
      return Error{"engine.timeout", "the time limit of the measurement is used up", ""};
    options.time_limit = std::min(options.time_limit, left);
    options.start_limit = std::min(options.start_limit, left);
    TRY_ASSIGN(EngineSession session, EngineSession::Open(options, stop_));
    if (out_.engine.name.empty()) Describe(session.description());
    return session;
  }

  void Describe(const EngineDescription& description) {
    out_.engine = description;
    for (const EngineValue& input : description.inputs) {
      std::string shape;
      for (const std::int64_t dim : input.run_shape)
        shape += (shape.empty() ? "" : "x") + std::to_string(dim);
      out_.assumptions.push_back(input.name + " " + (shape.empty() ? "scalar" : shape) + " " +
                                 input.dtype + ": " + input.fill);
    }
  }

  struct WarmUp {
    std::int64_t runs = 0;  // with the lead runs still to come
    std::int64_t lead = 0;
    Nanos first_run;
    Nanos one_run;  // what one takes when warm
  };

  // The first run by itself, then the rest; `most` bounds their number (0 = no bound).
  Result<WarmUp> Warm(EngineSession& session, std::int64_t most) {
    WarmUp out;
    if (request_.warmup && *request_.warmup <= 0) return out;
    TRY_ASSIGN(const RunSamples first, session.Run({}));
    out.first_run = out.one_run = first.wall[0];
    out.lead = LeadRuns(request_, out.first_run);
    out.runs = 1 + out.lead;
    auto rest = WarmUpAfter(request_, out.first_run);
    if (!rest) return out;
    if (most > 0) {
      rest->max_runs = std::min(rest->max_runs, most - 1);
      rest->min_runs = std::min(rest->min_runs, rest->max_runs);
    }
    TRY_ASSIGN(const RunSamples warm, session.Run(*rest));
    const std::size_t half = warm.wall.size() / 2;
    out.one_run =
        MedianOf({warm.wall.begin() + static_cast<std::ptrdiff_t>(half), warm.wall.end()});
    if (!request_.warmup) out.lead = LeadRuns(request_, out.one_run);
    out.runs = 1 + static_cast<std::int64_t>(warm.wall.size()) + out.lead;
    return out;
  }

  void Report(MeasurePhase phase, int session, int sessions, const RunSamples& now,
              Nanos phase_begin, double done) {
    if (!on_progress_) return;
    MeasureProgress progress{phase, session, sessions, 0, std::nullopt, std::nullopt};
    std::vector<Nanos> all = now.wall;
    if (phase == MeasurePhase::kTiming)
      for (const TimingSession& earlier : out_.sessions)
        all.insert(all.end(), earlier.samples.wall.begin(), earlier.samples.wall.end());
    progress.runs = static_cast<std::int64_t>(all.size());
    if (!all.empty()) progress.median = MedianOf(std::move(all));
    const double share = (session + std::clamp(done, 0.0, 1.0)) / sessions;
    const double passed = static_cast<double>((Now() - phase_begin).value);
    constexpr double kEnoughToGuess = 0.05;
    if (share > kEnoughToGuess)
      progress.time_left = Nanos{static_cast<std::int64_t>(passed * (1 - share) / share)};
    on_progress_(progress);
  }

  // --- timing ---

  Result<void> Time() {
    const Nanos phase_begin = Now();
    Report(MeasurePhase::kTiming, 0, request_.sessions.value_or(kSessions), {}, phase_begin, 0);
    planned_ = 1;  // until the first session shows the model's pace
    for (int index = 0; index < planned_; ++index) {
      const auto result = TimeOneSession(index, phase_begin);
      Summarise();
      if (!result.has_value()) return result.error();
      if (index + 1 == planned_ &&
          WantsMoreSessions(request_, out_.latency, planned_, Now() - phase_begin))
        ++planned_;
    }
    return {};
  }

  Result<void> TimeOneSession(int index, Nanos phase_begin) {
    TRY_ASSIGN(EngineSession session, Open(request_.engine));
    TRY_ASSIGN(const WarmUp warm, Warm(session, 0));
    if (index == 0)
      planned_ = PlannedSessions(request_, {warm.one_run, session.description().load_time});
    RunRequest runs = SessionRuns(request_, index, planned_, warm.one_run);
    runs.lead_runs = warm.lead;
    runs.max_time = Left();
    TimingSession timing{{}, warm.runs, warm.first_run, session.description().load_time, 0};
    const auto progress = [&](const RunSamples& so_far) {
      const double done =
          static_cast<double>(so_far.wall.size()) / static_cast<double>(runs.max_runs);
      Report(MeasurePhase::kTiming, index, planned_, so_far, phase_begin, done);
    };
    const auto result = session.Run(runs, progress, &timing.samples);
    timing.peak_resident_bytes = session.peak_resident_bytes();
    out_.peak_resident_bytes = std::max(out_.peak_resident_bytes, timing.peak_resident_bytes);
    // Every iteration is complete in itself: an interrupted session keeps those it had.
    if (!timing.samples.wall.empty()) out_.sessions.push_back(std::move(timing));
    TRY(result);
    if (index == 0) {
      auto outputs = session.OutputShapes();
      if (outputs.has_value()) out_.outputs = std::move(*outputs);
    }
    session.Stop();
    return {};
  }

  void Summarise() {
    std::vector<SessionSamples> sessions;
    for (const TimingSession& session : out_.sessions)
      sessions.push_back({session.samples.wall, session.samples.cpu, session.samples.waited});
    const int threads = OnlyCpu(request_.engine) ? request_.engine.threads : 0;
    out_.latency = Summarize(sessions, threads, request_.stability);
  }

  // --- profile ---

  Result<void> Profile() {
    // A model with loops makes more events than it has nodes: at the cap, fewer runs are recorded.
    std::int64_t events = kEventsPlanned;
    for (int attempt = 0;; ++attempt) {
      TRY_ASSIGN(ProfiledSession profiled, ProfileOnce(attempt, events));
      const bool cut = CountLines(profiled.file.path) >= kEventCap;
      constexpr int kAttempts = 3;
      const bool last = attempt + 1 == kAttempts || profiled.samples.wall.size() == 1;
      if (cut && !last) {
        unlink(profiled.file.path.c_str());
        events /= 10;
        profile_runs_cap_ = std::max<std::size_t>(1, profiled.samples.wall.size() / 10);
        continue;
      }
      if (cut) out_.warnings.push_back("the profile is cut: the runtime keeps a million events");
      if (out_.latency.count > 0 && out_.latency.median.value > 0)
        profiled.overhead = static_cast<double>(MedianOf(profiled.samples.wall).value) /
                                static_cast<double>(out_.latency.median.value) -
                            1;
      out_.profiled = std::move(profiled);
      return {};
    }
  }

  Result<ProfiledSession> ProfileOnce(int attempt, std::int64_t events) {
    const Nanos phase_begin = Now();
    Report(MeasurePhase::kProfile, 0, 1, {}, phase_begin, 0);
    EngineOptions options = request_.engine;
    options.profile_prefix = out_.files.path() + "/profile" + std::to_string(attempt);
    TRY_ASSIGN(EngineSession session, Open(options));
    constexpr std::int64_t kMostWarmUp = 20;  // it is recorded as well
    ProfiledSession out;
    TRY_ASSIGN(const WarmUp warm, Warm(session, kMostWarmUp));
    out.warmup = warm.runs;
    std::int64_t runs = ProfileRuns(request_, warm.one_run, warm.runs, events);
    if (profile_runs_cap_) runs = std::min(runs, static_cast<std::int64_t>(*profile_runs_cap_));
    TRY_ASSIGN(
        out.samples,
        session.Run({.lead_runs = warm.lead, .min_runs = runs, .max_runs = runs, .min_time = {}},
                    [&](const RunSamples& so_far) {
                      Report(MeasurePhase::kProfile, 0, 1, so_far, phase_begin,
                             static_cast<double>(so_far.wall.size()) / static_cast<double>(runs));
                    }));
    TRY_ASSIGN(out.file, session.EndProfile());
    if (out_.outputs.empty()) {
      auto outputs = session.OutputShapes();
      if (outputs.has_value()) out_.outputs = std::move(*outputs);
    }
    session.Stop();
    return out;
  }

  // --- optimised model ---

  Result<void> SaveOptimized() {
    Report(MeasurePhase::kOptimizedModel, 0, 1, {}, Now(), 0);
    EngineOptions options = request_.engine;
    options.optimized_model = out_.files.path() + "/optimized.onnx";
    TRY_ASSIGN(EngineSession session, Open(options));
    session.Stop();
    if (access(options.optimized_model.c_str(), R_OK) != 0)
      return Error{"engine.refused", "it did not save its optimised model", ""};
    out_.optimized_model = options.optimized_model;
    return {};
  }

  MeasureRequest request_;
  const std::atomic<bool>* stop_;
  const OnMeasureProgress& on_progress_;
  Nanos begin_;
  int planned_ = 1;
  std::optional<std::size_t> profile_runs_cap_;
  Measurement out_;
};

}  // namespace

Result<Measurement> Measure(const MeasureRequest& request, const std::atomic<bool>* stop,
                            const OnMeasureProgress& on_progress) {
  return Measurer(request, stop, on_progress).Run();
}

}  // namespace opscope
