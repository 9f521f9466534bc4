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
  // The node that writes a tensor, inside the function where a call's output comes from one;
  // invalid for inputs and constants.
  NodeId Producer(TensorId tensor) const;
  // Some graph hands the tensor out, so that readers outside may wait for it.
  bool Escapes(TensorId tensor) const;
  // The node at that index as the runtime counts them: Constant nodes are none, and functions are
  // appended behind the graph's own nodes, call by call.
  NodeId AtIndex(GraphId graph, std::int64_t index) const;
  // Who reads a tensor: nodes of its own scope; a body's reading counts as its owner's.
  std::span<const NodeId> Readers(TensorId tensor) const;
  // The graphs that a node holds.
  std::span<const GraphId> Bodies(NodeId node) const;
  // True for a node that calls a function of the model: its only body is that function's.
  bool IsCall(NodeId node) const;
  // Functions are part of the graph that calls them: the graph itself, or the nearest outer one
  // that is no function's.
  GraphId ScopeOf(GraphId graph) const;
  // The nodes of a scope: those of the graph, each call followed by its function's.
  std::vector<NodeId> NodesOfScope(GraphId graph) const;

 private:
  using Key = std::uint64_t;
  static Key KeyOf(GraphId graph, Str name) {
    return (std::uint64_t{graph.value} << 32) | name.value;
  }
  void IndexNodes();
  void AppendCalls(GraphId graph);
  void IndexTensors();
  void IndexReaders();
  TensorId Declared(TensorId tensor) const;
  TensorId Source(TensorId tensor) const;
  NodeId InScope(NodeId node, GraphId scope) const;

  const Model* model_;
  std::unordered_map<Key, std::vector<NodeId>> nodes_;
  std::unordered_map<std::uint32_t, std::vector<NodeId>> inner_nodes_;  // by name
  std::unordered_map<Key, TensorId> tensors_;                           // those with an origin
  std::vector<std::vector<NodeId>> countable_;                          // by graph
  std::vector<std::vector<NodeId>> readers_;                            // by tensor
  std::vector<std::vector<GraphId>> bodies_;                            // by node
  std::vector<GraphId> scopes_;                                         // by graph
  std::vector<TensorId> inside_;  // by tensor: of a call's output, the function's
  std::vector<bool> escapes_;     // by tensor
};

}  // namespace opscope
