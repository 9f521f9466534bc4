#include <filesystem>
#include <memory>

#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

struct Arguments {
  ModelArguments model;  // its path is the topic when no node is given
  std::string node;
  std::string format = "text", language = "en";
};

constexpr std::string_view kConvention = "convention:";

Result<std::vector<ExplainLine>> Explain(const Arguments& arguments) {
  const Language language = arguments.language == "zh" ? Language::kChinese : Language::kEnglish;
  const std::string& topic = arguments.model.path;
  if (arguments.node.empty() && topic.rfind(kConvention, 0) == 0)
    return ExplainConvention(topic.substr(kConvention.size()));
  if (arguments.node.empty()) {
    std::error_code failed;
    if (std::filesystem::exists(topic, failed))
      return Error{"usage.node",
                   "which node? opscope explain MODEL NODE takes a node's name, the name of a "
                   "tensor it writes, or #0 for the first layer",
                   topic};
    return ExplainTopic(topic, language);
  }
  auto model = ToModelOptions(arguments.model);
  if (!model.has_value()) return std::move(model.error());
  return ExplainNode(*model, arguments.node, language, MakeContext(true, arguments.language));
}

int Run(const Arguments& arguments) {
  if (arguments.format != "text" && arguments.format != "json")
    return Fail(
        {"usage.format", "--format takes text or json, not '" + arguments.format + "'", ""});
  if (arguments.language != "en" && arguments.language != "zh")
    return Fail(
        {"usage.lang", "no language '" + arguments.language + "'; there is: en, zh", "--lang"});
  const auto lines = Explain(arguments);
  if (!lines.has_value()) return Fail(lines.error());
  if (arguments.format == "text") return ShowLabelled(*lines);
  OutputOptions output;
  output.format = "json";
  std::vector<std::vector<std::string>> rows;
  for (const ExplainLine& line : *lines) rows.push_back({line.what, line.label, line.text});
  return ShowRows({"what", "label", "text"}, rows, output);
}

std::function<int()> Declare(CLI::App& verb) {
  const auto arguments = std::make_shared<Arguments>();
  verb.add_option("MODEL", arguments->model.path,
                  "Model file; or, alone, a word of the reports (macs ..) or convention:NAME")
      ->required();
  verb.add_option("NODE", arguments->node, "Node name, output tensor name, or #ID of a layer");
  AddModelOptions(verb, arguments->model);
  verb.add_option("--format", arguments->format, "text, json")->type_name("FORMAT");
  verb.add_option("--lang", arguments->language, "Language: en, zh")->type_name("LANG");
  return [arguments] { return Run(*arguments); };
}

}  // namespace

const Verb kExplain = {"explain",
                       "How a node's numbers come about: shapes, rule, formula, number; or what a "
                       "word of the reports means",
                       Declare};

}  // namespace opscope::cli
