#include "cost/conventions/measures.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cost/conventions/groups.h"
#include "cost/dim_sum.h"
#include "ops/op.h"

namespace opscope {

namespace {

// Nodes whose constants onnx-tool leaves out of its table and of its total.
constexpr std::array<std::string_view, 12> kOnlyMove = {
    "Cast", "Concat",  "Constant", "ConstantOfShape", "Gather",  "Identity",
    "Pad",  "Reshape", "Shape",    "Slice",           "Squeeze", "Unsqueeze"};

class Measurer {
 public:
  Measurer(Model& model, const StaticAnalysis& analysis)
      : model_(model), dims_(model.dims), analysis_(analysis), read_(model.tensors.size(), false) {}

  std::vector<Bucket> Run() {
    const std::vector<std::string_view> groups = GroupLayers(model_, analysis_);
    for (std::size_t i = 0; i < groups.size(); ++i) Add(analysis_.layers[i], groups[i]);
    std::vector<Bucket> out;
    for (Sums& sums : sums_) {
      Bucket& bucket = out.emplace_back();
      bucket.group = sums.group;
      bucket.op = sums.op;
      bucket.origin = sums.origin;
      for (std::size_t i = 0; i < kMeasures.size(); ++i)
        bucket.amounts[i] = sums.amounts[i].Total(dims_);
      for (std::size_t i = 0; i < kParamMeasures.size(); ++i)
        bucket.params[i] = sums.params[i].Total(dims_);
    }
    return out;
  }

 private:
  struct Sums {
    std::string_view group;
    std::string_view op;
    Origin origin;
    Measured<DimSum> amounts = {};
    ParamMeasured<DimSum> params = {};
  };

  void Add(const Layer& layer, std::string_view group) {
    const Node& node = model_.node(layer.node);
    const bool counted = layer.status == LayerStatus::kCounted;
    const Dim initializers = Initializers(node);
    const bool has_params = layer.parameters != Dim(0) || layer.statistics != Dim(0) ||
                            layer.constants != Dim(0) || initializers != Dim(0);
    if (!counted && !has_params) return;
    Sums& sums = At(group, StandardOp(model_, node), OriginOf(model_, node));
    if (counted) {
      const Measured<Dim> amounts = Amounts(layer, node, group);
      for (std::size_t i = 0; i < amounts.size(); ++i)
        if (amounts[i] != Dim(0)) sums.amounts[i].Add(dims_.Mul(amounts[i], layer.times));
    }
    if (!has_params) return;
    const ParamMeasured<Dim> params = {layer.parameters, layer.statistics, layer.constants,
                                       Folded(layer, node), initializers};
    for (std::size_t i = 0; i < params.size(); ++i) sums.params[i].Add(params[i]);
  }

  Sums& At(std::string_view group, std::string_view op, const Origin& origin) {
    const auto [at, added] = index_.try_emplace({group, op, origin}, sums_.size());
    if (added) {
      sums_.emplace_back();
      sums_.back().group = group;
      sums_.back().op = op;
      sums_.back().origin = origin;
    }
    return sums_[at->second];
  }

  Dim ElementsOf(TensorId id) {
    return id.valid() ? Elements(dims_, analysis_.fact(id).shape) : Dim(0);
  }

  Measured<Dim> Amounts(const Layer& layer, const Node& node, std::string_view group) {
    const Work& work = analysis_.propagation.works[layer.node.index()];
    // In the order of kBases: out, in, row, pair, tap, affine.
    const opscope::Amounts base = AmountsOf(dims_, work);
    const Dim in = node.inputs.empty() ? Dim(0) : ElementsOf(node.inputs[0]);
    const Dim out = node.outputs.empty() ? Dim(0) : ElementsOf(node.outputs[0]);
    Measured<Dim> amounts = {layer.counts.macs,
                             layer.counts.bias_adds,
                             in,
                             out,
                             base[2],
                             base[5],
                             base[4],
                             base[3],
                             0,
                             0,
                             0,
                             0,
                             0,
                             0};
    if (const auto* w = std::get_if<work::Recurrence>(&work)) {
      amounts[kCell] = base[0];
      amounts[kCellOneWay] = dims_.Product(std::array{w->steps, w->batch, w->hidden});
    } else if (const auto* deconv = std::get_if<work::TransposedConvolution>(&work)) {
      Deconvolve(node, *deconv, out, amounts);
    } else if (const auto* attention = std::get_if<work::Attention>(&work)) {
      amounts[kScore] = dims_.Product(std::array{attention->batch, attention->query_heads,
                                                 attention->q_length, attention->kv_length});
    } else if (std::holds_alternative<work::Elementwise>(work)) {
      OfModules(node, group, out, amounts);
    }
    return amounts;
  }

