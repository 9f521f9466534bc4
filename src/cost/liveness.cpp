#include "cost/liveness.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cost/layers.h"
#include "cost/peak.h"

namespace opscope {

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kEnd = kNever - 1;

// The nodes of a graph in the order in which they run, those of called functions in place.
struct Plan {
  GraphId graph;
  std::size_t parent = kNever;     // the plan its container stands in
  std::size_t container_step = 0;  // there
  std::vector<NodeId> steps = {};
  Peak peak = {};
  SampledDim peak_bytes = {};
};

class MemoryPlanner {
 public:
  MemoryPlanner(Model& model, const std::vector<std::vector<GraphId>>& bodies,
                const std::vector<Dim>& bytes, const std::vector<bool>& kept,
                const StaticAnalysis& analysis)
      : model_(model),
        bodies_(bodies),
        bytes_(bytes),
        kept_(kept),
        analysis_(analysis),
        plan_of_(model.graphs.size(), kNever),
        last_use_(model.tensors.size(), kNever),
        inside_(model.nodes.size()) {}

  MemoryPlan Run() {
    plans_.push_back({.graph = GraphId{0}});
    for (std::size_t i = 0; i < plans_.size(); ++i) AddSteps(i, plans_[i].graph);
    for (std::size_t i = 0; i < plans_.size(); ++i) FindLastUses(i);
    for (std::size_t i = plans_.size(); i-- > 0;) FindPeak(i);
    return Result();
  }

 private:
  // Bodies of control flow become plans of their own; those of calls continue this one. Calls nest
  // at most kMaxCallDepth deep.
  void AddSteps(std::size_t plan, GraphId graph) {
    plan_of_[graph.index()] = plan;
    for (const NodeId node : analysis_.propagation.order[graph.index()]) {
      if (IsCall(analysis_, node)) {
        for (const GraphId body : bodies_[node.index()]) AddSteps(plan, body);
        continue;
      }
      for (const GraphId body : bodies_[node.index()]) {
        if (analysis_.dead[body.index()]) continue;
        inside_[node.index()].push_back(plans_.size());
        plans_.push_back(
            {.graph = body, .parent = plan, .container_step = plans_[plan].steps.size()});
      }
      plans_[plan].steps.push_back(node);
    }
  }

  TensorId StorageOf(TensorId tensor) const {
    const TensorId storage = analysis_.fact(tensor).storage;
    return storage.valid() ? storage : tensor;
  }

  std::size_t HomeOf(TensorId tensor) const {
    const GraphId graph = model_.tensor(tensor).graph;
    return graph.valid() ? plan_of_[graph.index()] : kNever;
  }

  // A use inside a body is one by the container, seen from the graph the tensor is of.
  void Use(TensorId tensor, std::size_t plan, std::size_t step) {
    if (!tensor.valid() || !analysis_.fact(tensor).runtime) return;
    const TensorId storage = StorageOf(tensor);
    const std::size_t home = HomeOf(storage);
    while (plan != home && plan != kNever) {
      step = plans_[plan].container_step;
      plan = plans_[plan].parent;
    }
    if (plan == kNever) return;
    std::size_t& last = last_use_[storage.index()];
    if (last == kNever || step > last) last = step;
  }

  void FindLastUses(std::size_t plan) {
    const std::vector<NodeId>& steps = plans_[plan].steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (const TensorId input : model_.node(steps[i]).inputs) Use(input, plan, i);
    for (const TensorId output : model_.graph(plans_[plan].graph).outputs) Use(output, plan, kEnd);
  }

  // A tensor with bytes of its own that somebody will read.
  bool IsKept(TensorId tensor) const {
    return tensor.valid() && kept_[tensor.index()] && analysis_.fact(tensor).runtime &&
           StorageOf(tensor) == tensor;
  }

  // Calls appear(tensor, step), run(step) and vanish(tensor) in the order of time; the inputs of
  // the graph appear before step 0 runs. What lives to the end does not vanish.
  template <class Appear, class Run, class Vanish>
  void Walk(std::size_t index, Appear appear, Run run, Vanish vanish) const {
    const Plan& plan = plans_[index];
    std::vector<std::vector<TensorId>> ends(plan.steps.size());
    const auto begin = [&](TensorId tensor, std::size_t step) {
      const std::size_t last = last_use_[tensor.index()];
      appear(tensor, step);
      if (last == kEnd) return;
      const std::size_t end = last == kNever ? step : std::max(step, last);
      if (end < ends.size()) ends[end].push_back(tensor);
    };
    for (const TensorId input : model_.graph(plan.graph).inputs)
      if (IsKept(input)) begin(input, 0);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      for (const TensorId output : model_.node(plan.steps[i]).outputs)
        if (IsKept(output)) begin(output, i);
      run(i);
      for (const TensorId tensor : ends[i]) vanish(tensor);
    }
  }

