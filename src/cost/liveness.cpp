#include "cost/liveness.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cost/layers.h"
#include "cost/peak.h"
#include "cost/run_arena.h"

namespace opscope {

namespace {

class MemoryPlanner {
 public:
  MemoryPlanner(Model& model, const Schedule& schedule, const std::vector<Dim>& bytes,
                const StaticAnalysis& analysis)
      : model_(model),
        schedule_(schedule),
        bytes_(bytes),
        analysis_(analysis),
        peaks_(schedule.runs.size()),
        peak_bytes_(schedule.runs.size()),
        memory_(schedule.runs.size()) {}

  MemoryPlan Run() {
    // Bodies follow their container: backwards, they are done before they are needed.
    for (std::size_t i = schedule_.runs.size(); i-- > 0;) {
      FindPeak(i);
      SetPeak(i);
      PlanRunArena(model_, schedule_, i, bytes_, analysis_, memory_);
    }
    MemoryPlan result;
    static_cast<RunMemory&>(result) = std::move(memory_[0]);
    result.bodies.assign(std::make_move_iterator(memory_.begin() + 1),
                         std::make_move_iterator(memory_.end()));
    if (!result.live_peak_bytes.is_unknown()) CollectLive(0, result);
    std::stable_sort(result.live_tensors.begin(), result.live_tensors.end(),
                     [&](TensorId a, TensorId b) { return IsLarger(Bytes(a), Bytes(b)); });
    return result;
  }

 private:
  Dim Bytes(TensorId tensor) const { return bytes_[tensor.index()]; }

  static bool IsLarger(Dim a, Dim b) {
    return a.is_number() && b.is_number() && a.number() > b.number();
  }

  const std::vector<std::size_t>& BodiesAt(const GraphRun& run, std::size_t step) const {
    return schedule_.bodies[run.steps[step].index()];
  }

  // A sum is offered only before something vanishes: until then the next one is no smaller.
  void FindPeak(std::size_t index) {
    DimTable& dims = model_.dims;
    const GraphRun& run = schedule_.runs[index];
    SampledDim live;
    Peak& peak = peaks_[index];
    std::optional<std::size_t> grown_at;
    const auto offer = [&] {
      if (grown_at) peak.Offer(dims, live, *grown_at);
      grown_at.reset();
    };
    std::vector<std::vector<TensorId>> ends(run.steps.size());
    auto next = run.lifetimes.begin();
    for (std::size_t step = 0; step < std::max<std::size_t>(run.steps.size(), 1); ++step) {
      for (; next != run.lifetimes.end() && next->first == step; ++next) {
        live.Add(dims, sampler_.Of(Bytes(next->tensor)));
        grown_at = step;
        if (!next->to_end) ends[next->last].push_back(next->tensor);
      }
      if (step == run.steps.size()) break;
      OfferBodies(run, step, live, peak);
      if (ends[step].empty()) continue;
      offer();
      for (const TensorId tensor : ends[step]) live.Sub(dims, sampler_.Of(Bytes(tensor)));
    }
    offer();
    peak_bytes_[index] = peak.Value(dims);
  }

  void OfferBodies(const GraphRun& run, std::size_t step, const SampledDim& live, Peak& peak) {
    for (const std::size_t body : BodiesAt(run, step)) {
      SampledDim both = live;
      both.Add(model_.dims, peak_bytes_[body]);
      peak.Offer(model_.dims, both, step);
    }
  }

  void SetPeak(std::size_t index) {
    const GraphRun& run = schedule_.runs[index];
    RunMemory& memory = memory_[index];
    if (run.parent != kNever) {
      memory.path = BodyPath(model_, analysis_, run.graph);
      memory.container = analysis_.layer_of[schedule_.Container(run).index()];
    }
    memory.live_peak_bytes = peak_bytes_[index].dim;
    if (memory.live_peak_bytes.is_unknown()) memory.live_peak_because = peaks_[index].Because();
  }

  // What lives at the peak of a run, and inside the body that makes it.
  void CollectLive(std::size_t index, MemoryPlan& result) const {
    const auto& candidates = peaks_[index].candidates();
    if (candidates.size() != 1) return;
    const std::size_t at = candidates[0].at;
    const GraphRun& run = schedule_.runs[index];
    for (const Lifetime& lifetime : run.lifetimes)
      if (lifetime.first <= at && at <= lifetime.last)
        result.live_tensors.push_back(lifetime.tensor);
    if (at >= run.steps.size()) return;
    result.live_peak_at = analysis_.layer_of[run.steps[at].index()];
    const std::vector<std::size_t>& bodies = BodiesAt(run, at);
    if (bodies.empty()) return;
    CollectLive(*std::max_element(bodies.begin(), bodies.end(),
                                  [&](std::size_t a, std::size_t b) {
                                    return IsLarger(peak_bytes_[b].dim, peak_bytes_[a].dim);
                                  }),
                result);
  }

  Model& model_;
  const Schedule& schedule_;
  const std::vector<Dim>& bytes_;
  const StaticAnalysis& analysis_;
  std::vector<Peak> peaks_;             // by run
  std::vector<SampledDim> peak_bytes_;  // by run
  std::vector<RunMemory> memory_;       // by run
  Sampler sampler_{model_.dims};
};

}  // namespace

MemoryPlan PlanMemory(Model& model, const Schedule& schedule, const std::vector<Dim>& tensor_bytes,
                      const StaticAnalysis& analysis) {
  return MemoryPlanner(model, schedule, tensor_bytes, analysis).Run();
}

}  // namespace opscope
