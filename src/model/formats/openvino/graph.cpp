#include "model/formats/openvino/graph.h"

#include <algorithm>
#include <unordered_map>

#include "base/checked.h"
#include "base/result.h"
#include "base/text.h"
#include "model/formats/openvino/control.h"
#include "model/formats/openvino/value.h"

namespace opscope::openvino {

namespace {

constexpr std::string_view kDomain = "openvino";
// Execution graphs: layers without a version, of kinds that the plug-in names.
constexpr std::string_view kExecuted = "openvino.executed";

Error Damaged(std::string message, std::uint64_t offset) {
  return {"openvino.damaged", std::move(message), AtByte(offset)};
}

std::string Quoted(const LayerInfo& layer) {
  return "layer " + std::to_string(layer.id) + " \"" + Printable(layer.name.substr(0, 200)) + "\"";
}

class Builder {
 public:
  Builder(Weights& weights, Model& model, ImportLog& log)
      : weights_(weights), model_(model), log_(log) {}

  // A graph for `net`; the places of its layers are what port maps need.
  Result<void> Build(const Net& net, GraphId graph, BodyPlaces& places) {
    std::unordered_map<std::int64_t, std::size_t> index;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
      if (!index.emplace(net.layers[i].id, i).second)
        return Damaged("two layers have the id " + std::to_string(net.layers[i].id),
                       net.layers[i].offset);
    std::vector<std::vector<TensorId>> outputs(net.layers.size());
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
      TRY_ASSIGN(outputs[i], AddOutputs(net.layers[i], graph));
    }
    TRY_ASSIGN(auto inputs, Connect(net, index, outputs));
    LeaveOutPlaces(net, index, outputs);
    for (std::size_t i = 0; i < net.layers.size(); ++i)
      TRY(AddLayer(net.layers[i], graph, std::move(inputs[i]), std::move(outputs[i]), places));
    return {};
  }

 private:
  TensorId NewTensor(std::string_view name, GraphId graph) {
    const TensorId id{static_cast<std::uint32_t>(model_.tensors.size())};
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = model_.strings.Intern(name);
    tensor.graph = graph;
    return id;
  }

  // A tensor for each output port. Its name is the one it had in the original model, where the
  // file tells.
  Result<std::vector<TensorId>> AddOutputs(const LayerInfo& layer, GraphId graph) {
    std::vector<TensorId> tensors;
    if (layer.type == "Result" || layer.type == "Output") return tensors;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
      const Port& port = layer.outputs[i];
      std::string name = FirstName(port.names);
      if (name.empty()) name = layer.name + (i == 0 ? "" : ":" + std::to_string(i));
      const TensorId id = NewTensor(name, graph);
      TypeInfo& declared = model_.tensors[id.index()].declared;
      declared.dtype = DTypeOf(port.precision);
      // A scalar and a tensor of unknown rank look alike: neither has dims.
      if (!port.dims.empty()) declared.shape.dims.emplace();
      for (const std::int64_t dim : port.dims)
        declared.shape.dims->push_back(dim < 0 ? Dim() : Dim(dim));
      tensors.push_back(id);
    }
    return tensors;
  }

  // MaxPool always has a second output, the places of what it found. Where no edge leads from it,
  // nothing computes them; MaxPool of ONNX would not have that output.
  static void LeaveOutPlaces(const Net& net,
                             const std::unordered_map<std::int64_t, std::size_t>& index,
                             std::vector<std::vector<TensorId>>& outputs) {
    std::vector<bool> read(net.layers.size(), false);
    for (const Edge& edge : net.edges) {
      const auto from = index.find(edge.from_layer);
      if (from == index.end()) continue;
      const std::vector<Port>& ports = net.layers[from->second].outputs;
      if (ports.size() > 1 && ports[1].id == edge.from_port) read[from->second] = true;
    }
    for (std::size_t i = 0; i < net.layers.size(); ++i)
      if (net.layers[i].type == "MaxPool" && outputs[i].size() == 2 && !read[i])
        outputs[i].pop_back();
  }

