#include <memory>

#include "../session.h"
#include "verb.h"

namespace opscope::cli {

namespace {

std::function<int()> DeclareFormats(CLI::App& verb) {
  const auto output = std::make_shared<OutputOptions>();
  verb.add_option("--format", output->format, "text, json")->type_name("FORMAT");
  return [output]() -> int {
    if (output->format != "text" && output->format != "json")
      return Fail(
          {"usage.format", "--format takes text or json, not '" + output->format + "'", ""});
    std::vector<std::vector<std::string>> rows;
    for (const FormatRow& format : ListFormats())
      rows.push_back({format.id, format.kind, format.title, format.endings, format.what});
    return ShowRows({"id", "kind", "title", "endings", "what"}, rows, *output);
  };
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::function<int()> DeclareEngines(CLI::App& verb) {
  const auto output = std::make_shared<OutputOptions>();
  const auto library = std::make_shared<std::string>();
  verb.add_option("--format", output->format, "text, json")->type_name("FORMAT");
  verb.add_option("--ort-library", *library, "ONNX Runtime library to load")->type_name("FILE");
  return [output, library]() -> int {
    if (output->format != "text" && output->format != "json")
      return Fail(
          {"usage.format", "--format takes text or json, not '" + output->format + "'", ""});
    std::vector<std::vector<std::string>> rows;
    for (const EngineRow& engine : ListEngines(*library, MakeContext(true, "en")))
      rows.push_back({engine.id, engine.title, engine.state, engine.version,
                      Joined(engine.providers),
                      engine.state == "ready" ? engine.library : engine.how_to_get});
    return ShowRows({"id", "title", "state", "version", "providers", "library"}, rows, *output);
  };
}

}  // namespace

const Verb kFormats = {"formats", "What this build can read", DeclareFormats};
const Verb kEnginesVerb = {"engines", "Engines this build can run models on, and what is missing",
                           DeclareEngines};

}  // namespace opscope::cli
