// What the code calls: methods, functions, ops.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "model/formats/torchscript/evaluator.h"
#include "model/formats/torchscript/value.h"

namespace opscope::torchscript {

namespace {

using Kind = Value::Kind;
using EKind = Expression::Kind;

struct Outputs {
  std::string_view op;
  std::size_t count;
};
constexpr std::array kOutputs = {Outputs{"lstm", 3},
                                 Outputs{"gru", 2},
                                 Outputs{"rnn_tanh", 2},
                                 Outputs{"rnn_relu", 2},
                                 Outputs{"lstm_cell", 2},
                                 Outputs{"topk", 2},
                                 Outputs{"sort", 2},
                                 Outputs{"native_layer_norm", 3},
                                 Outputs{"native_group_norm", 3},
                                 Outputs{"native_batch_norm", 3},
                                 Outputs{"_native_multi_head_attention", 2},
                                 Outputs{"max_pool2d_with_indices", 2},
                                 Outputs{"var_mean", 2},
                                 Outputs{"std_mean", 2},
                                 Outputs{"_unique2", 3},
                                 Outputs{"aminmax", 2},
                                 Outputs{"cummax", 2},
                                 Outputs{"cummin", 2}};
constexpr std::array kPieces = {std::string_view("split"),
                                std::string_view("split_with_sizes"),
                                std::string_view("chunk"),
                                std::string_view("unbind"),
                                std::string_view("tensor_split"),
                                std::string_view("unsafe_split"),
                                std::string_view("unsafe_chunk"),
                                std::string_view("meshgrid"),
                                std::string_view("broadcast_tensors")};

// A value may stand for an argument of this kind.
bool Fits(const Value& value, char kind) {
  switch (kind) {
    case 'T':
      return value.kind == Kind::kNone || value.kind == Kind::kTensor;
    case 'L':
      return value.kind == Kind::kNone || value.kind == Kind::kPieces ||
             (value.kind == Kind::kList &&
              std::all_of(value.items.begin(), value.items.end(), [](const Value& item) {
                return item.kind == Kind::kTensor || item.kind == Kind::kNone;
              }));
    case 'I':
      return value.kind == Kind::kNone || value.kind == Kind::kSizes || IsScalar(value) ||
             (value.kind == Kind::kList &&
              std::all_of(value.items.begin(), value.items.end(), IsScalar));
    case 'i':
    case 'b':
      return value.kind == Kind::kNone || (IsScalar(value) && value.kind != Kind::kFloat);
    case 'd':
      return value.kind == Kind::kNone || value.kind == Kind::kInteger ||
             value.kind == Kind::kUnknown;
    case 'f':
    case 's':
      return value.kind == Kind::kNone || IsScalar(value);
    case 'F':
      return value.kind == Kind::kNone || value.kind == Kind::kList;
    case 'S':
      return value.kind == Kind::kNone || value.kind == Kind::kText;
    default:
      return true;
  }
}

}  // namespace

std::string TypeOf(std::string_view name) {
  constexpr std::string_view kRoot = "__torch__.", kMangled = "___torch_mangle_";
  if (name.starts_with(kRoot)) name.remove_prefix(kRoot.size());
  std::string out(name);
  const std::size_t at = out.find(kMangled);
  if (at == std::string::npos) return out;
  const std::size_t end = out.find('.', at);
  return end == std::string::npos ? out : out.erase(at, end + 1 - at);
}

Result<Value> Evaluator::Call(const Expression& call, Frame& frame) {
  const Expression& target = call.parts[0];
  const std::string dotted = Dotted(target);
  if (target.kind == EKind::kName) {
    const auto local = frame.names.find(target.text);
    if (local != frame.names.end() && local->second.kind == Kind::kText)
      return Function(local->second.text, call, frame);
    return Builtin(target.text, call, frame);
  }
  if (dotted.starts_with("torch.")) return Op("aten", dotted.substr(6), call, frame);
  if (dotted.starts_with("ops.")) {
    const std::string rest = dotted.substr(4);
    const std::size_t dot = rest.find('.');
    if (dot == std::string::npos) return Unknown(false);
    return Op(rest.substr(0, dot), rest.substr(dot + 1), call, frame);
  }
  if (dotted.starts_with("__torch__.")) return Function(dotted, call, frame);
  if (target.kind != EKind::kAttribute) return Unknown(false);
  TRY_ASSIGN(const Value object, Eval(target.parts[0], frame));
  if (object.kind != Kind::kModule) return Unknown(false);
  return Method(object, target.text, call, frame);
}

Result<Value> Evaluator::Method(const Value& object, const std::string& name,
                                const Expression& call, Frame& frame) {
  TRY_ASSIGN(const ClassCode* code, ClassOf(object.text));
  if (code == nullptr) return Unknown(false);
  const auto method = code->methods.find(name);
  if (method == code->methods.end()) return Unknown(false);
  return Enter(method->second, &object, call, frame);
}

// A function of the archive, or a tuple with names.
Result<Value> Evaluator::Function(const std::string& path, const Expression& call, Frame& frame) {
  const std::size_t dot = path.rfind('.');
  std::string file_path = path.substr(0, dot);
  std::replace(file_path.begin(), file_path.end(), '.', '/');
  TRY_ASSIGN(const CodeFile* file, around_.code(file_path));
  if (file == nullptr) return Unknown(false);
  const auto function = file->functions.find(path.substr(dot + 1));
  if (function != file->functions.end()) return Enter(function->second, nullptr, call, frame);
  std::vector<Value> items;
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    TRY_ASSIGN(Value item, Eval(call.parts[i], frame));
    items.push_back(std::move(item));
  }
  Value tuple;
  tuple.kind = Kind::kList;
  tuple.items = std::move(items);
  return tuple;
}

