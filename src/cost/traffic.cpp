#include "cost/traffic.h"

#include <algorithm>
#include <optional>
#include <string>

#include "cost/dim_sum.h"
#include "cost/layers.h"

namespace opscope {

namespace {

// What is read of input 0 where that is not all of it.
std::optional<Dim> PartRead(const Work& work) {
  if (const auto* gather = std::get_if<work::GatherScatter>(&work)) return gather->read_bytes;
  if (const auto* movement = std::get_if<work::Movement>(&work)) return movement->read_bytes;
  return std::nullopt;
}

bool IsRepeated(const std::vector<TensorId>& inputs, std::size_t at) {
  const auto end = inputs.begin() + static_cast<std::ptrdiff_t>(at);
  // A node with thousands of inputs (Concat) is not searched: repeats are rare there.
  constexpr std::size_t kMaxSearched = 64;
  return at < kMaxSearched && std::find(inputs.begin(), end, inputs[at]) != end;
}

std::string_view WhyUnknown(const TensorFact& fact) {
  if (fact.kind != ValueKind::kTensor) return "the size of a sequence or optional is not known";
  if (fact.dtype == DType::kString) return "the length of strings is not known";
  if (fact.dtype == DType::kUnknown) return "an element type is not known";
  return KnownShape(fact) ? kTooLarge : "a shape is not known";
}

void SetLayerTraffic(Model& model, const MovedBytes& bytes, const StaticAnalysis& analysis,
                     Layer& layer) {
  DimTable& dims = model.dims;
  const auto note = [&](TensorId tensor, Dim moved) {
    if (moved.is_unknown() && layer.because.empty())
      layer.because = WhyUnknown(analysis.fact(tensor));
    return moved;
  };
  for (const TensorRead& read : ReadsOf(model, analysis, bytes, layer)) {
    const bool runtime = analysis.fact(read.tensor).runtime;
    Dim& column = runtime ? layer.read_bytes : layer.weight_bytes;
    column = dims.Add(column, note(read.tensor, read.bytes));
  }
  for (const TensorId tensor : model.node(layer.node).outputs)
    if (tensor.valid())
      layer.write_bytes =
          dims.Add(layer.write_bytes, note(tensor, bytes.activations[tensor.index()]));
}

bool OwnsItsBytes(const StaticAnalysis& analysis, TensorId tensor) {
  const TensorId storage = analysis.fact(tensor).storage;
  return !storage.valid() || storage == tensor;
}

}  // namespace

std::vector<Dim> TensorBytes(Model& model, const std::vector<TensorFact>& facts) {
  std::vector<Dim> bytes;
  bytes.reserve(facts.size());
  for (const TensorFact& fact : facts) bytes.push_back(BytesOf(model.dims, fact));
  return bytes;
}

std::vector<TensorRead> ReadsOf(const Model& model, const StaticAnalysis& analysis,
                                const MovedBytes& bytes, const Layer& layer) {
  const Node& node = model.node(layer.node);
  const std::optional<Dim> part = PartRead(analysis.propagation.works[layer.node.index()]);
  std::vector<TensorRead> reads;
  reads.reserve(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId tensor = node.inputs[i];
    if (!tensor.valid() || IsRepeated(node.inputs, i)) continue;
    const bool runtime = analysis.fact(tensor).runtime;
    const Dim whole = (runtime ? bytes.activations : bytes.constants)[tensor.index()];
    reads.push_back({tensor, i == 0 && part ? *part : whole});
  }
  return reads;
}

void SetTraffic(Model& model, const MovedBytes& bytes, StaticAnalysis& analysis) {
  for (Layer& layer : analysis.layers)
    if (MovesBytes(layer)) SetLayerTraffic(model, bytes, analysis, layer);
}

std::vector<bool> KeptTensors(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                              const StaticAnalysis& analysis) {
  std::vector<bool> kept(model.tensors.size(), false);
  const auto keep = [&](TensorId tensor) {
    if (tensor.valid()) kept[tensor.index()] = true;
  };
  for (const Graph& graph : model.graphs) {
    const bool called = graph.owner.valid() && IsCall(analysis, graph.owner);
    if (!called) std::for_each(graph.outputs.begin(), graph.outputs.end(), keep);
  }
  for (const Layer& layer : analysis.layers)
    if (!IsCall(analysis, layer.node))
      for (const TensorId tensor : model.node(layer.node).inputs) keep(tensor);
  // An output of a call is kept where it is made: in the expanded function (callers stand first).
  for (const Layer& layer : analysis.layers) {
    if (!IsCall(analysis, layer.node)) continue;
    const std::vector<TensorId>& outputs = model.node(layer.node).outputs;
    for (const GraphId body : bodies[layer.node.index()])
      for (std::size_t i = 0; i < std::min(outputs.size(), model.graph(body).outputs.size()); ++i)
        if (outputs[i].valid() && kept[outputs[i].index()]) keep(model.graph(body).outputs[i]);
  }
  return kept;
}

ActivationBytes SumActivations(Model& model, const std::vector<Dim>& tensor_bytes,
                               const std::vector<bool>& kept, StaticAnalysis& analysis) {
  DimTable& dims = model.dims;
  DimSum all, own;
  for (Layer& layer : analysis.layers) {
    if (!layer.runtime || layer.status == LayerStatus::kContainer) continue;
    for (const TensorId tensor : model.node(layer.node).outputs) {
      if (!tensor.valid() || !kept[tensor.index()]) continue;
      const Dim bytes = tensor_bytes[tensor.index()];
      if (bytes.is_unknown() && layer.because.empty())
        layer.because = WhyUnknown(analysis.fact(tensor));
      const Dim total = dims.Mul(bytes, layer.times);
      all.Add(total);
      if (OwnsItsBytes(analysis, tensor)) own.Add(total);
    }
  }
  return {all.Total(dims), own.Total(dims)};
}

}  // namespace opscope
