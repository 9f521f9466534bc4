// How often every layer runs in one run of the model.
#include <optional>
#include <string>
#include <vector>

#include "cost/dim_sum.h"
#include "cost/layers.h"
#include "ops/fold.h"
#include "ops/op.h"

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
    for (const GraphId body : bodies) {
      factor_[body.index()] = analysis_.propagation.trips[body.index()];
      if (factor_[body.index()] == Dim(0)) analysis_.dead[body.index()] = true;
    }
    if (bodies.size() != 2 || StandardOp(model_, model_.node(owner)) != "If") return;
    const std::optional<std::size_t> taken = KnownBranch(owner);
    if (taken) analysis_.dead[bodies[1 - *taken].index()] = true;
    const Dim second = taken ? Dim(static_cast<std::int64_t>(*taken)) : TakesSecond(owner);
    factor_[bodies[0].index()] = model_.dims.Sub(1, second);
    factor_[bodies[1].index()] = second;
  }

  // 1 where the second body is the one that counts, 0 where it is the first: by the condition where
  // that is a formula in the symbols, else the one that costs more.
  Dim TakesSecond(NodeId owner) {
    DimTable& dims = model_.dims;
    const std::vector<GraphId>& bodies = bodies_[owner.index()];
    const Dim condition = Condition(owner);
    if (!condition.is_expression()) return CostsMore(bodies[1], bodies[0]);
    const bool is_bit = dims.AtLeast(condition, 0) && dims.AtLeast(dims.Sub(1, condition), 0);
    const Dim holds = is_bit ? condition : dims.Sub(1, fold::Equal(dims, condition, 0));
    return IsThen(bodies[1]) ? holds : dims.Sub(1, holds);
  }

  bool IsThen(GraphId body) const {
    return model_.text(model_.graph(body).owner_attribute) == "then_branch";
  }

  // The single element of the first input; unknown where it is not followed.
  Dim Condition(NodeId owner) const {
    const std::vector<TensorId>& inputs = model_.node(owner).inputs;
    if (inputs.empty() || !inputs[0].valid()) return Dim();
    const auto& values = analysis_.fact(inputs[0]).ints;
    return values && values->size() == 1 ? values->front() : Dim();
  }

  // A node that its own specification forbids for the shapes at hand.
  bool Contradicts(NodeId node) const {
    return analysis_.propagation.entries[node.index()] != nullptr &&
           !analysis_.propagation.problems[node.index()].empty();
  }

  // The branch (0 or 1 of the bodies) that must be the one taken.
  std::optional<std::size_t> KnownBranch(NodeId owner) const {
    const std::vector<GraphId>& bodies = bodies_[owner.index()];
    const Dim condition = Condition(owner);
    if (condition.is_number()) return (condition.number() != 0) == IsThen(bodies[0]) ? 0 : 1;
    const bool first = contradicts_[bodies[0].index()];
    const bool second = contradicts_[bodies[1].index()];
    if (first == second) return std::nullopt;
    return first ? 1 : 0;
  }

  // 1 where a costs more than b, else 0: more MACs, or as many and more of the other columns. A
  // formula where that hangs on the symbols.
  Dim CostsMore(GraphId a, GraphId b) {
    DimTable& dims = model_.dims;
    GraphCost &left = costs_[a.index()], &right = costs_[b.index()];
    const Dim macs = left.macs.Total(dims), other_macs = right.macs.Total(dims);
    const Dim others = fold::Less(dims, right.others.Total(dims), left.others.Total(dims));
    if (macs == other_macs) return others;
    const Dim more = fold::Less(dims, other_macs, macs);
    if (more.is_number()) return more;
    return dims.Add(more, dims.Mul(fold::Equal(dims, macs, other_macs), others));
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
