#include <time.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/memory.h"
#include "engine/process.h"
#include "engine/protocol.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"none", "basic", "extended", "all"};
constexpr Nanos kStopPatience{2'000'000'000};
constexpr Nanos kBetweenReports{100'000'000};

Nanos Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec};
}

// Requests are JSON, and JSON is UTF-8.
Result<void> CheckPath(const std::string& path) {
  if (ValidUtf8(path) == path) return {};
  return Error{
      "engine.option",
      "the path '" + Printable(path) +
          "' is not valid UTF-8 and cannot be handed to an engine; rename or link the file",
      ""};
}

Result<void> CheckPaths(const EngineOptions& options) {
  for (const std::string* path : {&options.model, &options.library, &options.inputs,
                                  &options.profile_prefix, &options.optimized_model})
    TRY(CheckPath(*path));
  for (const std::string& path : options.custom_ops) TRY(CheckPath(path));
  for (const ProviderLibrary& library : options.provider_libraries) TRY(CheckPath(library.path));
  return {};
}

std::int64_t MemoryLimit(const EngineOptions& options) {
  if (options.memory_limit_bytes > 0) return options.memory_limit_bytes;
  return AvailableMemoryBytes().value_or(0) / 10 * 9;
}

}  // namespace

std::string_view ToString(OptimizationLevel level) {
  return kLevels[static_cast<std::size_t>(level)];
}

std::optional<OptimizationLevel> ParseOptimizationLevel(std::string_view text) {
  const auto found = std::find(kLevels.begin(), kLevels.end(), text);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<OptimizationLevel>(found - kLevels.begin());
}

struct EngineSession::State {
  State(const EngineOptions& chosen, const std::atomic<bool>* stop)
      : options(chosen), process({.memory_bytes = MemoryLimit(chosen)}, stop) {}

  // Sends a request and reads lines until its answer; `on_samples` gets what comes before it.
  template <class OnLine>
  Result<std::string> Ask(std::string_view stage, const std::string& request, Nanos patience,
                          OnLine on_samples) {
    auto answer = AskPlainly(request, patience, on_samples);
    if (answer.has_value()) return answer;
    process.UpdatePeak();
    // An engine that broke the protocol is not asked again; one that refused may be.
    if (answer.error().code == "engine.protocol") process.Kill();
    return WithContext(std::move(answer.error()),
                       "engine " + options.engine + ": " + std::string(stage));
  }
  Result<std::string> Ask(std::string_view stage, const std::string& request, Nanos patience) {
    return Ask(stage, request, patience, [](RunSamples&&) -> Result<void> {
      return Error{"engine.protocol", "it sent samples that nobody asked for", ""};
    });
  }

  template <class OnLine>
  Result<std::string> AskPlainly(const std::string& request, Nanos patience, OnLine on_samples) {
    TRY(process.WriteLine(request, patience));
    for (;;) {
      TRY_ASSIGN(const std::string text, process.ReadLine(patience));
      TRY_ASSIGN(EngineLine line, ParseEngineLine(text));
      if (line.id != last_id)
        return Error{"engine.protocol",
                     "it answered request " + std::to_string(line.id) + " instead of " +
                         std::to_string(last_id),
                     ""};
      if (line.error) return std::move(*line.error);
      if (line.ok) return std::move(*line.ok);
      TRY(on_samples(std::move(*line.samples)));
    }
  }

  Result<void> Start();

  EngineOptions options;
  ChildProcess process;
  EngineDescription description;
  std::int64_t last_id = 0;
};

EngineSession::EngineSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
EngineSession::EngineSession(EngineSession&&) noexcept = default;
EngineSession& EngineSession::operator=(EngineSession&&) noexcept = default;
EngineSession::~EngineSession() = default;

