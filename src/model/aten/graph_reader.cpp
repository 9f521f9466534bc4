#include "model/aten/graph_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/aten/sympy.h"

namespace opscope::aten {

namespace {

using Kind = Argument::Kind;

// A size: 8, "2*s0", {"as_int": 8}, {"as_expr": {"expr_str": "2*s0", "hint": …}}, {"as_expr":
// "s0"}.
Result<Dim> ReadSize(JsonReader& json, const JsonToken& first, DimTable& dims) {
  if (first.kind == JsonKind::kNumber) return Dim(first.AsInt64().value_or(0));
  if (first.kind == JsonKind::kString) return ParseSympy(dims, first.text);
  Dim size;
  if (first.kind != JsonKind::kBeginObject) return size;
  TRY(json.ForEachField([&](std::string_view key) -> Result<void> {
    const bool known = key == "as_int" || key == "as_expr" || key == "expr_str";
    if (!known) return {};
    TRY_ASSIGN(const JsonToken value, json.Next());
    TRY_ASSIGN(size, ReadSize(json, value, dims));
    return {};
  }));
  return size;
}

void Redirect(std::vector<TensorId>& tensors,
              const std::unordered_map<std::uint32_t, TensorId>& to) {
  for (TensorId& tensor : tensors) {
    const auto found = tensor.valid() ? to.find(tensor.value) : to.end();
    if (found != to.end()) tensor = found->second;
  }
}

// Two weights that show the same bytes in the same way.
std::string BytesKey(const Payload& payload) {
  std::string key = std::to_string(payload.offset) + ":" + std::to_string(payload.length) + ":" +
                    std::string(Name(payload.dtype));
  for (const std::int64_t dim : payload.dims) key += "," + std::to_string(dim);
  return key;
}

}  // namespace

Result<TensorMeta> ReadTensorMeta(JsonReader& json, DimTable& dims) {
  TensorMeta meta;
  TypeInfo& type = meta.type;
  TRY(json.ForEachField([&](std::string_view key) -> Result<void> {
    if (key == "dtype") {
      TRY_ASSIGN(const JsonToken token, json.Next());
      type.dtype = ReadDType(token);
    } else if (key == "sizes") {
      TRY(json.Expect(JsonKind::kBeginArray));
      std::vector<Dim> sizes;
      TRY(json.ForEachElement([&](const JsonToken& first) -> Result<void> {
        TRY_ASSIGN(const Dim size, ReadSize(json, first, dims));
        sizes.push_back(size);
        return {};
      }));
      type.shape.dims = std::move(sizes);
    } else if (key == "storage_offset") {
      TRY_ASSIGN(const JsonToken token, json.Next());
      TRY_ASSIGN(const Dim offset, ReadSize(json, token, dims));
      if (offset.is_number()) meta.storage_offset = offset.number();
    } else if (key == "device") {
      TRY_ASSIGN(const JsonToken token, json.Next());
      if (token.kind != JsonKind::kBeginObject) return json.Skip(token);
      TRY(json.ForEachField([&](std::string_view field) -> Result<void> {
        if (field != "type") return {};
        TRY_ASSIGN(const JsonToken name, json.Next());
        if (name.kind != JsonKind::kString) return json.Skip(name);
        meta.device = name.text;
        return {};
      }));
    }
    return {};
  }));
  return meta;
}

Result<void> GraphReader::ReadMain() {
  if (model_.graphs.empty()) model_.graphs.emplace_back();
  main_.graph = GraphId{0};
  return ReadGraph(main_);
}

TensorId GraphReader::Value(Names& names, const std::string& name) {
  const auto [place, added] = names.values.try_emplace(name);
  if (added) place->second = AddValue(model_, names.graph, name);
  return place->second;
}

Result<void> GraphReader::ReadGraph(Names& names) {
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    if (key == "inputs" || key == "outputs") {
      std::vector<std::string>& list = key == "inputs" ? names.inputs : names.outputs;
      TRY(json_.Expect(JsonKind::kBeginArray));
      return json_.ForEachElement([&](const JsonToken& first) { return ReadNames(first, list); });
    }
    if (key == "nodes") {
      TRY(json_.Expect(JsonKind::kBeginArray));
      return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
        return first.kind == JsonKind::kBeginObject ? ReadNode(names) : Result<void>();
      });
    }
    if (key == "tensor_values") return ReadTensorValues(names);
    if (key == "sym_int_values") return ReadSymbols(names);
    return {};
  });
}

