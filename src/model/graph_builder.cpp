#include "model/graph_builder.h"

#include <utility>

namespace opscope {

GraphBuilder::GraphBuilder(Model& model) : model_(model) {
  if (model_.graphs.empty()) model_.graphs.emplace_back();
}

TensorId GraphBuilder::NewTensor(std::string_view name) {
  const TensorId id{static_cast<std::uint32_t>(model_.tensors.size())};
  Tensor& tensor = model_.tensors.emplace_back();
  tensor.name = model_.strings.Intern(name);
  tensor.graph = graph_;
  return id;
}

TensorId GraphBuilder::Input(std::string_view name, DType dtype, Shape shape) {
  const TensorId id = NewTensor(name);
  Tensor& tensor = model_.tensors[id.index()];
  tensor.declared.dtype = dtype;
  tensor.declared.shape = std::move(shape);
  tensor.graph_input = true;
  model_.graphs[graph_.index()].inputs.push_back(id);
  return id;
}

TensorId GraphBuilder::Constant(std::string_view name, Payload payload) {
  const TensorId id = NewTensor(name);
  Tensor& tensor = model_.tensors[id.index()];
  tensor.graph = GraphId{0};
  tensor.declared.dtype = payload.dtype;
  tensor.declared.shape = Shape{std::vector<Dim>(payload.dims.begin(), payload.dims.end())};
  tensor.payload = PayloadId{static_cast<std::uint32_t>(model_.payloads.size())};
  model_.payloads.push_back(std::move(payload));
  model_.graphs[0].initializers.push_back(id);
  return id;
}

TensorId GraphBuilder::Value(std::string_view name, TypeInfo declared) {
  const TensorId id = NewTensor(name);
  model_.tensors[id.index()].declared = std::move(declared);
  return id;
}

void GraphBuilder::Output(TensorId tensor) {
  model_.tensors[tensor.index()].graph_output = true;
  model_.graphs[graph_.index()].outputs.push_back(tensor);
}

NodeId GraphBuilder::Add(NewNode node) {
  const NodeId id{static_cast<std::uint32_t>(model_.nodes.size())};
  Node& added = model_.nodes.emplace_back();
  added.domain = model_.strings.Intern(node.domain);
  added.op = model_.strings.Intern(node.op);
  added.name = model_.strings.Intern(node.name);
  added.graph = graph_;
  added.inputs = std::move(node.inputs);
  added.outputs = std::move(node.outputs);
  for (const TensorId output : added.outputs)
    if (output.valid()) model_.tensors[output.index()].producer = id;
  model_.graphs[graph_.index()].nodes.push_back(id);
  return id;
}

void GraphBuilder::Attribute(std::string_view name, AttributeValue value) {
  model_.nodes.back().attributes.push_back({model_.strings.Intern(name), std::move(value)});
}

void GraphBuilder::Metadata(std::string_view key, std::string_view value) {
  model_.nodes.back().metadata.emplace_back(model_.strings.Intern(key),
                                            model_.strings.Intern(value));
}

GraphId GraphBuilder::Enter(NodeId owner, std::string_view attribute) {
  const GraphId body{static_cast<std::uint32_t>(model_.graphs.size())};
  Graph& added = model_.graphs.emplace_back();
  added.parent = graph_;
  added.owner = owner;
  added.owner_attribute = model_.strings.Intern(attribute);
  model_.nodes[owner.index()].attributes.push_back({added.owner_attribute, body});
  return std::exchange(graph_, body);
}

TensorId GraphBuilder::AddOne(std::string_view domain, std::string_view op, std::string_view name,
                              std::vector<TensorId> inputs) {
  const TensorId output = Value(name);
  Add({domain, op, name, std::move(inputs), {output}});
  return output;
}

}  // namespace opscope
