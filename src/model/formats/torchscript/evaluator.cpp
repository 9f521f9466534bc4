#include "model/formats/torchscript/evaluator.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace opscope::torchscript {

namespace {

using Kind = Value::Kind;
using EKind = Expression::Kind;

constexpr std::size_t kMaxSteps = 20'000'000;
constexpr std::size_t kMaxNodes = 4'000'000;
constexpr int kMaxDepth = 120;
constexpr std::int64_t kMaxTrips = 65536;

Value List(std::vector<Value> items) {
  Value out;
  out.kind = Kind::kList;
  out.items = std::move(items);
  return out;
}

// The code ends with an error.
bool Raises(const std::vector<Statement>& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    return statement.kind == Statement::Kind::kExpression && statement.value.kind == EKind::kCall &&
           Dotted(statement.value.parts[0]).ends_with("RaiseException");
  });
}

}  // namespace

bool Evaluator::Budget() {
  return ++steps_ < kMaxSteps && around_.model.nodes.size() < kMaxNodes && depth_ < kMaxDepth;
}

Result<void> Evaluator::Run() {
  const PickleValue& top = around_.data[around_.data.top];
  if (top.kind != PickleValue::Kind::kObject)
    return Error{"torchscript.no-module", "data.pkl holds no module", ""};
  TRY_ASSIGN(const Value self, FromPickle(top, ""));
  TRY_ASSIGN(const ClassCode* code, ClassOf(top.text));
  const auto forward =
      code == nullptr ? decltype(code->methods.begin())() : code->methods.find("forward");
  if (code == nullptr || forward == code->methods.end())
    return Error{
        "torchscript.no-forward",
        "\"" + Printable(top.text) + "\" has no method \"forward\"; it holds nothing to run", ""};
  Frame frame;
  frame.type = TypeOf(top.text);
  if (around_.model.graphs.empty()) around_.model.graphs.emplace_back();
  for (std::size_t i = 0; i < forward->second.parameters.size(); ++i) {
    const Parameter& parameter = forward->second.parameters[i];
    Value& value = frame.names[parameter.name];
    if (i == 0) {
      value = self;
      continue;
    }
    if (parameter.has_default) {
      Frame empty;
      TRY_ASSIGN(value, Eval(parameter.otherwise, empty));
      continue;
    }
    TypeInfo type;
    const bool number = parameter.type == "int";
    if (number) type = {ValueKind::kTensor, DType::kInt64, Shape{std::vector<Dim>()}};
    value.kind = Kind::kTensor;
    value.number = number;
    value.tensor = aten::AddValue(around_.model, GraphId{0}, parameter.name, std::move(type));
    around_.model.tensors[value.tensor.index()].graph_input = true;
    around_.model.graphs[0].inputs.push_back(value.tensor);
  }
  TRY(Block(forward->second.body, frame));
  std::vector<const Value*> open = {&frame.result};
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    for (std::size_t i = value->items.size(); i-- > 0;) open.push_back(&value->items[i]);
    if (value->kind != Kind::kTensor || !value->tensor.valid()) continue;
    around_.model.tensors[value->tensor.index()].graph_output = true;
    around_.model.graphs[0].outputs.push_back(value->tensor);
  }
  return {};
}

// --- statements ---

Result<void> Evaluator::Block(const std::vector<Statement>& block, Frame& frame) {
  for (const Statement& statement : block) {
    if (frame.returned) break;
    if (!Budget())
      return Error{"torchscript.too-large", "following the code takes too many steps", ""};
    TRY(One(statement, frame));
  }
  return {};
}

Result<void> Evaluator::One(const Statement& statement, Frame& frame) {
  switch (statement.kind) {
    case Statement::Kind::kPass:
      return {};
    case Statement::Kind::kExpression:
      TRY(Eval(statement.value, frame));
      return {};
    case Statement::Kind::kReturn: {
      TRY_ASSIGN(frame.result, Eval(statement.value, frame));
      frame.returned = true;
      return {};
    }
    case Statement::Kind::kAssign:
      return Assign(statement, frame);
    case Statement::Kind::kIf:
      return If(statement, frame);
    case Statement::Kind::kFor:
    case Statement::Kind::kWhile:
      return Loop(statement, frame);
  }
  return {};
}

Result<void> Evaluator::Assign(const Statement& statement, Frame& frame) {
  TRY_ASSIGN(Value value, Eval(statement.value, frame));
  if (!statement.unpacked) {
    if (statement.targets[0].kind == EKind::kName)
      frame.names.insert_or_assign(statement.targets[0].text, std::move(value));
    return {};
  }
  std::vector<Value> parts = Unpack(value, statement.targets.size(), frame);
  for (std::size_t i = 0; i < statement.targets.size(); ++i)
    frame.names.insert_or_assign(statement.targets[i].text, std::move(parts[i]));
  return {};
}