// Starts the process and shakes hands.
Result<void> EngineSession::State::Start() {
  const auto started = process.Start({options.program});
  if (!started.has_value()) return WithContext(started.error(), "engine " + options.engine);
  TRY_ASSIGN(const std::string hello_text,
             Ask("start", HelloRequest(++last_id), options.start_limit));
  TRY_ASSIGN(const EngineHello hello, ParseHello(hello_text));
  if (hello.protocol != kEngineProtocol || hello.engine != options.engine)
    return Error{"engine.protocol",
                 "'" + options.program + "' is engine '" + Printable(hello.engine) +
                     "' with protocol " + std::to_string(hello.protocol) + ", wanted is '" +
                     options.engine + "' with protocol " + std::to_string(kEngineProtocol) +
                     "; install program and engine of one release",
                 "engine " + options.engine + ": start"};
  return {};
}

Result<EngineSession> EngineSession::Open(const EngineOptions& options,
                                          const std::atomic<bool>* stop) {
  TRY(CheckPaths(options));
  auto state = std::make_unique<State>(options, stop);
  TRY(state->Start());
  TRY_ASSIGN(const std::string described,
             state->Ask("load", LoadRequest(++state->last_id, options), options.time_limit));
  TRY_ASSIGN(state->description, ParseDescription(described));
  state->process.UpdatePeak();
  return EngineSession(std::move(state));
}

Result<EngineDescription> EngineSession::About(const EngineOptions& options) {
  TRY(CheckPaths(options));
  State state(options, nullptr);
  TRY(state.Start());
  TRY_ASSIGN(
      const std::string described,
      state.Ask("about", AboutRequest(++state.last_id, options.library), options.start_limit));
  return ParseDescription(described);
}

const EngineDescription& EngineSession::description() const { return state_->description; }

Result<RunSamples> EngineSession::Run(const RunRequest& request, const OnSamples& on_samples,
                                      RunSamples* partial) {
  RunSamples own;
  RunSamples& samples = partial ? *partial : own;
  samples = {};
  Nanos next_report = Now() + kBetweenReports;
  const auto take = [&](RunSamples&& more) -> Result<void> {
    samples.wall.insert(samples.wall.end(), more.wall.begin(), more.wall.end());
    samples.cpu.insert(samples.cpu.end(), more.cpu.begin(), more.cpu.end());
    if (samples.wall.size() > static_cast<std::size_t>(request.max_runs))
      return Error{"engine.protocol", "it ran more often than it was asked to", ""};
    if (on_samples && Now() >= next_report) {
      next_report = Now() + kBetweenReports;
      on_samples(samples);
    }
    return {};
  };
  const std::string line = RunRequestLine(++state_->last_id, request);
  TRY_ASSIGN(const std::string end, state_->Ask("run", line, state_->options.time_limit, take));
  TRY_ASSIGN(samples.waited, ParseRunEnd(end));
  state_->process.UpdatePeak();
  if (samples.wall.empty())
    return Error{"engine.protocol", "it ran nothing", "engine " + state_->options.engine + ": run"};
  return samples;
}

Result<ProfileFile> EngineSession::EndProfile() {
  TRY_ASSIGN(const std::string end,
             state_->Ask("profile", PlainRequest(++state_->last_id, "end_profile"),
                         state_->options.time_limit));
  return ParseProfile(end);
}

Result<std::vector<OutputShape>> EngineSession::OutputShapes() {
  TRY_ASSIGN(const std::string outputs,
             state_->Ask("outputs", PlainRequest(++state_->last_id, "outputs"),
                         state_->options.time_limit));
  return ParseOutputs(outputs);
}

std::int64_t EngineSession::peak_resident_bytes() const {
  return state_->process.peak_resident_bytes();
}

void EngineSession::Stop() {
  const std::string line = PlainRequest(++state_->last_id, "stop");
  if (!state_->process.WriteLine(line, kStopPatience).has_value()) return;
  state_->process.WaitForEnd(kStopPatience);
}

}  // namespace opscope
