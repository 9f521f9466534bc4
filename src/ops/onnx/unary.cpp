// One input, one output of the same shape: activations, roundings, Cast, Clip.
#include <cmath>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- values ---

Dim Keep(DimTable&, Dim a) { return a; }
Dim Negate(DimTable& dims, Dim a) { return dims.Sub(0, a); }
Dim Absolute(DimTable& dims, Dim a) { return dims.Max(a, dims.Sub(0, a)); }
Dim Not(DimTable& dims, Dim a) { return dims.Sub(1, a); }
Dim ClampToZero(DimTable& dims, Dim a) { return dims.Max(a, 0); }

constexpr Fold1 kNotFollowed;
constexpr Fold1 kAbs = {Absolute, [](double a) { return std::abs(a); }, Absolute};
constexpr Fold1 kCeil = {Keep, [](double a) { return std::ceil(a); }, Keep};
constexpr Fold1 kFloor = {Keep, [](double a) { return std::floor(a); }, Keep};
constexpr Fold1 kNeg = {Negate, [](double a) { return -a; }, Negate};
constexpr Fold1 kNot = {Not, nullptr, nullptr};
constexpr Fold1 kReciprocal = {nullptr, [](double a) { return 1 / a; }, nullptr};
constexpr Fold1 kRelu = {ClampToZero, [](double a) { return a > 0 ? a : 0; }, ClampToZero};
// Halves go to the even neighbour: the default rounding of nearbyint, as the specification has it.
constexpr Fold1 kRound = {Keep, [](double a) { return std::nearbyint(a); }, Keep};
constexpr Fold1 kSqrt = {nullptr, [](double a) { return std::sqrt(a); }, nullptr};

// --- shapes ---

template <const Fold1& kFold>
Result<void> InferUnary(OpContext& op) {
  TRY(SameAsInput(op));
  FoldUnary(op, kFold);
  return {};
}

Result<void> InferToBool(OpContext& op) {
  SetOutput(op, 0, DType::kBool, op.in(0).shape);
  return {};
}

// Below opset 6 the dtype was spelt: "FLOAT", "INT64", "BOOL" …
DType DTypeSpelt(std::string_view name) {
  if (name == "FLOAT") return DType::kFloat32;
  if (name == "DOUBLE") return DType::kFloat64;
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return DTypeFromName(lower);
}

Result<void> InferSpeltCast(OpContext& op) {
  SetOutput(op, 0, DTypeSpelt(op.String("to").value_or("")), op.in(0).shape);
  FoldCast(op);
  return {};
}

Result<void> InferCast(OpContext& op) {
  const std::optional<std::int64_t> to = op.Int("to");
  if (!to.has_value()) return op.Problem("attribute \"to\" is missing");
  SetOutput(op, 0, DTypeFromNumber(*to), op.in(0).shape);
  op.out(0).elements = op.in(0).elements;
  FoldCast(op);
  return {};
}

// The same bytes under another dtype of the same width.
Result<void> InferBitCast(OpContext& op) {
  const DType to = DTypeAttribute(op, "to", DType::kUnknown);
  SetOutput(op, 0, to, op.in(0).shape);
  const DType from = op.in(0).dtype;
  if (from != DType::kUnknown && to != DType::kUnknown && Bits(from) != Bits(to)) {
    return op.Problem(std::string(Name(from)) + " and " + std::string(Name(to)) +
                      " have not the same width");
  }
  ShareInput(op);
  return {};
}

Result<void> InferCastLike(OpContext& op) {
  SetOutput(op, 0, op.in(1).dtype, op.in(0).shape);
  FoldCast(op);
  return {};
}

// Limits are attributes below opset 11, inputs from there on; a limit left out does not act.
Result<void> InferClip(OpContext& op) {
  TRY(SameAsInput(op));
  if (op.opset() < 11) return {};
  TensorFact clipped = op.in(0);
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}}) {
    if (!op.has(limit)) continue;
    constexpr Fold2 kMax = {fold::Max, [](double a, double b) { return a > b ? a : b; }, fold::Max};
    constexpr Fold2 kMin = {fold::Min, [](double a, double b) { return a < b ? a : b; }, fold::Min};
    TensorFact next;
    next.dtype = clipped.dtype;
    next.shape = clipped.shape;
    FoldBinary(op, clipped, op.in(limit), next, limit == 1 ? kMax : kMin);
    clipped = std::move(next);
  }
  CopyElements(clipped, op.out(0));
  return {};
}

constexpr OpEntry Unary(std::string_view op, InferFn infer = InferUnary<kNotFollowed>) {
  return {.op = op, .infer = infer, .work = PointwiseWork, .rule = "elementwise"};
}

constexpr OpEntry kOps[] = {
    Unary("Abs", InferUnary<kAbs>),
    Unary("Acos"),
    Unary("Acosh"),
    Unary("Asin"),
    Unary("Asinh"),
    Unary("Atan"),
    Unary("Atanh"),
    Unary("BitwiseNot"),
    Unary("Ceil", InferUnary<kCeil>),
    Unary("Celu"),
    Unary("Cos"),
    Unary("Cosh"),
    Unary("Elu"),
    Unary("Erf"),
    Unary("Exp"),
    Unary("Floor", InferUnary<kFloor>),
    Unary("Gelu"),
    Unary("HardSigmoid"),
    Unary("HardSwish"),
    Unary("IsInf", InferToBool),
    Unary("IsNaN", InferToBool),
    Unary("LeakyRelu"),
    Unary("Log"),
    Unary("Mish"),
    Unary("Neg", InferUnary<kNeg>),
    Unary("Not", InferUnary<kNot>),
    Unary("Reciprocal", InferUnary<kReciprocal>),
    Unary("Relu", InferUnary<kRelu>),
    Unary("Round", InferUnary<kRound>),
    Unary("Selu"),
    Unary("Shrink"),
    Unary("Sigmoid"),
    Unary("Sign"),
    Unary("Sin"),
    Unary("Sinh"),
    Unary("Softplus"),
    Unary("Softsign"),
    Unary("Sqrt", InferUnary<kSqrt>),
    Unary("Swish"),
    Unary("Tan"),
    Unary("Tanh"),
    Unary("ThresholdedRelu"),
    {.op = "BitCast", .infer = InferBitCast, .work = ViewWork, .rule = "view"},
    {.op = "Cast", .until = 5, .infer = InferSpeltCast, .work = CastWork, .rule = "movement"},
    {.op = "Cast", .since = 6, .infer = InferCast, .work = CastWork, .rule = "movement"},
    {.op = "CastLike", .infer = InferCastLike, .work = CastWork, .rule = "movement", .roles = "xc"},
    {.op = "Clip",
     .infer = InferClip,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "xcc"},
};

}  // namespace

std::span<const OpEntry> UnaryOps() { return kOps; }

}  // namespace opscope::onnx
