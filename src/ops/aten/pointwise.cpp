// Element by element: activations, arithmetic, comparisons, logic.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"
#include "ops/onnx/entry.h"

namespace opscope::aten {

namespace {

using onnx::PointwiseWork;

// --- one tensor ---

// Functions that have no integer result give float32 for whole numbers.
Result<void> InferReal(OpContext& op) {
  TRY(SameAsInput(op));
  const DType dtype = op.in(0).dtype;
  if (IsInteger(dtype) || dtype == DType::kBool) op.out(0).dtype = DType::kFloat32;
  return {};
}
Result<void> InferSame(OpContext& op) {
  TRY(SameAsInput(op));
  if (IsInteger(op.in(0).dtype)) CopyElements({}, op.out(0));
  return {};
}
Result<void> InferFlag(OpContext& op) {
  SetOutput(op, 0, DType::kBool, op.in(0).shape);
  return {};
}
// Outside training the input passes.
Result<void> InferDropout(OpContext& op) {
  TRY(SameAsInput(op));
  SetOutput(op, 1, DType::kBool, op.in(0).shape);
  if (!FlagArg(op, "train")) onnx::ShareInput(op);
  return {};
}
Work DropoutWork(const OpContext& op) {
  return FlagArg(op, "train") ? PointwiseWork(op) : work::View{};
}

// --- several tensors ---

// Tensors of the first `count` inputs, broadcast.
Result<void> InferBroadcast(OpContext& op, std::size_t count, DType dtype) {
  Shape shape = ShapeOf({});
  bool any = false;
  for (std::size_t i = 0; i < std::min(count, op.inputs()); ++i) {
    if (!op.has(i)) continue;
    if (any) {
      TRY_ASSIGN(shape, Broadcast(op, shape, op.in(i).shape));
    } else {
      shape = op.in(i).shape;
    }
    any = true;
  }
  SetOutput(op, 0, dtype, std::move(shape));
  return {};
}

// A plain number beside a tensor: a fraction makes whole numbers real.
DType BesideNumber(const OpContext& op, DType dtype) {
  const bool whole = IsInteger(dtype) || dtype == DType::kBool;
  bool fraction = false, integer = false;
  for (const std::string_view name : {"other", "value", "exponent", "self"}) {
    fraction = fraction || FloatsArg(op, name).has_value();
    integer = integer || IntArg(op, name).has_value();
  }
  if (whole && fraction) return DType::kFloat32;
  return dtype == DType::kBool && integer ? DType::kInt64 : dtype;
}

// The number beside the tensor, as a tensor of no axes.
TensorFact NumberFact(const OpContext& op, DType dtype) {
  TensorFact fact;
  fact.dtype = dtype;
  fact.shape = ShapeOf({});
  const std::optional<Dim> number = DimArg(op, "other");
  if (number.has_value()) fact.ints = Dims{*number};
  return fact;
}

constexpr Fold2 kNotFollowed;
constexpr Fold2 kAdd = {fold::Add, [](double a, double b) { return a + b; }, fold::Add};
constexpr Fold2 kSub = {fold::Sub, [](double a, double b) { return a - b; }, fold::Sub};
constexpr Fold2 kMul = {fold::Mul, [](double a, double b) { return a * b; }, fold::Mul};

Dim FloorDivide(DimTable& dims, Dim a, Dim b) { return dims.FloorDiv(a, b); }
constexpr Fold2 kFloorDivide = {FloorDivide, nullptr, nullptr};

template <const Fold2& kFold>
Result<void> InferArithmetic(OpContext& op) {
  const DType dtype = BesideNumber(op, Promoted(op, 2));
  TRY(InferBroadcast(op, 2, dtype));
  if (IntArg(op, "alpha", 1) != 1 || FloatsArg(op, "alpha").has_value()) return {};
  if (op.has(1)) {
    FoldBinary(op, op.in(0), op.in(1), op.out(0), kFold);
  } else if (HasElements(op.in(0))) {
    FoldBinary(op, op.in(0), NumberFact(op, dtype), op.out(0), kFold);
  }
  return {};
}
Result<void> InferDivision(OpContext& op) {
  DType dtype = BesideNumber(op, Promoted(op, 2));
  if ((IsInteger(dtype) || dtype == DType::kBool) && TextArg(op, "rounding_mode", "").empty())
    dtype = DType::kFloat32;
  return InferBroadcast(op, 2, dtype);
}
Result<void> InferCompare(OpContext& op) { return InferBroadcast(op, 2, DType::kBool); }
Result<void> InferThree(OpContext& op) { return InferBroadcast(op, 3, Promoted(op, 3)); }
// where(condition, self, other); a condition alone gives places, as nonzero does.
Result<void> InferWhere(OpContext& op) {
  DType dtype = op.has(1) ? op.in(1).dtype : DType::kUnknown;
  if (op.has(2)) dtype = Wider(dtype, op.in(2).dtype);
  if (!op.has(1) && !op.has(2)) dtype = BesideNumber(op, DType::kInt64);
  TRY(InferBroadcast(op, 3, dtype));
  if (op.has(1) && op.has(2)) FoldWhere(op);
  return {};
}
// masked_fill(self, mask, value).
Result<void> InferMasked(OpContext& op) { return InferBroadcast(op, 2, op.in(0).dtype); }

Work VariadicWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape), 2, true};
}

