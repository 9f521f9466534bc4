#include <filesystem>
#include <memory>

#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ModelArguments model;
  RunArguments run;
  OutputOptions output;
  AnalyzeRequest request;
};

// Shows the document whether or not the engine failed: the static part stands by itself.
int ShowOutcome(const Outcome& outcome, const OutputOptions& output) {
  const int shown = Show(outcome.document, output);
  if (outcome.failure) return Fail(*outcome.failure);
  return shown;
}

int Run(Arguments& arguments) {
  auto model = ToModelOptions(arguments.model);
  if (!model.has_value()) return Fail(model.error());
  auto run = ToRunOptions(arguments.run);
  if (!run.has_value()) return Fail(run.error());
  if (const auto outputs = CheckOutputs(arguments.output); !outputs.has_value())
    return Fail(outputs.error());
  std::vector<std::string> outputs = arguments.output.files;
  if (!arguments.request.keep_profile.empty()) outputs.push_back(arguments.request.keep_profile);
  std::vector<std::string> inputs = arguments.request.profiles;
  inputs.push_back(arguments.model.path);
  inputs.push_back(arguments.request.optimized_model);
  inputs.push_back(run->inputs);
  if (const auto apart = CheckApart(outputs, inputs); !apart.has_value())
    return Fail(apart.error());
  arguments.request.model = std::move(*model);
  arguments.request.run = std::move(*run);
  CatchInterrupts();
  auto outcome = [&] {
    const Context context = MakeContext(arguments.output.quiet, arguments.output.language);
    return Analyze(arguments.request, context);
  }();
  return outcome.has_value() ? ShowOutcome(*outcome, arguments.output) : Fail(outcome.error());
}

void DeclareCommon(CLI::App& verb, Arguments& arguments) {
  verb.add_option("MODEL", arguments.model.path, "Model file")->required();
  AddModelOptions(verb, arguments.model);
  AddRunOptions(verb, arguments.run);
  AddOutputOptions(verb, arguments.output);
}

std::function<int()> DeclareAnalyze(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  DeclareCommon(verb, *arguments);
  verb.add_option("--profile", arguments->request.profiles,
                  "Profile of a run elsewhere, instead of an own run (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_option("--optimized-model", arguments->request.optimized_model,
                  "The engine's saved optimised model, for --profile")
      ->type_name("FILE");
  verb.add_flag("--no-run", arguments->request.no_run, "Static analysis only");
  verb.add_option("--save-profile", arguments->request.keep_profile,
                  "Keep the engine's profile under this name")
      ->type_name("FILE");
  return [arguments] { return Run(*arguments); };
}

// profile: the run alone; the profile is kept, beside the model's name, unless told otherwise.
std::function<int()> DeclareProfile(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  DeclareCommon(verb, *arguments);
  verb.add_option("--save-profile", arguments->request.keep_profile,
                  "Where the engine's profile goes (default: <model>.profile.json here)")
      ->type_name("FILE");
  return [arguments] {
    if (arguments->request.keep_profile.empty())
      arguments->request.keep_profile =
          std::filesystem::path(arguments->model.path).stem().string() + ".profile.json";
    const int code = Run(*arguments);
    if (code == kFine && arguments->output.format == "text")
      std::printf("profile: %s\n", arguments->request.keep_profile.c_str());
    return code;
  };
}

}  // namespace

const Verb kAnalyze = {"analyze", "Static analysis and measured time of a model, joined per layer",
                       DeclareAnalyze};
const Verb kProfile = {"profile", "Run a model on an engine; keep its profile and the conditions",
                       DeclareProfile};

}  // namespace opscope::cli