  // What every input port of every layer reads.
  static Result<std::vector<std::vector<TensorId>>> Connect(
      const Net& net, const std::unordered_map<std::int64_t, std::size_t>& index,
      const std::vector<std::vector<TensorId>>& outputs) {
    std::vector<std::vector<TensorId>> inputs(net.layers.size());
    for (std::size_t i = 0; i < net.layers.size(); ++i)
      inputs[i].resize(net.layers[i].inputs.size());
    for (const Edge& edge : net.edges) {
      const auto from = index.find(edge.from_layer);
      const auto to = index.find(edge.to_layer);
      if (from == index.end() || to == index.end())
        return Damaged("an edge from layer " + std::to_string(edge.from_layer) + " to layer " +
                           std::to_string(edge.to_layer) + ", of which one does not exist",
                       edge.offset);
      const LayerInfo& source = net.layers[from->second];
      const LayerInfo& target = net.layers[to->second];
      const auto out = PlaceOf(source.outputs, edge.from_port);
      const auto in = PlaceOf(target.inputs, edge.to_port);
      if (!out || *out >= outputs[from->second].size())
        return Damaged(Quoted(source) + " has no output port " + std::to_string(edge.from_port),
                       edge.offset);
      if (!in)
        return Damaged(Quoted(target) + " has no input port " + std::to_string(edge.to_port),
                       edge.offset);
      TensorId& slot = inputs[to->second][*in];
      if (slot.valid())
        return Damaged(
            "two edges lead into port " + std::to_string(edge.to_port) + " of " + Quoted(target),
            edge.offset);
      slot = outputs[from->second][*out];
    }
    return inputs;
  }

  static std::optional<std::size_t> PlaceOf(const std::vector<Port>& ports, std::int64_t id) {
    const auto at = std::lower_bound(ports.begin(), ports.end(), id,
                                     [](const Port& port, std::int64_t i) { return port.id < i; });
    if (at == ports.end() || at->id != id) return std::nullopt;
    return static_cast<std::size_t>(at - ports.begin());
  }

