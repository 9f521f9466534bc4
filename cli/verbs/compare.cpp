#include <memory>

#include "../heap.h"
#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ModelArguments model;
  std::string a, b;
  OutputOptions output;
};

int Run(const Arguments& arguments) {
  const Heap heap;
  if (const auto outputs = CheckOutputs(arguments.output); !outputs.has_value())
    return Fail(outputs.error());
  if (const auto apart = CheckApart(arguments.output.files, {arguments.a, arguments.b});
      !apart.has_value())
    return Fail(apart.error());
  const auto model = ToModelOptions(arguments.model);
  if (!model.has_value()) return Fail(model.error());
  CompareRequest request{*model, *model};
  request.a.path = arguments.a;
  request.b.path = arguments.b;
  const auto document =
      Compare(request, MakeContext(arguments.output.quiet, arguments.output.language));
  return document.has_value() ? Show(*document, arguments.output) : Fail(document.error());
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("A", arguments->a, "Model before")->required();
  verb.add_option("B", arguments->b, "Model after")->required();
  AddModelOptions(verb, arguments->model);
  AddOutputOptions(verb, arguments->output);
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kCompare = {
    "compare", "Two models: what was added, removed and changed, and what it costs", Declare};

}  // namespace opscope::cli
