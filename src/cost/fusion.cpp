#include "cost/fusion.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cost/fusion_part.h"
#include "cost/layers.h"

namespace opscope {

namespace {

struct Group {
  Part head = Part::kOther;      // what decides who may join; kPointwise = a chain
  Dim points;                    // elements of what it computes
  std::optional<Shape> reduced;  // of a kReduction group: the shape its reductions give
  std::size_t leaves_from = 0;   // see fusion.h
  std::size_t latest_entry = 0;  // one more than the step of the latest layer it reads from
  std::size_t open = 0;          // reads, by layers outside, of what its layers make
  std::size_t into = kNever;     // the group it was taken into
};

// An input that is computed in the same run; `reads` = how often the layer is given it.
struct Operand {
  TensorId tensor;
  NodeId producer;
  std::size_t reads = 0;
  std::size_t group = kNever;
};

class Fuser {
 public:
  Fuser(Model& model, const std::vector<std::vector<GraphId>>& bodies, const Schedule& schedule,
        StaticAnalysis& analysis)
      : model_(model),
        schedule_(schedule),
        analysis_(analysis),
        call_outputs_(CallOutputs(model, bodies, analysis)),
        run_of_(model.nodes.size(), kNever),
        step_of_(model.nodes.size(), kNever),
        part_of_(model.nodes.size(), Part::kOther),
        group_of_(model.nodes.size(), kNever),
        reads_(model.tensors.size()) {}

  void Run() {
    for (std::size_t i = 0; i < schedule_.runs.size(); ++i) Index(i);
    for (const GraphRun& run : schedule_.runs) CountReads(run);
    for (const GraphRun& run : schedule_.runs)
      for (const NodeId node : run.steps)
        if (InGroup(node)) Visit(node);
    SetGroups();
  }

 private:
  // How often a tensor is read: by whom decides whether it may stay inside a group.
  struct Reads {
    std::uint32_t all = 0, by_pointwise = 0, by_reduction = 0;
  };

  const Layer& LayerOf(NodeId node) const {
    return analysis_.layer(analysis_.layer_of[node.index()]);
  }
  bool InGroup(NodeId node) const {
    const Layer& layer = LayerOf(node);
    return MovesBytes(layer) || (layer.runtime && layer.status == LayerStatus::kView);
  }
  // Unknown for an output that is left out.
  Dim ElementsOf(TensorId tensor) const {
    return tensor.valid() ? Elements(model_.dims, analysis_.fact(tensor).shape) : Dim();
  }

  void Index(std::size_t run) {
    const std::vector<NodeId>& steps = schedule_.runs[run].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      run_of_[steps[i].index()] = run;
      step_of_[steps[i].index()] = i;
      part_of_[steps[i].index()] = PartOf(model_, analysis_, steps[i]);
    }
  }

  // The tensor inside the function where a call hands it out.
  TensorId Inner(TensorId tensor) const {
    while (call_outputs_[tensor.index()].valid()) tensor = call_outputs_[tensor.index()];
    return tensor;
  }
  // Data that layers hand to each other; shapes and other followed elements are not.
  bool IsData(TensorId tensor) const {
    return tensor.valid() && analysis_.fact(tensor).runtime && !analysis_.fact(tensor).ints;
  }

  void CountReads(const GraphRun& run) {
    for (const NodeId node : run.steps) {
      if (LayerOf(node).status == LayerStatus::kFree) continue;
      const Part part = part_of_[node.index()];
      for (const TensorId input : model_.node(node).inputs) {
        if (!IsData(input)) continue;
        Reads& reads = reads_[Inner(input).index()];
        ++reads.all;
        if (part == Part::kPointwise || part == Part::kQuantise || part == Part::kView)
          ++reads.by_pointwise;
        if (part == Part::kReduction || part == Part::kNormaliser) ++reads.by_reduction;
      }
    }
    for (const TensorId output : model_.graph(run.graph).outputs)
      if (output.valid()) ++reads_[Inner(output).index()].all;
  }

  std::size_t Find(NodeId node) const {
    std::size_t group = group_of_[node.index()];
    while (group != kNever && groups_[group].into != kNever) group = groups_[group].into;
    return group;
  }

  // Latest producer first.
  std::vector<Operand> OperandsOf(NodeId node) const {
    std::vector<Operand> operands;
    for (const TensorId input : model_.node(node).inputs) {
      if (!IsData(input)) continue;
      const TensorId tensor = Inner(input);
      const NodeId producer = model_.tensor(tensor).producer;
      if (producer.valid() && run_of_[producer.index()] == run_of_[node.index()])
        operands.push_back({tensor, producer, 1, Find(producer)});
    }
    std::sort(operands.begin(), operands.end(), [&](const Operand& a, const Operand& b) {
      const std::size_t left = step_of_[a.producer.index()], right = step_of_[b.producer.index()];
      return left != right ? left > right : a.tensor < b.tensor;
    });
    std::vector<Operand> unique;
    for (const Operand& operand : operands) {
      if (!unique.empty() && unique.back().tensor == operand.tensor)
        ++unique.back().reads;
      else
        unique.push_back(operand);
    }
    return unique;
  }

