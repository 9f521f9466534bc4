#include "model/formats/tflite/graph.h"

#include <algorithm>
#include <utility>

#include "model/formats/tflite/builtin.h"
#include "model/formats/tflite/fields.h"

namespace opscope::tflite {

namespace {

// Bodies nest at most this deep.
constexpr std::size_t kMaxDepth = 64;
// Copies of bodies end here.
constexpr std::size_t kMaxNodes = 2'000'000;

}  // namespace

GraphReader::GraphReader(Flat& flat, const Table& root, Model& model,
                         const ModelReadContext& context)
    : flat_(flat),
      model_(model),
      context_(context),
      tensors_(flat, root, model, context),
      subgraphs_(flat.List(root, model_table::kSubgraphs, 4)),
      used_(subgraphs_.size, false) {
  ReadCodes(root);
}

// Files before 2020 have the code in a byte, later ones the larger of that and of a wide field.
void GraphReader::ReadCodes(const Table& root) {
  const Vector codes = flat_.List(root, model_table::kOperatorCodes, 4);
  for (std::uint32_t i = 0; i < codes.size && flat_.ok(); ++i) {
    const Table table = flat_.TableAt(codes, i);
    const std::int64_t code = std::max(flat_.Int8(table, operator_code::kDeprecatedCode),
                                       flat_.Int32(table, operator_code::kCode));
    const std::string custom = flat_.Text(table, operator_code::kCustomCode);
    const bool is_custom = code == kCustomCode;
    std::string name(is_custom ? std::string_view(custom) : BuiltinName(code));
    if (name.empty()) name = is_custom ? "CUSTOM" : "BUILTIN_" + std::to_string(code);
    const std::string_view domain = !is_custom ? "tflite" : "tflite.custom";
    codes_.push_back({model_.strings.Intern(domain), model_.strings.Intern(name)});
  }
}

GraphId GraphReader::Read(std::int64_t index, GraphId parent, NodeId owner,
                          std::string_view attribute) {
  const GraphId id{static_cast<std::uint32_t>(model_.graphs.size())};
  {
    Graph& graph = model_.graphs.emplace_back();
    graph.parent = parent;
    graph.owner = owner;
    if (!attribute.empty()) graph.owner_attribute = model_.strings.Intern(attribute);
  }
  used_[static_cast<std::size_t>(index)] = true;
  open_.push_back(index);
  const Table table = flat_.TableAt(subgraphs_, static_cast<std::uint32_t>(index));
  model_.graphs[id.index()].name = model_.strings.Intern(flat_.Text(table, subgraph_table::kName));
  std::vector<TensorId> tensors;
  const Vector list = flat_.List(table, subgraph_table::kTensors, 4);
  for (std::uint32_t i = 0; i < list.size && flat_.ok(); ++i)
    tensors.push_back(tensors_.Read(flat_.TableAt(list, i), id));
  for (const int slot : {subgraph_table::kInputs, subgraph_table::kOutputs}) {
    std::vector<TensorId> ids = Bind(flat_.Int32s(flat_.List(table, slot, 4)), tensors);
    const bool inputs = slot == subgraph_table::kInputs;
    for (const TensorId tensor : ids) {
      if (!tensor.valid()) continue;
      Tensor& own = model_.tensors[tensor.index()];
      (inputs ? own.graph_input : own.graph_output) = true;
    }
    Graph& graph = model_.graphs[id.index()];
    (inputs ? graph.inputs : graph.outputs) = std::move(ids);
  }
  NameFreeDims(id);
  const Vector operators = flat_.List(table, subgraph_table::kOperators, 4);
  for (std::uint32_t i = 0; i < operators.size && flat_.ok(); ++i)
    ReadOperator(flat_.TableAt(operators, i), id, tensors);
  open_.pop_back();
  return id;
}

// The format has no names for free sizes.
void GraphReader::NameFreeDims(GraphId graph) {
  if (model_.graphs[graph.index()].owner.valid()) return;
  for (const TensorId input : model_.graphs[graph.index()].inputs) {
    if (!input.valid()) continue;
    Tensor& tensor = model_.tensors[input.index()];
    Shape& shape = tensor.declared.shape;
    // An input without dims is a scalar: there is no other way to spell one in old files.
    if (!shape.known_rank()) shape.dims.emplace();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if ((*shape.dims)[axis].is_unknown())
        (*shape.dims)[axis] =
            model_.dims.Symbol(std::string(model_.text(tensor.name)) + "_d" + std::to_string(axis));
    }
  }
}