// Every name in an argument: those of tensors and of sizes. A constant output has none.
Result<void> GraphReader::ReadNames(const JsonToken& first, std::vector<std::string>& out) {
  if (first.kind == JsonKind::kBeginArray)
    return json_.ForEachElement([&](const JsonToken& next) { return ReadNames(next, out); });
  if (first.kind != JsonKind::kBeginObject) return {};
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    const bool is_name = key == "name" || key == "as_name";
    TRY_ASSIGN(const JsonToken value, json_.Next());
    if (is_name && value.kind == JsonKind::kString) {
      out.emplace_back(value.text);
      return {};
    }
    return ReadNames(value, out);
  });
}

Result<void> GraphReader::ReadNode(Names& names) {
  Call call;
  const std::size_t first_graph = model_.graphs.size();
  std::vector<Body> outer = std::exchange(bodies_, {});
  TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
    if (key == "inputs") {
      TRY(json_.Expect(JsonKind::kBeginArray));
      return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
        Argument argument;
        if (first.kind == JsonKind::kBeginObject) TRY(ReadNamedArgument(names, argument));
        call.arguments.push_back(std::move(argument));
        return {};
      });
    }
    if (key == "outputs") return ReadOutputs(names, call);
    if (key == "metadata") return ReadMetadata(call);
    const std::string field(key);
    TRY_ASSIGN(const JsonToken value, json_.Next());
    if (value.kind != JsonKind::kString) return json_.Skip(value);
    if (field == "target") SetTarget(value.text, call);
    if (field == "name") call.name = value.text;
    if (field == "module") call.module = value.text;
    if (field == "type") call.type = value.text;
    if (field == "function") call.function = value.text;
    return {};
  }));
  if (call.name.empty() && !call.outputs.empty() && call.outputs.front().valid())
    call.name = model_.text(model_.tensor(call.outputs.front()).name);
  BindBodies(first_graph, call);
  AddCall(model_, names.graph, schemas_, std::move(call));
  bodies_ = std::move(outer);
  return {};
}

// What a body calls its inputs are the operands of the node: the bodies of `cond` read values from
// outside as those of If do. `while_loop` and `scan` carry values: their bodies keep their inputs.
void GraphReader::BindBodies(std::size_t first_graph, const Call& call) {
  if (bodies_.empty() || call.op != "cond") return;
  std::vector<TensorId> operands;
  bool behind = false;
  for (const Argument& argument : call.arguments) {
    behind = behind || argument.kind == Kind::kGraph;
    if (behind && argument.kind != Kind::kGraph)
      operands.insert(operands.end(), argument.tensors.begin(), argument.tensors.end());
  }
  std::unordered_map<std::uint32_t, TensorId> to;
  for (const Body& body : bodies_) {
    for (std::size_t i = 0; i < std::min(operands.size(), body.inputs.size()); ++i)
      if (body.inputs[i].valid() && operands[i].valid())
        to.emplace(body.inputs[i].value, operands[i]);
    model_.graphs[body.graph.index()].inputs.clear();
  }
  for (std::size_t g = first_graph; g < model_.graphs.size(); ++g) {
    for (const NodeId node : model_.graphs[g].nodes)
      Redirect(model_.nodes[node.index()].inputs, to);
    Redirect(model_.graphs[g].outputs, to);
  }
}

Result<void> GraphReader::ReadOutputs(Names& names, Call& call) {
  TRY(json_.Expect(JsonKind::kBeginArray));
  return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
    std::vector<std::string> found;
    TRY(ReadNames(first, found));
    for (const std::string& name : found) call.outputs.push_back(Value(names, name));
    if (found.empty()) call.outputs.emplace_back();
    return {};
  });
}

Result<void> GraphReader::ReadTensorValues(Names& names) {
  TRY(json_.Expect(JsonKind::kBeginObject));
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    const TensorId tensor = Value(names, std::string(key));
    TRY_ASSIGN(const JsonToken first, json_.Next());
    if (first.kind != JsonKind::kBeginObject) return {};
    TRY_ASSIGN(TensorMeta meta, ReadTensorMeta(json_, model_.dims));
    model_.tensors[tensor.index()].declared = std::move(meta.type);
    if (!meta.device.empty() && devices_.size() < 2) devices_.insert(std::move(meta.device));
    return {};
  });
}

// A size is a whole number of no axes. The names that PyTorch gives to sizes only the data decide
// (u0, u1 …) are kept for the node that computes them.
Result<void> GraphReader::ReadSymbols(Names& names) {
  TRY(json_.Expect(JsonKind::kBeginObject));
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    const TensorId tensor = Value(names, std::string(key));
    model_.tensors[tensor.index()].declared = {ValueKind::kTensor, DType::kInt64,
                                               Shape{std::vector<Dim>()}};
    TRY_ASSIGN(const JsonToken first, json_.Next());
    TRY_ASSIGN(const Dim size, ReadSize(json_, first, model_.dims));
    const NodeId producer = model_.tensors[tensor.index()].producer;
    if (!producer.valid() || size.is_unknown()) return {};
    model_.nodes[producer.index()].attributes.push_back(
        {model_.strings.Intern("symbol"), model_.dims.ToText(size)});
    return {};
  });
}

