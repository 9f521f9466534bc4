// Bytes a layer moves in one execution, unfused: every input read once, every output written once.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// BytesOf every tensor, by TensorId.
std::vector<Dim> TensorBytes(Model& model, const std::vector<TensorFact>& facts);

// The bytes that reads and writes are counted by, by TensorId.
struct MovedBytes {
  const std::vector<Dim>& activations;  // TensorBytes
  const std::vector<Dim>& constants;    // of AssignWeights
};

// Whether traffic is counted for a layer: views, folded nodes and containers move nothing.
inline bool MovesBytes(const Layer& layer) {
  return layer.runtime &&
         (layer.status == LayerStatus::kCounted || layer.status == LayerStatus::kUnknown);
}

// What one execution of a layer reads: every input, once where it is given twice. Of input 0 a
// Gather or Slice reads what it touches.
struct TensorRead {
  TensorId tensor;
  Dim bytes;
};
std::vector<TensorRead> ReadsOf(const Model& model, const StaticAnalysis& analysis,
                                const MovedBytes& bytes, const Layer& layer);

// Fills read_bytes (activations), weight_bytes (constants) and write_bytes of the layers that move
// bytes.
void SetTraffic(Model& model, const MovedBytes& bytes, StaticAnalysis& analysis);

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
