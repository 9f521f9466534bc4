#include "model/aten/call.h"

#include <algorithm>
#include <array>
#include <utility>

namespace opscope::aten {

namespace {

using Kind = Argument::Kind;

// By c10::ScalarType.
constexpr std::array kByScalarType = {
    DType::kUInt8,        DType::kInt8,           DType::kInt16,          DType::kInt32,
    DType::kInt64,        DType::kFloat16,        DType::kFloat32,        DType::kFloat64,
    DType::kUnknown,      DType::kComplex64,      DType::kComplex128,     DType::kBool,
    DType::kInt8,         DType::kUInt8,          DType::kInt32,          DType::kBFloat16,
    DType::kUInt4,        DType::kUInt2,          DType::kUnknown,        DType::kUnknown,
    DType::kUnknown,      DType::kUnknown,        DType::kUnknown,        DType::kFloat8E5M2,
    DType::kFloat8E4M3FN, DType::kFloat8E5M2FNUZ, DType::kFloat8E4M3FNUZ, DType::kUInt16,
    DType::kUInt32,       DType::kUInt64};

std::string_view NextPart(std::string_view& text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view part = text.substr(0, dot);
  text.remove_prefix(std::min(dot + 1, text.size()));
  return part;
}

bool IsTensors(const Argument& argument) {
  return argument.kind == Kind::kTensor || argument.kind == Kind::kTensors;
}

// Writes one call into its node.
class Writer {
 public:
  Writer(Model& model, Node& node) : model_(model), node_(node) {}

  // Tensors first, in the order of the schema, so that slots are fixed.
  void Place(const Schema* schema, std::vector<Argument>& arguments) {
    if (schema != nullptr) {
      for (const SchemaArgument& slot : schema->arguments) PlaceSlot(slot, arguments);
    }
    for (const Argument& argument : arguments)
      if (IsTensors(argument) && !Placed(argument)) PlaceTensors(argument, schema == nullptr);
    for (Argument& argument : arguments) Write(argument);
    while (!node_.inputs.empty() && !node_.inputs.back().valid()) node_.inputs.pop_back();
  }

 private:
  void PlaceSlot(const SchemaArgument& slot, const std::vector<Argument>& arguments) {
    if (slot.kind != 'T' && slot.kind != 'L') return;
    const auto found =
        std::find_if(arguments.begin(), arguments.end(),
                     [&](const Argument& argument) { return argument.name == slot.name; });
    if (found != arguments.end() && IsTensors(*found)) {
      PlaceTensors(*found, behind_list_);
    } else if (slot.kind == 'T' && !behind_list_) {
      node_.inputs.emplace_back();
    }
    behind_list_ = behind_list_ || slot.kind == 'L';
  }

  void PlaceTensors(const Argument& argument, bool say_where) {
    placed_.push_back(&argument);
    std::vector<std::int64_t> places;
    for (const TensorId tensor : argument.tensors) {
      places.push_back(tensor.valid() ? static_cast<std::int64_t>(node_.inputs.size()) : -1);
      if (tensor.valid() || argument.kind == Kind::kTensor) node_.inputs.push_back(tensor);
    }
    if (say_where || argument.kind == Kind::kTensors)
      Set(argument.name + ".inputs", std::move(places));
  }

  bool Placed(const Argument& argument) const {
    return std::find(placed_.begin(), placed_.end(), &argument) != placed_.end();
  }

  std::int64_t Append(TensorId tensor) {
    node_.inputs.push_back(tensor);
    return static_cast<std::int64_t>(node_.inputs.size()) - 1;
  }

  void Write(Argument& argument) {
    switch (argument.kind) {
      case Kind::kNone:
      case Kind::kTensor:
      case Kind::kTensors:
        return;
      case Kind::kInteger:
        WriteSymbols(argument);
        if (!argument.integers.empty()) Set(argument.name, argument.integers.front());
        return;
      case Kind::kIntegers:
        WriteSymbols(argument);
        Set(argument.name, std::move(argument.integers));
        return;
      case Kind::kList:
        Set(argument.name + ".list", Append(argument.tensors.front()));
        return;
      case Kind::kFloat:
        if (!argument.floats.empty()) Set(argument.name, argument.floats.front());
        return;
      case Kind::kFloats:
        Set(argument.name, std::move(argument.floats));
        return;
      case Kind::kText:
        if (!argument.texts.empty()) Set(argument.name, std::move(argument.texts.front()));
        return;
      case Kind::kTexts:
        Set(argument.name, std::move(argument.texts));
        return;
      case Kind::kGraph:
        Set(argument.name, argument.graph);
        model_.graphs[argument.graph.index()].owner_attribute =
            model_.strings.Intern(argument.name);
        return;
    }
  }

  void WriteSymbols(const Argument& argument) {
    std::vector<std::int64_t> places;
    bool any = false;
    for (const TensorId tensor : argument.tensors) {
      any = any || tensor.valid();
      places.push_back(tensor.valid() ? Append(tensor) : -1);
    }
    if (any) Set(argument.name + ".inputs", std::move(places));
  }

  void Set(std::string_view name, AttributeValue value) {
    node_.attributes.push_back({model_.strings.Intern(name), std::move(value)});
  }

