// Broadcasting ops. Arithmetic may end in an activation.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

Result<void> InferBroadcast(OpContext& op) {
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(1).shape));
  SetOutput(op, 0, StoredDType(op, 0), std::move(shape));
  return {};
}

Result<void> InferAdd(OpContext& op) { return InferAs(op, "Add"); }
Result<void> InferSub(OpContext& op) { return InferAs(op, "Sub"); }
Result<void> InferMul(OpContext& op) { return InferAs(op, "Mul"); }
Result<void> InferDiv(OpContext& op) { return InferAs(op, "Div"); }
Result<void> InferMax(OpContext& op) { return InferAs(op, "Max"); }
Result<void> InferMin(OpContext& op) { return InferAs(op, "Min"); }
Result<void> InferEqual(OpContext& op) { return InferAs(op, "Equal"); }
Result<void> InferLess(OpContext& op) { return InferAs(op, "Less"); }
Result<void> InferLessEqual(OpContext& op) { return InferAs(op, "LessOrEqual"); }
Result<void> InferGreater(OpContext& op) { return InferAs(op, "Greater"); }
Result<void> InferGreaterEqual(OpContext& op) { return InferAs(op, "GreaterOrEqual"); }
Result<void> InferAnd(OpContext& op) { return InferAs(op, "And"); }
Result<void> InferOr(OpContext& op) { return InferAs(op, "Or"); }
Result<void> InferSelect(OpContext& op) { return InferAs(op, "Where"); }

// The older form: a condition of rank 1 picks rows; the result has the shape of what is picked.
Result<void> InferOldSelect(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0, 1), op.in(1).shape);
  FoldWhere(op);
  return {};
}

// Operands of the same shape, as many as there are.
Result<void> InferAddN(OpContext& op) { return InferAs(op, "Sum"); }

Work ArithmeticWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape), static_cast<int>(op.inputs()), true,
                           FusedActivation(op)};
}

constexpr OpEntry Binary(std::string_view op, std::string_view like = "",
                         InferFn infer = InferBroadcast) {
  return {.op = op, .infer = infer, .work = ArithmeticWork, .rule = "elementwise", .like = like};
}

constexpr OpEntry kOps[] = {
    Binary("ADD", "Add", InferAdd),
    Binary("ADD_N", "Sum", InferAddN),
    Binary("ATAN2"),
    Binary("BITWISE_XOR", "BitwiseXor"),
    Binary("DIV", "Div", InferDiv),
    Binary("EQUAL", "Equal", InferEqual),
    Binary("FLOOR_DIV"),
    Binary("FLOOR_MOD", "Mod"),
    Binary("GREATER", "Greater", InferGreater),
    Binary("GREATER_EQUAL", "GreaterOrEqual", InferGreaterEqual),
    Binary("LESS", "Less", InferLess),
    Binary("LESS_EQUAL", "LessOrEqual", InferLessEqual),
    Binary("LOGICAL_AND", "And", InferAnd),
    Binary("LOGICAL_OR", "Or", InferOr),
    Binary("MAXIMUM", "Max", InferMax),
    Binary("MINIMUM", "Min", InferMin),
    Binary("MUL", "Mul", InferMul),
    Binary("NOT_EQUAL"),
    Binary("POW", "Pow"),
    Binary("RIGHT_SHIFT", "BitShift"),
    Binary("SQUARED_DIFFERENCE"),
    Binary("SUB", "Sub", InferSub),
    {.op = "PRELU",
     .infer = InferBroadcast,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "xw",
     .like = "PRelu"},
    {.op = "SELECT",
     .infer = InferOldSelect,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "ccc",
     .like = "Where"},
    {.op = "SELECT_V2",
     .infer = InferSelect,
     .work = PointwiseWork,
     .rule = "elementwise",
     .roles = "ccc",
     .like = "Where"},
};

}  // namespace

std::span<const OpEntry> BinaryOps() { return kOps; }

}  // namespace opscope::tflite