  void Visit(NodeId node) {
    const std::vector<Operand> operands = OperandsOf(node);
    const std::vector<std::size_t> taken = GroupsToTakeIn(node, operands);
    // The others of a layer with thousands of inputs are not tried.
    constexpr std::size_t kMaxTried = 8;
    for (std::size_t i = 0; i < std::min(operands.size(), kMaxTried); ++i) {
      const std::size_t group = operands[i].group;
      if (group == kNever || !MayJoin(node, operands[i], groups_[group])) continue;
      if (EntersBefore(operands, taken, group)) return Join(node, operands, taken, group);
    }
    groups_.push_back(NewGroup(node));
    Join(node, operands, taken, groups_.size() - 1);
  }

  Group NewGroup(NodeId node) const {
    Group group;
    group.head = part_of_[node.index()];
    if (group.head == Part::kQuantise) group.head = Part::kPointwise;
    if (group.head == Part::kView) group.head = Part::kOther;
    const bool reduction = group.head == Part::kReduction;
    const TensorId whole = reduction ? FirstInput(node) : FirstOutput(node);
    if (whole.valid()) group.points = ElementsOf(whole);
    if (reduction && FirstOutput(node).valid())
      group.reduced = analysis_.fact(FirstOutput(node)).shape;
    group.leaves_from = step_of_[node.index()];
    return group;
  }

  TensorId FirstOutput(NodeId node) const {
    const std::vector<TensorId>& outputs = model_.node(node).outputs;
    return outputs.empty() ? TensorId{} : outputs[0];
  }
  TensorId FirstInput(NodeId node) const {
    const std::vector<TensorId>& inputs = model_.node(node).inputs;
    return inputs.empty() ? TensorId{} : inputs[0];
  }

  bool MayJoin(NodeId node, const Operand& operand, const Group& group) const {
    switch (part_of_[node.index()]) {
      case Part::kView: {
        const TensorId shown = FirstInput(node);
        return shown.valid() && Inner(shown) == operand.tensor;
      }
      case Part::kPointwise:
        return PointwiseMayJoin(node, operand, group);
      case Part::kQuantise:
        return QuantiseMayJoin(node, operand, group);
      case Part::kReduction:
        return group.head == Part::kReduction && !group.points.is_unknown() &&
               ElementsOf(operand.tensor) == group.points &&
               *group.reduced == analysis_.fact(FirstOutput(node)).shape;
      default:
        return false;
    }
  }

  bool PointwiseMayJoin(NodeId node, const Operand& operand, const Group& group) const {
    const Reads& reads = reads_[operand.tensor.index()];
    if (reads.by_pointwise + (group.head == Part::kReduction ? reads.by_reduction : 0) < reads.all)
      return false;
    const Dim elements = ElementsOf(FirstOutput(node));
    if (elements.is_unknown()) return false;
    if (group.head == Part::kReduction)
      return elements == group.points || elements == Elements(model_.dims, *group.reduced);
    // What only a reduction reads stays with it where nothing is gained here.
    const Reads& result = reads_[FirstOutput(node).index()];
    if (result.all > 0 && result.by_reduction == result.all && reads.all > operand.reads)
      return false;
    const bool takes = group.head == Part::kPointwise || group.head == Part::kProduct ||
                       group.head == Part::kNormaliser;
    return takes && elements == group.points && ElementsOf(operand.tensor) == elements;
  }

  // Whatever makes it, if nobody else reads the unquantised numbers.
  bool QuantiseMayJoin(NodeId node, const Operand& operand, const Group& group) const {
    const bool head = group.head != Part::kDequantise && group.head != Part::kTranspose &&
                      group.head != Part::kPad;
    const Dim elements = ElementsOf(operand.tensor);
    return head && FirstInput(node).valid() && Inner(FirstInput(node)) == operand.tensor &&
           reads_[operand.tensor.index()].all == operand.reads && !elements.is_unknown() &&
           elements == ElementsOf(FirstOutput(node));
  }

