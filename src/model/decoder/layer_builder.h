// Internal to model/decoder: nodes of one decoder, layer by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/decoder/config.h"
#include "model/decoder/names.h"
#include "model/graph_builder.h"

namespace opscope::decoder {

class LayerBuilder {
 public:
  LayerBuilder(Model& model, const Weights& weights, const Config& config);

  // input_ids -> logits and caches. An error says what does not fit together; the model then holds
  // a part of the graph.
  Result<void> Build(const Stem& stem);
  // By TensorId: read by a node.
  const std::vector<bool>& used() const { return used_; }

 private:
  Result<TensorId> Layer(const std::string& layer, std::int64_t index, TensorId x);
  Result<TensorId> Attention(const std::string& layer, std::int64_t index, TensorId x);
  Result<TensorId> Latent(const std::string& layer, std::int64_t index, TensorId x);
  Result<TensorId> FeedForward(const std::string& layer, TensorId x);
  Result<TensorId> Experts(const std::string& layer, TensorId x);
  // gate, up and down, or up and down; all three empty = the input as it is.
  TensorId Mlp(const std::string& layer, std::string_view suffix, const std::string& gate,
               const std::string& up, const std::string& down, TensorId x);
  TensorId Activation(const std::string& name, TensorId x);
  TensorId Linear(const std::string& module, TensorId x);
  TensorId Norm(const std::string& module, TensorId x);  // the input where there is no module
  TensorId Rotary(const std::string& name, TensorId x);
  std::vector<TensorId> Split(const std::string& name, TensorId x,
                              const std::vector<std::int64_t>& sizes);
  TensorId Past(std::string_view what, std::int64_t index, std::int64_t heads, std::int64_t width);

  std::string Find(const std::string& layer, Role role) const {
    return FindModule(weights_, layer, role);
  }
  TensorId Use(const std::string& weight);                // invalid when there is none
  std::int64_t Columns(const std::string& module) const;  // outputs of a Linear; 0 = unknown
  DType ComputeType(const Stem& stem) const;

  Model& model_;
  const Weights& weights_;
  const Config& config_;
  GraphBuilder graph_;
  std::vector<bool> used_;
  std::vector<TensorId> presents_;
  DType compute_ = DType::kUnknown;
  Dim batch_, sequence_, past_;
};

}  // namespace opscope::decoder
