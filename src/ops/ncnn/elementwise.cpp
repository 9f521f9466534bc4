// One value from one, two or several at the same place; what follows a type goes by a parameter.
#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"
#include "ops/onnx/entry.h"

namespace opscope::ncnn {

namespace {

// Fewer dims line up with the outer ones, except that a vector goes along w where it has not as
// many elements as there are channels.
Shape Raised(const Shape& shape, const Shape& to) {
  const std::size_t rank = to.rank();
  if (shape.rank() >= rank) return shape;
  Dims out = *shape.dims;
  const bool outer = shape.rank() > 1 || out[0] == (*to.dims)[0];
  out.insert(outer ? out.end() : out.begin(), rank - shape.rank(), Dim(1));
  return ShapeOf(std::move(out));
}

Result<void> InferBinary(OpContext& op) {
  const TensorFact& a = op.in(0);
  SetOutput(op, 0, a.dtype, a.shape);
  if (Bottoms(op) < 2) return {};
  const TensorFact& b = op.in(1);
  op.out(0).shape = Shape{};
  if (!a.shape.known_rank() || !b.shape.known_rank()) return {};
  if (a.shape.rank() == 0 || b.shape.rank() == 0) return {};
  TRY_ASSIGN(op.out(0).shape, Broadcast(op, Raised(a.shape, b.shape), Raised(b.shape, a.shape)));
  return {};
}

Work VariadicWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape),
                           static_cast<int>(std::min<std::size_t>(Bottoms(op), 1 << 20)), true};
}

std::int64_t IntAttribute(const Model& model, const Node& node, std::string_view name) {
  const Attribute* found = FindAttribute(model, node, name);
  const auto* integer = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return integer == nullptr ? 0 : *integer;
}

template <std::size_t kSize>
std::string_view Pick(const std::string_view (&names)[kSize], std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(kSize) ? names[index] : names[0];
}

std::string_view BinaryName(const Model& model, const Node& node) {
  constexpr std::string_view kNames[] = {"Add", "Sub", "Mul", "Div", "Max",  "Min",
                                         "Pow", "Sub", "Div", "Pow", "Atan", "Atan"};
  return Pick(kNames, IntAttribute(model, node, "0"));
}

std::string_view UnaryName(const Model& model, const Node& node) {
  constexpr std::string_view kNames[] = {
      "Abs", "Neg", "Floor", "Ceil", "Mul",  "Sqrt",       "Sqrt", "Exp", "Log",   "Sin",
      "Cos", "Tan", "Asin",  "Acos", "Atan", "Reciprocal", "Tanh", "Log", "Round", "Floor"};
  return Pick(kNames, IntAttribute(model, node, "0"));
}

std::string_view EltwiseName(const Model& model, const Node& node) {
  constexpr std::string_view kNames[] = {"Mul", "Sum", "Max"};
  return Pick(kNames, IntAttribute(model, node, "0"));
}

std::string_view ReluName(const Model& model, const Node& node) {
  return FindAttribute(model, node, "0") == nullptr ? "Relu" : "LeakyRelu";
}

// Several inputs: as many applications as there are but one.
Work EltwiseWork(const OpContext& op) {
  if (EltwiseName(op.model(), op.node()) == "Mul") {
    DimTable& dims = op.dims();
    const auto times = static_cast<std::int64_t>(Bottoms(op)) - 1;
    return work::Elementwise{dims.Mul(ElementsOf(op, op.out(0).shape), times), 1, true};
  }
  return VariadicWork(op);
}

// Two halves: one, times the sigmoid of the other.
Result<void> InferGlu(OpContext& op) {
  TRY(Same(op));
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Param(op, "0"), in.rank()));
  op.out(0).shape = With(in, axis, op.dims().FloorDiv((*in.dims)[axis], 2));
  return {};
}

constexpr DType kTypes[] = {DType::kUnknown, DType::kFloat32, DType::kFloat16, DType::kInt8,
                            DType::kBFloat16};

Result<void> InferCast(OpContext& op) {
  TRY(Same(op));
  const std::int64_t to = Param(op, "1");
  if (to > 0 && to < 5) op.out(0).dtype = kTypes[to];
  return {};
}

template <DType kTo>
Result<void> InferTo(OpContext& op) {
  SetOutput(op, 0, kTo, op.in(0).shape);
  return {};
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

constexpr OpEntry Unary(std::string_view op, std::string_view like, std::string_view roles = "x") {
  return entry::Pointwise(op, like, Same, roles);
}

constexpr OpEntry View(std::string_view op) { return entry::View(op, "Identity", SameView, "x"); }

template <DType kTo>
constexpr OpEntry Quantised(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferTo<kTo>,
          .work = QuantiseWork,
          .rule = "quantise",
          .roles = "xw",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Unary("AbsVal", "Abs"),
    Unary("BNLL", "Softplus"),
    Unary("Bias", "Add", "xw"),
    Unary("CELU", "Celu"),
    Unary("Clip", "Clip"),
    Unary("CumulativeSum", "CumSum"),
    Unary("ELU", "Elu"),
    Unary("Erf", "Erf"),
    Unary("Exp", "Exp"),
    Unary("GELU", "Gelu"),
    Unary("HardSigmoid", "HardSigmoid"),
    Unary("HardSwish", "HardSwish"),
    Unary("Log", "Log"),
    Unary("Mish", "Mish"),
    Unary("PReLU", "PRelu", "xw"),
    Unary("Power", "Pow"),
    Unary("RotaryEmbed", "RotaryEmbedding", "xcc"),
    Unary("SELU", "Selu"),
    Unary("Scale", "Mul", "xw"),
    Unary("Shrink", "Shrink"),
    Unary("Sigmoid", "Sigmoid"),
    Unary("Softplus", "Softplus"),
    Unary("Swish", "Swish"),
    Unary("TanH", "Tanh"),
    Unary("Threshold", "ThresholdedRelu"),
    View("DeepCopy"),
    View("Dropout"),
    View("Noop"),
    View("Packing"),
    View("Split"),
    {.op = "BinaryOp",
     .infer = InferBinary,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .like = "Add",
     .like_of = BinaryName},
    {.op = "Cast", .infer = InferCast, .work = onnx::CastWork, .rule = "movement", .like = "Cast"},
    {.op = "Eltwise",
     .infer = Same,
     .work = EltwiseWork,
     .rule = "elementwise",
     .like = "Mul",
     .like_of = EltwiseName},
    {.op = "GLU",
     .infer = InferGlu,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "SwiGLU"},
    {.op = "ReLU",
     .infer = Same,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .like = "Relu",
     .like_of = ReluName},
    {.op = "UnaryOp",
     .infer = Same,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .like = "Abs",
     .like_of = UnaryName},
    Quantised<DType::kInt8>("Quantize", "QuantizeLinear"),
    Quantised<DType::kFloat32>("Dequantize", "DequantizeLinear"),
    Quantised<DType::kInt8>("Requantize", "QuantizeLinear"),
};

}  // namespace

std::span<const OpEntry> ElementwiseOps() { return kOps; }

}  // namespace opscope::ncnn
