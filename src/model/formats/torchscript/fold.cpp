// What of the code is computed here: numbers, lists, comparisons.
#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "model/formats/torchscript/evaluator.h"
#include "model/formats/torchscript/value.h"

namespace opscope::torchscript {

namespace {

using Kind = Value::Kind;

std::optional<std::int64_t> Compute(const std::string& name, std::int64_t a, std::int64_t b) {
  if (name == "add") return CheckedAdd(a, b);
  if (name == "sub") return CheckedSub(a, b);
  if (name == "mul") return CheckedMul(a, b);
  if (name == "eq" || name == "__is__") return a == b;
  if (name == "ne" || name == "__isnot__") return a != b;
  if (name == "lt") return a < b;
  if (name == "le") return a <= b;
  if (name == "gt") return a > b;
  if (name == "ge") return a >= b;
  if (name == "__and__") return a != 0 && b != 0;
  if (name == "__or__") return a != 0 || b != 0;
  if (b <= 0) return std::nullopt;
  if (name == "floordiv" || name == "floor_divide" || name == "remainder") {
    const std::int64_t down = a / b - (a % b < 0 ? 1 : 0);
    return name == "remainder" ? a - down * b : down;
  }
  return std::nullopt;
}

}  // namespace

// Numbers that stand in the code, lists, and what is asked of them.
Result<bool> Evaluator::Fold(const std::string& name, const std::vector<Value>& in, Value& out) {
  const auto is = [&](std::size_t i, Kind kind) { return i < in.size() && in[i].kind == kind; };
  const bool compares = name == "__is__" || name == "__isnot__";
  if (compares && in.size() == 2 && (is(0, Kind::kNone) || is(1, Kind::kNone))) {
    const bool same = is(0, Kind::kNone) && is(1, Kind::kNone);
    out = Integer((name == "__is__") == same ? 1 : 0);
    return true;
  }
  // Two tensors are one object when one value of the graph has both names: "key is value".
  if (compares && is(0, Kind::kTensor) && is(1, Kind::kTensor)) {
    out = Integer((name == "__is__") == (in[0].tensor == in[1].tensor) ? 1 : 0);
    return true;
  }
  if (name == "__not__" && in.size() == 1) {
    const bool open = is(0, Kind::kUnknown) || is(0, Kind::kTensor);
    out = open ? Unknown(!in[0].likely) : Integer(in[0].integer == 0 ? 1 : 0);
    return true;
  }
  // What a program asks of the mode that it runs in: a file is run without gradients.
  if (in.empty() && (name == "is_grad_enabled" || name == "is_autocast_enabled" ||
                     name == "is_autocast_cpu_enabled")) {
    out = Integer(0);
    return true;
  }
  if (name == "len" && (is(0, Kind::kList) || is(0, Kind::kText))) {
    out = Integer(static_cast<std::int64_t>(in[0].items.size()));
    return true;
  }
  if (name == "list" && is(0, Kind::kList)) {
    out = in[0];
    return true;
  }
  if (name == "neg" && is(0, Kind::kInteger)) {
    out = Integer(CheckedSub<std::int64_t>(0, in[0].integer).value_or(0));
    return true;
  }
  if (name == "__contains__" && is(0, Kind::kList)) {
    bool found = false;
    for (const Value& item : in[0].items)
      found = found ||
              (item.kind == in[1].kind && item.integer == in[1].integer && item.text == in[1].text);
    out = is(1, Kind::kTensor) || is(1, Kind::kUnknown) ? Unknown(true) : Integer(found ? 1 : 0);
    return true;
  }
  if (in.size() == 2 && is(0, Kind::kText) && is(1, Kind::kText) &&
      (name == "eq" || name == "ne")) {
    out = Integer((in[0].text == in[1].text) == (name == "eq") ? 1 : 0);
    return true;
  }
  if (in.size() == 2 && is(0, Kind::kInteger) && is(1, Kind::kInteger)) {
    const auto value = Compute(name, in[0].integer, in[1].integer);
    if (value.has_value()) out = Integer(*value);
    return value.has_value();
  }
  const bool sides = in.size() == 2 && IsScalar(in[0]) && IsScalar(in[1]);
  const bool unknown = is(0, Kind::kUnknown) || is(1, Kind::kUnknown) ||
                       (is(0, Kind::kTensor) && in[0].number) ||
                       (is(1, Kind::kTensor) && in[1].number);
  if (name == "eq" || name == "ge" || name == "le" || name == "ne" || name == "lt" ||
      name == "gt") {
    const bool lists = is(0, Kind::kSizes) || is(0, Kind::kList) || is(0, Kind::kFloat);
    if ((sides && unknown) || lists) {
      out = Unknown(name == "eq" || name == "ge" || name == "le");
      return true;
    }
  }
  if (name == "format" || name == "warn" || name == "append" || name == "str" || name == "join") {
    out = Unknown(false);
    return true;
  }
  return false;
}

}  // namespace opscope::torchscript