Result<Value> Evaluator::Enter(const FunctionCode& code, const Value* self, const Expression& call,
                               Frame& frame) {
  Frame inner;
  inner.module = self != nullptr ? self->path : frame.module;
  inner.type = self != nullptr ? TypeOf(self->text) : frame.type;
  std::size_t next = 0;
  if (self != nullptr && !code.parameters.empty())
    inner.names[code.parameters[next++].name] = *self;
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    const std::string& keyword = call.keywords[i - 1];
    TRY_ASSIGN(Value value, Eval(call.parts[i], frame));
    if (!keyword.empty()) {
      inner.names[keyword] = std::move(value);
    } else if (next < code.parameters.size()) {
      inner.names[code.parameters[next++].name] = std::move(value);
    }
  }
  for (const Parameter& parameter : code.parameters) {
    if (!parameter.has_default || inner.names.count(parameter.name) > 0) continue;
    Frame empty;
    TRY_ASSIGN(inner.names[parameter.name], Eval(parameter.otherwise, empty));
  }
  TRY(Block(code.body, inner));
  return std::move(inner.result);
}

Result<Value> Evaluator::Builtin(const std::string& name, const Expression& call, Frame& frame) {
  if (call.parts.size() < 2) return Unknown(false);
  if (name == "annotate" || name == "unchecked_cast") return Eval(call.parts.back(), frame);
  TRY_ASSIGN(Value value, Eval(call.parts[1], frame));
  if (name == "getattr" && call.parts.size() > 2) {
    Expression attribute;
    attribute.kind = EKind::kAttribute;
    attribute.parts.push_back(call.parts[1]);
    attribute.text = call.parts[2].text;
    return Attribute(attribute, frame);
  }
  if (name == "int" || name == "bool" || name == "float") {
    if (value.kind == Kind::kFloat && name == "int")
      return Integer(static_cast<std::int64_t>(std::clamp(value.real, -9e15, 9e15)));
    if (value.kind == Kind::kTensor) value.number = true;
    return value;
  }
  return name == "isinstance" ? Unknown(true) : Unknown(false);
}

const aten::Schema* Evaluator::Choose(const std::string& domain, const std::string& name,
                                      const std::vector<Value>& values,
                                      const std::vector<std::string>& keywords) const {
  for (const aten::Schema& schema : schemas_.Overloads(domain, name)) {
    bool fits = true;
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size() && fits; ++i) {
      const aten::SchemaArgument* argument = nullptr;
      if (keywords[i].empty()) {
        if (next < schema.arguments.size() && !schema.arguments[next].keyword_only)
          argument = &schema.arguments[next++];
      } else {
        for (const aten::SchemaArgument& one : schema.arguments)
          if (one.name == keywords[i]) argument = &one;
      }
      fits = argument != nullptr && Fits(values[i], argument->kind);
    }
    if (fits) return &schema;
  }
  return nullptr;
}

aten::Argument Evaluator::ToArgument(const Value& value, const std::string& name, char kind,
                                     Frame& frame) {
  using AKind = aten::Argument::Kind;
  aten::Argument out;
  out.name = name;
  if (kind == '-') return out;
  if (kind == 'd' && value.kind == Kind::kInteger) {
    out.kind = AKind::kText;
    out.texts.emplace_back(opscope::Name(aten::DTypeOfScalarType(value.integer)));
    return out;
  }
  switch (value.kind) {
    case Kind::kInteger:
      out.kind = AKind::kInteger;
      out.integers.push_back(value.integer);
      return out;
    case Kind::kFloat:
      out.kind = AKind::kFloat;
      out.floats.push_back(static_cast<float>(value.real));
      return out;
    case Kind::kText:
      out.kind = AKind::kText;
      out.texts.push_back(value.text);
      return out;
    case Kind::kTensor:
      out.kind = value.number && kind != 'T' ? AKind::kInteger : AKind::kTensor;
      out.tensors.push_back(value.tensor);
      if (out.kind == AKind::kInteger) out.integers.push_back(0);
      return out;
    case Kind::kSizes: {
      aten::Argument self{"self", AKind::kTensor, {value.tensor}, {}, {}, {}, {}};
      out.kind = AKind::kList;
      out.tensors.push_back(Emit("aten", "size", {std::move(self)}, 1, frame).tensor);
      return out;
    }
    case Kind::kPieces:
      out.kind = AKind::kTensors;
      out.tensors = around_.model.nodes[value.node.index()].outputs;
      return out;
    case Kind::kList:
      break;
    default:
      return out;
  }
  const bool tensors =
      kind == 'L' || (kind != 'I' && !value.items.empty() && value.items[0].kind == Kind::kTensor &&
                      !value.items[0].number);
  const bool floats = !value.items.empty() && value.items[0].kind == Kind::kFloat;
  out.kind = tensors ? AKind::kTensors : floats ? AKind::kFloats : AKind::kIntegers;
  for (const Value& item : value.items) {
    if (floats) {
      out.floats.push_back(static_cast<float>(item.real));
      continue;
    }
    out.tensors.push_back(item.kind == Kind::kTensor ? item.tensor : TensorId());
    if (!tensors) out.integers.push_back(item.integer);
  }
  return out;
}

