// Neural networks: layers that go element by element or move elements; models that are no networks.
#include <algorithm>
#include <string>

#include "ops/coreml/args.h"
#include "ops/coreml/families.h"
#include "ops/onnx/entry.h"

namespace opscope::coreml {

namespace {

// An activation is known by the field that holds it.
std::string_view ActivationName(const Model& model, const Node& node) {
  const Attribute* found = FindAttribute(model, node, "activation");
  const auto* kind = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  constexpr std::pair<std::int64_t, std::string_view> kNames[] = {
      {5, "HardSigmoid"},  {10, "Relu"}, {15, "LeakyRelu"}, {20, "ThresholdedRelu"},
      {25, "PRelu"},       {30, "Tanh"}, {31, "Tanh"},      {40, "Sigmoid"},
      {41, "HardSigmoid"}, {50, "Elu"},  {60, "Softsign"},  {70, "Softplus"},
      {71, "Softplus"}};
  for (const auto& [field, name] : kNames)
    if (kind != nullptr && *kind == field) return name;
  return "Relu";
}

std::string_view UnaryName(const Model& model, const Node& node) {
  constexpr std::string_view kNames[] = {"Sqrt", "Sqrt", "Reciprocal", "Pow",
                                         "Exp",  "Log",  "Abs",        "Max"};
  const Attribute* found = FindAttribute(model, node, "1");
  const auto* kind = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return kind != nullptr && *kind >= 0 && *kind < 8 ? kNames[*kind] : kNames[0];
}

// One input and a number, or several inputs.
Result<void> InferSum(OpContext& op) { return Broadcasted(op); }

Work SumWork(const OpContext& op) {
  const auto times = std::max<std::int64_t>(static_cast<std::int64_t>(Blobs(op)) - 1, 1);
  return work::Elementwise{op.dims().Mul(ElementsOf(op, op.out(0).shape), times), 1, true};
}

Work VariadicWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape),
                           static_cast<int>(std::min<std::size_t>(Blobs(op), 1 << 20)), true};
}

Result<void> InferCompare(OpContext& op) { return Broadcasted(op); }

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

Work OpenWork(const OpContext&) {
  return work::Unknown{"what it does depends on the data or on a body that is not followed"};
}

constexpr OpEntry Unary(std::string_view op, std::string_view like) {
  return entry::Pointwise(op, like, Like, "xw");
}
constexpr OpEntry Binary(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferSum,
          .work = SumWork,
          .rule = "elementwise",
          .roles = "xw",
          .like = like};
}
constexpr OpEntry Variadic(std::string_view op, std::string_view like) {
  return {.op = op, .infer = InferSum, .work = VariadicWork, .rule = "elementwise", .like = like};
}
constexpr OpEntry Gather(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferOpen,
          .work = GatherWork,
          .rule = "gather",
          .roles = "xc",
          .like = like};
}
constexpr OpEntry Open(std::string_view op) {
  return {.op = op, .infer = InferOpen, .work = OpenWork, .rule = "unknown", .roles = "xw"};
}
constexpr OpEntry Nothing(std::string_view op, InferFn infer = InferOpen) {
  return {.op = op, .infer = infer, .work = onnx::NoWork, .rule = "constant", .roles = "x"};
}
constexpr OpEntry kOps[] = {
    {.op = "activation",
     .infer = Like,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .roles = "xw",
     .like = "Relu",
     .like_of = ActivationName},
    {.op = "unary",
     .infer = Like,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .like = "Abs",
     .like_of = UnaryName},
    Unary("acos", "Acos"),
    Unary("acosh", "Acosh"),
    Unary("asin", "Asin"),
    Unary("asinh", "Asinh"),
    Unary("atan", "Atan"),
    Unary("atanh", "Atanh"),
    Unary("bias", "Add"),
    Unary("ceil", "Ceil"),
    Unary("clampedReLU", "Clip"),
    Unary("clip", "Clip"),
    Unary("cos", "Cos"),
    Unary("cosh", "Cosh"),
    Unary("cumSum", "CumSum"),
    Unary("erf", "Erf"),
    Unary("exp2", "Exp"),
    Unary("floor", "Floor"),
    Unary("gelu", "Gelu"),
    Unary("logicalNot", "Not"),
    Unary("lowerTriangular", "Trilu"),
    Unary("matrixBandPart", "Trilu"),
    Unary("round", "Round"),
    Unary("scale", "Mul"),
    Unary("sign", "Sign"),
    Unary("sin", "Sin"),
    Unary("sinh", "Sinh"),
    Unary("tan", "Tan"),
    Unary("tanh", "Tanh"),
    Unary("upperTriangular", "Trilu"),
    Binary("add", "Add"),
    Binary("addBroadcastable", "Add"),
    Binary("divideBroadcastable", "Div"),
    Binary("equal", "Equal"),
    Binary("floorDivBroadcastable", "Div"),
    Binary("greaterEqual", "GreaterOrEqual"),
    Binary("greaterThan", "Greater"),
    Binary("lessEqual", "LessOrEqual"),
    Binary("lessThan", "Less"),
    Binary("logicalAnd", "And"),
    Binary("logicalOr", "Or"),
    Binary("logicalXor", "Xor"),
    Binary("modBroadcastable", "Mod"),
    Binary("multiply", "Mul"),
    Binary("multiplyBroadcastable", "Mul"),
    Binary("notEqual", "Equal"),
    Binary("powBroadcastable", "Pow"),
    Binary("subtractBroadcastable", "Sub"),
    Variadic("average", "Mean"),
    Variadic("max", "Max"),
    Variadic("maxBroadcastable", "Max"),
    Variadic("min", "Min"),
    Variadic("minBroadcastable", "Min"),
    {.op = "whereBroadcastable",
     .infer = InferCompare,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .roles = "c",
     .like = "Where"},
    Gather("gather", "Gather"),
    Gather("gatherAlongAxis", "GatherElements"),
    Gather("gatherND", "GatherND"),
    Gather("scatter", "ScatterElements"),
    Gather("scatterAlongAxis", "ScatterElements"),
    Gather("scatterND", "ScatterND"),
    Nothing("categoricalDistribution"),
    Nothing("fillDynamic"),
    Nothing("fillLike"),
    Nothing("fillStatic"),
    Nothing("getShape"),
    Nothing("loadConstant", InferConstant),
    Nothing("loadConstantND", InferConstant),
    Nothing("randomBernoulliDynamic"),
    Nothing("randomBernoulliLike"),
    Nothing("randomBernoulliStatic"),
    Nothing("randomNormalDynamic"),
    Nothing("randomNormalLike"),
    Nothing("randomNormalStatic"),
    Nothing("randomUniformDynamic"),
    Nothing("randomUniformLike"),
    Nothing("randomUniformStatic"),
    Nothing("rangeDynamic"),
    Nothing("rangeStatic"),
    Open("NonMaximumSuppression"),
    Open("argSort"),
    Open("branch"),
    Open("cropResize"),
    Open("custom"),
    Open("dot"),
    Open("globalPooling3d"),
    Open("loop"),
    Open("loopBreak"),
    Open("loopContinue"),
    Open("pooling3d"),
    Open("whereNonZero"),
};

}  // namespace

std::span<const OpEntry> LayerPlainOps() { return kOps; }

}  // namespace opscope::coreml
