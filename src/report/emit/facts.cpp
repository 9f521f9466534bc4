#include "report/emit/facts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.h"
#include "document/format.h"
#include "document/messages.h"
#include "report/emit/fact_list.h"

namespace opscope {
namespace {

std::string ExtentText(const doc::Extent& extent) {
  if (const auto* number = std::get_if<std::int64_t>(&extent)) return std::to_string(*number);
  if (const auto* symbol = std::get_if<std::string>(&extent)) return *symbol;
  return "?";
}

// "CPUExecutionProvider" -> "CPU".
std::string ProviderName(std::string_view provider) {
  constexpr std::string_view kTail = "ExecutionProvider";
  if (provider.size() > kTail.size() && provider.ends_with(kTail))
    provider.remove_suffix(kTail.size());
  return std::string(provider);
}

std::string Numbers(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string from = FormatNumber(*low);
  const std::string to = FormatNumber(*high);
  return from == to ? from : from + " .. " + to;
}

void AddCpu(const doc::Cpu& cpu, FactList& facts) {
  facts.Add("cond.cpu", cpu.name);
  std::vector<std::string> cores;
  if (cpu.physical_cores) cores.push_back(std::to_string(*cpu.physical_cores));
  if (cpu.logical_cores) cores.push_back(std::to_string(*cpu.logical_cores));
  facts.Add("cond.cores", Join(cores, " / "));
  std::vector<std::string> caches;
  for (const auto& bytes : {cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes})
    caches.push_back(bytes ? FormatBytes(*bytes) : "?");
  if (cpu.l1d_bytes || cpu.l2_bytes || cpu.l3_bytes) facts.Add("cond.caches", Join(caches, " / "));
}

void AddDevice(const doc::Device& device, FactList& facts) {
  facts.Add("cond.device", device.name);
  if (device.cpu) AddCpu(*device.cpu, facts);
  facts.Add("cond.isa", Join(device.isa, ", "));
  facts.Bytes("cond.memory", device.memory_bytes);
  for (const doc::Accelerator& accelerator : device.accelerators)
    facts.Add("cond.accelerator", accelerator.kind + " " + accelerator.name);
  facts.Add("cond.system", device.system);
  facts.Add("cond.virtualisation", device.virtualisation);
}

// Conditions that could not be read, with the reason.
void AddReasons(const doc::Map<doc::Text>& because, Language language, FactList& facts) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kLabels = {
      {{"name", "cond.device"},
       {"memory_bytes", "cond.memory"},
       {"governor", "cond.governor"},
       {"frequency_mhz", "cond.frequency"},
       {"temperature_c", "cond.temperature"},
       {"energy", "cond.energy"},
       {"load", "cond.load"}}};
  for (const auto& [key, why] : because) {
    for (const auto& [known, label] : kLabels) {
      if (key != known) continue;
      facts.Add(label, std::string(Word("word.unknown", language)) +
                           Phrase("word.in-brackets", {{"text", Render(why, language)}}, language));
    }
  }
}

std::string YesNo(bool value, Language language) {
  return std::string(Word(value ? "word.yes" : "word.no", language));
}

void AddSettings(const doc::Settings& settings, Language language, FactList& facts) {
  facts.Integer("cond.threads", settings.threads);
  facts.Add("cond.level", settings.level);
  facts.Integer("cond.warmup", settings.warmup);
  facts.Integer("cond.runs", settings.runs);
  if (settings.seed) facts.Add("cond.seed", std::to_string(*settings.seed));
  if (settings.spinning) facts.Add("cond.spinning", YesNo(*settings.spinning, language));
  facts.Add("cond.inputs", settings.inputs);
  std::vector<std::string> shapes;
  for (const auto& [name, shape] : settings.shapes) shapes.push_back(name + " " + ShapeText(shape));
  facts.Add("cond.shapes", Join(shapes, ", "));
  std::vector<std::string> options;
  for (const auto& [name, value] : settings.provider_options) options.push_back(name + "=" + value);
  facts.Add("cond.provider-options", Join(options, ", "));
}

void AddState(const doc::State& state, FactList& facts) {
  facts.Add("cond.governor", state.governor);
  const std::string frequency = Numbers(state.frequency_mhz);
  if (!frequency.empty()) facts.Add("cond.frequency", frequency + " MHz");
  const std::string temperature = Numbers(state.temperature_c);
  if (!temperature.empty()) facts.Add("cond.temperature", temperature + " C");
  if (state.energy) facts.Add("cond.energy", FormatNumber(state.energy->joules) + " J");
  if (state.load) facts.Add("cond.load", FormatNumber(*state.load, 3));
}

// "x float32 1x3x224x224, …".
std::string PortsText(const std::vector<doc::Port>& ports) {
  std::vector<std::string> parts;
  for (const doc::Port& port : ports)
    parts.push_back(port.name + " " + port.dtype + " " + ShapeText(port.shape));
  constexpr std::size_t kShown = 12;
  return JoinFirst(std::move(parts), kShown);
}

}  // namespace