constexpr OpEntry One(std::string_view op, std::string_view like, InferFn infer = InferSame) {
  return entry::Pointwise(op, like, infer, "xc");
}
constexpr OpEntry Real(std::string_view op, std::string_view like) {
  return One(op, like, InferReal);
}
constexpr OpEntry Dropout(std::string_view op) {
  return {.op = op,
          .infer = InferDropout,
          .work = DropoutWork,
          .rule = "elementwise",
          .like = "Dropout"};
}
constexpr OpEntry Two(std::string_view op, std::string_view like,
                      InferFn infer = InferArithmetic<kNotFollowed>) {
  return entry::Pointwise(op, like, infer);
}
constexpr OpEntry Most(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferArithmetic<kNotFollowed>,
          .work = VariadicWork,
          .rule = "elementwise",
          .like = like};
}
constexpr OpEntry Compare(std::string_view op, std::string_view like) {
  return Two(op, like, InferCompare);
}

constexpr OpEntry kOps[] = {
    One("relu", "Relu"),
    One("relu6", "Clip"),
    One("hardtanh", "Clip"),
    One("clamp", "Clip"),
    One("clip", "Clip"),
    One("clamp_min", "Relu"),
    One("clamp_max", "Relu"),
    One("leaky_relu", "LeakyRelu"),
    One("elu", "Elu"),
    One("selu", "Selu"),
    One("celu", "Celu"),
    One("gelu", "Gelu"),
    One("silu", "Swish"),
    One("mish", "Mish"),
    One("hardswish", "HardSwish"),
    One("hardsigmoid", "HardSigmoid"),
    One("softplus", "Softplus"),
    One("softsign", "Softsign"),
    One("hardshrink", "Shrink"),
    One("softshrink", "Shrink"),
    One("threshold", "ThresholdedRelu"),
    One("abs", "Abs"),
    One("neg", "Neg"),
    One("sign", "Sign"),
    One("sgn", "Sign"),
    One("ceil", "Ceil"),
    One("floor", "Floor"),
    One("trunc", "Floor"),
    One("fix", "Floor"),
    One("round", "Round"),
    One("square", "Mul"),
    One("positive", "Abs"),
    One("frac", "Sub"),
    One("nan_to_num", "Clip"),
    One("bitwise_not", "BitwiseNot"),
    Real("sigmoid", "Sigmoid"),
    Real("special_expit", "Sigmoid"),
    Real("log_sigmoid", "Softplus"),
    Real("tanh", "Tanh"),
    Real("exp", "Exp"),
    Real("exp2", "Exp"),
    Real("expm1", "Exp"),
    Real("log", "Log"),
    Real("log2", "Log"),
    Real("log10", "Log"),
    Real("log1p", "Log"),
    Real("logit", "Log"),
    Real("sqrt", "Sqrt"),
    Real("rsqrt", "Sqrt"),
    Real("reciprocal", "Reciprocal"),
    Real("erf", "Erf"),
    Real("special_erf", "Erf"),
    Real("erfc", "Erf"),
    Real("erfinv", "Erf"),
    Real("sin", "Sin"),
    Real("cos", "Cos"),
    Real("tan", "Tan"),
    Real("asin", "Asin"),
    Real("acos", "Acos"),
    Real("atan", "Atan"),
    Real("sinh", "Sinh"),
    Real("cosh", "Cosh"),
    Real("asinh", "Asinh"),
    Real("acosh", "Acosh"),
    Real("atanh", "Atanh"),
    One("isnan", "IsNaN", InferFlag),
    One("isinf", "IsInf", InferFlag),
    One("isfinite", "IsInf", InferFlag),
    One("logical_not", "Not", InferFlag),
    Dropout("dropout"),
    Dropout("native_dropout"),
    Dropout("alpha_dropout"),
    Dropout("feature_dropout"),
    Dropout("feature_alpha_dropout"),
    Two("add", "Add", InferArithmetic<kAdd>),
    Two("sub", "Sub", InferArithmetic<kSub>),
    Two("subtract", "Sub", InferArithmetic<kSub>),
    Two("rsub", "Sub"),
    Two("mul", "Mul", InferArithmetic<kMul>),
    Two("multiply", "Mul", InferArithmetic<kMul>),
    Two("div", "Div", InferDivision),
    Two("divide", "Div", InferDivision),
    Two("true_divide", "Div", InferDivision),
    Two("floor_divide", "Div", InferArithmetic<kFloorDivide>),
    Two("remainder", "Mod"),
    Two("fmod", "Mod"),
    Two("pow", "Pow"),
    Two("float_power", "Pow", InferDivision),
    Two("atan2", "Atan", InferDivision),
    Two("arctan2", "Atan", InferDivision),
    Two("xlogy", "Log", InferDivision),
    Most("maximum", "Max"),
    Most("minimum", "Min"),
    Most("fmax", "Max"),
    Most("fmin", "Min"),
    Compare("eq", "Equal"),
    Compare("ne", "Equal"),
    Compare("lt", "Less"),
    Compare("le", "LessOrEqual"),
    Compare("gt", "Greater"),
    Compare("ge", "GreaterOrEqual"),
    Compare("isclose", "Equal"),
    Compare("logical_and", "And"),
    Compare("logical_or", "Or"),
    Compare("logical_xor", "Xor"),
    Two("bitwise_and", "BitwiseAnd"),
    Two("bitwise_or", "BitwiseOr"),
    Two("bitwise_xor", "BitwiseXor"),
    Two("bitwise_left_shift", "BitShift"),
    Two("bitwise_right_shift", "BitShift"),
    Two("__and__", "BitwiseAnd"),
    Two("__or__", "BitwiseOr"),
    Two("__xor__", "BitwiseXor"),
    Two("masked_fill", "Where", InferMasked),
    Two("lerp", "Add", InferThree),
    Two("addcmul", "Add", InferThree),
    Two("addcdiv", "Add", InferThree),
    Two("where", "Where", InferWhere),
    {.op = "prelu",
     .infer = InferSame,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "xw",
     .like = "PRelu"},
    {.op = "_prelu_kernel",
     .infer = InferSame,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "xw",
     .like = "PRelu"},
};

}  // namespace

std::span<const OpEntry> PointwiseOps() { return kOps; }

}  // namespace opscope::aten
