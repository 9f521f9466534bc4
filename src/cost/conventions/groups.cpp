#include "cost/conventions/groups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ops/op.h"

namespace opscope {

namespace {

using OpGroup = std::pair<std::string_view, std::string_view>;

// By op where its kind of work does not say it. Sorted.
constexpr std::array kOpGroups = {OpGroup{"BiasGelu", group::kGelu},
                                  OpGroup{"Celu", group::kElu},
                                  OpGroup{"Elu", group::kElu},
                                  OpGroup{"Erf", group::kGelu},
                                  OpGroup{"FastGelu", group::kGelu},
                                  OpGroup{"Gelu", group::kGelu},
                                  OpGroup{"GroupNorm", group::kGroupNorm},
                                  OpGroup{"GroupNormalization", group::kGroupNorm},
                                  OpGroup{"InstanceNormalization", group::kInstanceNorm},
                                  OpGroup{"LayerNormalization", group::kLayerNorm},
                                  OpGroup{"LeakyRelu", group::kLeakyRelu},
                                  OpGroup{"PRelu", group::kPRelu},
                                  OpGroup{"QuickGelu", group::kGelu},
                                  OpGroup{"RMSNormalization", group::kRmsNorm},
                                  OpGroup{"Relu", group::kRelu},
                                  OpGroup{"SimplifiedLayerNormalization", group::kRmsNorm},
                                  OpGroup{"SkipGroupNorm", group::kGroupNorm},
                                  OpGroup{"SkipLayerNormalization", group::kLayerNorm},
                                  OpGroup{"SkipSimplifiedLayerNormalization", group::kRmsNorm},
                                  OpGroup{"Swish", group::kSilu}};

std::string_view GroupOfOp(std::string_view op, std::string_view otherwise) {
  const auto at =
      std::lower_bound(kOpGroups.begin(), kOpGroups.end(), op,
                       [](const OpGroup& a, std::string_view b) { return a.first < b; });
  return at != kOpGroups.end() && at->first == op ? at->second : otherwise;
}

// How far a pattern is followed upwards.
constexpr int kReach = 6;

class Grouper {
 public:
  Grouper(const Model& model, const StaticAnalysis& analysis)
      : model_(model), analysis_(analysis), groups_(analysis.layers.size(), group::kOther) {
    for (const auto& [key, value] : model.metadata)
      on_cpu_ = on_cpu_ || (key == "device" && value == "cpu");
  }

  std::vector<std::string_view> Run() {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i] = GroupOf(analysis_.layers[i].node);
    for (const Layer& layer : analysis_.layers) MarkAttention(layer.node);
    return std::move(groups_);
  }

 private:
  std::string_view Op(NodeId id) const { return StandardOp(model_, model_.node(id)); }

  bool Constant(const Node& node, std::size_t input) const {
    return input < node.inputs.size() && node.inputs[input].valid() &&
           !analysis_.fact(node.inputs[input]).runtime;
  }
  NodeId Producer(const Node& node, std::size_t input) const {
    if (input >= node.inputs.size() || !node.inputs[input].valid()) return {};
    return model_.tensor(node.inputs[input]).producer;
  }
  bool ProducedBy(const Node& node, std::size_t input, std::string_view op) const {
    const NodeId producer = Producer(node, input);
    return producer.valid() && Op(producer) == op;
  }
  std::string_view GroupOfProducer(const Node& node, std::size_t input) const {
    const NodeId producer = Producer(node, input);
    return producer.valid() ? GroupAt(producer) : std::string_view();
  }

  std::string_view GroupOf(NodeId id) const {
    const Node& node = model_.node(id);
    const auto group_of = [&](const auto& work) { return Of(node, work); };
    return std::visit(group_of, analysis_.propagation.works[id.index()]);
  }

  std::string_view Of(const Node&, const work::Convolution&) const { return group::kConv; }
  std::string_view Of(const Node&, const work::TransposedConvolution&) const {
    return group::kConvTranspose;
  }
  std::string_view Of(const Node& node, const work::MatrixProduct& w) const {
    return Constant(node, static_cast<std::size_t>(w.operands.weight)) ? group::kLinear
                                                                       : group::kMatMul;
  }
  std::string_view Of(const Node&, const work::Contraction&) const { return group::kEinsum; }
  std::string_view Of(const Node&, const work::Recurrence& w) const {
    return w.gates == 4 ? group::kLstm : w.gates == 3 ? group::kGru : group::kRnn;
  }
  std::string_view Of(const Node&, const work::Attention&) const {
    return on_cpu_ ? group::kAttentionOnCpu : group::kAttention;
  }
  std::string_view Of(const Node&, const work::Experts&) const { return group::kLinear; }
  std::string_view Of(const Node& node, const work::Pooling& w) const {
    if (w.maximum) return group::kMaxPool;
    return StandardOp(model_, node) == "GlobalAveragePool" ? group::kGlobalAveragePool
                                                           : group::kAveragePool;
  }
  std::string_view Of(const Node& node, const work::Resampling& w) const {
    if (w.mode == "nearest") return group::kResizeNearest;
    if (w.mode != "linear") return group::kResizeCubic;
    const bool given = !node.inputs.empty() && node.inputs[0].valid();
    const Shape shape = given ? analysis_.fact(node.inputs[0]).shape : Shape();
    const std::size_t rank = shape.known_rank() ? shape.rank() : 4;
    return rank <= 3   ? group::kResizeLinear1
           : rank == 4 ? group::kResizeLinear2
                       : group::kResizeLinear3;
  }
  std::string_view Of(const Node& node, const work::Normalisation& w) const {
    const std::string_view op = StandardOp(model_, node);
    return op == "BatchNormalization" ? group::kBatchNorm
           : !w.centred               ? group::kRmsNorm
                                      : GroupOfOp(op, group::kOtherNorm);
  }
  std::string_view Of(const Node&, const work::Softmax&) const { return group::kSoftmax; }
  std::string_view Of(const Node&, const work::Reduction&) const { return group::kReduction; }
  std::string_view Of(const Node& node, const work::GatherScatter&) const {
    return StandardOp(model_, node) == "Gather" && Constant(node, 0) ? group::kEmbedding
                                                                     : group::kOther;
  }
  std::string_view Of(const Node& node, const work::Elementwise&) const {
    const std::string_view op = StandardOp(model_, node);
    if (op == "Add") return OfAdd(node);
    if (op == "Mul") return OfMul(node);
    if (op == "Clip") return group::kRelu6;
    if (op == "Div" && IsNormalising(node)) return group::kLayerNorm;
    return GroupOfOp(op, group::kOther);
  }
  template <class T>
  std::string_view Of(const Node&, const T&) const {
    return group::kOther;
  }

