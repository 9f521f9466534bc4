// One function an element: activations, arithmetic, comparison, conversion.
#include "ops/onnx/entry.h"
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// x of another dtype: <data destination_type="f16"/>
Result<void> InferConvert(OpContext& op) {
  SetOutput(op, 0, TypeAttribute(op, "destination_type", DType::kUnknown), op.in(0).shape);
  op.out(0).elements = op.in(0).elements;
  FoldCast(op);
  return {};
}

// A remainder with the sign of the dividend, as C has it.
Result<void> InferMod(OpContext& op) {
  return AsOnnx(op, "Mod").Set("fmod", std::int64_t{1}).Infer();
}

Result<void> InferNotEqual(OpContext& op) {
  TRY(AsOnnx(op, "Equal").Infer());
  if (op.out(0).ints.has_value())
    for (Dim& element : *op.out(0).ints) element = op.dims().Sub(1, element);
  op.out(0).floats.reset();
  return {};
}

// The shape of a broadcast, whose elements no shape hangs on.
Result<void> InferBroadcast(OpContext& op) {
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(1).shape));
  SetOutput(op, 0, CommonDType(op), std::move(shape));
  return {};
}

Result<void> InferConvertLike(OpContext& op) {
  SetOutput(op, 0, op.in(1).dtype, op.in(0).shape);
  FoldCast(op);
  return {};
}

// Two tensors as one dtype that holds both; which one, the file says.
Result<void> InferPromote(OpContext& op) {
  for (std::size_t i = 0; i < 2; ++i)
    if (op.has_output(i)) op.out(i).shape = op.in(i).shape;
  return {};
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

constexpr OpEntry One(std::string_view op, std::string_view like, std::string_view roles = "x",
                      InferFn infer = InferLike) {
  return entry::Pointwise(op, like, infer, roles);
}

constexpr OpEntry Same(std::string_view op) { return One(op, op); }
constexpr OpEntry Activation(std::string_view op, std::string_view like) {
  return One(op, like, "xc", SameAsInput);
}
constexpr OpEntry Cast(std::string_view op, InferFn infer, std::string_view like) {
  return {.op = op,
          .infer = infer,
          .work = onnx::CastWork,
          .rule = "movement",
          .roles = "xc",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Same("Abs"),
    Same("Acos"),
    Same("Acosh"),
    Same("Add"),
    Same("Asin"),
    Same("Asinh"),
    Same("Atan"),
    Same("Atanh"),
    One("BitwiseAnd", "BitwiseAnd", "x", InferBroadcast),
    One("BitwiseLeftShift", "BitShift", "x", InferBroadcast),
    Same("BitwiseNot"),
    One("BitwiseOr", "BitwiseOr", "x", InferBroadcast),
    One("BitwiseRightShift", "BitShift", "x", InferBroadcast),
    One("BitwiseXor", "BitwiseXor", "x", InferBroadcast),
    One("Ceiling", "Ceil"),
    Activation("Clamp", "Clip"),
    Same("Cos"),
    Same("Cosh"),
    One("Divide", "Div"),
    Activation("Elu", "Elu"),
    Same("Equal"),
    Same("Erf"),
    Activation("ErfInv", "Erf"),
    Same("Exp"),
    Same("Floor"),
    One("FloorMod", "Mod"),
    Activation("Gelu", "Gelu"),
    Same("Greater"),
    One("GreaterEqual", "GreaterOrEqual"),
    Activation("HSigmoid", "HardSigmoid"),
    Activation("HSwish", "HardSwish"),
    Activation("HardSigmoid", "HardSigmoid"),
    One("IsFinite", "IsInf"),
    One("IsInf", "IsInf"),
    One("IsNaN", "IsNaN"),
    Same("Less"),
    One("LessEqual", "LessOrEqual"),
    Same("Log"),
    One("LogicalAnd", "And"),
    One("LogicalNot", "Not"),
    One("LogicalOr", "Or"),
    One("LogicalXor", "Xor"),
    One("Maximum", "Max"),
    One("Minimum", "Min"),
    Same("Mish"),
    One("Mod", "Mod", "x", InferMod),
    One("Multiply", "Mul"),
    One("Negative", "Neg"),
    One("NotEqual", "Equal", "x", InferNotEqual),
    One("PReLU", "PRelu", "xw", SameAsInput),
    One("PRelu", "PRelu", "xw", SameAsInput),
    One("Power", "Pow"),
    One("ReLU", "Relu"),
    Same("Relu"),
    Same("Round"),
    One("Select", "Where", "ccc"),
    Activation("Selu", "Selu"),
    Same("Sigmoid"),
    Same("Sign"),
    Same("Sin"),
    Same("Sinh"),
    One("SoftPlus", "Softplus"),
    One("SoftSign", "Softsign"),
    Same("Sqrt"),
    One("SquaredDifference", "", "x", InferBroadcast),
    One("Subtract", "Sub"),
    Activation("Swish", "Swish"),
    Same("Tan"),
    Same("Tanh"),
    One("Xor", "Xor"),
    // A constant behind it is a compressed weight, also where it is of an integer type.
    {.op = "Convert",
     .infer = InferConvert,
     .work = onnx::CastWork,
     .rule = "movement",
     .roles = "w",
     .like = "Cast"},
    Cast("ConvertLike", InferConvertLike, "CastLike"),
    Cast("ConvertPromoteTypes", InferPromote, "Cast"),
    {.op = "FakeConvert",
     .infer = SameAsInput,
     .work = QuantiseWork,
     .rule = "quantise",
     .roles = "xw",
     .like = "QuantizeLinear"},
    {.op = "FakeQuantize",
     .infer = SameAsInput,
     .work = QuantiseWork,
     .rule = "quantise",
     .roles = "xc",
     .like = "QuantizeLinear"},
    {.op = "Identity",
     .infer = InferLike,
     .work = onnx::ViewWork,
     .rule = "view",
     .like = "Identity"},
    // n^3 steps of an elimination, of which nobody says how they are done.
    {.op = "Inverse",
     .infer = SameAsInput,
     .work = [](const OpContext&) -> Work {
       return work::Unknown{"the inverse of a matrix: how it is computed is not laid down"};
     },
     .rule = "unknown"},
};

}  // namespace

std::span<const OpEntry> ElementwiseOps() { return kOps; }

}  // namespace opscope::openvino
