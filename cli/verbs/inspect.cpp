#include <memory>

#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ModelArguments model;
  std::vector<std::string> paths;
  OutputOptions output;
};

Result<doc::Document> InspectOne(const Arguments& arguments, const std::string& path,
                                 const Context& context) {
  auto options = ToModelOptions(arguments.model);
  if (!options.has_value()) return std::move(options.error());
  options->path = path;
  return Inspect(*options, context);
}

// A row a model; one bad file does not stop the others.
int InspectAll(const Arguments& arguments, const Context& context) {
  doc::Reports reports;
  int code = kFine;
  for (const std::string& path : arguments.paths) {
    auto document = InspectOne(arguments, path, context);
    if (document.has_value()) {
      reports.reports.push_back(std::move(*document));
      continue;
    }
    code = Fail(document.error());
    reports.failed.push_back({path.substr(path.find_last_of('/') + 1), document.error().code,
                              document.error().ToString()});
  }
  const int shown = ShowAll(reports, arguments.output);
  return code != kFine ? code : shown;
}

int Run(const Arguments& arguments) {
  if (const auto outputs = CheckOutputs(arguments.output); !outputs.has_value())
    return Fail(outputs.error());
  if (const auto apart = CheckApart(arguments.output.files, arguments.paths); !apart.has_value())
    return Fail(apart.error());
  const Context context = MakeContext(true, arguments.output.language);
  if (arguments.paths.size() > 1) return InspectAll(arguments, context);
  const auto document = InspectOne(arguments, arguments.paths.front(), context);
  return document.has_value() ? Show(*document, arguments.output) : Fail(document.error());
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("MODEL", arguments->paths, "Model files; several give a summary table")
      ->required();
  AddModelOptions(verb, arguments->model);
  AddOutputOptions(verb, arguments->output);
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kInspect = {"inspect",
                       "Layers, MACs, parameters, bytes and peak memory, without running the model",
                       Declare};

}  // namespace opscope::cli