// A condition on data: what does not end in an error, else what such a condition mostly is.
Result<void> Evaluator::If(const Statement& statement, Frame& frame) {
  TRY_ASSIGN(const Value condition, Eval(statement.value, frame));
  bool holds = condition.integer != 0;
  if (condition.kind == Kind::kUnknown || condition.kind == Kind::kTensor) {
    const bool open = !Raises(statement.body) && !Raises(statement.otherwise);
    holds = Raises(statement.otherwise) || (!Raises(statement.body) && condition.likely);
    if (open)
      around_.log.Add("torchscript.condition", Severity::kNotice,
                      "module \"" + Printable(frame.module) + "\"",
                      std::string("a condition hangs on sizes or data; the branch where it ") +
                          (holds ? "holds" : "does not hold") + " is followed");
  } else if (condition.kind == Kind::kNone) {
    holds = false;
  }
  return Block(holds ? statement.body : statement.otherwise, frame);
}

Result<void> Evaluator::Loop(const Statement& statement, Frame& frame) {
  std::vector<Value> rounds;
  bool known = true;
  if (statement.kind == Statement::Kind::kFor) {
    const Expression& over = statement.value;
    const bool range = over.kind == EKind::kCall && Dotted(over.parts[0]) == "range";
    TRY_ASSIGN(const Value list, Eval(range ? over.parts.back() : over, frame));
    known = range ? list.kind == Kind::kInteger : list.kind == Kind::kList;
    if (range && known)
      for (std::int64_t i = 0; i < std::min(list.integer, kMaxTrips); ++i)
        rounds.push_back(Integer(i));
    if (!range) rounds = list.items;
  } else {
    known = false;
  }
  if (!known) {
    rounds.assign(1, Integer(0));
    around_.log.Add("torchscript.loop", Severity::kLoss,
                    "module \"" + Printable(frame.module) + "\"",
                    "how often a loop runs hangs on data; one round of it is counted");
  }
  for (Value& round : rounds) {
    if (!statement.targets.empty() && statement.targets[0].kind == EKind::kName)
      frame.names.insert_or_assign(statement.targets[0].text, std::move(round));
    TRY(Block(statement.body, frame));
    if (frame.returned) break;
  }
  return {};
}

// --- expressions ---

Result<Value> Evaluator::Eval(const Expression& e, Frame& frame) {
  Value out;
  switch (e.kind) {
    case EKind::kInteger:
      return Integer(e.integer);
    case EKind::kFloat:
      out.kind = Kind::kFloat;
      out.real = e.real;
      return out;
    case EKind::kText:
      out.kind = Kind::kText;
      out.text = e.text;
      return out;
    case EKind::kList:
    case EKind::kTuple: {
      std::vector<Value> items;
      for (const Expression& part : e.parts) {
        TRY_ASSIGN(Value item, Eval(part, frame));
        items.push_back(std::move(item));
      }
      return List(std::move(items));
    }
    case EKind::kName: {
      if (e.text == "None" || e.text == "NoneType") return out;
      if (e.text == "True" || e.text == "False") return Integer(e.text == "True" ? 1 : 0);
      const auto found = frame.names.find(e.text);
      return found == frame.names.end() ? Unknown(false) : found->second;
    }
    case EKind::kAttribute:
      return Attribute(e, frame);
    case EKind::kIndex:
      return Index(e, frame);
    case EKind::kCall: {
      ++depth_;
      if (!Budget())
        return Error{"torchscript.too-deep", "calls nest too deep, or are too many", ""};
      auto called = Call(e, frame);
      --depth_;
      return called;
    }
  }
  return out;
}

Result<Value> Evaluator::FromPickle(const PickleValue& value, const std::string& path) {
  Value out;
  switch (value.kind) {
    case PickleValue::Kind::kNone:
      return out;
    case PickleValue::Kind::kFlag:
    case PickleValue::Kind::kInteger:
      return Integer(value.integer);
    case PickleValue::Kind::kFloat:
      out.kind = Kind::kFloat;
      out.real = value.real;
      return out;
    case PickleValue::Kind::kText:
      out.kind = Kind::kText;
      out.text = value.text;
      return out;
    case PickleValue::Kind::kTensor: {
      out.kind = Kind::kTensor;
      TRY_ASSIGN(out.tensor, around_.weight(value, path));
      return out;
    }
    case PickleValue::Kind::kObject:
      out.kind = Kind::kModule;
      out.pickled = &value;
      out.text = value.text;
      out.path = path;
      return out;
    case PickleValue::Kind::kList: {
      if (++depth_ > kMaxDepth) return Error{"pickle.damaged", "the pickle nests too deep", ""};
      std::vector<Value> items;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        TRY_ASSIGN(Value item,
                   FromPickle(around_.data[value.items[i]], path + "." + std::to_string(i)));
        items.push_back(std::move(item));
      }
      --depth_;
      return List(std::move(items));
    }
    default:
      return Unknown(false);
  }
}

