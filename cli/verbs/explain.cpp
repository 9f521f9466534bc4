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

constexpr std::string_view kConvention = "convention:";

Result<std::vector<ExplainLine>> Explain(const Arguments& arguments) {
  const std::string& topic = arguments.model.path;
  if (arguments.node.empty() && topic.rfind(kConvention, 0) == 0)
    return ExplainConvention(topic.substr(kConvention.size()));
  if (arguments.node.empty())
    return Error{"usage.node", "explain takes a model and a node, or convention:NAME", topic};
  auto model = ToModelOptions(arguments.model);
  if (!model.has_value()) return std::move(model.error());
  return ExplainNode(*model, arguments.node, MakeContext(true, "en"));
}

int Run(const Arguments& arguments) {
  const auto lines = Explain(arguments);
  if (!lines.has_value()) return Fail(lines.error());
  TextTable table({{"", Align::kLeft, 0}, {"", Align::kLeft, 0}});
  for (const ExplainLine& line : *lines)
    table.AddRow({Printable(line.label), Printable(line.text)});
  std::fputs(table.Render(false).c_str(), stdout);
  return kFine;
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("MODEL", arguments->model.path, "Model file, or convention:NAME")->required();
  verb.add_option("NODE", arguments->node, "Node name, output tensor name, or #ID of a layer");
  AddModelOptions(verb, arguments->model);
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kExplain = {"explain", "How a node's numbers come about: shapes, rule, formula, number",
                       Declare};

}  // namespace opscope::cli
