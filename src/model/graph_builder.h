// Writes nodes, inputs and constants into the main graph of a model and into bodies, for readers
// whose files hold no graph or another kind of one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace opscope {

class GraphBuilder {
 public:
  // `model` gets its main graph here when it has none.
  explicit GraphBuilder(Model& model);

  TensorId Input(std::string_view name, DType dtype, Shape shape);
  // Of the main graph, so that all bodies see it.
  TensorId Constant(std::string_view name, Payload payload);
  // A value that a node will write; unknown type where the file says none.
  TensorId Value(std::string_view name, TypeInfo declared = {});
  void Output(TensorId tensor);

  struct NewNode {
    std::string_view domain, op, name;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
  };
  NodeId Add(NewNode node);
  // Of the node added last.
  void Attribute(std::string_view name, AttributeValue value);
  void Metadata(std::string_view key, std::string_view value);
  // From here on everything goes into a new body of a node, which gets it as an attribute. Returns
  // the graph that it went into before, to go back to.
  GraphId Enter(NodeId owner, std::string_view attribute);
  void Leave(GraphId before) { graph_ = before; }
  // A node with one output of its name.
  TensorId AddOne(std::string_view domain, std::string_view op, std::string_view name,
                  std::vector<TensorId> inputs);

 private:
  TensorId NewTensor(std::string_view name);

  Model& model_;
  GraphId graph_{0};
};

}  // namespace opscope
