// The static part: totals and layers.

#include <algorithm>
#include <map>
#include <set>

#include "cost/tflite_arena.h"
#include "document/messages.h"
#include "report/build.h"
#include "report/dims.h"

namespace opscope {

namespace {

doc::TensorUse BuildUse(const Model& model, const StaticAnalysis& analysis, TensorId id) {
  if (!id.valid()) return {};  // an optional input left out: name and dtype stay empty
  const TensorFact& fact = analysis.fact(id);
  return {std::string(model.text(model.tensor(id).name)), std::string(Name(fact.dtype)),
          ToShape(model.dims, fact.shape)};
}

std::vector<doc::TensorUse> BuildUses(const Model& model, const StaticAnalysis& analysis,
                                      const std::vector<TensorId>& ids) {
  std::vector<doc::TensorUse> out;
  out.reserve(ids.size());
  for (const TensorId id : ids) out.push_back(BuildUse(model, analysis, id));
  return out;
}

// Of a layer or of the totals.
template <class T>
doc::Counts BuildCounts(const T& row, const NumberNotes& number) {
  const Counts& counts = row.counts;
  doc::Counts out;
  out.macs = number("macs", counts.macs);
  out.bias_adds = number("bias_adds", counts.bias_adds);
  out.elementwise = number("elementwise", counts.elementwise);
  out.transcendental = number("transcendental", counts.transcendental);
  out.comparisons = number("comparisons", counts.comparisons);
  out.flops = number("flops", row.flops);
  out.operations = number("operations", row.operations);
  return out;
}

// Absent where either is not a number or nothing moves.
std::optional<double> Intensity(const DimTable& dims, Dim of_flops, Dim of_bytes) {
  const auto flops = dims.Value(of_flops);
  const auto moved = dims.Value(of_bytes);
  if (!flops || !moved || *moved == 0) return std::nullopt;
  return static_cast<double>(*flops) / static_cast<double>(*moved);
}

std::optional<std::string> NonEmpty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::optional<std::int64_t> Index(LayerId id) {
  return id.valid() ? std::optional<std::int64_t>(id.value) : std::nullopt;
}

void BuildLayer(const Model& model, const StaticAnalysis& analysis, std::size_t index,
                doc::Layer& out) {
  const Layer& layer = analysis.layers[index];
  const Node& node = model.node(layer.node);
  const NumberNotes number(model.dims, out.formulas);
  out.id = static_cast<std::int64_t>(index);
  out.name = model.text(node.name);
  out.op = model.text(node.op);
  out.domain = model.text(node.domain);
  out.scope = layer.scope;
  out.path = layer.path;
  if (const auto times = number("times", layer.times))
    out.times = static_cast<std::int64_t>(*times);
  else
    out.times.reset();
  out.inputs = BuildUses(model, analysis, node.inputs);
  out.outputs = BuildUses(model, analysis, node.outputs);
  out.status = Name(layer.status);
  if (!layer.because.empty()) out.because = doc::Text(layer.because);
  out.rule = NonEmpty(layer.rule);
  out.formula = NonEmpty(layer.formula);
  out.counts = BuildCounts(layer, number);
  out.parameters = number("parameters", layer.parameters);
  out.parameter_bytes = number("parameter_bytes", layer.parameter_bytes);
  out.shared_with = Index(layer.shared_with);
  out.weight_bytes = number("weight_bytes", layer.weight_bytes);
  out.read_bytes = number("read_bytes", layer.read_bytes);
  out.write_bytes = number("write_bytes", layer.write_bytes);
  out.intensity = Intensity(model.dims, layer.flops, layer.moved_bytes);
  out.group = Index(layer.group);
}

// Why an arena is null, under the keys of both.
void NoteNoArena(NoArena why, doc::Map<doc::Text>& because) {
  if (why == NoArena::kNone) return;
  const doc::Text text = Say(why == NoArena::kFreeSize      ? "reason.arena-free"
                             : why == NoArena::kUnknownSize ? "reason.activation-size"
                                                            : "reason.arena-too-large");
  because.emplace_back("arena_bytes", text);
  because.emplace_back("arena_inplace_bytes", text);
}

std::vector<doc::ArenaBlock> BuildPlan(const Model& model, const std::vector<ArenaBlock>& plan) {
  std::vector<doc::ArenaBlock> out;
  out.reserve(plan.size());
  for (const ArenaBlock& block : plan) {
    doc::ArenaBlock row;
    if (block.tensor.valid()) row.tensor = model.text(model.tensor(block.tensor).name);
    row.first = Index(block.first);
    row.last = Index(block.last);
    row.bytes = block.bytes;
    row.offset = block.offset;
    row.inplace_offset = block.inplace_offset;
    out.push_back(std::move(row));
  }
  return out;
}

// What the memory of the main graph and of a body have in common.
template <class Out>
void FillMemory(const Model& model, const RunMemory& memory, const NumberNotes& number, Out& out) {
  out.live_peak_bytes = number("live_peak_bytes", memory.live_peak_bytes);
  out.arena_bytes = memory.arena_bytes;
  out.arena_inplace_bytes = memory.arena_inplace_bytes;
  out.plan = BuildPlan(model, memory.plan);
  if (!memory.live_peak_because.empty())
    out.because.emplace_back("live_peak_bytes", doc::Text(memory.live_peak_because));
  NoteNoArena(memory.no_arena, out.because);
}

doc::BodyMemory BuildBody(const Model& model, const RunMemory& memory) {
  doc::BodyMemory out;
  out.path = memory.path;
  out.container = memory.container.value;
  FillMemory(model, memory, NumberNotes(model.dims, out.formula), out);
  return out;
}

std::optional<doc::InterpreterArena> BuildInterpreterArena(Model& model,
                                                           const StaticAnalysis& analysis) {
  const std::optional<TfliteArena> arena = PlanTfliteArena(model, analysis);
  if (!arena) return std::nullopt;
  return doc::InterpreterArena{model.format, arena->bytes, arena->persistent_bytes,
                               arena->variable_bytes};
}

doc::Memory BuildMemory(const Model& model, const MemoryPlan& plan) {
  doc::Memory out;
  const NumberNotes number(model.dims, out.formula);
  FillMemory(model, plan, number, out);
  out.live_peak_at = Index(plan.live_peak_at);
  for (const TensorId id : plan.live_tensors)
    out.live_tensors.emplace_back(model.text(model.tensor(id).name));
  out.naive_bytes = number("naive_bytes", plan.naive_bytes);
  for (const RunMemory& body : plan.bodies) out.bodies.push_back(BuildBody(model, body));
  return out;
}

doc::Fused BuildFused(Model& model, const StaticTotals& totals) {
  doc::Fused out;
  const NumberNotes number(model.dims, out.formula);
  const FusedTraffic& fused = totals.fused;
  out.groups = fused.groups;
  out.read_bytes = number("read_bytes", fused.read_bytes);
  out.write_bytes = number("write_bytes", fused.write_bytes);
  out.weight_bytes = number("weight_bytes", fused.weight_bytes);
  out.intensity = Intensity(
      model.dims, totals.flops,
      model.dims.Sum(std::vector<Dim>{fused.read_bytes, fused.write_bytes, fused.weight_bytes}));
  return out;
}

doc::Totals BuildSums(Model& model, const StaticTotals& totals) {
  doc::Totals out;
  const NumberNotes number(model.dims, out.formula);
  out.nodes = totals.nodes;
  out.runtime_nodes = totals.runtime_nodes;
  out.counted = totals.counted;
  out.complete = totals.complete;
  for (const UncountedOp& op : totals.uncounted)
    out.uncounted.push_back({op.op, op.nodes, doc::Text(op.because)});
  out.counts = BuildCounts(totals, number);
  out.parameters = number("parameters", totals.parameters);
  out.statistics = number("statistics", totals.statistics);
  out.constants = number("constants", totals.constants);
  out.parameter_bytes = number("parameter_bytes", totals.parameter_bytes);
  out.read_bytes = number("read_bytes", totals.read_bytes);
  out.write_bytes = number("write_bytes", totals.write_bytes);
  out.weight_bytes = number("weight_bytes", totals.weight_bytes);
  out.activation_bytes = number("activation_bytes", totals.activation_bytes);
  out.intensity = Intensity(
      model.dims, totals.flops,
      model.dims.Sum(std::vector<Dim>{totals.read_bytes, totals.write_bytes, totals.weight_bytes}));
  out.fused = BuildFused(model, totals);
  out.memory = BuildMemory(model, totals.memory);
  for (const MacsByType& type : totals.macs_by_type)
    out.macs_by_dtype.push_back({std::string(Name(type.activation)), std::string(Name(type.weight)),
                                 std::string(Name(type.accumulator)),
                                 ToCount(model.dims, type.macs)});
  return out;
}

// What the sizes that only the data decide leave open, and how far.
void AddBounds(Model& model, const StaticAnalysis& analysis, doc::Totals& out) {
  DimTable& dims = model.dims;
  std::map<std::string, Dim, std::less<>> bounds;
  for (const ComputedSymbol& symbol : analysis.propagation.computed) {
    if (symbol.bound) continue;
    out.bounds.emplace_back(symbol.name, ToExtent(dims, symbol.at_most));
    // A bound may hang on sizes computed before.
    bounds.emplace(symbol.name, dims.AtMost(symbol.at_most, bounds));
  }
  if (bounds.empty()) return;
  const StaticTotals& totals = analysis.totals;
  const auto add = [&](std::string_view key, Dim dim) {
    const Dim most = dims.AtMost(dim, bounds);
    if (!most.is_unknown() && most != dim) out.at_most.emplace_back(key, dims.ToText(most));
  };
  add("macs", totals.counts.macs);
  add("flops", totals.flops);
  add("operations", totals.operations);
  add("read_bytes", totals.read_bytes);
  add("write_bytes", totals.write_bytes);
  add("weight_bytes", totals.weight_bytes);
  add("activation_bytes", totals.activation_bytes);
}

std::vector<doc::Port> BuildPorts(const Model& model, const StaticAnalysis& analysis,
                                  const std::vector<TensorId>& ids, bool skip_constants) {
  std::vector<doc::Port> out;
  for (const TensorId id : ids) {
    const Tensor& tensor = model.tensor(id);
    // Older exporters list weights among the inputs; they are not what a caller feeds.
    if (skip_constants && tensor.payload.valid()) continue;
    const TensorFact& fact = analysis.fact(id);
    out.push_back({std::string(model.text(tensor.name)), std::string(Name(fact.dtype)),
                   ToShape(model.dims, fact.shape)});
  }
  return out;
}

// Symbols of the inputs, then those of sizes that only the data decide; free ones absent, bound
// ones with their number.
doc::Map<std::optional<std::int64_t>> BuildSymbols(const Model& model,
                                                   const StaticAnalysis& analysis,
                                                   const Bindings& bindings) {
  std::set<std::string> names;
  for (const TensorId id : model.main().inputs) {
    const Shape& shape = model.tensor(id).declared.shape;
    if (!shape.known_rank()) continue;
    for (const Dim dim : *shape.dims)
      for (const std::string& symbol : model.dims.Symbols(dim)) names.insert(symbol);
  }
  doc::Map<std::optional<std::int64_t>> out;
  for (const std::string& name : names) {
    const auto bound = bindings.find(name);
    out.emplace_back(
        name, bound == bindings.end() ? std::nullopt : std::optional<std::int64_t>(bound->second));
  }
  for (const ComputedSymbol& symbol : analysis.propagation.computed)
    out.emplace_back(symbol.name, symbol.bound);
  return out;
}

}  // namespace

doc::Model BuildModel(const Model& model, const StaticAnalysis& analysis, const Bindings& bindings,
                      const std::string& hash) {
  doc::Model out;
  out.file = model.file;
  out.bytes = static_cast<std::int64_t>(model.bytes);
  out.structure_hash = NonEmpty(model.structure_hash);
  out.hash = NonEmpty(hash);
  out.format = model.format;
  out.producer = NonEmpty(model.producer);
  for (const auto& [domain, version] : model.opsets)
    out.opsets.emplace_back(std::string(model.text(domain)), version);
  out.inputs = BuildPorts(model, analysis, model.main().inputs, true);
  out.outputs = BuildPorts(model, analysis, model.main().outputs, false);
  out.symbols = BuildSymbols(model, analysis, bindings);
  for (const ExternalFile& file : model.external_files)
    out.external_files.push_back(
        {file.path,
         file.bytes ? std::optional<std::int64_t>(static_cast<std::int64_t>(*file.bytes))
                    : std::nullopt,
         file.bytes.has_value()});
  return out;
}

doc::Totals BuildTotals(Model& model, const StaticAnalysis& analysis) {
  doc::Totals out = BuildSums(model, analysis.totals);
  out.memory.interpreter_arena = BuildInterpreterArena(model, analysis);
  AddBounds(model, analysis, out);
  return out;
}

doc::Static BuildStatic(Model& model, const StaticAnalysis& analysis) {
  doc::Static out;
  out.totals = BuildTotals(model, analysis);
  out.totals.by_convention = BuildConventions(model, analysis);
  out.llm = BuildLlm(model, analysis);
  out.layers.reserve(analysis.layers.size());
  for (std::size_t i = 0; i < analysis.layers.size(); ++i)
    BuildLayer(model, analysis, i, out.layers.emplace_back());
  return out;
}

}  // namespace opscope
