// How often every layer runs in one run of the model.
#include <optional>
#include <string>
#include <vector>

#include "cost/dim_sum.h"
#include "cost/layers.h"

namespace opscope {

namespace {

// What one execution of a graph costs, to tell branches apart.
struct GraphCost {
  DimSum macs, others;
};

class TimesSetter {
 public:
  TimesSetter(Model& model, const std::vector<std::vector<GraphId>>& bodies,
              StaticAnalysis& analysis)
      : model_(model),
        bodies_(bodies),
        analysis_(analysis),
        costs_(model.graphs.size()),
        contradicts_(model.graphs.size(), false),
        factor_(model.graphs.size(), Dim(1)) {
    analysis_.dead.assign(model.graphs.size(), false);
  }

  void Run() {
    // Bodies stand after their container: backwards, they are summed before it is met.
    for (std::size_t i = analysis_.layers.size(); i-- > 0;) AddToGraph(analysis_.layers[i]);
    for (Layer& layer : analysis_.layers) {
      if (!layer.container.valid()) continue;
      const Layer& container = analysis_.layer(layer.container);
      const std::size_t graph = model_.node(layer.node).graph.index();
      layer.dead = container.dead || analysis_.dead[graph];
      layer.times = layer.dead ? Dim(0) : model_.dims.Mul(container.times, factor_[graph]);
    }
  }

 private:
  void AddToGraph(const Layer& layer) {
    DimTable& dims = model_.dims;
    const std::size_t graph = model_.node(layer.node).graph.index();
    GraphCost& cost = costs_[graph];
    if (Contradicts(layer.node)) contradicts_[graph] = true;
    cost.macs.Add(layer.counts.macs);
    for (const Dim column : {layer.counts.bias_adds, layer.counts.elementwise,
                             layer.counts.transcendental, layer.counts.comparisons})
      cost.others.Add(column);
    SetFactors(layer.node);
    for (const GraphId body : bodies_[layer.node.index()]) {
      if (contradicts_[body.index()] && !analysis_.dead[body.index()]) contradicts_[graph] = true;
      const Dim factor = factor_[body.index()];
      cost.macs.Add(dims.Mul(factor, costs_[body.index()].macs.Total(dims)));
      cost.others.Add(dims.Mul(factor, costs_[body.index()].others.Total(dims)));
    }
  }

  void SetFactors(NodeId owner) {
    const std::vector<GraphId>& bodies = bodies_[owner.index()];
    for (const GraphId body : bodies)
      factor_[body.index()] = analysis_.propagation.trips[body.index()];
    if (bodies.size() != 2 || model_.text(model_.node(owner).op) != "If") return;
    const std::optional<std::size_t> taken = KnownBranch(owner);
    if (taken) analysis_.dead[bodies[1 - *taken].index()] = true;
    const std::size_t chosen = taken ? *taken : CostsMore(bodies[1], bodies[0]) ? 1 : 0;
    factor_[bodies[1 - chosen].index()] = 0;
  }

  // A node that its own specification forbids for the shapes at hand.
  bool Contradicts(NodeId node) const {
    return analysis_.propagation.entries[node.index()] != nullptr &&
           !analysis_.propagation.problems[node.index()].empty();
  }

  // The branch (0 or 1 of the bodies) that must be the one taken.
  std::optional<std::size_t> KnownBranch(NodeId owner) const {
    const std::vector<GraphId>& bodies = bodies_[owner.index()];
    const std::vector<TensorId>& inputs = model_.node(owner).inputs;
    if (!inputs.empty() && inputs[0].valid()) {
      const auto& values = analysis_.fact(inputs[0]).ints;
      if (values && values->size() == 1 && values->front().is_number()) {
        const bool holds = values->front().number() != 0;
        const Str attribute = model_.graph(bodies[0]).owner_attribute;
        return holds == (model_.text(attribute) == "then_branch") ? 0 : 1;
      }
    }
    const bool first = contradicts_[bodies[0].index()];
    const bool second = contradicts_[bodies[1].index()];
    if (first == second) return std::nullopt;
    return first ? 1 : 0;
  }

  // More MACs; at equal MACs more of the other columns.
  bool CostsMore(GraphId a, GraphId b) {
    DimTable& dims = model_.dims;
    const GraphCost& left = costs_[a.index()];
    const GraphCost& right = costs_[b.index()];
    const Dim macs = dims.Sub(left.macs.Total(dims), right.macs.Total(dims));
    if (macs != Dim(0)) return IsPositive(macs);
    return IsPositive(dims.Sub(left.others.Total(dims), right.others.Total(dims)));
  }

  // Where the sign hangs on the symbols, they are taken as 128.
  bool IsPositive(Dim difference) {
    DimTable& dims = model_.dims;
    if (difference.is_number()) return difference.number() > 0;
    if (dims.AtLeast(difference, 0)) return true;
    if (dims.AtLeast(dims.Sub(0, difference), 0)) return false;
    Bindings typical;
    for (const std::string& symbol : dims.Symbols(difference)) typical[symbol] = 128;
    const std::optional<Int128> value = dims.Value(dims.Bind(difference, typical));
    return value.has_value() && *value > 0;
  }

  Model& model_;
  const std::vector<std::vector<GraphId>>& bodies_;
  StaticAnalysis& analysis_;
  std::vector<GraphCost> costs_;   // by GraphId
  std::vector<bool> contradicts_;  // by GraphId: a node that is surely run cannot run
  std::vector<Dim> factor_;        // by GraphId: executions in one of the owner
};

}  // namespace

void SetTimes(Model& model, const std::vector<std::vector<GraphId>>& bodies,
              StaticAnalysis& analysis) {
  TimesSetter(model, bodies, analysis).Run();
}

}  // namespace opscope