std::string ShapeText(const doc::Shape& shape) {
  if (!shape) return "?";
  if (shape->empty()) return "scalar";
  std::vector<std::string> parts;
  for (const doc::Extent& extent : *shape) parts.push_back(ExtentText(extent));
  const bool symbolic = std::any_of(shape->begin(), shape->end(), [](const doc::Extent& extent) {
    return std::holds_alternative<std::string>(extent);
  });
  return symbolic ? "[" + Join(parts, ",") + "]" : Join(parts, "x");
}

std::string CountText(const doc::Count& count, std::string_view key,
                      const doc::Map<std::string>& formulas, std::string (*show)(Int128),
                      Language language) {
  if (count) return show(*count);
  if (const std::string* formula = Find(formulas, key)) return *formula;
  return std::string(Word("word.unknown", language));
}

std::string FormatLine(const doc::Model& model) {
  for (const auto& [domain, version] : model.opsets) {
    if (model.format == "onnx" && (domain.empty() || domain == "ai.onnx"))
      return model.format + " opset " + std::to_string(version);
  }
  return model.format;
}

std::string InputsLine(const doc::Document& document) {
  std::vector<std::string> parts;
  const doc::Settings* settings = document.conditions && document.conditions->settings
                                      ? &*document.conditions->settings
                                      : nullptr;
  if (settings != nullptr && !settings->shapes.empty()) {
    for (const auto& [name, shape] : settings->shapes)
      parts.push_back(name + " " + ShapeText(shape));
  } else if (document.model) {
    for (const doc::Port& input : document.model->inputs)
      parts.push_back(input.name + " " + ShapeText(input.shape));
  }
  constexpr std::size_t kShown = 3;
  return JoinFirst(std::move(parts), kShown);
}

std::string EngineLine(const doc::Document& document, Language language) {
  if (!document.conditions) return {};
  std::vector<std::string> parts;
  if (document.conditions->engine) {
    const doc::Engine& engine = *document.conditions->engine;
    parts.push_back(engine.name + (engine.version ? " " + *engine.version : ""));
    if (engine.provider) parts.push_back(ProviderName(*engine.provider));
  }
  if (document.conditions->settings) {
    const doc::Settings& settings = *document.conditions->settings;
    if (settings.threads)
      parts.push_back(Phrase(*settings.threads == 1 ? "line.thread" : "line.threads",
                             {{"n", *settings.threads}}, language));
    if (settings.level)
      parts.push_back(Phrase("line.level", {{"level", *settings.level}}, language));
  }
  return Join(parts, Word("word.comma", language));
}

