// Sizes that only a run tells, and what is known of them: equalities, bounds, names.
#include <algorithm>

#include "ops/propagator.h"

namespace opscope {

bool Propagator::Equate(Dim a, Dim b) { return conditions_ == 0 && model_.dims.Equate(a, b); }

void Propagator::Resolve(TensorFact& fact) {
  DimTable& dims = model_.dims;
  if (fact.shape.known_rank())
    for (Dim& dim : *fact.shape.dims) dim = dims.Resolve(dim);
  if (fact.ints.has_value())
    for (Dim& dim : *fact.ints) dim = dims.Resolve(dim);
  fact.elements = dims.Resolve(fact.elements);
}

void Propagator::ResolveAll() {
  if (!model_.dims.has_facts()) return;
  for (TensorFact& fact : out_.facts) Resolve(fact);
  for (Dim& trips : out_.trips) trips = model_.dims.Resolve(trips);
  for (ComputedSymbol& symbol : out_.computed) symbol.at_most = model_.dims.Resolve(symbol.at_most);
}

// "count(NonZero_3)". Two nodes of one name (copies of a function's node) get two symbols.
Dim Propagator::DataDependent(const Node& node, std::string_view what, std::string_view of,
                              Dim at_most) {
  std::string name(of);
  if (name.empty()) name = model_.text(node.name);
  if (name.empty() && !node.outputs.empty() && node.outputs[0].valid()) {
    name = model_.text(model_.tensor(node.outputs[0]).name);
  }
  std::string symbol = std::string(what) + "(" + name + ")";
  const auto [owner, fresh] = symbol_owner_.emplace(symbol, &node);
  if (!fresh && owner->second != &node) {
    const auto number = static_cast<std::size_t>(&node - model_.nodes.data());
    symbol = std::string(what) + "(" + name + " #" + std::to_string(number) + ")";
  }
  const Dim dim = model_.dims.Bind(model_.dims.Symbol(symbol), inputs_.bindings);
  if (dim.is_expression()) computed_expressions_.insert(dim.expression().value);
  const auto [index, added] = computed_index_.emplace(symbol, out_.computed.size());
  if (added) out_.computed.emplace_back();
  const auto bound = inputs_.bindings.find(symbol);
  out_.computed[index->second] = {
      std::move(symbol), at_most,
      bound == inputs_.bindings.end() ? std::nullopt : std::optional(bound->second)};
  return dim;
}

bool Propagator::KnowsItsInputs(NodeId id) const {
  if (out_.entries[id.index()] == nullptr && CallOf(id) == nullptr) return false;
  const std::vector<TensorId>& inputs = model_.node(id).inputs;
  return std::all_of(inputs.begin(), inputs.end(), [this](TensorId input) {
    if (!input.valid() || Fact(input).kind != ValueKind::kTensor) return true;
    const TensorFact& fact = Fact(input);
    return !fact.elements.is_unknown() ||
           (fact.shape.known_rank() &&
            std::none_of(fact.shape.dims->begin(), fact.shape.dims->end(),
                         [](Dim dim) { return dim.is_unknown(); }));
  });
}

// A size that only a run tells is a symbol of its own, so that what hangs on it becomes a formula.
// What is not known because the sizes of an input are not stays unknown.
void Propagator::NameUnknownSizes(NodeId id, TensorId output) {
  TensorFact& fact = Fact(output);
  const bool open = fact.shape.known_rank()
                        ? std::any_of(fact.shape.dims->begin(), fact.shape.dims->end(),
                                      [](Dim dim) { return dim.is_unknown(); })
                        : fact.elements.is_unknown();
  if (!open || fact.kind != ValueKind::kTensor || !KnowsItsInputs(id)) return;
  const auto name = [&](const std::string& what) {
    return DataDependent(model_.node(id), what, model_.text(model_.tensor(output).name), {});
  };
  if (!fact.shape.known_rank()) {
    fact.elements = name("elements");
    return;
  }
  for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
    Dim& dim = (*fact.shape.dims)[axis];
    if (dim.is_unknown()) dim = name("dim" + std::to_string(axis));
  }
}

}  // namespace opscope