  // The groups that nobody but this layer reads and that may run as one with it, sorted.
  std::vector<std::size_t> GroupsToTakeIn(NodeId node, const std::vector<Operand>& operands) const {
    std::vector<std::pair<std::size_t, std::size_t>> reads;  // group, reads
    for (const Operand& operand : operands)
      if (operand.group != kNever) reads.emplace_back(operand.group, operand.reads);
    std::sort(reads.begin(), reads.end());
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < reads.size();) {
      const std::size_t group = reads[i].first;
      std::size_t sum = 0;
      for (; i < reads.size() && reads[i].first == group; ++i) sum += reads[i].second;
      if (groups_[group].open == sum && MayTakeIn(node, groups_[group])) taken.push_back(group);
    }
    return taken;
  }

  bool MayTakeIn(NodeId node, const Group& group) const {
    const Part part = part_of_[node.index()];
    if (!TakesIn(analysis_.propagation.works[node.index()], part, group.head)) return false;
    if (group.head != Part::kPointwise) return true;
    const TensorId whole = part == Part::kPointwise ? FirstOutput(node) : FirstInput(node);
    return whole.valid() && !group.points.is_unknown() && ElementsOf(whole) == group.points;
  }

  // All that the layer reads from outside, and what it takes in reads, is made before anything
  // leaves the group.
  bool EntersBefore(const std::vector<Operand>& operands, const std::vector<std::size_t>& taken,
                    std::size_t joined) const {
    for (const Operand& operand : operands) {
      if (operand.group == joined) continue;
      const bool within = std::binary_search(taken.begin(), taken.end(), operand.group);
      const std::size_t entry =
          within ? groups_[operand.group].latest_entry : StepAfter(operand.producer);
      if (entry > groups_[joined].leaves_from) return false;
    }
    return true;
  }

  std::size_t StepAfter(NodeId producer) const { return step_of_[producer.index()] + 1; }

  void Join(NodeId node, const std::vector<Operand>& operands,
            const std::vector<std::size_t>& taken, std::size_t joined) {
    for (const std::size_t other : taken)
      if (other != joined) TakeIn(other, joined);
    Group& group = groups_[joined];
    for (const Operand& operand : operands) {
      if (operand.group != kNever && Find(operand.producer) == joined)
        group.open -= operand.reads;
      else
        group.latest_entry = std::max(group.latest_entry, StepAfter(operand.producer));
    }
    for (const TensorId output : model_.node(node).outputs)
      if (output.valid()) group.open += reads_[output.index()].all;
    // Behind a view, a Transpose or Pad is none that a product takes in.
    const bool is_view = part_of_[node.index()] == Part::kView;
    if (is_view && (group.head == Part::kTranspose || group.head == Part::kPad))
      group.head = Part::kOther;
    group_of_[node.index()] = joined;
  }

  void TakeIn(std::size_t other, std::size_t joined) {
    groups_[other].into = joined;
    groups_[joined].open += groups_[other].open;
    groups_[joined].latest_entry =
        std::max(groups_[joined].latest_entry, groups_[other].latest_entry);
  }

  void SetGroups() {
    std::vector<LayerId> first(groups_.size());
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i) {
      const std::size_t group = Find(analysis_.layers[i].node);
      if (group == kNever) continue;
      if (!first[group].valid()) first[group] = LayerId{static_cast<std::uint32_t>(i)};
      analysis_.layers[i].group = first[group];
    }
  }

  Model& model_;
  const Schedule& schedule_;
  StaticAnalysis& analysis_;
  const std::vector<TensorId> call_outputs_;
  std::vector<std::size_t> run_of_, step_of_;  // by NodeId
  std::vector<Part> part_of_;                  // by NodeId
  std::vector<std::size_t> group_of_;          // by NodeId
  std::vector<Reads> reads_;                   // by TensorId
  std::vector<Group> groups_;
};

}  // namespace

std::vector<TensorId> CallOutputs(const Model& model,
                                  const std::vector<std::vector<GraphId>>& bodies,
                                  const StaticAnalysis& analysis) {
  std::vector<TensorId> inner(model.tensors.size());
  for (const Layer& layer : analysis.layers) {
    if (!IsCall(analysis, layer.node)) continue;
    const std::vector<TensorId>& outputs = model.node(layer.node).outputs;
    for (const GraphId body : bodies[layer.node.index()]) {
      const std::vector<TensorId>& made = model.graph(body).outputs;
      for (std::size_t i = 0; i < std::min(outputs.size(), made.size()); ++i)
        if (outputs[i].valid() && outputs[i] != made[i]) inner[outputs[i].index()] = made[i];
    }
  }
  return inner;
}

void FuseLayers(Model& model, const std::vector<std::vector<GraphId>>& bodies,
                const Schedule& schedule, StaticAnalysis& analysis) {
  Fuser(model, bodies, schedule, analysis).Run();
}

}  // namespace opscope
