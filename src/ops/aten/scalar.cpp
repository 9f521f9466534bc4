// Python's arithmetic on sizes: numbers of no axes that live beside the tensors.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

constexpr std::string_view kInputs = ".inputs";

// The operands in their order: numbers stated, or computed at run time.
Dims OperandsOf(const OpContext& op) {
  Dims out;
  std::string_view of_inputs;
  for (const Attribute& attribute : op.node().attributes) {
    const std::string_view name = op.model().text(attribute.name);
    if (name.ends_with(kInputs)) {
      const std::string_view own = name.substr(0, name.size() - kInputs.size());
      const auto inputs = TensorsArg(op, own);
      for (const auto& input : inputs)
        out.push_back(input.has_value() ? SingleDim(op.in(*input)) : Dim());
      of_inputs = own;
    } else if (name != of_inputs) {
      if (const auto* value = std::get_if<std::int64_t>(&attribute.value)) out.push_back(*value);
      if (std::holds_alternative<float>(attribute.value)) out.emplace_back();
    }
  }
  return out;
}

Dim Apply(DimTable& dims, std::string_view name, Dim a, Dim b) {
  if (name == "add" || name == "iadd" || name == "sym_sum") return dims.Add(a, b);
  if (name == "sub" || name == "isub") return dims.Sub(a, b);
  if (name == "mul" || name == "imul") return dims.Mul(a, b);
  if (name == "floordiv" || name == "floor_divide" || name == "__floordiv__" ||
      name == "sym_floordiv")
    return dims.FloorDiv(a, b);
  if (name == "mod" || name == "remainder") return fold::FloorMod(dims, a, b);
  if (name == "sym_max" || name == "max" || name == "prim_max") return dims.Max(a, b);
  if (name == "sym_min" || name == "min") return dims.Min(a, b);
  if (name == "eq") return fold::Equal(dims, a, b);
  if (name == "ne") return dims.Sub(1, fold::Equal(dims, a, b));
  if (name == "lt") return fold::Less(dims, a, b);
  if (name == "le") return fold::LessOrEqual(dims, a, b);
  if (name == "gt") return fold::Less(dims, b, a);
  if (name == "ge") return fold::LessOrEqual(dims, b, a);
  if (name == "pow" && b.is_number() && b.number() >= 0 && b.number() <= 8) {
    Dim out = 1;
    for (std::int64_t i = 0; i < b.number(); ++i) out = dims.Mul(out, a);
    return out;
  }
  return {};
}

DType TypeOf(std::string_view name) {
  for (const std::string_view compare : {"eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_"})
    if (name == compare) return DType::kBool;
  if (name == "truediv" || name == "sym_float" || name == "sym_sqrt" || name == "_sym_sqrt")
    return DType::kFloat64;
  return DType::kInt64;
}

constexpr OpEntry Scalar(std::string_view op) {
  return {.op = op, .infer = InferScalar, .work = onnx::NoWork, .rule = "nothing", .roles = "c"};
}

constexpr OpEntry kOps[] = {
    Scalar("add"),      Scalar("sub"),     Scalar("mul"),     Scalar("floordiv"),
    Scalar("truediv"),  Scalar("mod"),     Scalar("pow"),     Scalar("neg"),
    Scalar("eq"),       Scalar("ne"),      Scalar("lt"),      Scalar("le"),
    Scalar("gt"),       Scalar("ge"),      Scalar("and_"),    Scalar("or_"),
    Scalar("sym_max"),  Scalar("sym_min"), Scalar("sym_int"), Scalar("sym_float"),
    Scalar("sym_not"),  Scalar("sym_ite"), Scalar("sym_sum"), Scalar("_sym_sqrt"),
    Scalar("sym_sqrt"), Scalar("ceil"),    Scalar("floor"),   Scalar("trunc"),
    Scalar("round"),    Scalar("getitem"), Scalar("lshift"),  Scalar("rshift"),
    Scalar("not_"),     Scalar("iadd"),    Scalar("imul"),    Scalar("isub"),
    Scalar("abs"),      Scalar("max"),     Scalar("min"),     Scalar("int"),
};

}  // namespace

Result<void> InferScalar(OpContext& op) {
  const std::string_view name = op.op();
  SetOutput(op, 0, TypeOf(name), ShapeOf({}));
  const Dims operands = OperandsOf(op);
  if (operands.empty() || op.out(0).dtype == DType::kFloat64) return {};
  DimTable& dims = op.dims();
  Dim value = operands.front();
  const bool keeps = name == "sym_int" || name == "int" || name == "trunc" || name == "ceil" ||
                     name == "floor" || name == "round";
  if (name == "neg") value = dims.Sub(0, value);
  for (std::size_t i = 1; i < operands.size() && !keeps; ++i)
    value = Apply(dims, name, value, operands[i]);
  if (!value.is_unknown()) op.out(0).ints = Dims{value};
  return {};
}

std::span<const OpEntry> ScalarOps() { return kOps; }

}  // namespace opscope::aten
