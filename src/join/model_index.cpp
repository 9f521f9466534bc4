#include "join/model_index.h"

#include <algorithm>

namespace opscope {

namespace {

// Bodies nest a few levels; deeper ones are not followed outwards.
constexpr int kMaxNest = 64;

}  // namespace

ModelIndex::ModelIndex(const Model& model) : model_(&model) {
  IndexNodes();
  IndexTensors();
  IndexReaders();
}

void ModelIndex::IndexNodes() {
  bodies_.resize(model_->nodes.size());
  countable_.resize(model_->graphs.size());
  for (std::uint32_t graph = 0; graph < model_->graphs.size(); ++graph) {
    const NodeId owner = model_->graphs[graph].owner;
    if (owner.valid()) bodies_[owner.index()].push_back(GraphId{graph});
    for (const NodeId node : model_->graphs[graph].nodes) {
      const Str name = model_->node(node).name;
      if (model_->text(model_->node(node).op) != "Constant") countable_[graph].push_back(node);
      if (model_->text(name).empty()) continue;
      nodes_[KeyOf(GraphId{graph}, name)].push_back(node);
      if (owner.valid()) inner_nodes_[name.value].push_back(node);
    }
  }
  for (std::uint32_t graph = 0; graph < model_->graphs.size(); ++graph) {
    GraphId scope{graph};
    for (int depth = 0; depth < kMaxNest; ++depth) {
      const NodeId owner = model_->graph(scope).owner;
      if (!owner.valid() || !IsCall(owner)) break;
      scope = model_->node(owner).graph;
    }
    scopes_.push_back(scope);
  }
  for (std::uint32_t graph = 0; graph < model_->graphs.size(); ++graph) AppendCalls(GraphId{graph});
}

void ModelIndex::AppendCalls(GraphId graph) {
  if (ScopeOf(graph) != graph) return;
  std::vector<NodeId>& nodes = countable_[graph.index()];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!IsCall(nodes[i])) continue;
    const std::vector<NodeId>& inner = countable_[bodies_[nodes[i].index()].front().index()];
    nodes.insert(nodes.end(), inner.begin(), inner.end());
  }
}

void ModelIndex::IndexTensors() {
  std::vector<bool> is_input(model_->tensors.size());
  for (const Graph& graph : model_->graphs)
    for (const TensorId input : graph.inputs) is_input[input.index()] = true;
  for (std::uint32_t i = 0; i < model_->tensors.size(); ++i) {
    const Tensor& tensor = model_->tensors[i];
    if (tensor.producer.valid() || tensor.payload.valid() || tensor.graph_input || is_input[i])
      tensors_.try_emplace(KeyOf(tensor.graph, tensor.name), TensorId{i});
  }
  inside_.resize(model_->tensors.size());
  for (std::uint32_t node = 0; node < model_->nodes.size(); ++node) {
    if (!IsCall(NodeId{node})) continue;
    const std::vector<TensorId>& outer = model_->nodes[node].outputs;
    const std::vector<TensorId>& inner = model_->graph(bodies_[node].front()).outputs;
    for (std::size_t i = 0; i < std::min(outer.size(), inner.size()); ++i)
      if (outer[i].valid()) inside_[outer[i].index()] = inner[i];
  }
  escapes_.resize(model_->tensors.size());
  for (const Graph& graph : model_->graphs) {
    if (graph.owner.valid() && IsCall(graph.owner)) continue;
    for (const TensorId output : graph.outputs)
      if (output.valid()) escapes_[Source(output).index()] = true;
  }
}

void ModelIndex::IndexReaders() {
  readers_.resize(model_->tensors.size());
  for (const Graph& graph : model_->graphs) {
    for (const NodeId node : graph.nodes) {
      if (IsCall(node)) continue;  // its function reads
      for (const TensorId input : model_->node(node).inputs) {
        if (!input.valid()) continue;
        const TensorId source = Source(Declared(input));
        const NodeId reader = InScope(node, ScopeOf(model_->tensor(source).graph));
        std::vector<NodeId>& readers = readers_[source.index()];
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
  return found == tensors_.end() ? NodeId{} : Producer(found->second);
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
  return readers_[Source(tensor).index()];
}

NodeId ModelIndex::Producer(TensorId tensor) const {
  return model_->tensor(Source(Declared(tensor))).producer;
}

bool ModelIndex::Escapes(TensorId tensor) const { return escapes_[Source(tensor).index()]; }

bool ModelIndex::IsCall(NodeId node) const {
  if (bodies_[node.index()].size() != 1) return false;
  const Str attribute = model_->graph(bodies_[node.index()].front()).owner_attribute;
  return FindAttribute(*model_, model_->node(node), model_->text(attribute)) == nullptr;
}

GraphId ModelIndex::ScopeOf(GraphId graph) const { return scopes_[graph.index()]; }

std::vector<NodeId> ModelIndex::NodesOfScope(GraphId graph) const {
  std::vector<NodeId> nodes;
  std::vector<NodeId> open(model_->graph(graph).nodes.rbegin(), model_->graph(graph).nodes.rend());
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    nodes.push_back(node);
    if (!IsCall(node)) continue;
    const std::vector<NodeId>& inner = model_->graph(bodies_[node.index()].front()).nodes;
    open.insert(open.end(), inner.rbegin(), inner.rend());
  }
  return nodes;
}

std::span<const GraphId> ModelIndex::Bodies(NodeId node) const { return bodies_[node.index()]; }

// Of a call's output: the tensor inside the function that it is.
TensorId ModelIndex::Source(TensorId tensor) const {
  for (int depth = 0; depth < kMaxNest && inside_[tensor.index()].valid(); ++depth)
    tensor = inside_[tensor.index()];
  return tensor;
}

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

// The node of a scope that is, or holds, this node.
NodeId ModelIndex::InScope(NodeId node, GraphId scope) const {
  for (int depth = 0; node.valid() && depth < kMaxNest; ++depth) {
    const GraphId own = ScopeOf(model_->node(node).graph);
    if (own == scope) return node;
    node = model_->graph(own).owner;
  }
  return {};
}

}  // namespace opscope
