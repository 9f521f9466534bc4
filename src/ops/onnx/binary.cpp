// Broadcasting ops: arithmetic, comparison, logic, Where, and the variadic Sum, Max, Min, Mean.
#include <cmath>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- values ---

double RealMax(double a, double b) { return a > b ? a : b; }
double RealMin(double a, double b) { return a < b ? a : b; }
Dim And(DimTable& dims, Dim a, Dim b) { return dims.Mul(a, b); }
Dim Or(DimTable& dims, Dim a, Dim b) { return dims.Max(a, b); }
Dim Greater(DimTable& dims, Dim a, Dim b) { return fold::Less(dims, b, a); }
Dim GreaterOrEqual(DimTable& dims, Dim a, Dim b) { return fold::LessOrEqual(dims, b, a); }
Dim NotEqual(DimTable& dims, Dim a, Dim b) { return dims.Sub(1, fold::Equal(dims, a, b)); }

constexpr Fold2 kNotFollowed;
constexpr Fold2 kAdd = {fold::Add, [](double a, double b) { return a + b; }, fold::Add};
constexpr Fold2 kSub = {fold::Sub, [](double a, double b) { return a - b; }, fold::Sub};
constexpr Fold2 kMul = {fold::Mul, [](double a, double b) { return a * b; }, fold::Mul};
constexpr Fold2 kDiv = {fold::Truncate, [](double a, double b) { return a / b; }, fold::Exact};
constexpr Fold2 kMod = {fold::FloorMod, nullptr, nullptr};
constexpr Fold2 kFmod = {fold::TruncateMod, [](double a, double b) { return std::fmod(a, b); },
                         nullptr};
constexpr Fold2 kPow = {nullptr, [](double a, double b) { return std::pow(a, b); }, nullptr};
constexpr Fold2 kMax = {fold::Max, RealMax, fold::Max};
constexpr Fold2 kMin = {fold::Min, RealMin, fold::Min};
constexpr Fold2 kAnd = {And, nullptr, nullptr};
constexpr Fold2 kOr = {Or, nullptr, nullptr};
constexpr Fold2 kXor = {NotEqual, nullptr, nullptr};
constexpr Fold2 kEqual = {fold::Equal, [](double a, double b) { return a == b ? 1.0 : 0.0; },
                          fold::Equal};
constexpr Fold2 kLess = {fold::Less, [](double a, double b) { return a < b ? 1.0 : 0.0; },
                         fold::Less};
constexpr Fold2 kLessOrEqual = {
    fold::LessOrEqual, [](double a, double b) { return a <= b ? 1.0 : 0.0; }, fold::LessOrEqual};
constexpr Fold2 kGreater = {Greater, [](double a, double b) { return a > b ? 1.0 : 0.0; }, Greater};
constexpr Fold2 kGreaterOrEqual = {
    GreaterOrEqual, [](double a, double b) { return a >= b ? 1.0 : 0.0; }, GreaterOrEqual};

// --- shapes ---

// Below opset 7, `axis` says at which axis of A the dims of B begin.
Result<Shape> SecondOperand(OpContext& op) {
  Shape b = op.in(1).shape;
  const std::optional<std::int64_t> axis = op.opset() < 7 ? op.Int("axis") : std::nullopt;
  const Shape& a = op.in(0).shape;
  if (!axis.has_value() || !a.known_rank() || !b.known_rank()) return b;
  TRY_ASSIGN(const std::size_t begin, AxisOf(op, *axis, a.rank()));
  if (begin + b.rank() > a.rank()) return op.Problem("input B does not fit at \"axis\"");
  b.dims->resize(a.rank() - begin, Dim(1));
  return b;
}

Result<void> InferBroadcast(OpContext& op, DType dtype) {
  TRY_ASSIGN(const Shape b, SecondOperand(op));
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, b));
  SetOutput(op, 0, dtype, std::move(shape));
  return {};
}

template <const Fold2& kFold>
Result<void> InferArithmetic(OpContext& op) {
  TRY(InferBroadcast(op, CommonDType(op)));
  FoldBinary(op, op.in(0), op.in(1), op.out(0), kFold);
  return {};
}

