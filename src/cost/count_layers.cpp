// What each layer costs: status, rule, columns and the types its MACs are keyed by.
#include <string>
#include <variant>

#include "cost/formula.h"
#include "cost/layers.h"

namespace opscope {

namespace {

LayerStatus StatusOf(const Work& work, bool runtime) {
  if (std::holds_alternative<work::Unknown>(work)) return LayerStatus::kUnknown;
  if (std::holds_alternative<work::ControlFlow>(work)) return LayerStatus::kContainer;
  if (!runtime) return LayerStatus::kConstant;
  if (std::holds_alternative<work::View>(work)) return LayerStatus::kView;
  if (std::holds_alternative<work::Nothing>(work)) return LayerStatus::kFree;
  return LayerStatus::kCounted;
}

std::string WhyUnknown(const Model& model, const StaticAnalysis& analysis, NodeId id,
                       const ElementwiseRule* rule) {
  const Node& node = model.node(id);
  const Work& work = analysis.propagation.works[id.index()];
  if (const auto* unknown = std::get_if<work::Unknown>(&work)) return unknown->reason;
  if (const std::string& problem = analysis.propagation.problems[id.index()]; !problem.empty())
    return problem;
  if (rule == nullptr && NeedsElementwiseRule(work))
    return "the element-wise table has no " + std::string(model.text(node.op));
  for (const auto* tensors : {&node.inputs, &node.outputs})
    for (const TensorId tensor : *tensors)
      if (tensor.valid() && !KnownShape(analysis.fact(tensor))) return "a shape is not known";
  return std::string(kTooLarge);
}

// What products of these types are summed in. Integers: int32, which ConvInteger, MatMulInteger and
// the QLinear ops prescribe. Floating types of up to 32 bits: float32, because ONNX prescribes
// nothing and engines widen half-precision sums (cuBLAS and OpenVINO by default); double: double.
DType AccumulatorOf(DType activation, DType weight) {
  if (activation == DType::kUnknown || weight == DType::kUnknown) return DType::kUnknown;
  if (activation == DType::kFloat64 || weight == DType::kFloat64) return DType::kFloat64;
  if (IsFloating(activation) || IsFloating(weight)) return DType::kFloat32;
  const bool wide = activation == DType::kInt64 || activation == DType::kUInt64;
  return wide ? DType::kInt64 : DType::kInt32;
}

work::Operands OperandsOf(const Work& work) {
  if (const auto* w = std::get_if<work::Convolution>(&work)) return w->operands;
  if (const auto* w = std::get_if<work::TransposedConvolution>(&work)) return w->operands;
  if (const auto* w = std::get_if<work::MatrixProduct>(&work)) return w->operands;
  if (const auto* w = std::get_if<work::Recurrence>(&work)) return w->operands;
  if (const auto* w = std::get_if<work::Attention>(&work)) return w->operands;
  if (const auto* w = std::get_if<work::Experts>(&work)) return w->operands;
  return {};
}

void SetMacTypes(const Model& model, const StaticAnalysis& analysis, const Work& work,
                 Layer& layer) {
  if (layer.counts.macs == Dim(0)) return;
  const std::vector<TensorId>& inputs = model.node(layer.node).inputs;
  const auto type_of = [&](int operand) {
    const auto at = static_cast<std::size_t>(operand);
    return at < inputs.size() && inputs[at].valid() ? analysis.fact(inputs[at]).dtype
                                                    : DType::kUnknown;
  };
  const work::Operands operands = OperandsOf(work);
  layer.mac_activation = type_of(operands.activation);
  layer.mac_weight =
      operands.packed != DType::kUnknown ? operands.packed : type_of(operands.weight);
  layer.mac_accumulator = AccumulatorOf(layer.mac_activation, layer.mac_weight);
}

}  // namespace

void CountLayers(Model& model, StaticAnalysis& analysis) {
  for (Layer& layer : analysis.layers) {
    const Node& node = model.node(layer.node);
    const Work& work = analysis.propagation.works[layer.node.index()];
    const OpEntry* entry = analysis.propagation.entries[layer.node.index()];
    layer.status = StatusOf(work, layer.runtime);
    layer.rule = entry != nullptr && !entry->rule.empty() ? entry->rule : RuleOf(work);
    if (layer.status != LayerStatus::kCounted && layer.status != LayerStatus::kUnknown) continue;
    const ElementwiseRule* rule = TableRow(model, node, work);
    layer.counts = CountWork(model.dims, work, rule);
    if (AnyUnknown(layer.counts)) {
      layer.status = LayerStatus::kUnknown;
      layer.because = WhyUnknown(model, analysis, layer.node, rule);
    }
    layer.formula = FormulaOf(model, analysis, layer.node, rule);
    SetMacTypes(model, analysis, work, layer);
  }
}

}  // namespace opscope
