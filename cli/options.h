// Options of the command line: groups that several verbs share, one meaning everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "opscope/requests.h"

namespace opscope::cli {

struct OutputOptions {
  std::vector<std::string> files;  // -o; the ending picks the format
  std::string format = "text";     // of standard output
  std::string language = "en";
  std::string colour = "auto";
  bool quiet = false;
  bool wide = false;
  bool ascii = false;
  std::size_t top = 10;
  std::uint64_t max_report_bytes = 25'000'000;
  std::string convention;  // what another tool would print is shown as well
};

// Texts as they were typed; ToModelOptions and ToRunOptions turn them into values.
struct ModelArguments {
  std::string path;
  std::string as;
  std::vector<std::string> shapes;    // "x=1x3x224x224"
  std::vector<std::string> bindings;  // "N=1"
  bool allow_external = false, hash = false, strict = false, full_paths = false;
};
struct RunArguments {
  RunOptions options;
  std::string memory_limit, time_limit, time;
};

void AddOutputOptions(CLI::App& verb, OutputOptions& options);
// Without the operand itself.
void AddModelOptions(CLI::App& verb, ModelArguments& arguments);
void AddRunOptions(CLI::App& verb, RunArguments& arguments);

// Errors: usage.shape, usage.bind, usage.value: what was typed, and how it should look.
Result<ModelOptions> ToModelOptions(const ModelArguments& arguments);
Result<RunOptions> ToRunOptions(const RunArguments& arguments);
// Bounds and formats that CLI11 does not check; unwritable places are found before a long run.
Result<void> CheckOutputs(const OutputOptions& options);
// No file of `outputs` may be one of `inputs`, or named twice: input files are never changed.
Result<void> CheckApart(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

}  // namespace opscope::cli