// -1 is an input left out.
std::vector<TensorId> GraphReader::Bind(const std::vector<std::int64_t>& indices,
                                        const std::vector<TensorId>& tensors) {
  std::vector<TensorId> bound;
  for (const std::int64_t index : indices) {
    const bool known = index >= 0 && index < static_cast<std::int64_t>(tensors.size());
    bound.push_back(known ? tensors[static_cast<std::size_t>(index)] : TensorId{});
    if (!known && index != -1)
      Note("tflite.tensor-index", Severity::kLoss, "sub-graph " + std::to_string(open_.back()),
           "a tensor of number " + std::to_string(index) + " does not exist");
  }
  return bound;
}

void GraphReader::ReadOperator(const Table& table, GraphId graph,
                               const std::vector<TensorId>& tensors) {
  if (model_.nodes.size() >= kMaxNodes) {
    flat_.Fail("tflite.too-large", "sub-graphs run each other too often", table.at);
    return;
  }
  const NodeId id{static_cast<std::uint32_t>(model_.nodes.size())};
  Node node;
  node.graph = graph;
  node.inputs = Bind(flat_.Int32s(flat_.List(table, operator_table::kInputs, 4)), tensors);
  node.outputs = Bind(flat_.Int32s(flat_.List(table, operator_table::kOutputs, 4)), tensors);
  const std::int64_t code = flat_.UInt32(table, operator_table::kOpcodeIndex);
  if (!flat_.ok()) return;
  if (code < static_cast<std::int64_t>(codes_.size())) {
    node.domain = codes_[static_cast<std::size_t>(code)].domain;
    node.op = codes_[static_cast<std::size_t>(code)].op;
  } else {
    node.domain = model_.strings.Intern("tflite");
    node.op = model_.strings.Intern("CODE_" + std::to_string(code));
    Note("tflite.operator-code", Severity::kLoss, AtByte(table.at),
         "an operator of code " + std::to_string(code) + ", which the file does not have");
  }
  for (const TensorId output : node.outputs) {
    if (!output.valid()) continue;
    Tensor& tensor = model_.tensors[output.index()];
    if (node.name == Str{0}) node.name = tensor.name;
    if (!tensor.producer.valid() && !tensor.payload.valid()) tensor.producer = id;
  }
  model_.nodes.push_back(std::move(node));
  model_.graphs[graph.index()].nodes.push_back(id);
  std::vector<BodyReference> bodies;
  ReadAttributes(table, id, bodies);
  for (const BodyReference& body : bodies)
    if (flat_.ok()) ReadBody(id, body);
}

void GraphReader::ReadAttributes(const Table& table, NodeId node,
                                 std::vector<BodyReference>& bodies) {
  std::vector<Attribute> attributes;
  const auto first = OptionFields(1, flat_.UInt8(table, operator_table::kOptionsType));
  if (!first.empty())
    ReadOptions(flat_, flat_.Child(table, operator_table::kOptions), first, model_, attributes,
                bodies);
  const auto second = OptionFields(2, flat_.UInt8(table, operator_table::kOptions2Type));
  if (!second.empty())
    ReadOptions(flat_, flat_.Child(table, operator_table::kOptions2), second, model_, attributes,
                bodies);
  const Vector custom = flat_.List(table, operator_table::kCustomOptions, 1);
  const std::int64_t large = flat_.Int64(table, operator_table::kLargeCustomSize);
  if (custom.size > 0 || large > 0)
    attributes.push_back({model_.strings.Intern("custom_options_bytes"),
                          custom.size > 0 ? std::int64_t{custom.size} : large});
  model_.nodes[node.index()].attributes = std::move(attributes);
}

void GraphReader::ReadBody(NodeId node, const BodyReference& reference) {
  const Str attribute = model_.strings.Intern(reference.attribute);
  const std::int64_t index = reference.subgraph;
  const bool exists = index >= 0 && index < subgraphs();
  const bool runs_itself = std::find(open_.begin(), open_.end(), index) != open_.end();
  if (!exists || runs_itself || open_.size() >= kMaxDepth) {
    model_.nodes[node.index()].attributes.push_back({attribute, index});
    if (index < 0) return;  // STABLEHLO_COMPOSITE without a decomposition
    Note(exists ? "tflite.recursive" : "tflite.subgraph-index", Severity::kLoss,
         "sub-graph " + std::to_string(open_.back()),
         !exists ? "sub-graph " + std::to_string(index) + " does not exist"
         : runs_itself
             ? "sub-graph " + std::to_string(index) + " runs itself"
             : "sub-graphs run each other more than " + std::to_string(kMaxDepth) + " deep");
    return;
  }
  const GraphId body = Read(index, model_.nodes[node.index()].graph, node, reference.attribute);
  model_.nodes[node.index()].attributes.push_back({attribute, body});
}

}  // namespace opscope::tflite