  // The channels that an LRN sums over.
  std::int64_t WindowOf(const Node& node) const {
    const Attribute* size = FindAttribute(model_, node, "size");
    const auto* value = size != nullptr ? std::get_if<std::int64_t>(&size->value) : nullptr;
    return value != nullptr ? *value : 0;
  }

  // Nodes that are part of a module: its bias, its scale. The input of a normalisation that is
  // written out is the one of its Div.
  void OfModules(const Node& node, std::string_view group, Dim out, Measured<Dim>& amounts) {
    const std::string_view op = StandardOp(model_, node);
    if (op == "LRN") amounts[kTap] = dims_.Mul(out, WindowOf(node));
    if (group == group::kLinear) amounts[kBias] = out;
    if (group != group::kLayerNorm) return;
    if (op == "Mul") amounts[kAffine] = out;
    if (op != "Div") amounts[kIn] = 0;
  }

  void Deconvolve(const Node& node, const work::TransposedConvolution& w, Dim out,
                  Measured<Dim>& amounts) {
    const bool given = !node.outputs.empty() && node.outputs[0].valid();
    const Shape shape = given ? analysis_.fact(node.outputs[0]).shape : Shape();
    const Dim channels = shape.known_rank() && shape.rank() > 1 ? (*shape.dims)[1] : Dim();
    const Dim groups = dims_.FloorDiv(channels, w.out_per_group);
    amounts[kDeconvByOutput] =
        dims_.Product(std::array{out, dims_.FloorDiv(w.in_channels, groups), w.kernel_points});
    amounts[kDeconvReduced] = dims_.Product(std::array{out, w.out_per_group, w.kernel_points});
    amounts[kDeconvGrouped] =
        dims_.Product(std::array{w.batch, w.in_channels, w.in_points, w.kernel_points,
                                 dims_.FloorDiv(w.out_per_group, groups)});
  }

  // Folding a BatchNormalization into the convolution before it leaves a bias, where there was
  // none; by itself it becomes a scale and a shift.
  Dim Folded(const Layer& layer, const Node& node) {
    if (StandardOp(model_, node) != "BatchNormalization" || node.inputs.empty() ||
        !node.inputs[0].valid())
      return layer.parameters;
    const NodeId producer = model_.tensor(node.inputs[0]).producer;
    if (!producer.valid()) return layer.parameters;
    const Work& work = analysis_.propagation.works[producer.index()];
    const auto* conv = std::get_if<work::Convolution>(&work);
    const auto* deconv = std::get_if<work::TransposedConvolution>(&work);
    if (conv == nullptr && deconv == nullptr) return layer.parameters;
    const bool bias = conv != nullptr ? conv->bias : deconv->bias;
    return bias ? Dim(0) : dims_.FloorDiv(layer.parameters, 2);
  }

  // A scalar has no elements for onnx-tool.
  Dim Initializers(const Node& node) {
    const std::string_view op = StandardOp(model_, node);
    Dim sum = 0;
    for (const TensorId input : node.inputs) {
      if (!input.valid() || !model_.tensor(input).payload.valid() || read_[input.index()]) continue;
      if (std::binary_search(kOnlyMove.begin(), kOnlyMove.end(), op)) continue;
      read_[input.index()] = true;
      const Shape& shape = analysis_.fact(input).shape;
      if (shape.known_rank() && shape.rank() == 0) continue;
      sum = dims_.Add(sum, ElementsOf(input));
    }
    return sum;
  }

  Model& model_;
  DimTable& dims_;
  const StaticAnalysis& analysis_;
  std::vector<bool> read_;  // by TensorId: initializers that a node has been found for
  std::vector<Sums> sums_;
  std::map<std::tuple<std::string_view, std::string_view, Origin>, std::size_t> index_;
};

template <std::size_t N>
std::string Text(const std::array<int, N>& weights, const std::array<std::string_view, N>& names) {
  std::string text;
  for (std::size_t i = 0; i < N; ++i) {
    if (weights[i] == 0) continue;
    text += text.empty() ? (weights[i] < 0 ? "-" : "") : (weights[i] < 0 ? " - " : " + ");
    if (const int factor = std::abs(weights[i]); factor != 1) text += std::to_string(factor) + "*";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string WeightsText(const Weights& weights) { return Text(ToArray(weights), kMeasures); }

std::string WeightsText(const ParamWeights& weights) {
  return Text(ToArray(weights), kParamMeasures);
}

std::vector<Bucket> SumByGroup(Model& model, const StaticAnalysis& analysis) {
  return Measurer(model, analysis).Run();
}

}  // namespace opscope