std::string CoverageLine(const doc::Totals& totals, Language language) {
  if (totals.complete) return Phrase("coverage.complete", {{"n", totals.nodes}}, language);
  std::vector<std::string> names;
  std::int64_t uncounted = 0;
  for (const doc::UncountedOp& op : totals.uncounted) {
    uncounted = CheckedAdd(uncounted, op.nodes).value_or(uncounted);
    names.push_back(op.op + (op.nodes > 1 ? " x" + std::to_string(op.nodes) : "") + " (" +
                    Render(op.because, language) + ")");
  }
  constexpr std::size_t kShown = 5;
  if (names.size() > kShown) {
    const auto more = static_cast<std::int64_t>(names.size() - kShown);
    names.resize(kShown);
    names.push_back(Phrase("word.more", {{"n", more}}, language));
  }
  return Phrase("coverage.partial",
                {{"k", uncounted}, {"n", totals.nodes}, {"names", Join(names, ", ")}}, language);
}

std::string StabilityLine(const doc::Run& run, Language language) {
  const doc::Latency& latency = *run.latency;
  if (!latency.stable) {
    if (latency.why) return Render(*latency.why, language);
    return std::string(Word("stability.unknown", language));
  }
  if (*latency.stable) return std::string(Word("stability.stable", language));
  const std::string why = latency.why ? Render(*latency.why, language) : "";
  return Phrase("stability.unstable", {{"why", why}}, language);
}

Facts ModelFacts(const doc::Model& model, Language language) {
  FactList facts(language);
  if (model.bytes) facts.Add("model.bytes", FormatBytes(*model.bytes));
  facts.Add("model.producer", model.producer);
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : model.opsets)
    opsets.push_back(domain + " " + std::to_string(version));
  facts.Add("model.opsets", Join(opsets, ", "));
  facts.Add("model.inputs", PortsText(model.inputs));
  facts.Add("model.outputs", PortsText(model.outputs));
  std::vector<std::string> symbols;
  for (const auto& [name, value] : model.symbols)
    symbols.push_back(name + " = " +
                      (value ? std::to_string(*value) : std::string(Word("word.free", language))));
  facts.Add("model.symbols", Join(symbols, ", "));
  for (const doc::ExternalFile& file : model.external_files)
    facts.Add(
        "model.external",
        file.file + (file.bytes ? ", " + FormatBytes(*file.bytes) : std::string()) +
            (file.found ? std::string() : ", " + std::string(Word("word.missing", language))));
  facts.Add("model.structure", model.structure_hash);
  facts.Add("model.hash", model.hash);
  return facts.Take();
}

Facts ConditionFacts(const doc::Document& document, Language language) {
  FactList facts(language);
  if (!document.conditions) return facts.Take();
  const doc::Conditions& conditions = *document.conditions;
  if (conditions.engine) {
    const doc::Engine& engine = *conditions.engine;
    facts.Add("cond.engine", engine.name + (engine.version ? " " + *engine.version : ""));
    facts.Add("cond.provider", engine.provider);
  }
  if (conditions.settings) AddSettings(*conditions.settings, language, facts);
  if (conditions.device) {
    AddDevice(*conditions.device, facts);
    AddReasons(conditions.device->because, language, facts);
  }
  if (conditions.state) {
    AddState(*conditions.state, facts);
    AddReasons(conditions.state->because, language, facts);
  }
  return facts.Take();
}