Result<Signature> GraphReader::ReadSignature() {
  Signature signature;
  // {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}
  const auto read_spec = [&](const JsonToken&) -> Result<void> {
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      Signature::Weight weight;
      const bool is_weight = key == "parameter" || key == "buffer" || key == "tensor_constant";
      if (key == "buffer") weight.kind = Signature::Weight::Kind::kBuffer;
      if (key == "tensor_constant") weight.kind = Signature::Weight::Kind::kConstant;
      if (!is_weight) return {};
      TRY(json_.Expect(JsonKind::kBeginObject));
      TRY(json_.ForEachField([&](std::string_view field) -> Result<void> {
        const bool is_name = field.ends_with("_name");
        const bool is_value = field == "arg";
        TRY_ASSIGN(const JsonToken value, json_.Next());
        if (is_name && value.kind == JsonKind::kString) weight.name = value.text;
        if (!is_value) return json_.Skip(value);
        std::vector<std::string> found;
        TRY(ReadNames(value, found));
        if (!found.empty()) weight.value = found.front();
        return {};
      }));
      signature.weights.push_back(std::move(weight));
      return {};
    });
  };
  const auto read_output = [&](const JsonToken&) -> Result<void> {
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key != "user_output" && key != "loss_output") return {};
      TRY_ASSIGN(const JsonToken value, json_.Next());
      return ReadNames(value, signature.user_outputs);
    });
  };
  TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
    const bool inputs = key == "input_specs";
    if (!inputs && key != "output_specs") return {};
    TRY(json_.Expect(JsonKind::kBeginArray));
    return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
      if (first.kind != JsonKind::kBeginObject) return {};
      return inputs ? read_spec(first) : read_output(first);
    });
  }));
  return signature;
}

void GraphReader::Finish(const Signature& signature,
                         const std::unordered_map<std::string, Payload>& payloads) {
  std::unordered_map<std::string, const Signature::Weight*> by_value;
  for (const Signature::Weight& weight : signature.weights) by_value.emplace(weight.value, &weight);
  std::unordered_map<std::string, TensorId> by_bytes;
  std::unordered_map<std::uint32_t, TensorId> same;
  std::vector<TensorId> inputs, weights;
  for (const std::string& name : main_.inputs) {
    const TensorId id = Value(main_, name);
    Tensor& tensor = model_.tensors[id.index()];
    const auto found = by_value.find(name);
    if (tensor.producer.valid() || tensor.graph_input || tensor.payload.valid()) continue;
    if (found == by_value.end()) {
      tensor.graph_input = true;
      inputs.push_back(id);
      continue;
    }
    tensor.name = model_.strings.Intern(found->second->name);
    const auto stored = payloads.find(found->second->name);
    Payload payload;
    if (stored != payloads.end()) payload = stored->second;
    if (payload.dtype == DType::kUnknown) payload.dtype = tensor.declared.dtype;
    if (payload.dims.empty() && tensor.declared.shape.known_rank()) {
      for (const Dim dim : *tensor.declared.shape.dims)
        payload.dims.push_back(dim.is_number() ? dim.number() : 0);
    }
    if (payload.length > 0) {
      const auto [first, added] = by_bytes.try_emplace(BytesKey(payload), id);
      if (!added) {
        same.emplace(id.value, first->second);
        continue;
      }
    }
    tensor.payload = PayloadId{static_cast<std::uint32_t>(model_.payloads.size())};
    model_.payloads.push_back(std::move(payload));
    weights.push_back(id);
  }
  if (!same.empty())
    for (Node& node : model_.nodes) Redirect(node.inputs, same);
  std::vector<TensorId> outputs;
  const std::vector<std::string>& names =
      signature.user_outputs.empty() ? main_.outputs : signature.user_outputs;
  for (const std::string& name : names) {
    const TensorId id = Value(main_, name);
    model_.tensors[id.index()].graph_output = true;
    outputs.push_back(id);
  }
  Redirect(outputs, same);
  Graph& graph = model_.graphs[0];
  graph.inputs = std::move(inputs);
  graph.initializers = std::move(weights);
  graph.outputs = std::move(outputs);
  if (devices_.size() == 1) model_.metadata.emplace_back("device", Printable(*devices_.begin()));
}

}  // namespace opscope::aten