  Model& model_;
  Node& node_;
  std::vector<const Argument*> placed_;
  bool behind_list_ = false;
};

void NameArguments(const Schema* schema, std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].name.empty()) continue;
    const bool known = schema != nullptr && i < schema->arguments.size();
    arguments[i].name = known ? std::string(schema->arguments[i].name) : "arg" + std::to_string(i);
  }
}

// "['', 'encoder.layer.0', 'linear']", as exporters to ONNX write it.
std::string ScopeText(std::string module, const std::string& name) {
  std::replace(module.begin(), module.end(), '\'', '"');
  return "['" + module + "', '" + name + "']";
}

// "['torch.nn.modules.conv.Conv2d', 'aten.conv2d.default']", as exporters to ONNX write it.
std::string ClassText(std::string type, const Call& call) {
  std::replace(type.begin(), type.end(), '\'', '"');
  return "['" + type + "', '" + call.domain + "." + call.op + "']";
}

void SetMetadata(Model& model, Node& node, Call& call) {
  const auto set = [&](std::string_view key, std::string_view value) {
    node.metadata.emplace_back(model.strings.Intern(key), model.strings.Intern(value));
  };
  if (!call.type.empty())
    set("pkg.torch.onnx.class_hierarchy", ClassText(std::move(call.type), call));
  if (!call.function.empty()) set("torch.function", call.function);
  set("pkg.torch.onnx.name_scopes", ScopeText(std::move(call.module), call.name));
}

}  // namespace

void SetTarget(std::string_view target, Call& call) {
  constexpr std::string_view kOps = "torch.ops.";
  if (target.starts_with(kOps)) {
    target.remove_prefix(kOps.size());
    call.domain = NextPart(target);
  } else if (const std::size_t colons = target.find("::"); colons != std::string_view::npos) {
    call.domain = target.substr(0, colons);
    target.remove_prefix(colons + 2);
  } else {
    const std::size_t dot = target.rfind('.');
    call.domain = "operator";
    if (dot != std::string_view::npos) target.remove_prefix(dot + 1);
  }
  call.op = NextPart(target);
  call.overload = target;
}

DType DTypeOfScalarType(std::int64_t c10) {
  const bool known = c10 >= 0 && c10 < static_cast<std::int64_t>(kByScalarType.size());
  return known ? kByScalarType[static_cast<std::size_t>(c10)] : DType::kUnknown;
}

// The numbers run one ahead of c10's up to BOOL = 12, BFLOAT16 = 13; from UINT16 = 28 on they are
// in an order of their own.
DType DTypeOfSerialized(std::int64_t number) {
  if (number >= 1 && number <= 12) return DTypeOfScalarType(number - 1);
  constexpr std::array kLate = {DType::kUInt16,         DType::kFloat8E4M3FN,   DType::kFloat8E5M2,
                                DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2FNUZ, DType::kFloat8E8M0,
                                DType::kUInt32,         DType::kUInt64};
  if (number == 13) return DType::kBFloat16;
  if (number >= 28 && number < 28 + static_cast<std::int64_t>(kLate.size()))
    return kLate[static_cast<std::size_t>(number - 28)];
  return DType::kUnknown;
}

NodeId AddCall(Model& model, GraphId graph, const Schemas& schemas, Call call) {
  // What writes into its input computes the same as its namesake that does not.
  const Schema* schema = schemas.Find(call.domain, call.op, call.overload);
  if (call.op.size() > 1 && call.op.ends_with('_') && !call.op.ends_with("__") &&
      schema == nullptr) {
    const std::string base = call.op.substr(0, call.op.size() - 1);
    if (!schemas.Overloads(call.domain, base).empty()) {
      call.op = base;
      schema = schemas.Find(call.domain, call.op, call.overload);
    }
  }
  NameArguments(schema, call.arguments);
  const NodeId id{static_cast<std::uint32_t>(model.nodes.size())};
  Node& node = model.nodes.emplace_back();
  node.domain = model.strings.Intern(call.domain);
  node.op = model.strings.Intern(call.op);
  node.overload = model.strings.Intern(call.overload);
  node.name = model.strings.Intern(call.name);
  node.graph = graph;
  Writer(model, node).Place(schema, call.arguments);
  for (const Argument& argument : call.arguments)
    if (argument.kind == Kind::kGraph) model.graphs[argument.graph.index()].owner = id;
  node.outputs = std::move(call.outputs);
  for (const TensorId output : node.outputs)
    if (output.valid()) model.tensors[output.index()].producer = id;
  SetMetadata(model, node, call);
  model.graphs[graph.index()].nodes.push_back(id);
  return id;
}

TensorId AddValue(Model& model, GraphId graph, std::string_view name, TypeInfo declared) {
  const TensorId id{static_cast<std::uint32_t>(model.tensors.size())};
  Tensor& tensor = model.tensors.emplace_back();
  tensor.name = model.strings.Intern(name);
  tensor.graph = graph;
  tensor.declared = std::move(declared);
  return id;
}

GraphId AddBody(Model& model, GraphId parent, std::string_view name) {
  const GraphId id{static_cast<std::uint32_t>(model.graphs.size())};
  Graph& graph = model.graphs.emplace_back();
  graph.parent = parent;
  graph.name = model.strings.Intern(name);
  return id;
}

}  // namespace opscope::aten