  Result<void> AddLayer(const LayerInfo& layer, GraphId graph, std::vector<TensorId> inputs,
                        std::vector<TensorId> outputs, BodyPlaces& places) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].valid())
        log_.Add("openvino.no-edge", Severity::kLoss, Quoted(layer),
                 "no edge leads into input port " + std::to_string(layer.inputs[i].id));
    Graph& into = model_.graphs[graph.index()];
    if (layer.type == "Parameter" || layer.type == "Input") {
      places.parameters.emplace(layer.id, into.inputs.size());
      return AddParameter(layer, graph, outputs);
    }
    if (layer.type == "Result" || layer.type == "Output") {
      places.results.emplace(layer.id, into.outputs.size());
      into.outputs.push_back(inputs.empty() ? TensorId() : inputs[0]);
      if (!inputs.empty() && inputs[0].valid())
        model_.tensors[inputs[0].index()].graph_output = true;
      return {};
    }
    const bool constant = layer.type == "Const" || layer.type == "Constant";
    if (constant && !outputs.empty()) return AddConstant(layer, graph, outputs[0]);
    return AddNode(layer, graph, std::move(inputs), std::move(outputs));
  }

  // <data shape="?,3,224,224" element_type="f32"/>; dims that are not fixed get a name in the main
  // graph, so that they can be bound.
  Result<void> AddParameter(const LayerInfo& layer, GraphId graph,
                            const std::vector<TensorId>& outputs) {
    if (outputs.empty()) return Damaged(Quoted(layer) + " has no output port", layer.offset);
    Tensor& tensor = model_.tensors[outputs[0].index()];
    if (const std::string* shape = layer.Find("shape")) {
      TRY_ASSIGN(const auto dims, DimsOf(*shape, layer.offset));
      tensor.declared.shape.dims.reset();
      if (dims) tensor.declared.shape.dims.emplace();
      for (std::size_t i = 0; dims && i < dims->size(); ++i)
        tensor.declared.shape.dims->push_back((*dims)[i] < 0 ? Dim() : Dim((*dims)[i]));
    }
    if (const std::string* type = layer.Find("element_type"))
      tensor.declared.dtype = DTypeOf(*type);
    if (graph == GraphId{0} && tensor.declared.shape.known_rank())
      NameFreeDims(std::string(model_.text(tensor.name)), *tensor.declared.shape.dims);
    tensor.graph_input = true;
    model_.graphs[graph.index()].inputs.push_back(outputs[0]);
    return {};
  }

  void NameFreeDims(const std::string& input, std::vector<Dim>& dims) {
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (dims[axis].is_unknown())
        dims[axis] = model_.dims.Symbol(input + "_d" + std::to_string(axis));
  }

  // <data element_type="f32" shape="64, 3, 7, 7" offset="0" size="37632"/>
  Result<void> AddConstant(const LayerInfo& layer, GraphId graph, TensorId tensor) {
    Payload payload;
    payload.dtype = model_.tensor(tensor).declared.dtype;
    if (const std::string* type = layer.Find("element_type")) payload.dtype = DTypeOf(*type);
    payload.dims = layer.outputs[0].dims;
    if (const std::string* shape = layer.Find("shape")) {
      TRY_ASSIGN(const auto dims, DimsOf(*shape, layer.offset));
      if (dims) payload.dims = *dims;
    }
    if (std::any_of(payload.dims.begin(), payload.dims.end(), [](auto dim) { return dim < 0; }))
      return Damaged(Quoted(layer) + " is a constant without a fixed shape", layer.offset);
    TRY(PlaceInWeights(layer, payload));
    Tensor& stored = model_.tensors[tensor.index()];
    stored.declared.dtype = payload.dtype;
    stored.declared.shape = Shape{std::vector<Dim>(payload.dims.begin(), payload.dims.end())};
    stored.payload = PayloadId{static_cast<std::uint32_t>(model_.payloads.size())};
    model_.payloads.push_back(std::move(payload));
    model_.graphs[graph.index()].initializers.push_back(tensor);
    return {};
  }

  Result<void> PlaceInWeights(const LayerInfo& layer, Payload& payload) {
    const std::string* offset = layer.Find("offset");
    const std::string* size = layer.Find("size");
    if (offset == nullptr || size == nullptr || !weights_.file) return {};  // execution graphs
    TRY_ASSIGN(const std::int64_t at, IntegerOf(*offset, "offset", layer.offset));
    TRY_ASSIGN(const std::int64_t length, IntegerOf(*size, "size", layer.offset));
    if (at < 0 || length < 0 || !CheckedAdd(at, length))
      return Damaged(Quoted(layer) + " lies at " + *offset + ", " + *size + " bytes", layer.offset);
    payload.place = Payload::Place::kExternal;
    payload.external_file = *weights_.file;
    payload.offset = static_cast<std::uint64_t>(at);
    payload.length = static_cast<std::uint64_t>(length);
    const auto& file = model_.external_files[*weights_.file];
    const bool beyond = file.bytes && payload.offset + payload.length > *file.bytes;
    const auto expected = ExpectedBytes(payload);
    if (beyond || (expected && *expected != length))
      log_.Add("openvino.weights-size", Severity::kLoss, Quoted(layer),
               std::to_string(length) + " bytes at " + std::to_string(at) +
                   (beyond ? " lie beyond the end of the weights file"
                           : " are not what the shape needs"));
    if (!beyond) ReadSmall(payload);
    return {};
  }

  static std::optional<std::int64_t> ExpectedBytes(const Payload& payload) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : payload.dims) {
      const auto product = CheckedMul(elements, dim);
      if (!product) return std::nullopt;
      elements = *product;
    }
    return PackedBytes(payload.dtype, elements);
  }

  // What shapes may hang on: integers, and a few floats (scales of Interpolate).
  void ReadSmall(Payload& payload) {
    constexpr std::uint64_t kFewFloats = 256;
    const bool integers = IsInteger(payload.dtype) || payload.dtype == DType::kBool;
    const std::uint64_t most = integers ? kSmallPayloadBytes : kFewFloats;
    if (!weights_.source || payload.length > most) return;
    const auto window =
        weights_.source->Window(payload.offset, static_cast<std::size_t>(payload.length));
    if (window.has_value() && window->size() == payload.length)
      payload.small = std::string(*window);
  }

  Result<void> AddNode(const LayerInfo& layer, GraphId graph, std::vector<TensorId> inputs,
                       std::vector<TensorId> outputs) {
    const NodeId id{static_cast<std::uint32_t>(model_.nodes.size())};
    Node& node = model_.nodes.emplace_back();
    node.name = model_.strings.Intern(layer.name);
    node.op = model_.strings.Intern(layer.type);
    node.graph = graph;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    for (const TensorId output : node.outputs) model_.tensors[output.index()].producer = id;
    model_.graphs[graph.index()].nodes.push_back(id);
    Describe(layer, node);
    if (layer.bodies.empty()) return {};
    return AddBodies(layer, id);
  }

  // "opset8" is the operator's version; other sets of operators are domains of their own
  // ("extension"). What an execution graph says of a run is no attribute of the operator.
  void Describe(const LayerInfo& layer, Node& node) {
    const bool executed = layer.version.empty();
    std::string domain(executed ? kExecuted : kDomain);
    if (layer.version.starts_with("opset")) {
      if (const auto version = ParseInt64(std::string_view(layer.version).substr(5)))
        AddAttribute(node, "version", *version);
    } else if (!executed) {
      domain += "." + layer.version;
    }
    node.domain = model_.strings.Intern(domain);
    for (const auto& [key, value] : layer.data) {
      if (executed) {
        Note(node, key, value);
      } else {
        AddAttribute(node, key, ValueOf(key, value));
      }
    }
    for (const auto& [key, value] : layer.rt_info) Note(node, key, value);
  }

  void AddAttribute(Node& node, std::string_view name, AttributeValue value) {
    node.attributes.push_back({model_.strings.Intern(name), std::move(value)});
  }

  void Note(Node& node, std::string_view key, std::string_view value) {
    node.metadata.emplace_back(model_.strings.Intern(key), model_.strings.Intern(value));
  }

  // then_body before else_body, whatever the order of the file.
  Result<void> AddBodies(const LayerInfo& layer, NodeId owner) {
    std::vector<const Body*> bodies;
    for (const Body& body : layer.bodies) bodies.push_back(&body);
    std::stable_sort(bodies.begin(), bodies.end(),
                     [](const Body* a, const Body* b) { return a->name > b->name; });
    for (const Body* body : bodies) {
      const GraphId graph{static_cast<std::uint32_t>(model_.graphs.size())};
      Graph& added = model_.graphs.emplace_back();
      added.name = model_.strings.Intern(body->net->name);
      added.parent = model_.node(owner).graph;
      added.owner = owner;
      added.owner_attribute = model_.strings.Intern(body->name);
      BodyPlaces places;
      TRY(Build(*body->net, graph, places));
      AddAttribute(model_.nodes[owner.index()], body->name, graph);
      TRY(AddPortMap(layer, *body, places, model_, owner, graph));
    }
    return {};
  }

  Weights& weights_;
  Model& model_;
  ImportLog& log_;
};

}  // namespace

Result<void> BuildGraph(const Net& net, Weights& weights, Model& model, ImportLog& log) {
  model.graphs.emplace_back().name = model.strings.Intern(net.name);
  BodyPlaces places;
  TRY(Builder(weights, model, log).Build(net, GraphId{0}, places));
  for (const std::string_view domain : {kDomain, kExecuted})
    model.opsets.emplace_back(model.strings.Intern(domain), 1);
  return {};
}

}  // namespace opscope::openvino
