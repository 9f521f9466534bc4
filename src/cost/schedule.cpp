#include "cost/schedule.h"

#include <algorithm>
#include <utility>

#include "cost/layers.h"

namespace opscope {

namespace {

constexpr std::size_t kEnd = kNever - 1;

class Scheduler {
 public:
  Scheduler(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
            const std::vector<bool>& kept, const StaticAnalysis& analysis)
      : model_(model),
        bodies_(bodies),
        kept_(kept),
        analysis_(analysis),
        run_of_(model.graphs.size(), kNever),
        last_use_(model.tensors.size(), kNever) {
    out_.bodies.resize(model.nodes.size());
  }

  Schedule Run() {
    out_.runs.push_back({.graph = GraphId{0}});
    for (std::size_t i = 0; i < out_.runs.size(); ++i) AddSteps(i, out_.runs[i].graph);
    for (std::size_t i = 0; i < out_.runs.size(); ++i) FindLastUses(i);
    for (GraphRun& run : out_.runs) AddLifetimes(run);
    return std::move(out_);
  }

 private:
  // Bodies of control flow become runs of their own; those of calls continue this one. Calls nest
  // at most kMaxCallDepth deep.
  void AddSteps(std::size_t run, GraphId graph) {
    run_of_[graph.index()] = run;
    for (const NodeId node : analysis_.propagation.order[graph.index()]) {
      if (IsCall(analysis_, node)) {
        for (const GraphId body : bodies_[node.index()]) AddSteps(run, body);
        continue;
      }
      for (const GraphId body : bodies_[node.index()]) {
        if (analysis_.dead[body.index()]) continue;
        out_.bodies[node.index()].push_back(out_.runs.size());
        out_.runs.push_back(
            {.graph = body, .parent = run, .container_step = out_.runs[run].steps.size()});
      }
      out_.runs[run].steps.push_back(node);
    }
  }

  std::size_t HomeOf(TensorId tensor) const {
    const GraphId graph = model_.tensor(tensor).graph;
    return graph.valid() ? run_of_[graph.index()] : kNever;
  }

  // A use inside a body is one by the container, seen from the graph the tensor is of.
  void Use(TensorId tensor, std::size_t run, std::size_t step) {
    if (!tensor.valid() || !analysis_.fact(tensor).runtime) return;
    const TensorId storage = StorageOf(analysis_, tensor);
    const std::size_t home = HomeOf(storage);
    while (run != home && run != kNever) {
      step = out_.runs[run].container_step;
      run = out_.runs[run].parent;
    }
    if (run == kNever) return;
    std::size_t& last = last_use_[storage.index()];
    if (last == kNever || step > last) last = step;
  }

  void FindLastUses(std::size_t run) {
    const std::vector<NodeId>& steps = out_.runs[run].steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (const TensorId input : model_.node(steps[i]).inputs) Use(input, run, i);
    for (const TensorId output : model_.graph(out_.runs[run].graph).outputs) Use(output, run, kEnd);
  }

  bool HasLifetime(TensorId tensor) const {
    return tensor.valid() && kept_[tensor.index()] && analysis_.fact(tensor).runtime &&
           StorageOf(analysis_, tensor) == tensor;
  }

  void AddLifetimes(GraphRun& run) const {
    const std::size_t final = run.steps.empty() ? 0 : run.steps.size() - 1;
    const auto add = [&](TensorId tensor, std::size_t first, bool from_start) {
      if (!HasLifetime(tensor)) return;
      const std::size_t use = last_use_[tensor.index()];
      const std::size_t last = use == kNever ? first : std::max(first, std::min(use, final));
      run.lifetimes.push_back({tensor, first, last, from_start, use == kEnd});
    };
    for (const TensorId input : model_.graph(run.graph).inputs) add(input, 0, true);
    for (std::size_t i = 0; i < run.steps.size(); ++i)
      for (const TensorId output : model_.node(run.steps[i]).outputs) add(output, i, false);
  }

  const Model& model_;
  const std::vector<std::vector<GraphId>>& bodies_;
  const std::vector<bool>& kept_;
  const StaticAnalysis& analysis_;
  Schedule out_;
  std::vector<std::size_t> run_of_;    // by GraphId
  std::vector<std::size_t> last_use_;  // by TensorId: step in the run it is of
};

}  // namespace

Schedule MakeSchedule(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                      const std::vector<bool>& kept, const StaticAnalysis& analysis) {
  return Scheduler(model, bodies, kept, analysis).Run();
}

}  // namespace opscope
