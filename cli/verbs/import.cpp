#include <algorithm>
#include <memory>

#include "../heap.h"
#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ImportRequest request;
  ModelArguments model;
  OutputOptions output;
};

// Files for viewers of events are written by the use case, the others from its document.
void TakeExports(Arguments& arguments) {
  std::vector<std::string>& files = arguments.output.files;
  const auto rest = std::stable_partition(
      files.begin(), files.end(), [](const std::string& file) { return !IsTraceExport(file); });
  arguments.request.exports.assign(rest, files.end());
  files.erase(rest, files.end());
}

int Run(Arguments& arguments) {
  const Heap heap;
  TakeExports(arguments);
  if (const auto outputs = CheckOutputs(arguments.output); !outputs.has_value())
    return Fail(outputs.error());
  std::vector<std::string> inputs = arguments.request.files;
  inputs.push_back(arguments.model.path);
  inputs.push_back(arguments.request.optimized_model);
  std::vector<std::string> outputs = arguments.output.files;
  outputs.insert(outputs.end(), arguments.request.exports.begin(), arguments.request.exports.end());
  if (const auto apart = CheckApart(outputs, inputs); !apart.has_value())
    return Fail(apart.error());
  arguments.request.as = arguments.model.as;
  arguments.request.strict = arguments.model.strict;
  arguments.request.full_paths = arguments.model.full_paths;
  if (!arguments.model.path.empty()) {
    arguments.model.as.clear();
    auto model = ToModelOptions(arguments.model);
    if (!model.has_value()) return Fail(model.error());
    arguments.request.model = std::move(*model);
  }
  const auto document =
      Import(arguments.request, MakeContext(arguments.output.quiet, arguments.output.language));
  return document.has_value() ? Show(*document, arguments.output) : Fail(document.error());
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("FILE", arguments->request.files, "Profiles")->required();
  verb.add_option("--model", arguments->model.path, "Model to join them to")->type_name("MODEL");
  verb.add_option("--optimized-model", arguments->request.optimized_model,
                  "The engine's saved optimised model")
      ->type_name("FILE");
  verb.add_option("--window", arguments->request.window,
                  "Range whose critical path is shown: NAME or NAME#K, K from 0")
      ->type_name("NAME");
  AddModelOptions(verb, arguments->model);
  AddOutputOptions(verb, arguments->output);
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kImport = {"import", "Read profiles; with --model, join them to its layers", Declare};

}  // namespace opscope::cli
