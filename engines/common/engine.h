// What an engine program has to supply; Serve() does the talking and the timing.
// docs/adding-an-engine.md walks through one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace opscope::child {

struct KeyValue {
  std::string key, value;
};

struct Provider {
  std::string name;
  std::vector<KeyValue> options;
};

struct NamedPath {
  std::string name, path;
};

struct FreeDim {
  std::string name;
  std::int64_t size = 0;
};

struct GivenShape {
  std::string input;
  std::vector<std::int64_t> dims;
};

struct GivenValues {
  std::string input;
  std::optional<std::int64_t> upper_bound;
  std::optional<double> constant;
};

// The "load" request (docs/engine-protocol.md says what each field means).
struct LoadRequest {
  std::string model;
  std::string library;
  std::int64_t threads = 1;
  std::int64_t inter_op_threads = 1;
  bool parallel = false;
  std::string level = "all";
  bool spinning = false;
  bool memory_pattern = true;
  bool arena = true;
  std::vector<Provider> providers;
  std::vector<NamedPath> provider_libraries;
  std::vector<std::string> custom_ops;
  std::vector<KeyValue> config;
  std::vector<FreeDim> free_dims;
  std::vector<GivenShape> shapes;
  std::vector<GivenValues> values;
  std::string inputs;
  std::uint64_t seed = 0;
  std::string profile_prefix;
  std::string optimized_model;
};

struct Dim {
  std::optional<std::int64_t> size;
  std::string symbol;
};

struct Value {
  std::string name;
  std::string dtype;            // empty when it is not a tensor
  std::string kind = "tensor";  // "sequence", "map", "optional", "sparse"
  std::vector<Dim> shape;
  std::vector<std::int64_t> run_shape;  // of inputs
  std::string fill;                     // of inputs: how the values are made
};

struct Description {
  std::string name, version, build, library;
  std::vector<std::string> available_providers;
  std::vector<std::string> providers;
  std::vector<Value> inputs, outputs;
  std::vector<std::string> notes;
};

struct Output {
  std::string name, dtype;
  std::optional<std::vector<std::int64_t>> shape;  // nullopt: not a tensor
};

struct Profile {
  std::string path;
  std::optional<std::int64_t> start_ns;
};

// A model that can run. Errors have the codes of the protocol: "refused", "shape", "input" …
struct Loaded {
  Description description;
  std::function<void()> prepare;      // before each run, not timed: frees the outputs of the last
  std::function<Result<void>()> run;  // timed
  std::function<Result<Profile>()> end_profile;
  std::function<Result<std::vector<Output>>()> outputs;  // of the last run
};

struct Engine {
  std::string_view id;
  Result<Loaded> (*load)(const LoadRequest& request);
  // What can be said without a model: name, version, build, library, available providers.
  Result<Description> (*about)(const LoadRequest& request);
};

// Answers requests until "stop" or the end of standard input. The return value is main's.
int Serve(const Engine& engine);

}  // namespace opscope::child
