#include "cost/static_analysis.h"

#include <array>
#include <utility>

#include "cost/fusion.h"
#include "cost/layers.h"
#include "cost/liveness.h"
#include "cost/schedule.h"
#include "cost/totals.h"
#include "cost/traffic.h"
#include "cost/weights.h"

namespace opscope {

std::string_view Name(LayerStatus status) {
  constexpr std::array<std::string_view, 6> kNames = {"counted",  "view",      "free",
                                                      "constant", "container", "unknown"};
  return kNames[static_cast<std::size_t>(status)];
}

Result<StaticAnalysis> AnalyzeStatic(Model& model, const PropagateOptions& options,
                                     ImportLog& log) {
  ExpandFunctions(model, log);
  StaticAnalysis analysis;
  TRY_ASSIGN(analysis.propagation, Propagate(model, options, log));

  const std::vector<std::vector<GraphId>> bodies = BodiesByOwner(model);
  ListLayers(model, bodies, analysis);
  CountLayers(model, analysis);
  SetTimes(model, bodies, analysis);

  const std::vector<Dim> bytes = TensorBytes(model, analysis.propagation.facts);
  const std::vector<Dim> constant_bytes = AssignWeights(model, analysis, bytes);
  const MovedBytes moved = {bytes, constant_bytes};
  SetTraffic(model, moved, analysis);
  SumEachLayer(model, analysis);
  const std::vector<bool> kept = KeptTensors(model, bodies, analysis);
  const ActivationBytes activations = SumActivations(model, bytes, kept, analysis);
  const Schedule schedule = MakeSchedule(model, bodies, kept, analysis);
  FuseLayers(model, bodies, schedule, analysis);

  analysis.totals = SumLayers(model, analysis);
  analysis.totals.activation_bytes = activations.all;
  analysis.totals.fused = SumGroups(model, moved, analysis);
  analysis.totals.memory = PlanMemory(model, schedule, bytes, analysis);
  analysis.totals.memory.naive_bytes = activations.without_views;
  return analysis;
}

}  // namespace opscope
