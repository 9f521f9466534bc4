// The client of engine programs: opscope-engine-<id> runs a model in a process of its own and
// answers requests as JSON lines (docs/engine-protocol.md). A crash, a memory hunger or a hang of
// an engine ends in an Error here and nowhere else.
//
// Error codes, all of exit code 4 except where noted:
//   engine.missing      no such program, library or provider here (says how to get it)
//   engine.option       a setting the engine does not know, the nearest named (exit 2)
//   engine.shape        a free dim of an input has no value (exit 2; names every such dim)
//   engine.input        given arrays do not fit the model's inputs (exit 3)
//   engine.refused      the runtime said no; its own message
//   engine.crash        the process died; the signal or exit code is named
//   engine.memory       the process passed the memory limit and was stopped
//   engine.timeout      no answer within the time limit
//   engine.protocol     the process said something that is not the protocol
//   engine.interrupted  the caller's stop flag was raised
// `place` is the stage: "engine ort: load". Crash, memory, timeout and protocol errors end with the
// tail of the process's standard error (2 KiB at most, printable).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace opscope {

enum class OptimizationLevel : std::uint8_t { kNone, kBasic, kExtended, kAll };
std::string_view ToString(OptimizationLevel level);
std::optional<OptimizationLevel> ParseOptimizationLevel(std::string_view text);

using KeyValue = std::pair<std::string, std::string>;

struct EngineProvider {
  std::string name;  // "CUDA", "XNNPACK", "OpenVINOExecutionProvider" …
  std::vector<KeyValue> options;
};

// A provider that ships as a library of its own and registers under `name`.
struct ProviderLibrary {
  std::string name;
  std::string path;
};

// The shape an input is run with.
struct InputShape {
  std::string input;
  std::vector<std::int64_t> dims;
};

// What the caller knows about the values of an input that the engine makes itself.
struct InputValues {
  std::string input;
  std::optional<std::int64_t> upper_bound;  // integers lie in 0 .. upper_bound - 1 (vocabulary)
  std::optional<double> constant;           // every element has this value
};

struct EngineOptions {
  std::string engine = "ort";
  std::string program;  // of the engine: see LocateEngine
  std::string library;  // of the runtime, for engines that load one
  std::string model;

  int threads = 1;  // within an op; 0 = as many as the runtime takes by itself
  int inter_op_threads = 1;
  bool parallel = false;  // independent branches at the same time
  OptimizationLevel level = OptimizationLevel::kAll;
  bool spinning = false;  // threads wait by spinning: faster alone, harmful in company
  bool memory_pattern = true;
  bool arena = true;
  std::vector<EngineProvider> providers;  // in order of preference; the CPU is always last
  std::vector<ProviderLibrary> provider_libraries;
  std::vector<std::string> custom_ops;  // libraries with custom ops
  std::vector<KeyValue> config;         // session entries, passed through after a look at the name
  std::vector<std::pair<std::string, std::int64_t>> free_dims;  // fixed in the model by name

  std::vector<InputShape> shapes;  // of inputs that have free dims
  std::vector<InputValues> values;
  std::string inputs;      // an .npz with one array per input; empty = made by type from `seed`
  std::uint64_t seed = 0;  // the same seed makes the same bytes on every machine

  std::string profile_prefix;   // not empty: the session records a profile
  std::string optimized_model;  // not empty: where the runtime saves the model it really runs

  std::int64_t memory_limit_bytes = 0;  // resident; 0 = nine tenths of what is available at start
  Nanos start_limit{30'000'000'000};    // for the process to say hello
  Nanos time_limit{600'000'000'000};    // for one request without any sign of life
};

struct EngineDim {
  std::optional<std::int64_t> size;
  std::string symbol;  // its name in the model; may be empty or "?" on a free dim
};

struct EngineValue {
  std::string name;
  std::string dtype;  // as in the report ("float32"); empty when it is not a tensor
  std::string kind;   // "tensor", "sequence", "map", "optional", "sparse"
  std::vector<EngineDim> shape;
  std::vector<std::int64_t> run_shape;  // inputs only: what it is run with
  std::string fill;                     // inputs only: how its values are made, in words
};

// What the engine said about itself and the model when it was loaded.
struct EngineDescription {
  std::string name;     // "onnxruntime"
  std::string version;  // "1.32.0"
  std::string build;    // the runtime's own words; may be empty
  std::string library;  // the file that was loaded
  std::vector<std::string> available_providers;
  std::vector<std::string> providers;  // asked for and accepted, the CPU last
  std::vector<EngineValue> inputs;
  std::vector<EngineValue> outputs;
  std::vector<std::string> notes;  // settings this release does not have, and the like
  Nanos load_time;                 // from the request to a session that can run
};

// Stop conditions of a run: at least `min_runs` and `min_time`; never more than `max_runs` nor,
// after the first run, `max_time`.
struct RunRequest {
  // Runs ahead of those that count, neither reported nor part of the above: the first runs after a
  // pause are slow (caches, clock), ten times so for a model of a microsecond.
  std::int64_t lead_runs = 0;
  std::int64_t min_runs = 1;
  std::int64_t max_runs = 1;
  Nanos min_time;
  Nanos max_time{INT64_MAX};
};

// One entry per iteration: wall time of the call, and CPU time of the whole process over it.
struct RunSamples {
  std::vector<Nanos> wall;
  std::vector<Nanos> cpu;
  std::optional<Nanos> waited;  // threads ready to run, but without a processor; all iterations
};

struct ProfileFile {
  std::string path;
  std::optional<Nanos> start;  // wall clock (Unix time) of the profile's zero, where it is known
};

struct OutputShape {
  std::string name;
  std::string dtype;
  std::optional<std::vector<std::int64_t>> shape;  // nullopt: not a tensor
};

// A living engine process with a loaded model. Ends its process, and all that process started,
// when it is destroyed. The thread that calls Open must outlive the session (the process is tied
// to it, so that it dies with us).
class EngineSession {
 public:
  // Starts the process, shakes hands, loads the model. `stop` (may be null) is looked at every
  // 20 ms, from here on until the session's end.
  static Result<EngineSession> Open(const EngineOptions& options,
                                    const std::atomic<bool>* stop = nullptr);
  // Starts the process and asks it about its runtime, without a model: name, version, build,
  // library and available providers.
  static Result<EngineDescription> About(const EngineOptions& options);
  EngineSession(EngineSession&&) noexcept;
  EngineSession& operator=(EngineSession&&) noexcept;
  ~EngineSession();

  const EngineDescription& description() const;

  // Called while a run goes on with the samples so far; at most ten times a second.
  using OnSamples = std::function<void(const RunSamples& so_far)>;
  // On failure the samples that had arrived stay in `partial` when it is given.
  Result<RunSamples> Run(const RunRequest& request, const OnSamples& on_samples = {},
                         RunSamples* partial = nullptr);
  // Ends the recording begun by `profile_prefix`.
  Result<ProfileFile> EndProfile();
  // Of the last run.
  Result<std::vector<OutputShape>> OutputShapes();
  // The largest resident size that was seen.
  std::int64_t peak_resident_bytes() const;
  // Asks the process to end and waits; kills it when it does not within two seconds.
  void Stop();

 private:
  struct State;
  explicit EngineSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace opscope