Value Evaluator::Emit(const std::string& domain, const std::string& name,
                      std::vector<aten::Argument> arguments, std::size_t outputs,
                      const Frame& frame) {
  aten::Call call;
  call.domain = domain;
  call.op = name;
  const int count = names_[name]++;
  call.name = count == 0 ? name : name + "_" + std::to_string(count);
  call.module = frame.module;
  call.type = frame.type;
  call.arguments = std::move(arguments);
  Value out;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::string value = i == 0 ? call.name : call.name + "." + std::to_string(i);
    call.outputs.push_back(aten::AddValue(around_.model, GraphId{0}, value));
  }
  if (!call.outputs.empty()) out.tensor = call.outputs[0];
  out.kind = Kind::kTensor;
  std::vector<Value> all;
  for (const TensorId tensor : call.outputs) {
    Value one;
    one.kind = Kind::kTensor;
    one.tensor = tensor;
    all.push_back(std::move(one));
  }
  out.node = aten::AddCall(around_.model, GraphId{0}, schemas_, std::move(call));
  if (outputs == 0) out.kind = Kind::kPieces;
  if (outputs > 1) {
    out.kind = Kind::kList;
    out.items = std::move(all);
  }
  return out;
}

Result<Value> Evaluator::Op(const std::string& domain, const std::string& name,
                            const Expression& call, Frame& frame) {
  std::vector<Value> values;
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    TRY_ASSIGN(Value value, Eval(call.parts[i], frame));
    values.push_back(std::move(value));
  }
  if (domain == "prim") {
    if (name == "NumToTensor" && !values.empty()) return values[0];
    if (name == "dtype" || name == "device") return Value();
    if (name == "is_cuda" || name == "is_quantized" || name == "requires_grad") return Integer(0);
    return Unknown(false);
  }
  if (domain == "aten" && name == "device") return Value();
  Value folded;
  TRY_ASSIGN(const bool done, Fold(name, values, folded));
  if (done) return folded;
  const bool of_tensor = !values.empty() && values[0].kind == Kind::kTensor && !values[0].number;
  if (name == "len" && !values.empty() && values[0].kind == Kind::kSizes) {
    aten::Argument self{"self", aten::Argument::Kind::kTensor, {values[0].tensor}, {}, {}, {}, {}};
    folded = Emit("aten", "dim", {std::move(self)}, 1, frame);
    folded.number = true;
    return folded;
  }
  if (name == "size" && values.size() == 1 && of_tensor) {
    folded.kind = Kind::kSizes;
    folded.tensor = values[0].tensor;
    return folded;
  }
  // Questions about the values of the program, not about tensors.
  if (name.starts_with("__") && !of_tensor) return Unknown(false);
  if (name == "len" && !of_tensor) return Unknown(true);
  const bool scalars = !values.empty() && std::all_of(values.begin(), values.end(), IsScalar);
  std::string base = name;
  if (base.size() > 1 && base.ends_with('_') && !base.ends_with("__") &&
      schemas_.Overloads(domain, base).empty())
    base.pop_back();
  const aten::Schema* schema = Choose(domain, base, values, call.keywords);
  std::vector<aten::Argument> arguments;
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string argument = call.keywords[i];
    char kind = '?';
    if (schema != nullptr && argument.empty() && next < schema->arguments.size()) {
      argument = schema->arguments[next].name;
      kind = schema->arguments[next++].kind;
    } else if (schema != nullptr) {
      for (const aten::SchemaArgument& one : schema->arguments)
        if (one.name == argument) kind = one.kind;
    }
    if (argument.empty()) argument = "arg" + std::to_string(i);
    arguments.push_back(ToArgument(values[i], argument, kind, frame));
  }
  std::size_t outputs = 1;
  for (const Outputs& known : kOutputs)
    if (known.op == base) outputs = known.count;
  const bool dim = std::any_of(arguments.begin(), arguments.end(), [](const aten::Argument& one) {
    return one.name == "dim" && one.kind == aten::Argument::Kind::kInteger;
  });
  if ((base == "max" || base == "min" || base == "median") && dim) outputs = 2;
  if (std::find(kPieces.begin(), kPieces.end(), base) != kPieces.end()) outputs = 0;
  Value out = Emit(scalars ? "operator" : domain, base, std::move(arguments), outputs, frame);
  out.number = scalars || base == "size" || base == "dim" || base == "numel";
  return out;
}

}  // namespace opscope::torchscript
