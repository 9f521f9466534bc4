// What a node of the JSON says: arguments, metadata.
#include <utility>

#include "model/aten/graph_reader.h"

namespace opscope::aten {

namespace {

using Kind = Argument::Kind;

// The last module of "L__self__,,__main__.Net;L__self__c,c,torch.nn.modules.conv.Conv2d": its path
// and its class.
void SetModule(std::string_view stack, Call& call) {
  const std::size_t last = stack.rfind(';');
  if (last != std::string_view::npos) stack.remove_prefix(last + 1);
  const std::size_t comma = stack.find(',');
  if (comma == std::string_view::npos || stack.starts_with("_empty_nn_module_stack")) return;
  std::string_view path = stack.substr(comma + 1);
  const std::size_t second = path.find(',');
  if (second != std::string_view::npos) call.type = path.substr(second + 1);
  path = path.substr(0, second);
  for (const std::string_view self : {"L['self']", "L__self__"})
    if (path.starts_with(self)) path.remove_prefix(self.size());
  if (path.starts_with('.')) path.remove_prefix(1);
  call.module = path.substr(0, path.find('@'));
}

// "linear_1;builtin_function_or_method.linear", "relu_1;function.relu",
// "add_1;method_descriptor.add". Methods and operators are not told apart there: sums and products
// are taken as operators.
std::string FunctionOf(std::string_view text) {
  const std::size_t behind = text.find(';');
  if (behind == std::string_view::npos) return {};
  text.remove_prefix(behind + 1);
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string name(text.substr(dot + 1));
  const std::string_view kind = text.substr(0, dot);
  if (kind == "function") return "torch.nn.functional." + name;
  if (kind == "builtin_function_or_method") return "torch." + name;
  if (kind != "method_descriptor") return {};
  const bool operation = name == "add" || name == "mul" || name == "matmul";
  return (operation ? "operator." : "torch.Tensor.") + name;
}

bool IsText(std::string_view key) {
  return key == "as_string" || key == "as_operator" || key == "as_strings";
}
bool IsFloat(std::string_view key) {
  return key == "as_float" || key == "as_floats" || key == "as_sym_float" || key == "as_sym_floats";
}
bool IsTensor(std::string_view key) {
  return key == "as_tensor" || key == "as_tensors" || key == "as_optional_tensor" ||
         key == "as_optional_tensors" || key == "as_nested_tensors";
}
bool IsIgnored(std::string_view key) {
  return key == "as_none" || key == "as_device" || key == "as_layout" ||
         key == "as_memory_format" || key == "as_custom_obj" || key == "as_complex" ||
         key == "as_string_to_argument" || key == "as_int_lists" || key == "as_float_lists";
}

}  // namespace

DType ReadDType(const JsonToken& token) {
  if (token.kind == JsonKind::kString) return DTypeFromName(token.text);
  return DTypeOfSerialized(token.AsInt64().value_or(-1));
}

Result<void> GraphReader::ReadMetadata(Call& call) {
  TRY_ASSIGN(const JsonToken first, json_.Next());
  if (first.kind != JsonKind::kBeginObject) return json_.Skip(first);
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    const bool stack = key == "nn_module_stack";
    if (!stack && key != "torch_fn") return {};
    TRY_ASSIGN(const JsonToken value, json_.Next());
    if (value.kind != JsonKind::kString) return json_.Skip(value);
    if (stack) {
      SetModule(value.text, call);
    } else {
      call.function = FunctionOf(value.text);
    }
    return {};
  });
}

Result<void> GraphReader::ReadNamedArgument(Names& names, Argument& argument) {
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    if (key == "name") {
      TRY_ASSIGN(const JsonToken value, json_.Next());
      if (value.kind == JsonKind::kString) argument.name = value.text;
      return {};
    }
    if (key != "arg") return {};
    TRY_ASSIGN(const JsonToken value, json_.Next());
    return value.kind == JsonKind::kBeginObject ? ReadArgument(names, argument) : Result<void>();
  });
}

Result<void> GraphReader::ReadArgument(Names& names, Argument& argument) {
  return json_.ForEachField([&](std::string_view key) -> Result<void> {
    if (IsIgnored(key)) return {};
    return ReadAlternative(names, std::string(key), argument);
  });
}

