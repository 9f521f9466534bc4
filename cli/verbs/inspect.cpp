#include <algorithm>
#include <memory>

#include "../heap.h"
#include "../session.h"
#include "report/emit/emitter.h"
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

bool WritesJson(const OutputOptions& output) {
  const auto is_json = [](const std::string& file) {
    return EmitterForFile(file) == FindEmitter("json");
  };
  return output.format == "json" || std::any_of(output.files.begin(), output.files.end(), is_json);
}

// The file stands beside it.
std::string WithoutFile(const Error& error, const std::string& path) {
  const std::string text = error.ToString();
  const std::string file = path + ": ";
  return text.rfind(file, 0) == 0 ? text.substr(file.size()) : text;
}

// A row a model; one bad file does not stop the others. Only JSON keeps the layers of all of them.
int InspectAll(const Arguments& arguments, const std::vector<FoundModel>& models,
               const Context& context) {
  doc::Reports reports;
  const bool keep_layers = WritesJson(arguments.output);
  Context each = context;  // models are counted, their layers are not
  each.progress = {};
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (context.progress)
      context.progress({"progress.models",
                        static_cast<std::int64_t>(i),
                        static_cast<std::int64_t>(models.size()),
                        {},
                        {}});
    auto document = InspectOne(arguments, models[i].path, each);
    const std::string& shown = arguments.model.full_paths ? models[i].path : models[i].shown;
    if (!document.has_value()) {
      Fail(document.error());
      reports.failed.push_back(
          {shown, document.error().code, WithoutFile(document.error(), models[i].path)});
      continue;
    }
    document->model->file = shown;
    if (!keep_layers) document->static_part->layers = std::vector<doc::Layer>();
    reports.reports.push_back(std::move(*document));
  }
  const int shown = ShowAll(reports, arguments.output);
  return reports.failed.empty() ? shown : kInput;
}

// Of the analysis and the report: what a layer of the usual three or four tensors takes.
constexpr std::size_t kBytesPerLayer = 2048;

// One model, after which the program ends: memory is got ready ahead and given back by ending.
int InspectLast(const Arguments& arguments, const std::string& path, Heap& heap, Context context) {
  context.progress = [&heap](const Progress& at) {
    if (at.phase == "progress.layers")
      heap.Expect(static_cast<std::size_t>(at.of) * kBytesPerLayer);
  };
  context.discard = [](std::shared_ptr<void> left) {
    static auto* const kept = new std::shared_ptr<void>();
    *kept = std::move(left);
  };
  static const auto* const document =
      new Result<doc::Document>(InspectOne(arguments, path, context));
  return document->has_value() ? Show(**document, arguments.output) : Fail(document->error());
}

int Run(const Arguments& arguments) {
  Heap heap;
  if (const auto outputs = CheckOutputs(arguments.output); !outputs.has_value())
    return Fail(outputs.error());
  if (const auto options = ToModelOptions(arguments.model); !options.has_value())
    return Fail(options.error());
  const auto models = FindModels(arguments.paths);
  if (!models.has_value()) return Fail(models.error());
  std::vector<std::string> files;
  for (const FoundModel& model : *models) files.push_back(model.path);
  if (const auto apart = CheckApart(arguments.output.files, files); !apart.has_value())
    return Fail(apart.error());
  const bool one = files.size() == 1;
  const Context context = MakeContext(one || arguments.output.quiet, arguments.output.language);
  if (!one) return InspectAll(arguments, *models, context);
  return InspectLast(arguments, files.front(), heap, context);
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("MODEL", arguments->paths, "Model files or folders; several give a summary table")
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
