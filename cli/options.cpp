#include "options.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/checked.h"
#include "cost/conventions/convention.h"
#include "report/emit/emitter.h"

namespace opscope::cli {

namespace {

// "4G", "512MiB", "1000000": bytes; K, M, G, T are powers of 1024.
std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const auto number = ParseInt64(text.substr(0, digits));
  if (!number) return std::nullopt;
  std::string_view unit = text.substr(digits);
  if (unit == "" || unit == "B") return static_cast<std::uint64_t>(*number);
  const std::size_t power = std::string_view("KMGT").find(unit.front());
  unit.remove_prefix(1);
  if (power == std::string_view::npos || (unit != "" && unit != "B" && unit != "iB"))
    return std::nullopt;
  const auto bytes = CheckedMul<std::int64_t>(*number, std::int64_t{1} << (10 * (power + 1)));
  return bytes ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*bytes)) : std::nullopt;
}

// "2", "0.5", "30s", "2min": seconds, above zero.
std::optional<double> ParseSeconds(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string_view unit(end);
  const double scale = unit == "" || unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "min" ? 60 : 0;
  if (end == text.c_str() || scale == 0 || !std::isfinite(number) || number <= 0 || number > 1e6)
    return std::nullopt;
  return number * scale;
}

Error BadValue(const std::string& option, const std::string& text, const std::string& example) {
  return {"usage.value", option + " does not take '" + text + "'; for example " + example, ""};
}

// "x=1x3x224x224": the name may hold '='; the dims come after the last one.
Result<void> AddShape(const std::string& text, ModelOptions& out) {
  const std::size_t at = text.rfind('=');
  const Error bad = BadValue("--shape", text, "--shape input=1x3x224x224");
  if (at == std::string::npos || at == 0) return bad;
  std::vector<std::int64_t> dims;
  std::string_view rest = std::string_view(text).substr(at + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const auto dim = ParseInt64(rest.substr(0, end));
    if (!dim || *dim < 0) return bad;
    dims.push_back(*dim);
    if (end + 1 == rest.size()) return bad;  // a trailing x
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  if (!out.shapes.emplace(text.substr(0, at), std::move(dims)).second)
    return Error{"usage.shape", "--shape is given twice for input '" + text.substr(0, at) + "'",
                 ""};
  return {};
}

Result<void> AddBinding(const std::string& text, ModelOptions& out) {
  const std::size_t at = text.rfind('=');
  const auto value =
      at == std::string::npos ? std::nullopt : ParseInt64(std::string_view(text).substr(at + 1));
  if (!value || *value < 0 || at == 0) return BadValue("--bind", text, "--bind N=1");
  if (!out.bindings.emplace(text.substr(0, at), *value).second)
    return Error{"usage.bind", "--bind is given twice for '" + text.substr(0, at) + "'", ""};
  return {};
}

std::string EmitterNames() {
  std::string out;
  for (const Emitter& emitter : Emitters())
    out += (out.empty() ? "" : ", ") + std::string(emitter.id);
  return out;
}

}  // namespace