template <const Fold2& kFold>
Result<void> InferCompare(OpContext& op) {
  TRY(InferBroadcast(op, DType::kBool));
  FoldBinary(op, op.in(0), op.in(1), op.out(0), kFold);
  return {};
}

// Pow's output has the dtype of the base, whatever the exponent's.
Result<void> InferPow(OpContext& op) {
  TRY(InferBroadcast(op, op.in(0).dtype));
  FoldBinary(op, op.in(0), op.in(1), op.out(0), kPow);
  return {};
}

Result<void> InferMod(OpContext& op) {
  return op.IntOr("fmod", 0) == 0 ? InferArithmetic<kMod>(op) : InferArithmetic<kFmod>(op);
}

template <const Fold2& kFold>
Result<void> InferVariadic(OpContext& op) {
  if (op.inputs() == 0) return op.Problem("no inputs");
  TRY_ASSIGN(Shape shape, BroadcastInputs(op, 0, op.inputs() - 1));
  SetOutput(op, 0, CommonDType(op), std::move(shape));
  TensorFact folded = op.in(0);
  for (std::size_t i = 1; i < op.inputs() && HasElements(folded); ++i) {
    TensorFact next;
    next.dtype = op.out(0).dtype;
    TRY_ASSIGN(next.shape, Broadcast(op, folded.shape, op.in(i).shape));
    FoldBinary(op, folded, op.in(i), next, kFold);
    folded = std::move(next);
  }
  CopyElements(folded, op.out(0));
  return {};
}

Result<void> InferMean(OpContext& op) {
  TRY(InferVariadic<kNotFollowed>(op));
  if (op.inputs() > 1) CopyElements({}, op.out(0));
  return {};
}

Result<void> InferWhere(OpContext& op) {
  TRY_ASSIGN(Shape shape, BroadcastInputs(op, 0, 2));
  SetOutput(op, 0, CommonDType(op, 1), std::move(shape));
  FoldWhere(op);
  return {};
}

Work VariadicWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape), static_cast<int>(op.inputs()), true};
}

constexpr OpEntry Binary(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = PointwiseWork, .rule = "elementwise"};
}

constexpr OpEntry Variadic(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = VariadicWork, .rule = "elementwise"};
}

constexpr OpEntry kOps[] = {
    Binary("Add", InferArithmetic<kAdd>),
    Binary("And", InferCompare<kAnd>),
    Binary("BitShift", InferArithmetic<kNotFollowed>),
    Binary("BitwiseAnd", InferArithmetic<kNotFollowed>),
    Binary("BitwiseOr", InferArithmetic<kNotFollowed>),
    Binary("BitwiseXor", InferArithmetic<kNotFollowed>),
    Binary("Div", InferArithmetic<kDiv>),
    Binary("Equal", InferCompare<kEqual>),
    Binary("Greater", InferCompare<kGreater>),
    Binary("GreaterOrEqual", InferCompare<kGreaterOrEqual>),
    Binary("Less", InferCompare<kLess>),
    Binary("LessOrEqual", InferCompare<kLessOrEqual>),
    Binary("Mod", InferMod),
    Binary("Mul", InferArithmetic<kMul>),
    Binary("Or", InferCompare<kOr>),
    Binary("Pow", InferPow),
    Binary("Sub", InferArithmetic<kSub>),
    Binary("SwiGLU", InferArithmetic<kNotFollowed>),
    Binary("Xor", InferCompare<kXor>),
    Variadic("Max", InferVariadic<kMax>),
    Variadic("Mean", InferMean),
    Variadic("Min", InferVariadic<kMin>),
    Variadic("Sum", InferVariadic<kAdd>),
    {.op = "PRelu",
     .infer = InferArithmetic<kNotFollowed>,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "xw"},
    {.op = "Where",
     .infer = InferWhere,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "ccc"},
};

}  // namespace

std::span<const OpEntry> BinaryOps() { return kOps; }

}  // namespace opscope::onnx
