// Bytes a layer moves in one execution, unfused: every input read once, every output written once.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// BytesOf every tensor, by TensorId.
std::vector<Dim> TensorBytes(Model& model, const std::vector<TensorFact>& facts);

// Fills read_bytes (activations), weight_bytes (constants) and write_bytes of the counted layers.
// Views, folded nodes and containers move nothing; a Gather reads what it touches.
// `constant_bytes`: of AssignWeights.
void SetTraffic(Model& model, const std::vector<Dim>& tensor_bytes,
                const std::vector<Dim>& constant_bytes, StaticAnalysis& analysis);

// By TensorId: read by some node or body, or a graph output. Others are not kept.
std::vector<bool> KeptTensors(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                              const StaticAnalysis& analysis);

struct ActivationBytes {
  Dim all, without_views;
};
// Outputs of runtime layers that are kept, times their `times`. Containers write nothing
// themselves: what their bodies write counts. Layers with an output of unknown size get a
// `because`.
ActivationBytes SumActivations(Model& model, const std::vector<Dim>& tensor_bytes,
                               const std::vector<bool>& kept, StaticAnalysis& analysis);

}  // namespace opscope
