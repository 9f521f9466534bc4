// Look-ups over a model by name and along its dataflow, graph by graph.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace opscope {

class ModelIndex {
 public:
  explicit ModelIndex(const Model& model);

  const Model& model() const { return *model_; }
  // Nodes of that name in one graph, in file order; none for an empty name.
  std::span<const NodeId> Nodes(GraphId graph, std::string_view name) const;
  // The node that writes the tensor of that name in one graph; invalid when none does.
  NodeId Writer(GraphId graph, std::string_view tensor) const;
  // Nodes of that name in graphs other than the main one, in file order.
  std::span<const NodeId> InnerNodes(std::string_view name) const;
  // The node at that index as the runtime counts them: Constant nodes are none.
  NodeId AtIndex(GraphId graph, std::int64_t index) const;
  // Who reads a tensor: nodes of its own graph; a body's reading counts as its owner's.
  std::span<const NodeId> Readers(TensorId tensor) const;
  // The graphs that a node holds, with the attribute's name.
  std::span<const GraphId> Bodies(NodeId node) const;

 private:
  using Key = std::uint64_t;
  static Key KeyOf(GraphId graph, Str name) {
    return (std::uint64_t{graph.value} << 32) | name.value;
  }
  TensorId Declared(TensorId tensor) const;
  NodeId InGraph(NodeId node, GraphId graph) const;

  const Model* model_;
  std::unordered_map<Key, std::vector<NodeId>> nodes_;
  std::unordered_map<std::uint32_t, std::vector<NodeId>> inner_nodes_;  // by name
  std::unordered_map<Key, TensorId> tensors_;                           // those with an origin
  std::vector<std::vector<NodeId>> countable_;                          // by graph
  std::vector<std::vector<NodeId>> readers_;                            // by tensor
  std::vector<std::vector<GraphId>> bodies_;                            // by node
};

}  // namespace opscope
