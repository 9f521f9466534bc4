#include "join/model_index.h"

#include <algorithm>

namespace opscope {

namespace {

// Bodies nest a few levels; deeper ones are not followed outwards.
constexpr int kMaxNest = 64;

}  // namespace

ModelIndex::ModelIndex(const Model& model) : model_(&model) {
  bodies_.resize(model.nodes.size());
  countable_.resize(model.graphs.size());
  readers_.resize(model.tensors.size());
  for (std::uint32_t graph = 0; graph < model.graphs.size(); ++graph) {
    const NodeId owner = model.graphs[graph].owner;
    if (owner.valid()) bodies_[owner.index()].push_back(GraphId{graph});
    for (const NodeId node : model.graphs[graph].nodes) {
      const Str name = model.node(node).name;
      if (model.text(model.node(node).op) != "Constant") countable_[graph].push_back(node);
      if (model.text(name).empty()) continue;
      nodes_[KeyOf(GraphId{graph}, name)].push_back(node);
      if (graph > 0) inner_nodes_[name.value].push_back(node);
    }
  }
  std::vector<bool> originates(model.tensors.size());
  for (const Graph& graph : model.graphs)
    for (const TensorId input : graph.inputs) originates[input.index()] = true;
  for (std::uint32_t i = 0; i < model.tensors.size(); ++i) {
    const Tensor& tensor = model.tensors[i];
    if (tensor.producer.valid() || tensor.payload.valid() || tensor.graph_input || originates[i])
      tensors_.try_emplace(KeyOf(tensor.graph, tensor.name), TensorId{i});
  }
  for (const Graph& graph : model.graphs) {
    for (const NodeId node : graph.nodes) {
      for (const TensorId input : model.node(node).inputs) {
        if (!input.valid()) continue;
        const TensorId declared = Declared(input);
        const NodeId reader = InGraph(node, model.tensor(declared).graph);
        std::vector<NodeId>& readers = readers_[declared.index()];
        if (reader.valid() && (readers.empty() || readers.back() != reader))
          readers.push_back(reader);
      }
    }
  }
}

std::span<const NodeId> ModelIndex::Nodes(GraphId graph, std::string_view name) const {
  const Str id = model_->strings.Find(name);
  if (!id.valid()) return {};
  const auto found = nodes_.find(KeyOf(graph, id));
  return found == nodes_.end() ? std::span<const NodeId>() : found->second;
}

NodeId ModelIndex::Writer(GraphId graph, std::string_view tensor) const {
  const Str id = model_->strings.Find(tensor);
  if (!id.valid()) return {};
  const auto found = tensors_.find(KeyOf(graph, id));
  return found == tensors_.end() ? NodeId{} : model_->tensor(found->second).producer;
}

std::span<const NodeId> ModelIndex::InnerNodes(std::string_view name) const {
  const Str id = model_->strings.Find(name);
  if (!id.valid()) return {};
  const auto found = inner_nodes_.find(id.value);
  return found == inner_nodes_.end() ? std::span<const NodeId>() : found->second;
}

NodeId ModelIndex::AtIndex(GraphId graph, std::int64_t index) const {
  const std::vector<NodeId>& nodes = countable_[graph.index()];
  if (index < 0 || static_cast<std::uint64_t>(index) >= nodes.size()) return {};
  return nodes[static_cast<std::size_t>(index)];
}

std::span<const NodeId> ModelIndex::Readers(TensorId tensor) const {
  return readers_[tensor.index()];
}

std::span<const GraphId> ModelIndex::Bodies(NodeId node) const { return bodies_[node.index()]; }

// A body's reference to an outer tensor: that tensor, found by name outwards.
TensorId ModelIndex::Declared(TensorId tensor) const {
  GraphId graph = model_->tensor(tensor).graph;
  const Str name = model_->tensor(tensor).name;
  for (int depth = 0; graph.valid() && depth < kMaxNest; ++depth) {
    const auto found = tensors_.find(KeyOf(graph, name));
    if (found != tensors_.end()) return found->second;
    graph = model_->graph(graph).parent;
  }
  return tensor;
}

// The node of `graph` that is, or holds, this node.
NodeId ModelIndex::InGraph(NodeId node, GraphId graph) const {
  for (int depth = 0; node.valid() && depth < kMaxNest; ++depth) {
    if (model_->node(node).graph == graph) return node;
    node = model_->graph(model_->node(node).graph).owner;
  }
  return {};
}

}  // namespace opscope