  // The bias of MatMul + Add; the shift of a normalisation that is written out.
  std::string_view OfAdd(const Node& node) const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (!Constant(node, side) || !IsVector(node, side)) continue;
      const std::string_view before = GroupOfProducer(node, 1 - side);
      if (before == group::kLinear && ProducedBy(node, 1 - side, "MatMul")) return group::kLinear;
      if (before == group::kLayerNorm && ProducedBy(node, 1 - side, "Mul"))
        return group::kLayerNorm;
    }
    return group::kOther;
  }
  // The scale of such a normalisation; x * sigmoid(x).
  std::string_view OfMul(const Node& node) const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (Constant(node, side) && IsVector(node, side) && ProducedBy(node, 1 - side, "Div") &&
          GroupOfProducer(node, 1 - side) == group::kLayerNorm)
        return group::kLayerNorm;
      if (!ProducedBy(node, side, "Sigmoid") || node.inputs.size() < 2) continue;
      const Node& sigmoid = model_.node(Producer(node, side));
      if (!sigmoid.inputs.empty() && sigmoid.inputs[0] == node.inputs[1 - side])
        return group::kSilu;
    }
    return group::kOther;
  }
  // (x - mean) / sqrt(..).
  bool IsNormalising(const Node& node) const {
    return ProducedBy(node, 0, "Sub") && ProducedBy(node, 1, "Sqrt") &&
           ProducedBy(model_.node(Producer(node, 0)), 1, "ReduceMean");
  }
  bool IsVector(const Node& node, std::size_t input) const {
    const Shape& shape = analysis_.fact(node.inputs[input]).shape;
    return shape.known_rank() && shape.rank() == 1;
  }

  // The two products around a softmax: MatMul(.. Softmax(.. MatMul(q, k) ..) .., v).
  void MarkAttention(NodeId id) {
    if (GroupAt(id) != group::kMatMul) return;
    const NodeId softmax = Above(model_.node(id), "Softmax", 1);
    if (!softmax.valid() || GroupAt(softmax) != group::kSoftmax) return;
    const NodeId scores = Above(model_.node(softmax), "MatMul", 2);
    if (!scores.valid() || GroupAt(scores) != group::kMatMul) return;
    for (const NodeId product : {id, scores})
      groups_[analysis_.layer_of[product.index()].index()] = group::kAttentionMatMul;
    groups_[analysis_.layer_of[softmax.index()].index()] = group::kAttentionSoftmax;
  }
  std::string_view GroupAt(NodeId id) const {
    const LayerId layer = analysis_.layer_of[id.index()];
    return layer.valid() ? groups_[layer.index()] : std::string_view();
  }

  // The nearest node of that op above, past ops that hand elements on: through the first of the
  // first `sides` inputs that leads there.
  NodeId Above(const Node& node, std::string_view op, std::size_t sides, int reach = kReach) const {
    for (std::size_t side = 0; side < sides; ++side) {
      const NodeId producer = Producer(node, side);
      if (!producer.valid()) continue;
      if (Op(producer) == op) return producer;
      if (reach == 0 || !HandsOn(producer)) continue;
      const Node& next = model_.node(producer);
      const NodeId found = Above(next, op, Op(producer) == "Where" ? 3 : sides, reach - 1);
      if (found.valid()) return found;
    }
    return {};
  }
  bool HandsOn(NodeId id) const {
    constexpr std::array<std::string_view, 11> kOps = {"Add",     "Cast",     "Clip", "Div",
                                                       "Dropout", "Identity", "Mul",  "Reshape",
                                                       "Sub",     "Where",    "Tanh"};
    return std::find(kOps.begin(), kOps.end(), Op(id)) != kOps.end();
  }

  const Model& model_;
  const StaticAnalysis& analysis_;
  std::vector<std::string_view> groups_;
  bool on_cpu_ = false;  // the values of the model lie in a CPU's memory, as the model says
};

}  // namespace

std::vector<std::string_view> GroupLayers(const Model& model, const StaticAnalysis& analysis) {
  return Grouper(model, analysis).Run();
}

}  // namespace opscope
