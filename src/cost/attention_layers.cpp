#include "cost/attention_layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ops/op.h"

namespace opscope {

namespace {

// What may stand between the product of scores and the softmax, and between the softmax and the
// product with the values: scale, mask, soft cap, change of type, dropout, guards against NaN.
constexpr std::array<std::string_view, 14> kBetween = {
    "Add",  "Sub",  "Mul",     "Div",      "Where",   "Cast",      "CastLike",
    "Tanh", "Clip", "Dropout", "Identity", "Reshape", "Unsqueeze", "Squeeze"};
// Bounds of a walk from one softmax, so that all of them together stay linear.
constexpr int kMaxSteps = 24;
constexpr std::size_t kMaxReaders = 64;
constexpr std::size_t kMaxInputs = 8;

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& ops, std::string_view op) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class AttentionFinder {
 public:
  AttentionFinder(Model& model, const StaticAnalysis& analysis)
      : model_(model), analysis_(analysis) {}

  std::vector<AttentionLayer> Run() {
    std::vector<AttentionLayer> out;
    ListReaders();
    for (std::uint32_t i = 0; i < analysis_.layers.size(); ++i) {
      const Layer& layer = analysis_.layers[i];
      if (layer.times == Dim(0) || !layer.runtime) continue;
      if (const auto* work = std::get_if<work::Attention>(&WorkOf(layer.node)))
        out.push_back(Fused({i}, *work));
      else if (Op(layer.node) == "Softmax")
        if (auto found = Decomposed(layer.node)) out.push_back(std::move(*found));
    }
    return out;
  }

 private:
  std::string_view Op(NodeId id) const { return StandardOp(model_, model_.node(id)); }
  const Work& WorkOf(NodeId id) const { return analysis_.propagation.works[id.index()]; }
  NodeId Producer(TensorId tensor) const {
    return tensor.valid() ? model_.tensor(tensor).producer : NodeId{};
  }
  const Shape& ShapeOf(TensorId tensor) const { return analysis_.fact(tensor).shape; }
  bool IsRuntime(TensorId tensor) const { return tensor.valid() && analysis_.fact(tensor).runtime; }
  LayerId LayerOf(NodeId node) const { return analysis_.layer_of[node.index()]; }
  Dim AllMacs(LayerId id) const {
    const Layer& layer = analysis_.layer(id);
    return model_.dims.Mul(layer.counts.macs, layer.times);
  }

  // A product of two activations.
  bool IsProduct(NodeId node) const {
    const std::string_view op = Op(node);
    const std::vector<TensorId>& inputs = model_.node(node).inputs;
    return (op == "MatMul" || op == "Einsum" || op == "FusedMatMul" || op == "MatMulInteger") &&
           inputs.size() >= 2 && IsRuntime(inputs[0]) && IsRuntime(inputs[1]);
  }

  AttentionLayer Fused(LayerId id, const work::Attention& work) const {
    DimTable& dims = model_.dims;
    const Layer& layer = analysis_.layer(id);
    AttentionLayer out;
    out.scores = id;
    out.causal = work.causal;
    out.batch = work.batch;
    out.heads = work.query_heads;
    out.kv_heads = work.kv_heads.is_unknown() ? work.query_heads : work.kv_heads;
    out.q_length = work.q_length;
    out.kv_length = work.kv_length;
    out.head = work.head;
    out.value_head = work.value_head;
    out.macs = dims.Mul(dims.Sub(layer.counts.macs, work.projection), layer.times);
    if (out.causal) out.macs_causal = dims.Mul(CausalMacs(dims, out), layer.times);
    return out;
  }

  // The first product behind `from`, over ops that only scale, mask or cast.
  NodeId ProductBehind(TensorId from) const {
    std::vector<TensorId> open = {from};
    for (int steps = 0; !open.empty() && steps < kMaxSteps; ++steps) {
      const NodeId node = Producer(open.back());
      open.pop_back();
      if (!node.valid()) continue;
      if (IsProduct(node)) return node;
      if (!IsOneOf(kBetween, Op(node))) continue;
      const std::vector<TensorId>& inputs = model_.node(node).inputs;
      const bool view = Op(node) == "Reshape" || Op(node) == "Unsqueeze" || Op(node) == "Squeeze";
      for (std::size_t i = std::min(view ? 1 : kMaxInputs, inputs.size()); i-- > 0;)
        if (IsRuntime(inputs[i])) open.push_back(inputs[i]);
    }
    return {};
  }

  // The product that reads what comes of `from` as its first operand.
  NodeId ProductAfter(TensorId from) const {
    std::vector<TensorId> open = {from};
    for (int steps = 0; !open.empty() && steps < kMaxSteps; ++steps) {
      const TensorId tensor = open.back();
      open.pop_back();
      const std::vector<NodeId>& readers = readers_[tensor.index()];
      for (std::size_t i = 0; i < std::min(kMaxReaders, readers.size()); ++i) {
        const NodeId reader = readers[i];
        const Node& node = model_.node(reader);
        if (IsProduct(reader)) {
          if (node.inputs[0] == tensor) return reader;
        } else if (IsOneOf(kBetween, Op(reader)) && !node.outputs.empty() &&
                   node.outputs[0].valid()) {
          open.push_back(node.outputs[0]);
        }
      }
    }
    return {};
  }

  std::optional<AttentionLayer> Decomposed(NodeId softmax) const {
    const Node& node = model_.node(softmax);
    if (node.inputs.empty() || node.outputs.empty() || !node.outputs[0].valid())
      return std::nullopt;
    const NodeId scores = ProductBehind(node.inputs[0]);
    const NodeId values = ProductAfter(node.outputs[0]);
    if (!scores.valid() || !values.valid() || scores == values) return std::nullopt;
    AttentionLayer out;
    out.scores = LayerOf(scores);
    out.values = LayerOf(values);
    out.keys = model_.node(scores).inputs[1];
    out.value_tensor = model_.node(values).inputs[1];
    SetSizes(model_.node(scores).inputs[0], node.inputs[0], model_.node(values).inputs[1], out);
    out.macs = model_.dims.Add(AllMacs(out.scores), AllMacs(out.values));
    out.causal = LooksBack(node.inputs[0], scores);
    if (out.causal)
      out.macs_causal =
          model_.dims.Mul(CausalMacs(model_.dims, out), analysis_.layer(out.scores).times);
    return out;
  }

  // [batch, heads, length, head], or [batch * heads, length, head] before which a view has four.
  void SetSizes(TensorId queries, TensorId scores, TensorId values, AttentionLayer& out) const {
    const auto from_end = [this](TensorId tensor, std::size_t back) {
      const Shape& shape = ShapeOf(tensor);
      return shape.known_rank() && shape.rank() >= back ? (*shape.dims)[shape.rank() - back]
                                                        : Dim();
    };
    out.q_length = from_end(scores, 2);
    out.kv_length = from_end(scores, 1);
    out.head = from_end(queries, 1);
    out.value_head = from_end(values, 1);
    const TensorId split = SplitIntoHeads(queries);
    if (split.valid()) {
      out.batch = (*ShapeOf(split).dims)[0];
      out.heads = (*ShapeOf(split).dims)[1];
    } else if (ShapeOf(queries).known_rank() && ShapeOf(queries).rank() == 3) {
      out.batch = from_end(queries, 3);
      out.heads = 1;
    }
    const Dim kv = HeadsBeforeRepeat(out.keys, out.heads);
    out.kv_heads = kv.is_unknown() ? out.heads : kv;
  }

  // The tensor of rank 4 that holds the heads apart: itself, or one before a Reshape.
  TensorId SplitIntoHeads(TensorId tensor) const {
    for (int steps = 0; steps < kMaxSteps && tensor.valid(); ++steps) {
      const Shape& shape = ShapeOf(tensor);
      if (!shape.known_rank()) return {};
      if (shape.rank() == 4) return tensor;
      const NodeId node = Producer(tensor);
      if (!node.valid() || model_.node(node).inputs.empty()) return {};
      const std::string_view op = Op(node);
      if (op != "Reshape" && op != "Mul" && op != "Div" && op != "Cast" && op != "Identity" &&
          op != "Transpose" && op != "Concat")
        return {};
      tensor = RuntimeInput(node);
    }
    return {};
  }

  TensorId RuntimeInput(NodeId node) const {
    for (const TensorId input : model_.node(node).inputs)
      if (IsRuntime(input)) return input;
    return {};
  }

  // Grouped queries: keys are repeated by Expand or Tile just before the product, and the tensor
  // before that has fewer heads. Unknown where nothing repeats.
  Dim HeadsBeforeRepeat(TensorId tensor, Dim heads) const {
    constexpr std::array<std::string_view, 9> kPassed = {
        "Transpose", "Mul", "Div", "Cast", "Reshape", "Identity", "Unsqueeze", "Expand", "Tile"};
    for (int steps = 0; steps < kMaxSteps; ++steps) {
      const NodeId node = Producer(tensor);
      if (!node.valid() || !IsOneOf(kPassed, Op(node))) return {};
      const TensorId before = RuntimeInput(node);
      if (!before.valid()) return {};
      if (Op(node) == "Expand" || Op(node) == "Tile") {
        const Shape& shape = ShapeOf(before);
        const Dim kv = shape.known_rank() && shape.rank() >= 4 ? (*shape.dims)[1] : Dim();
        if (kv.is_number() && heads.is_number() && kv.number() > 0 &&
            heads.number() % kv.number() == 0)
          return kv;
      }
      tensor = before;
    }
    return {};
  }

  // A triangle in what is added to the scores or picked by Where: Trilu, or positions compared with
  // positions. Never from a mask that is an input: it may hold anything.
  bool LooksBack(TensorId from, NodeId scores) const {
    std::vector<TensorId> open = {from};
    for (int steps = 0; !open.empty() && steps < 4 * kMaxSteps; ++steps) {
      const NodeId node = Producer(open.back());
      open.pop_back();
      if (!node.valid() || node == scores) continue;
      const std::string_view op = Op(node);
      if (op == "Trilu") return true;
      const bool compares =
          op == "Less" || op == "LessOrEqual" || op == "Greater" || op == "GreaterOrEqual";
      const std::vector<TensorId>& inputs = model_.node(node).inputs;
      if (compares && inputs.size() == 2 && IsPosition(inputs[0]) && IsPosition(inputs[1]))
        return true;
      if (IsProduct(node) || op == "Softmax") continue;
      for (std::size_t i = 0; i < std::min(kMaxInputs, inputs.size()); ++i)
        if (inputs[i].valid()) open.push_back(inputs[i]);
    }
    return false;
  }
  bool IsPosition(TensorId tensor) const {
    for (int steps = 0; steps < kMaxSteps; ++steps) {
      const NodeId node = Producer(tensor);
      if (!node.valid()) return false;
      if (Op(node) == "Range") return true;
      if (model_.node(node).inputs.empty()) return false;
      tensor = model_.node(node).inputs[0];
    }
    return false;
  }

  void ListReaders() {
    readers_.resize(model_.tensors.size());
    for (const Layer& layer : analysis_.layers)
      for (const TensorId input : model_.node(layer.node).inputs)
        if (input.valid() && analysis_.fact(input).runtime)
          readers_[input.index()].push_back(layer.node);
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  std::vector<std::vector<NodeId>> readers_;  // by TensorId, of activations
};

}  // namespace

Dim CausalMacs(DimTable& dims, const AttentionLayer& layer) {
  const Dim q = layer.q_length;
  const Dim before = dims.Mul(q, dims.Sub(layer.kv_length, q));
  const Dim triangle = dims.FloorDiv(dims.Mul(q, dims.Add(q, 1)), 2);
  const std::array<Dim, 4> factors = {layer.batch, layer.heads, dims.Add(before, triangle),
                                      dims.Add(layer.head, layer.value_head)};
  return dims.Product(factors);
}

std::vector<AttentionLayer> FindAttention(Model& model, const StaticAnalysis& analysis) {
  const auto is_softmax_or_attention = [&](const Layer& layer) {
    return std::holds_alternative<work::Attention>(
               analysis.propagation.works[layer.node.index()]) ||
           StandardOp(model, model.node(layer.node)) == "Softmax";
  };
  if (std::none_of(analysis.layers.begin(), analysis.layers.end(), is_softmax_or_attention))
    return {};
  return AttentionFinder(model, analysis).Run();
}

}  // namespace opscope
