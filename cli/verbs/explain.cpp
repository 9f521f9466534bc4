#include <cstdio>
#include <memory>

#include "../session.h"
#include "base/text.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ModelArguments model;
  std::string node;
};

int Run(const Arguments& arguments) {
  auto model = ToModelOptions(arguments.model);
  if (!model.has_value()) return Fail(model.error());
  const auto lines = ExplainNode(*model, arguments.node, MakeContext(true, "en"));
  if (!lines.has_value()) return Fail(lines.error());
  TextTable table({{"", Align::kLeft, 0}, {"", Align::kLeft, 0}});
  for (const ExplainLine& line : *lines)
    table.AddRow({Printable(line.label), Printable(line.text)});
  std::fputs(table.Render(false).c_str(), stdout);
  return kFine;
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("MODEL", arguments->model.path, "Model file")->required();
  verb.add_option("NODE", arguments->node, "Node name, output tensor name, or #ID of a layer")
      ->required();
  AddModelOptions(verb, arguments->model);
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kExplain = {"explain", "How a node's numbers come about: shapes, rule, formula, number",
                       Declare};

}  // namespace opscope::cli