Facts LatencyFacts(const doc::Run& run, Language language) {
  FactList facts(language);
  const doc::Latency& latency = *run.latency;
  facts.Time("latency.median", latency.median);
  if (latency.ci95)
    facts.Add("latency.ci",
              FormatTime((*latency.ci95)[0]) + " .. " + FormatTime((*latency.ci95)[1]));
  facts.Time("latency.mean", latency.mean);
  facts.Time("latency.trimmed", latency.trimmed_mean);
  facts.Time("latency.min", latency.min);
  facts.Time("latency.max", latency.max);
  facts.Time("latency.p90", latency.p90);
  facts.Time("latency.p95", latency.p95);
  facts.Time("latency.p99", latency.p99);
  if (latency.cv) facts.Add("latency.cv", FormatPercent(*latency.cv));
  if (latency.throughput_per_s)
    facts.Add("latency.throughput", FormatNumber(*latency.throughput_per_s) + " /s");
  facts.Time("latency.cpu", latency.cpu_median);
  if (run.iterations) {
    facts.Add("latency.iterations", Phrase("latency.iterations-of",
                                           {{"used", run.iterations->used},
                                            {"found", run.iterations->found},
                                            {"warmup", run.iterations->warmup}},
                                           language));
    if (run.iterations->why) facts.Add("latency.cut", Render(*run.iterations->why, language));
  }
  facts.Add("latency.stability", StabilityLine(run, language));
  return facts.Take();
}

std::vector<std::string> QualityLines(const doc::Document& document, Language language) {
  std::vector<std::string> lines;
  for (const doc::DataQuality& quality : document.data_quality) {
    std::string line =
        quality.severity == "notice" || quality.severity == "loss" || quality.severity == "error"
            ? std::string(Word("severity." + quality.severity, language))
            : quality.severity;
    if (quality.count != 1) line += " (" + FormatInteger(quality.count) + ")";
    line += ": " + Render(quality.message, language);
    if (quality.where) line += Phrase("quality.where", {{"where", *quality.where}}, language);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string SliceName(const TypeSlice& slice, Language language) {
  switch (slice.kind) {
    case SliceKind::kOp:
      return std::string(slice.op);
    case SliceKind::kOther:
      return std::string(Word("slice.other", language));
    case SliceKind::kRuntime:
      return std::string(Word("slice.runtime", language));
    case SliceKind::kUnmatched:
      return std::string(Word("slice.unmatched", language));
    case SliceKind::kGap:
      break;
  }
  return std::string(Word("slice.gap", language));
}

std::string MacsText(const HotRow& row) {
  if (row.layer == nullptr) return {};
  if (row.layer->counts.macs) return FormatCount(*row.layer->counts.macs);
  const std::string* formula = Find(row.layer->formulas, "macs");
  return formula != nullptr ? *formula : "?";
}

std::string OutputText(const HotRow& row) {
  if (row.layer == nullptr || row.layer->outputs.empty()) return {};
  return ShapeText(row.layer->outputs.front().shape);
}

std::string PlacedLine(const doc::Run& run, Language language) {
  if (!run.coverage || run.coverage->rows_ns <= 0) return {};
  const doc::Coverage& coverage = *run.coverage;
  if (coverage.placed_ns == coverage.rows_ns) return std::string(Word("line.placed-all", language));
  // Rounded down: 99.99 % is not all of it.
  const double share =
      static_cast<double>(coverage.placed_ns) / static_cast<double>(coverage.rows_ns);
  return Phrase("line.placed-some",
                {{"placed", coverage.placed},
                 {"rows", coverage.rows},
                 {"share", FormatPercent(std::floor(share * 1000) / 1000)}},
                language);
}

std::string RateText(const std::optional<double>& rate) {
  if (!rate) return {};
  return *rate == 0 ? "-" : FormatFixed(*rate, 1);
}

std::string BoundName(std::string_view bound, Language language) {
  for (const std::string_view known : {"compute", "memory", "overhead"}) {
    if (bound == known) return std::string(Word("bound." + std::string(known), language));
  }
  return {};
}

std::string LayerName(const doc::Document& document, std::int64_t id) {
  if (document.static_part && id >= 0 &&
      static_cast<std::size_t>(id) < document.static_part->layers.size()) {
    const doc::Layer& layer = document.static_part->layers[static_cast<std::size_t>(id)];
    if (!layer.name.empty()) return layer.name;
    return layer.op + " #" + std::to_string(id);
  }
  return "#" + std::to_string(id);
}

}  // namespace opscope