Result<void> GraphReader::ReadAlternative(Names& names, const std::string& key,
                                          Argument& argument) {
  TRY_ASSIGN(const JsonToken value, json_.Next());
  if (key == "as_graph")
    return value.kind == JsonKind::kBeginObject ? ReadBody(names, argument) : Result<void>();
  if (key == "as_scalar_type") {
    argument.kind = Kind::kText;
    argument.texts.emplace_back(Name(ReadDType(value)));
    return {};
  }
  if (value.kind == JsonKind::kBeginArray) return ReadList(names, key, argument);
  TRY(ReadElement(names, value, key, argument));
  if (IsTensor(key)) {
    argument.kind =
        argument.tensors.empty() || !argument.tensors[0].valid() ? Kind::kNone : Kind::kTensor;
  } else {
    argument.kind = IsText(key) ? Kind::kText : IsFloat(key) ? Kind::kFloat : Kind::kInteger;
  }
  return {};
}

Result<void> GraphReader::ReadList(Names& names, const std::string& key, Argument& argument) {
  TRY(json_.ForEachElement(
      [&](const JsonToken& first) { return ReadElement(names, first, key, argument); }));
  argument.kind = IsTensor(key)  ? Kind::kTensors
                  : IsText(key)  ? Kind::kTexts
                  : IsFloat(key) ? Kind::kFloats
                                 : Kind::kIntegers;
  return {};
}

// One value: 3, true, 0.5, "mean", {"name": "x"}, {"as_name": "s"}, {"as_int": 3}, {"as_tensor":
// …}.
Result<void> GraphReader::ReadElement(Names& names, const JsonToken& first, const std::string& key,
                                      Argument& argument) {
  std::string name;
  JsonToken value = first;
  std::string text(first.text);
  if (first.kind == JsonKind::kBeginArray)  // as_nested_tensors
    return json_.ForEachElement(
        [&](const JsonToken& next) { return ReadElement(names, next, key, argument); });
  if (first.kind == JsonKind::kBeginObject) {
    std::vector<std::string> found;
    TRY(json_.ForEachField([&](std::string_view field) -> Result<void> {
      if (field == "as_none") return {};
      const bool named = field == "name" || field == "as_name";
      TRY_ASSIGN(value, json_.Next());
      text = value.text;
      if (named && value.kind == JsonKind::kString) {
        found.emplace_back(value.text);
        return {};
      }
      return value.kind == JsonKind::kBeginObject ? ReadNames(value, found) : Result<void>();
    }));
    if (!found.empty()) name = found.front();
  }
  value.text = text;
  const TensorId tensor = name.empty() ? TensorId() : Value(names, name);
  if (IsText(key)) {
    argument.texts.push_back(std::move(text));
    return {};
  }
  if (IsFloat(key)) {
    argument.floats.push_back(static_cast<float>(value.AsDouble().value_or(0)));
    return {};
  }
  argument.tensors.push_back(tensor);
  if (IsTensor(key)) return {};
  argument.integers.push_back(value.kind == JsonKind::kBool ? (value.boolean ? 1 : 0)
                              : tensor.valid()              ? 0
                                                            : value.AsInt64().value_or(0));
  return {};
}

Result<void> GraphReader::ReadBody(Names& names, Argument& argument) {
  argument.kind = Kind::kGraph;
  argument.graph = AddBody(model_, names.graph, "");
  Names inner;
  inner.graph = argument.graph;
  std::string name;
  TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
    const bool is_graph = key == "graph";
    if (!is_graph && key != "name") return {};
    TRY_ASSIGN(const JsonToken value, json_.Next());
    if (is_graph && value.kind == JsonKind::kBeginObject) return ReadGraph(inner);
    if (!is_graph && value.kind == JsonKind::kString) name = value.text;
    return {};
  }));
  if (argument.name.empty()) argument.name = name;
  Body body{argument.graph, {}};
  for (const std::string& input : inner.inputs) body.inputs.push_back(Value(inner, input));
  Graph& graph = model_.graphs[argument.graph.index()];
  graph.name = model_.strings.Intern(name);
  graph.inputs = body.inputs;
  std::vector<TensorId> outputs;
  for (const std::string& output : inner.outputs) outputs.push_back(Value(inner, output));
  model_.graphs[argument.graph.index()].outputs = std::move(outputs);
  bodies_.push_back(std::move(body));
  return {};
}

}  // namespace opscope::aten
