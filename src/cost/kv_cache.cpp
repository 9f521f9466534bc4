#include "cost/kv_cache.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cost/layers.h"
#include "ops/op.h"

namespace opscope {

namespace {

// Where attention ops read the past: output 1 + k grows from input `first` + k.
struct PastInputs {
  std::string_view domain, op;
  std::size_t first;
};
constexpr PastInputs kPastInputs[] = {{"ai.onnx", "Attention", 4},
                                      {"com.microsoft", "Attention", 4},
                                      {"com.microsoft", "MultiHeadAttention", 6},
                                      {"com.microsoft", "DecoderMaskedMultiHeadAttention", 5},
                                      {"com.microsoft", "GroupQueryAttention", 3},
                                      {"com.microsoft", "SparseAttention", 3}};

class CacheFinder {
 public:
  CacheFinder(Model& model, const StaticAnalysis& analysis)
      : model_(model), analysis_(analysis), bodies_(BodiesByOwner(model)) {}

  std::vector<CacheTensor> Run() {
    std::vector<CacheTensor> out;
    for (const TensorId output : model_.main().outputs)
      if (output.valid())
        if (auto cache = CacheOf(output)) out.push_back(std::move(*cache));
    return out;
  }

 private:
  std::string_view Op(NodeId id) const { return StandardOp(model_, model_.node(id)); }
  const Shape& ShapeOf(TensorId tensor) const { return analysis_.fact(tensor).shape; }
  Dim At(TensorId tensor, std::size_t axis) const {
    const Shape& shape = ShapeOf(tensor);
    return shape.known_rank() && axis < shape.rank() ? (*shape.dims)[axis] : Dim();
  }

  // Where a tensor comes from when casts and copies are looked through, backwards.
  TensorId Origin(TensorId tensor) const {
    constexpr int kMaxSteps = 8;
    for (int steps = 0; steps < kMaxSteps; ++steps) {
      const NodeId node = model_.tensor(tensor).producer;
      if (!node.valid() || (Op(node) != "Cast" && Op(node) != "Identity")) break;
      const TensorId input =
          model_.node(node).inputs.empty() ? TensorId{} : model_.node(node).inputs[0];
      if (!input.valid()) break;
      tensor = input;
    }
    return tensor;
  }

  // The graph input of the same rank and type that a node reads, for `output` of the graph.
  TensorId PastOf(const std::vector<TensorId>& inputs, TensorId output) const {
    constexpr std::size_t kMaxInputs = 16;
    for (std::size_t i = 0; i < std::min(inputs.size(), kMaxInputs); ++i) {
      if (!inputs[i].valid()) continue;
      const TensorId origin = Origin(inputs[i]);
      if (model_.tensor(origin).graph_input && !model_.tensor(origin).payload.valid() &&
          model_.tensor(origin).graph == GraphId{0} && SameRank(origin, output))
        return origin;
    }
    return {};
  }
  bool SameRank(TensorId a, TensorId b) const {
    return ShapeOf(a).known_rank() && ShapeOf(b).known_rank() &&
           ShapeOf(a).rank() == ShapeOf(b).rank() && ShapeOf(a).rank() >= 3 &&
           analysis_.fact(a).dtype == analysis_.fact(b).dtype;
  }

