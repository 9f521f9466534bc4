// GraphProto, NodeProto, AttributeProto and FunctionProto.
#pragma once

#include <string>
#include <vector>

#include "model/formats/onnx/scope.h"
#include "model/formats/onnx/tensor.h"
#include "model/formats/onnx/walker.h"

namespace opscope::onnx {

class GraphReader {
 public:
  explicit GraphReader(Walker& walker) : walker_(walker), tensors_(walker) {}

  // A new, empty graph. Graph 0 is the model's own.
  GraphId NewGraph(GraphId parent = {}, NodeId owner = {});
  // Adds what a GraphProto holds to a graph; bodies become graphs of their own.
  Result<void> ReadGraph(WireReader message, GraphId graph, std::size_t depth = 0);
  Result<void> ReadFunction(WireReader message);

  const std::vector<GraphDraft>& drafts() const { return drafts_; }

 private:
  // Where a node, or an attribute of it, stands.
  struct NodePlace {
    GraphId graph;
    NodeId node;  // invalid: a default attribute of a function
    std::size_t depth = 0;
  };
  struct AttributeParts;

  Result<void> ReadNode(WireReader message, GraphId graph, std::size_t depth);
  Result<void> ReadNodeField(const WireField& field, const WireReader& message,
                             const NodePlace& place);
  Result<void> ReadValueInfo(const WireField& field, const WireReader& message,
                             std::vector<NamedType>& values);
  Result<void> ReadFunctionField(const WireField& field, const WireReader& message,
                                 Function& function);

  // attribute.cpp
  Result<Attribute> ReadAttribute(WireReader message, const NodePlace& place);
  Result<void> ReadAttributeField(const WireField& field, const WireReader& message,
                                  const NodePlace& place, AttributeParts& parts);
  Result<void> ReadAttributeObject(const WireField& field, const WireReader& message,
                                   const NodePlace& place, AttributeParts& parts);
  Result<std::string> ReadAttributeText(const WireField& field, const WireReader& message,
                                        AttributeParts& parts);
  Result<void> ReadBody(WireReader message, const NodePlace& place, AttributeParts& parts);

  Walker& walker_;
  TensorReader tensors_;
  std::vector<GraphDraft> drafts_;  // by GraphId
};

}  // namespace opscope::onnx