Result<Value> Evaluator::Attribute(const Expression& e, Frame& frame) {
  const std::string dotted = Dotted(e);
  if (dotted.starts_with("CONSTANTS.c") && around_.constants != nullptr) {
    const PickleValue& list = (*around_.constants)[around_.constants->top];
    const auto place = static_cast<std::size_t>(std::atoll(dotted.c_str() + 11));
    if (place >= list.items.size()) return Unknown(false);
    const PickleValue& constant = (*around_.constants)[list.items[place]];
    Value out;
    if (constant.kind != PickleValue::Kind::kTensor) return Unknown(false);
    out.kind = Kind::kTensor;
    TRY_ASSIGN(out.tensor, around_.weight(constant, "CONSTANTS.c" + std::to_string(place)));
    return out;
  }
  if (dotted.starts_with("__torch__.")) {
    Value out;
    out.kind = Kind::kText;
    out.text = dotted;
    return out;
  }
  TRY_ASSIGN(const Value object, Eval(e.parts[0], frame));
  if (object.kind != Kind::kModule) return Unknown(false);
  if (const PickleValue* field = around_.data.Find(*object.pickled, e.text))
    return FromPickle(*field, object.path.empty() ? e.text : object.path + "." + e.text);
  TRY_ASSIGN(const ClassCode* code, ClassOf(object.text));
  if (code != nullptr) {
    const auto constant = code->constants.find(e.text);
    Frame empty;
    if (constant != code->constants.end()) return Eval(constant->second, empty);
  }
  return Unknown(false);
}

Result<Value> Evaluator::Index(const Expression& e, Frame& frame) {
  TRY_ASSIGN(const Value list, Eval(e.parts[0], frame));
  TRY_ASSIGN(const Value index, Eval(e.parts[1], frame));
  if (index.kind != Kind::kInteger) return Unknown(false);
  if (list.kind == Kind::kSizes) return Sized(list, index.integer, frame);
  if (list.kind == Kind::kPieces && index.integer >= 0 && index.integer < kMaxTrips)
    return Piece(list, static_cast<std::size_t>(index.integer));
  const auto size = static_cast<std::int64_t>(list.items.size());
  const std::int64_t place = index.integer < 0 ? index.integer + size : index.integer;
  if (list.kind != Kind::kList || place < 0 || place >= size) return Unknown(false);
  return list.items[static_cast<std::size_t>(place)];
}

Value Evaluator::Piece(const Value& pieces, std::size_t index) {
  Value out;
  out.kind = Kind::kTensor;
  std::vector<TensorId>& outputs = around_.model.nodes[pieces.node.index()].outputs;
  while (outputs.size() <= index) {
    const std::string name =
        std::string(around_.model.text(around_.model.nodes[pieces.node.index()].name)) + "_" +
        std::to_string(outputs.size());
    const TensorId tensor = aten::AddValue(around_.model, GraphId{0}, name);
    around_.model.tensors[tensor.index()].producer = pieces.node;
    outputs.push_back(tensor);
  }
  out.tensor = outputs[index];
  return out;
}

Value Evaluator::Sized(const Value& sizes, std::int64_t axis, const Frame& frame) {
  aten::Argument self{"self", aten::Argument::Kind::kTensor, {sizes.tensor}, {}, {}, {}, {}};
  aten::Argument dim{"dim", aten::Argument::Kind::kInteger, {}, {axis}, {}, {}, {}};
  Value out = Emit("aten", "size", {std::move(self), std::move(dim)}, 1, frame);
  out.number = true;
  return out;
}

std::vector<Value> Evaluator::Unpack(const Value& value, std::size_t count, Frame& frame) {
  std::vector<Value> out(count, Unknown(false));
  for (std::size_t i = 0; i < count; ++i) {
    if (value.kind == Kind::kPieces) out[i] = Piece(value, i);
    if (value.kind == Kind::kSizes) out[i] = Sized(value, static_cast<std::int64_t>(i), frame);
    if (value.kind == Kind::kList && i < value.items.size()) out[i] = value.items[i];
  }
  return out;
}

Result<const ClassCode*> Evaluator::ClassOf(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return nullptr;
  std::string path = name.substr(0, dot);
  std::replace(path.begin(), path.end(), '.', '/');
  TRY_ASSIGN(const CodeFile* file, around_.code(path));
  if (file == nullptr) return nullptr;
  const auto found = file->classes.find(name.substr(dot + 1));
  return found == file->classes.end() ? nullptr : &found->second;
}

}  // namespace opscope::torchscript
