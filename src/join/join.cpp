#include "join/join.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "join/attribute.h"
#include "join/cover.h"
#include "join/match.h"
#include "join/match_origin.h"
#include "join/model_index.h"
#include "join/sum_profile.h"
#include "join/summary.h"

namespace opscope {

namespace {

// Why a layer that no row covers has no time.
class Absence {
 public:
  Absence(const ModelIndex& index, const Matches& matches) : index_(&index) {
    for (const RowMatch& match : matches.rows)
      if (match.graph.valid()) ran_.insert(match.graph.value);
  }

  std::pair<LayerRun, std::string> Of(const Layer& layer) const {
    const Model& model = index_->model();
    const Node& node = model.node(layer.node);
    const GraphId scope = index_->ScopeOf(node.graph);
    if (scope.value != 0 && !ran_.contains(scope.value)) return InBody(scope);
    if (!layer.runtime)
      return {LayerRun::kFolded, "hangs on no input: computed once, before the runs"};
    if (layer.status == LayerStatus::kView || layer.status == LayerStatus::kFree)
      return {LayerRun::kFolded, "no work of its own: the engine left it out"};
    if (!IsRead(node)) return {LayerRun::kFolded, "nothing reads its result"};
    if (layer.status == LayerStatus::kContainer)
      return {LayerRun::kFolded, "dissolved by the engine: see the layers inside"};
    return {LayerRun::kUnknown,
            "no row of the profile names it or a neighbour it could be part of"};
  }

 private:
  std::pair<LayerRun, std::string> InBody(GraphId graph) const {
    const NodeId owner = index_->model().graph(graph).owner;
    if (!owner.valid()) return {LayerRun::kUnknown, "its body has no place in the model"};
    return {LayerRun::kNotRun, "its body did not run, or its rows were not recorded"};
  }

  bool IsRead(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId output) {
      return output.valid() &&
             (index_->model().tensor(output).graph_output || !index_->Readers(output).empty());
    });
  }

  const ModelIndex* index_;
  std::set<std::uint32_t> ran_;  // graphs
};

// Layers and MACs by provider: a layer belongs to the provider of its longest row.
void PlaceProviders(const Model& model, const StaticAnalysis& layers, RunAnalysis& run) {
  struct Sums {
    std::int64_t layers = 0;
    double macs = 0;
  };
  std::map<std::string, Sums> sums;
  double all_macs = 0;
  bool known = true;
  for (const LayerTime& time : run.layers) {
    if (time.state != LayerRun::kMeasured && time.state != LayerRun::kEstimated) continue;
    const auto longest = *std::max_element(time.rows.begin(), time.rows.end(),
                                           [&](std::uint32_t a, std::uint32_t b) {
                                             return run.rows[a].wall_ns < run.rows[b].wall_ns;
                                           });
    const Layer& layer = layers.layer(time.layer);
    const auto macs = model.dims.Value(layer.counts.macs);
    const auto times = model.dims.Value(layer.times);
    known &= macs.has_value() && times.has_value();
    const double amount =
        macs && times ? static_cast<double>(*macs) * static_cast<double>(*times) : 0;
    Sums& sum = sums[run.rows[longest].provider];
    ++sum.layers;
    sum.macs += amount;
    all_macs += amount;
  }
  for (ProviderPlacement& placement : run.placement) {
    const Sums& sum = sums[placement.provider];
    placement.layers = sum.layers;
    if (known && all_macs > 0) placement.macs_share = sum.macs / all_macs;
  }
}

void NoteUnmatched(RunAnalysis& run) {
  const std::int64_t unmatched = run.coverage.rows - run.coverage.placed;
  if (unmatched > 0)
    run.notes.push_back(std::to_string(unmatched) + " of " + std::to_string(run.coverage.rows) +
                        " rows were not found in the model");
}

}  // namespace

RunAnalysis Join(const Model& model, const StaticAnalysis& layers, const Trace& trace,
                 const JoinOptions& options) {
  Summary summary = trace.profile ? SumProfile(trace) : SumTrace(trace, options.warmup);
  const ModelIndex index(model);
  std::optional<ModelIndex> optimized;
  if (options.optimized != nullptr) optimized.emplace(*options.optimized);
  const Matches matches =
      trace.profile ? MatchOrigins(index, *trace.profile, options.optimized, summary.table)
                    : MatchRows(index, optimized ? &*optimized : nullptr, summary.table);
  const auto rows_of = Cover(index, layers, matches, summary.table);
  std::vector<LayerTime> times =
      AttributeTime(index, layers, rows_of, summary.run.iterations.used, summary.table);
  RunAnalysis run = Settle(std::move(summary));
  const Absence absence(index, matches);
  for (LayerTime& time : times) {
    time.share =
        run.reconciliation.wall_ns() == 0
            ? 0
            : static_cast<double>(time.wall_ns) / static_cast<double>(run.reconciliation.wall_ns());
    if (time.rows.empty())
      std::tie(time.state, time.because) = absence.Of(layers.layer(time.layer));
  }
  run.layers = std::move(times);
  PlaceProviders(model, layers, run);
  NoteUnmatched(run);
  return run;
}

}  // namespace opscope