  // Of an output of the graph; where an If makes it, of the branch that joins it to a past.
  std::optional<CacheTensor> CacheOf(TensorId output) {
    const TensorId origin = Origin(output);
    const NodeId node = model_.tensor(origin).producer;
    if (!node.valid()) return std::nullopt;
    if (Op(node) != "If") return Cache(origin, output);
    const std::vector<TensorId>& outputs = model_.node(node).outputs;
    const auto at = static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), origin) -
                                             outputs.begin());
    for (const GraphId body : bodies_[node.index()]) {
      const std::vector<TensorId>& of_body = model_.graph(body).outputs;
      if (at >= of_body.size() || !of_body[at].valid()) continue;
      if (auto cache = Cache(Origin(of_body[at]), output)) return cache;
    }
    return std::nullopt;
  }

  // `joined` is what `output` is made of.
  std::optional<CacheTensor> Cache(TensorId joined, TensorId output) {
    const NodeId node = model_.tensor(joined).producer;
    if (!node.valid()) return std::nullopt;
    const std::string_view op = Op(node);
    const bool attention =
        std::holds_alternative<work::Attention>(analysis_.propagation.works[node.index()]);
    if (op != "Concat" && op != "ScatterND" && op != "ScatterElements" && !attention)
      return std::nullopt;
    const TensorId past =
        PastOf(attention ? AttentionPast(node, joined) : model_.node(node).inputs, joined);
    if (!past.valid()) return std::nullopt;
    const std::optional<std::size_t> axis =
        op == "Concat" ? ConcatAxis(node, joined) : LongAxis(past);
    if (!axis) return std::nullopt;
    return Describe(past, joined, output, *axis);
  }

  // The past that the present keys or values of an attention op grow from.
  std::vector<TensorId> AttentionPast(NodeId id, TensorId joined) const {
    const Node& node = model_.node(id);
    for (const PastInputs& known : kPastInputs) {
      if (StandardOp(model_, node) != known.op || StandardDomain(model_, node) != known.domain)
        continue;
      for (std::size_t i = 1; i < node.outputs.size(); ++i)
        if (node.outputs[i] == joined && known.first + i - 1 < node.inputs.size())
          return {node.inputs[known.first + i - 1]};
    }
    return {};
  }

  std::optional<std::size_t> ConcatAxis(NodeId node, TensorId output) const {
    const Attribute* axis = FindAttribute(model_, model_.node(node), "axis");
    const auto* value = axis == nullptr ? nullptr : std::get_if<std::int64_t>(&axis->value);
    if (value == nullptr) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(ShapeOf(output).rank());
    const std::int64_t at = *value < 0 ? *value + rank : *value;
    return at > 0 && at < rank ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
  }
  // [batch, heads, tokens, head]; with keys and values in one, [2, batch, heads, tokens, head].
  std::optional<std::size_t> LongAxis(TensorId past) const {
    return ShapeOf(past).rank() >= 4 ? std::optional(ShapeOf(past).rank() - 2) : std::nullopt;
  }

  CacheTensor Describe(TensorId past, TensorId joined, TensorId output, std::size_t axis) {
    // In a branch shapes are known better than behind the If.
    const TensorId present = joined;
    DimTable& dims = model_.dims;
    const std::size_t rank = ShapeOf(present).rank();
    CacheTensor out;
    out.past = past;
    out.present = output;
    out.joined = joined;
    out.past_length = At(past, axis);
    out.length = At(present, axis);
    const std::size_t batch_axis = rank == 5 ? 1 : 0;
    out.batch = At(present, batch_axis);
    // Latent attention has one output beside its result.
    const NodeId producer = model_.tensor(joined).producer;
    out.latent =
        rank == 4 &&
        std::holds_alternative<work::Attention>(analysis_.propagation.works[producer.index()]) &&
        model_.node(producer).outputs.size() == 2;
    if (rank == 5 || out.latent) out.tensors = 2;
    if (rank >= 4) {
      out.kv_heads = At(present, axis + 2 == rank ? axis - 1 : rank - 2);
      out.head = At(present, rank - 1);
    }
    TensorFact entry = analysis_.fact(present);
    (*entry.shape.dims)[axis] = 1;
    (*entry.shape.dims)[batch_axis] = 1;
    out.bytes_per_token = BytesOf(dims, entry);
    out.bytes = BytesOf(dims, analysis_.fact(present));
    return out;
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  std::vector<std::vector<GraphId>> bodies_;
};

}  // namespace

std::vector<CacheTensor> FindCache(Model& model, const StaticAnalysis& analysis) {
  return CacheFinder(model, analysis).Run();
}

}  // namespace opscope