  void FindPeak(std::size_t index) {
    DimTable& dims = model_.dims;
    SampledDim live;
    Peak peak;
    // A sum is offered only before something vanishes: until then the next one is no smaller.
    bool grown = false;
    std::size_t grown_at = 0;
    const auto offer = [&] {
      if (grown) peak.Offer(dims, live, grown_at);
      grown = false;
    };
    Walk(
        index,
        [&](TensorId tensor, std::size_t step) {
          live.Add(dims, sampler_.Of(bytes_[tensor.index()]));
          grown = true;
          grown_at = step;
        },
        [&](std::size_t step) {
          for (const std::size_t inner : inside_[plans_[index].steps[step].index()]) {
            SampledDim both = live;
            both.Add(dims, plans_[inner].peak_bytes);
            peak.Offer(dims, both, step);
          }
        },
        [&](TensorId tensor) {
          offer();
          live.Sub(dims, sampler_.Of(bytes_[tensor.index()]));
        });
    offer();
    plans_[index].peak_bytes = peak.Value(dims);
    plans_[index].peak = std::move(peak);
  }

  MemoryPlan Result() {
    MemoryPlan result;
    result.live_peak_bytes = plans_[0].peak_bytes.dim;
    if (result.live_peak_bytes.is_unknown()) {
      result.live_peak_because = plans_[0].peak.Because();
      return result;
    }
    CollectLive(0, result);
    std::stable_sort(result.live_tensors.begin(), result.live_tensors.end(),
                     [&](TensorId a, TensorId b) { return IsLarger(a, b); });
    return result;
  }

  bool IsLarger(TensorId a, TensorId b) const {
    const Dim left = bytes_[a.index()];
    const Dim right = bytes_[b.index()];
    return left.is_number() && right.is_number() && left.number() > right.number();
  }

  // What lives at the peak of a plan, and inside the body that makes it.
  void CollectLive(std::size_t index, MemoryPlan& result) const {
    const auto& candidates = plans_[index].peak.candidates();
    if (candidates.size() != 1) return;
    const std::size_t at = candidates[0].at;
    std::vector<TensorId> appeared;
    std::vector<bool> gone(model_.tensors.size(), false);
    Walk(
        index, [&](TensorId tensor, std::size_t) { appeared.push_back(tensor); },
        [&](std::size_t step) {
          if (step != at) return;
          for (const TensorId tensor : appeared)
            if (!gone[tensor.index()]) result.live_tensors.push_back(tensor);
        },
        [&](TensorId tensor) { gone[tensor.index()] = true; });
    const std::vector<NodeId>& steps = plans_[index].steps;
    if (at >= steps.size()) return;
    result.live_peak_at = analysis_.layer_of[steps[at].index()];
    std::size_t largest = kNever;
    for (const std::size_t inner : inside_[steps[at].index()])
      if (largest == kNever || Exceeds(inner, largest)) largest = inner;
    if (largest != kNever) CollectLive(largest, result);
  }

  bool Exceeds(std::size_t a, std::size_t b) const {
    const Dim left = plans_[a].peak_bytes.dim;
    const Dim right = plans_[b].peak_bytes.dim;
    return left.is_number() && right.is_number() && left.number() > right.number();
  }

  Model& model_;
  const std::vector<std::vector<GraphId>>& bodies_;
  const std::vector<Dim>& bytes_;
  const std::vector<bool>& kept_;
  const StaticAnalysis& analysis_;
  std::vector<Plan> plans_;
  std::vector<std::size_t> plan_of_;              // by GraphId
  std::vector<std::size_t> last_use_;             // by TensorId: step in the plan it is of
  std::vector<std::vector<std::size_t>> inside_;  // by NodeId: plans of its bodies
  Sampler sampler_{model_.dims};
};

}  // namespace

MemoryPlan PlanMemory(Model& model, const std::vector<std::vector<GraphId>>& bodies,
                      const std::vector<Dim>& tensor_bytes, const std::vector<bool>& kept,
                      const StaticAnalysis& analysis) {
  return MemoryPlanner(model, bodies, tensor_bytes, kept, analysis).Run();
}

}  // namespace opscope
