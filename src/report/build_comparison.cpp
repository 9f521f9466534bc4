#include "report/build_comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compare/compare.h"
#include "cost/totals.h"
#include "document/messages.h"
#include "report/build.h"
#include "report/dims.h"

namespace opscope {

namespace {

using doc::Count;

// A list of named values of both models, in the order of a, then what only b has.
class Settings {
 public:
  void Set(int side, const std::string& what, std::optional<doc::Arg> value) {
    const auto [at, is_new] = index_.try_emplace(what, differences_.size());
    if (is_new) differences_.push_back({what, std::nullopt, std::nullopt});
    doc::Difference& difference = differences_[at->second];
    (side == 0 ? difference.a : difference.b) = std::move(value);
  }
  std::vector<doc::Difference> Differing() const {
    std::vector<doc::Difference> out;
    for (const doc::Difference& difference : differences_)
      if (difference.a != difference.b) out.push_back(difference);
    return out;
  }

 private:
  std::vector<doc::Difference> differences_;
  std::map<std::string, std::size_t> index_;
};

std::string PortText(const doc::Port& port) {
  std::string out = port.dtype;
  if (!port.shape) return out;
  out += '[';
  for (std::size_t i = 0; i < port.shape->size(); ++i) {
    const doc::Extent& dim = (*port.shape)[i];
    if (i > 0) out += ',';
    if (const auto* number = std::get_if<std::int64_t>(&dim))
      out += std::to_string(*number);
    else if (const auto* text = std::get_if<std::string>(&dim))
      out += *text;
    else
      out += '?';
  }
  return out + "]";
}

void AddSettings(int side, const doc::Model& model, Settings& out) {
  out.Set(side, "format", model.format);
  if (model.producer) out.Set(side, "producer", *model.producer);
  for (const auto& [domain, version] : model.opsets) out.Set(side, "opset " + domain, version);
  for (const auto& [name, value] : model.symbols)
    out.Set(side, "symbol " + name, value ? doc::Arg(*value) : doc::Arg(std::string("free")));
  for (const doc::Port& port : model.inputs) out.Set(side, "input " + port.name, PortText(port));
  for (const doc::Port& port : model.outputs) out.Set(side, "output " + port.name, PortText(port));
}

struct TotalOf {
  std::string_view name;
  Count (*value)(const doc::Totals&);
  Dim (*sum)(const StaticTotals&) = nullptr;  // where it can be a formula of the model's free sizes
};
constexpr TotalOf kTotals[] = {
    {"nodes", [](const doc::Totals& t) -> Count { return t.nodes; }},
    {"runtime_nodes", [](const doc::Totals& t) -> Count { return t.runtime_nodes; }},
    {"macs", [](const doc::Totals& t) { return t.counts.macs; },
     [](const StaticTotals& t) { return t.counts.macs; }},
    {"bias_adds", [](const doc::Totals& t) { return t.counts.bias_adds; },
     [](const StaticTotals& t) { return t.counts.bias_adds; }},
    {"elementwise", [](const doc::Totals& t) { return t.counts.elementwise; },
     [](const StaticTotals& t) { return t.counts.elementwise; }},
    {"transcendental", [](const doc::Totals& t) { return t.counts.transcendental; },
     [](const StaticTotals& t) { return t.counts.transcendental; }},
    {"comparisons", [](const doc::Totals& t) { return t.counts.comparisons; },
     [](const StaticTotals& t) { return t.counts.comparisons; }},
    {"operations", [](const doc::Totals& t) { return t.counts.operations; },
     [](const StaticTotals& t) { return t.operations; }},
    {"parameters", [](const doc::Totals& t) { return t.parameters; }},
    {"statistics", [](const doc::Totals& t) { return t.statistics; }},
    {"constants", [](const doc::Totals& t) { return t.constants; }},
    {"parameter_bytes", [](const doc::Totals& t) { return t.parameter_bytes; }},
    {"read_bytes", [](const doc::Totals& t) { return t.read_bytes; },
     [](const StaticTotals& t) { return t.read_bytes; }},
    {"write_bytes", [](const doc::Totals& t) { return t.write_bytes; },
     [](const StaticTotals& t) { return t.write_bytes; }},
    {"weight_bytes", [](const doc::Totals& t) { return t.weight_bytes; },
     [](const StaticTotals& t) { return t.weight_bytes; }},
    {"activation_bytes", [](const doc::Totals& t) { return t.activation_bytes; },
     [](const StaticTotals& t) { return t.activation_bytes; }},
    {"live_peak_bytes", [](const doc::Totals& t) { return t.memory.live_peak_bytes; }},
    {"arena_bytes", [](const doc::Totals& t) { return t.memory.arena_bytes; }},
    {"arena_inplace_bytes", [](const doc::Totals& t) { return t.memory.arena_inplace_bytes; }},
    {"naive_bytes", [](const doc::Totals& t) { return t.memory.naive_bytes; }},
};

std::string FormulaOf(const doc::Totals& totals, std::string_view name) {
  for (const doc::Map<std::string>* formulas : {&totals.formula, &totals.memory.formula})
    for (const auto& [key, formula] : *formulas)
      if (key == name) return formula;
  return {};
}

// Formulas that are one and the same but for the names of free sizes, which are those of the
// inputs.
bool SameFormula(const TotalOf& total, const ComparedModel& a, const ComparedModel& b,
                 const SamplePoint& sample) {
  if (total.sum == nullptr) return false;
  const auto value = [&](const ComparedModel& side, const Bindings& bindings) {
    DimTable& dims = side.model->dims;
    return dims.Value(dims.Bind(total.sum(side.analysis->totals), bindings));
  };
  const auto of_a = value(a, sample.a);
  return of_a.has_value() && of_a == value(b, sample.b);
}

doc::TotalDelta BuildTotal(const TotalOf& total, const doc::Totals& a, const doc::Totals& b) {
  doc::TotalDelta out;
  out.name = total.name;
  out.a = total.value(a);
  out.b = total.value(b);
  const std::string text_a = out.a ? "" : FormulaOf(a, total.name);
  const std::string text_b = out.b ? "" : FormulaOf(b, total.name);
  if (!text_a.empty()) out.formula.emplace_back("a", text_a);
  if (!text_b.empty()) out.formula.emplace_back("b", text_b);
  if (out.a && out.b)
    out.delta = *out.b - *out.a;
  else if (!text_a.empty() && text_a == text_b)
    out.delta = 0;
  return out;
}

std::vector<doc::TotalDelta> BuildTotalDeltas(const ComparedModel& a, const ComparedModel& b) {
  const doc::Totals totals_a = BuildTotals(*a.model, *a.analysis);
  const doc::Totals totals_b = BuildTotals(*b.model, *b.analysis);
  std::vector<doc::TotalDelta> out;
  out.push_back({"file_bytes",
                 a.shown.bytes ? Count(*a.shown.bytes) : Count(),
                 b.shown.bytes ? Count(*b.shown.bytes) : Count(),
                 Count(),
                 {}});
  if (out[0].a && out[0].b) out[0].delta = *out[0].b - *out[0].a;
  const SamplePoint sample = SampleSymbols({a.model, a.analysis}, {b.model, b.analysis});
  for (const TotalOf& total : kTotals) {
    doc::TotalDelta& delta = out.emplace_back(BuildTotal(total, totals_a, totals_b));
    const bool formulas = delta.formula.size() == 2;
    if (formulas && !delta.delta && SameFormula(total, a, b, sample)) delta.delta = 0;
  }
  return out;
}

struct OpSum {
  std::int64_t nodes = 0;
  Count macs = 0;
};

std::map<std::string, OpSum> SumByOp(const ComparedModel& compared) {
  std::map<std::string, OpSum> out;
  Model& model = *compared.model;
  for (const Layer& layer : compared.analysis->layers) {
    OpSum& sum = out[OpName(model, model.node(layer.node))];
    ++sum.nodes;
    const auto macs = model.dims.Value(model.dims.Mul(layer.counts.macs, layer.times));
    if (sum.macs && macs)
      sum.macs = *sum.macs + *macs;
    else
      sum.macs.reset();
  }
  return out;
}

std::vector<doc::OpDelta> BuildOps(const ComparedModel& a, const ComparedModel& b) {
  const std::map<std::string, OpSum> of_a = SumByOp(a);
  const std::map<std::string, OpSum> of_b = SumByOp(b);
  std::map<std::string, doc::OpDelta> deltas;
  for (const auto& [op, sum] : of_a) deltas[op] = {op, {sum.nodes, 0}, {sum.macs, Count(0)}};
  for (const auto& [op, sum] : of_b) {
    doc::OpDelta& delta =
        deltas.try_emplace(op, doc::OpDelta{op, {0, 0}, {Count(0), Count(0)}}).first->second;
    delta.nodes[1] = sum.nodes;
    delta.macs[1] = sum.macs;
  }
  std::vector<doc::OpDelta> out;
  for (auto& [op, delta] : deltas)
    if (delta.nodes[0] != delta.nodes[1] || delta.macs[0] != delta.macs[1])
      out.push_back(std::move(delta));
  return out;
}

std::string LayerText(const ComparedModel& compared, LayerId id) {
  const Node& node = compared.model->node(compared.analysis->layer(id).node);
  const std::string_view name = compared.model->text(node.name);
  return name.empty() ? "#" + std::to_string(id.value) : std::string(name);
}

// Sentences by Fate::Kind: of a layer that is gone, and of one that is new.
struct FateWords {
  const char* layer;
  const char* skipped;
  const char* part;
  const char* constant;
  const char* input;
};
constexpr FateWords kGone = {"compare.became-layer", "compare.skipped", "compare.part",
                             "compare.became-constant", "compare.became-input"};
constexpr FateWords kNew = {"compare.was-layer", "compare.inserted", "compare.part",
                            "compare.was-constant", "compare.was-input"};

// `other`: the model that the layer is not in.
std::optional<doc::Text> BuildFate(const Fate& fate, const ComparedModel& other,
                                   const FateWords& words) {
  const auto layer = [&] {
    const Node& node = other.model->node(other.analysis->layer(fate.layer).node);
    return doc::Args{{"layer", LayerText(other, fate.layer)}, {"op", OpName(*other.model, node)}};
  };
  const auto tensor = [&] {
    return doc::Args{
        {"tensor", std::string(other.model->text(other.model->tensor(fate.tensor).name))}};
  };
  switch (fate.kind) {
    case Fate::Kind::kReplaced:
      return Say(words.layer, layer());
    case Fate::Kind::kSkipped:
      return Say(words.skipped, layer());
    case Fate::Kind::kPart:
      return Say(words.part, layer());
    case Fate::Kind::kConstant:
      return Say(words.constant, tensor());
    case Fate::Kind::kInput:
      return Say(words.input, tensor());
    case Fate::Kind::kUnknown:
      break;
  }
  return std::nullopt;
}

std::vector<doc::OneSided> BuildOneSided(const ComparedModel& own, const ComparedModel& other,
                                         const std::vector<LayerId>& partners,
                                         const std::vector<Fate>& fates, const FateWords& words) {
  std::vector<doc::OneSided> out;
  Model& model = *own.model;
  for (std::uint32_t i = 0; i < partners.size(); ++i) {
    if (partners[i].valid()) continue;
    const Layer& layer = own.analysis->layer({i});
    doc::OneSided one;
    const NumberNotes number(model.dims, one.formulas);
    one.id = i;
    one.name = model.text(model.node(layer.node).name);
    one.op = OpName(model, model.node(layer.node));
    one.macs = number("macs", layer.counts.macs);
    one.bytes = number("bytes", layer.moved_bytes);
    one.became = BuildFate(fates[i], other, words);
    out.push_back(std::move(one));
  }
  return out;
}

std::optional<doc::Arg> ToArg(const PropertyValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return doc::Arg(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return doc::Arg(*text);
  return std::nullopt;
}

// "macs", "read_bytes", "attributes pads".
std::string DeltaName(const PropertyDelta& delta) {
  if (delta.what == "bytes") return delta.name;
  return std::string(delta.what) + (delta.name.empty() ? "" : " " + delta.name);
}

doc::Changed BuildChanged(const LayerChange& change, const ComparedModel& a,
                          const ComparedModel& b) {
  const Layer& layer_a = a.analysis->layer(change.a);
  const Layer& layer_b = b.analysis->layer(change.b);
  const Node& node = b.model->node(layer_b.node);
  const std::string was(a.model->text(a.model->node(layer_a.node).name));
  doc::Changed out;
  out.a = change.a.value;
  out.b = change.b.value;
  out.name = b.model->text(node.name);
  if (was != out.name) out.was = was;
  out.op = OpName(*b.model, node);
  out.macs = {ToCount(a.model->dims, layer_a.counts.macs),
              ToCount(b.model->dims, layer_b.counts.macs)};
  out.bytes = {ToCount(a.model->dims, layer_a.moved_bytes),
               ToCount(b.model->dims, layer_b.moved_bytes)};
  for (const PropertyDelta& delta : change.deltas) {
    if (out.what.empty() || out.what.back() != delta.what) out.what.emplace_back(delta.what);
    out.differences.push_back({DeltaName(delta), ToArg(delta.a), ToArg(delta.b)});
  }
  return out;
}

void BuildLayers(const ComparedModel& a, const ComparedModel& b, doc::Comparison& out) {
  const Side side_a{a.model, a.analysis};
  const Side side_b{b.model, b.analysis};
  const LayerComparison layers = CompareLayers(side_a, side_b);
  const LayerMatching& matching = layers.matching;
  const Fates& fates = layers.fates;
  out.removed = BuildOneSided(a, b, matching.b_of, fates.of_a, kGone);
  out.added = BuildOneSided(b, a, matching.a_of, fates.of_b, kNew);
  for (std::uint32_t i = 0; i < matching.a_of.size(); ++i) {
    if (!matching.a_of[i].valid()) continue;
    ++out.matched;
    if (a.model->text(side_a.node(matching.a_of[i]).name) != b.model->text(side_b.node({i}).name))
      ++out.renamed;
  }
  for (const LayerChange& change : layers.changes)
    out.changed.push_back(BuildChanged(change, a, b));
}

}  // namespace

doc::Comparison BuildComparison(ComparedModel a, ComparedModel b) {
  doc::Comparison out;
  out.a = a.shown.file;
  out.b = b.shown.file;
  Settings settings;
  AddSettings(0, a.shown, settings);
  AddSettings(1, b.shown, settings);
  out.conditions_differ = settings.Differing();
  out.totals = BuildTotalDeltas(a, b);
  out.ops = BuildOps(a, b);
  BuildLayers(a, b, out);
  out.models.push_back(std::move(a.shown));
  out.models.push_back(std::move(b.shown));
  return out;
}

}  // namespace opscope