void AddOutputOptions(CLI::App& verb, OutputOptions& options) {
  verb.add_option("-o,--output", options.files,
                  "Write the report to a file; its ending picks the format (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_option("--format", options.format, "Standard output: text, json, csv, md")
      ->type_name("FORMAT");
  verb.add_option("--lang", options.language, "Language: en, zh")->type_name("LANG");
  verb.add_option("--color,--colour", options.colour, "Colour: auto, always, never")
      ->type_name("WHEN");
  verb.add_flag("--quiet", options.quiet, "No progress on standard error");
  verb.add_flag("--wide", options.wide, "Do not cut names");
  verb.add_flag("--ascii", options.ascii, "Nothing beyond ASCII");
  verb.add_option("--top", options.top, "Rows of the layer table")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  verb.add_option("--convention", options.convention,
                  "Show what another tool would print: " + ConventionNames())
      ->type_name("NAME");
  verb.add_option_function<std::string>(
          "--max-report-size",
          [&options](const std::string& text) {
            const auto bytes = ParseBytes(text);
            if (!bytes) throw CLI::ValidationError("--max-report-size", "takes bytes, like 25M");
            options.max_report_bytes = *bytes;
          },
          "Largest HTML page (default 25M)")
      ->type_name("BYTES");
}

void AddModelOptions(CLI::App& verb, ModelArguments& arguments) {
  verb.add_option("--as", arguments.as, "Format of the input, instead of finding it by content")
      ->type_name("FORMAT");
  verb.add_option("--shape", arguments.shapes, "Shape of an input: NAME=1x3x224x224 (repeatable)")
      ->type_name("NAME=DIMS")
      ->allow_extra_args(false);
  verb.add_option("--bind", arguments.bindings, "Value of a named dim: N=1 (repeatable)")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  verb.add_flag("--allow-external", arguments.allow_external,
                "Read external data outside the model's folder");
  verb.add_flag("--hash", arguments.hash, "Hash the whole file");
  verb.add_flag("--strict", arguments.strict, "Any damage to an input is an error");
  verb.add_flag("--full-paths", arguments.full_paths, "Reports carry whole paths");
}

void AddRunOptions(CLI::App& verb, RunArguments& arguments) {
  RunOptions& run = arguments.options;
  verb.add_option("--engine", run.engine, "Engine that runs the model: ort")->type_name("NAME");
  verb.add_option("--ort-library", run.library, "ONNX Runtime library to load")->type_name("FILE");
  verb.add_option("--provider", run.providers,
                  "Execution provider NAME[:key=value,..] (repeatable)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--provider-library", run.provider_libraries,
                  "Plug-in provider NAME=LIBRARY (repeatable)")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb.add_option("--custom-ops", run.custom_ops, "Library with custom ops (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_option("--config", run.config, "Session setting of the engine KEY=VALUE (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--threads", run.threads, "Threads inside an op (default 1)")->type_name("N");
  verb.add_option("--level", run.level, "Graph optimisation: none, basic, extended, all")
      ->type_name("LEVEL");
  verb.add_flag("--spin", run.spinning, "Let idle threads of the engine spin");
  verb.add_option("--warmup", run.warmup, "Iterations of warm-up in each process")->type_name("N");
  verb.add_option("--runs", run.runs, "Measured iterations in all")->type_name("N");
  verb.add_option("--time", arguments.time, "Measuring time in all")->type_name("S");
  verb.add_option("--seed", run.seed, "Seed of random inputs")->type_name("N");
  verb.add_option("--inputs", run.inputs, "Real inputs: one array an input")->type_name("FILE.npz");
  verb.add_option("--memory-limit", arguments.memory_limit, "Memory the engine may use, like 4G")
      ->type_name("BYTES");
  verb.add_option("--time-limit", arguments.time_limit, "Time the whole run may take")
      ->type_name("S");
}

Result<ModelOptions> ToModelOptions(const ModelArguments& arguments) {
  ModelOptions out;
  out.path = arguments.path;
  out.as = arguments.as;
  for (const std::string& text : arguments.shapes) TRY(AddShape(text, out));
  for (const std::string& text : arguments.bindings) TRY(AddBinding(text, out));
  out.allow_external = arguments.allow_external;
  out.hash = arguments.hash;
  out.strict = arguments.strict;
  out.full_paths = arguments.full_paths;
  return out;
}

Result<RunOptions> ToRunOptions(const RunArguments& arguments) {
  RunOptions out = arguments.options;
  if (out.threads < 1 || out.threads > 4096)
    return BadValue("--threads", std::to_string(out.threads), "--threads 4");
  if (out.runs && *out.runs < 1) return BadValue("--runs", std::to_string(*out.runs), "--runs 20");
  if (out.warmup && *out.warmup < 0)
    return BadValue("--warmup", std::to_string(*out.warmup), "--warmup 3");
  const auto seconds = [](const std::string& option, const std::string& text,
                          std::optional<double>& value) -> Result<void> {
    if (text.empty()) return {};
    value = ParseSeconds(text);
    if (!value) return BadValue(option, text, option + " 10");
    return {};
  };
  TRY(seconds("--time", arguments.time, out.seconds));
  TRY(seconds("--time-limit", arguments.time_limit, out.time_limit_seconds));
  if (!arguments.memory_limit.empty()) {
    out.memory_limit_bytes = ParseBytes(arguments.memory_limit);
    if (!out.memory_limit_bytes || *out.memory_limit_bytes == 0)
      return BadValue("--memory-limit", arguments.memory_limit, "--memory-limit 4G");
  }
  return out;
}

Result<void> CheckApart(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs) {
  std::error_code failed;
  const auto same = [&](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && (a == b || std::filesystem::equivalent(a, b, failed));
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& input : inputs)
      if (same(outputs[i], input))
        return Error{"usage.output", "'" + outputs[i] + "' is an input; inputs are never changed",
                     "-o"};
    for (std::size_t j = 0; j < i; ++j)
      if (same(outputs[i], outputs[j]))
        return Error{"usage.output", "'" + outputs[i] + "' is named twice", "-o"};
  }
  return {};
}

Result<void> CheckOutputs(const OutputOptions& options) {
  if (FindEmitter(options.format) == nullptr)
    return Error{"usage.format", "no format '" + options.format + "'; there is: " + EmitterNames(),
                 "--format"};
  if (options.language != "en" && options.language != "zh")
    return Error{"usage.lang", "no language '" + options.language + "'; there is: en, zh",
                 "--lang"};
  if (options.colour != "auto" && options.colour != "always" && options.colour != "never")
    return Error{"usage.color", "--color takes auto, always or never, not '" + options.colour + "'",
                 ""};
  if (!options.convention.empty() && FindConvention(options.convention) == nullptr)
    return Error{"usage.convention",
                 "no convention '" + options.convention + "'; there is: " + ConventionNames(),
                 "--convention"};
  for (const std::string& file : options.files) {
    if (EmitterForFile(file) == nullptr) {
      std::string endings;
      for (const Emitter& emitter : Emitters()) endings += " ." + std::string(emitter.endings);
      return Error{"usage.output",
                   "the ending of '" + file + "' names no format; there is:" + endings, "-o"};
    }
    const auto folder = std::filesystem::path(file).parent_path();
    std::error_code failed;
    if (!folder.empty() && !std::filesystem::is_directory(folder, failed))
      return Error{"usage.output", "there is no folder '" + folder.string() + "' to write to",
                   "-o"};
  }
  return {};
}

}  // namespace opscope::cli
