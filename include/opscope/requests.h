// The use cases of opscope as values: what to do goes in, a Document comes out.
//
// The library never prints and never reads the environment; the program hands over what it found
// there in `Surroundings`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opscope/document.h"
#include "opscope/result.h"

namespace opscope {

// What the program found in its environment.
struct Surroundings {
  std::string program_dir;      // folder of the running program: engine programs lie beside it
  std::string ort_library_env;  // OPSCOPE_ORT_LIBRARY
  std::string path_env;         // PATH: for the Python in use
  std::string ld_library_path;  // LD_LIBRARY_PATH
  std::string current_dir;
  std::string temp_dir;
};

struct Progress {
  std::string phase;                      // message id, e.g. "progress.timing"
  std::int64_t done = 0, of = 0;          // of = 0: not known
  std::optional<std::int64_t> median_ns;  // running median, where there is one
  std::optional<double> seconds_left;
};

// What every use case may use.
struct Context {
  Surroundings surroundings;
  std::function<void(const Progress&)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;  // set by an interrupt: end early, keep what is whole
  // Takes what is no longer needed, so that a program that is about to end need not free it part by
  // part; empty = it is freed at once.
  std::function<void(std::shared_ptr<void>)> discard;
};

struct ModelOptions {
  std::string path;
  std::string as;                                           // --as; empty = by content
  std::map<std::string, std::int64_t> bindings;             // --bind N=1
  std::map<std::string, std::vector<std::int64_t>> shapes;  // --shape x=1x3x224x224
  bool allow_external = false;  // external data outside the model's folder
  bool hash = false;            // hash the whole file
  bool strict = false;          // any damage to an input is an error
  bool full_paths = false;      // reports carry file names only without it
};

struct RunOptions {
  std::string engine = "ort";
  std::string library;                          // --ort-library
  std::vector<std::string> providers;           // "NAME[:key=value,…]", in order
  std::vector<std::string> provider_libraries;  // plug-in providers: "NAME=LIBRARY"
  std::vector<std::string> custom_ops;          // libraries with custom ops
  std::vector<std::string> config;              // "key=value" session configuration entries
  int threads = 1;
  std::string level = "all";  // none, basic, extended, all
  bool spinning = false;
  std::optional<int> warmup;
  std::optional<int> runs;
  std::optional<double> seconds;  // --time: budget of the measurement
  std::uint64_t seed = 0;
  std::string inputs;  // .npz or folder with real inputs
  std::optional<std::uint64_t> memory_limit_bytes;
  std::optional<double> time_limit_seconds;  // of the whole engine run
};

struct AnalyzeRequest {
  ModelOptions model;
  RunOptions run;
  bool no_run = false;
  std::vector<std::string> profiles;  // given profiles instead of an own run
  std::string profile_as;             // --as for them
  std::string optimized_model;        // the engine's saved optimised model for them
  std::string keep_profile;           // profile verb: where the profile goes; empty = not kept
};

// A document, and what failed on the way: an engine failure leaves the static part standing.
struct Outcome {
  doc::Document document;
  std::optional<Error> failure;  // exit code 4 when set
};

// Static analysis + measured time (an own run, or the given profiles), joined per layer.
Result<Outcome> Analyze(const AnalyzeRequest& request, const Context& context);
// Static analysis alone.
Result<doc::Document> Inspect(const ModelOptions& model, const Context& context);

struct CompareRequest {
  ModelOptions a, b;
};
// Two models: layers matched, totals of both, what was added, removed and changed.
Result<doc::Document> Compare(const CompareRequest& request, const Context& context);

struct FoundModel {
  std::string path;
  std::string shown;  // the file's name; below a given folder, the path from there
};
// The models among `paths`: files as they are given, folders with the model files in them and in
// their folders, sorted by name; what a file is, its content says. Errors: input.no-models where a
// folder holds none.
Result<std::vector<FoundModel>> FindModels(const std::vector<std::string>& paths);

struct ImportRequest {
  std::vector<std::string> files;
  std::string as;
  std::optional<ModelOptions> model;  // --model: join
  std::string optimized_model;
  // The events themselves for other viewers; of a single file. The ending picks the form.
  std::vector<std::string> exports;
  std::string window;  // --window: the range whose critical path is wanted; empty = the last step
  bool strict = false;
  bool full_paths = false;
};
// True for names that only a trace can be written under: ".trace.json", ".folded" …
bool IsTraceExport(std::string_view file_name);
// Profiles alone, or joined to a model.
Result<doc::Document> Import(const ImportRequest& request, const Context& context);

// How one node's numbers come about: shapes, rule, formula, number. `node`: a name, an output
// tensor's name, or "#<layer id>". Errors: usage.node (with the nearest names).
struct ExplainLine {
  std::string what;   // for scripts: "layer", "macs", "macs.rule", "macs.source" …
  std::string label;  // for people; empty where the line goes on
  std::string text;
};
Result<std::vector<ExplainLine>> ExplainNode(const ModelOptions& model, const std::string& node,
                                             Language language, const Context& context);
// What a word of the reports means: "macs", "live_peak_bytes" … Errors: usage.topic (with the
// nearest ones, or all).
Result<std::vector<ExplainLine>> ExplainTopic(const std::string& topic, Language language);

// How another tool counts, a line a group of ops. Errors: usage.convention.
Result<std::vector<ExplainLine>> ExplainConvention(const std::string& name);

// Rows of `opscope formats` and `opscope engines`, from the registries.
struct FormatRow {
  // kind: "model", "trace", or "foreign": told apart, with the way to something that is read.
  std::string id, kind, title, endings, what;
};
std::vector<FormatRow> ListFormats();
struct EngineRow {
  std::string id, title, state, version, library, how_to_get;  // state: ready, broken, missing
  std::vector<std::string> providers;
};
std::vector<EngineRow> ListEngines(const std::string& ort_library, const Context& context);

}  // namespace opscope
