#include "ops/onnx/common.h"

namespace opscope::onnx {

namespace {

// By number: onnx.proto, message TensorProto, enum DataType.
constexpr DType kByNumber[] = {DType::kUnknown,        DType::kFloat32,    DType::kUInt8,
                               DType::kInt8,           DType::kUInt16,     DType::kInt16,
                               DType::kInt32,          DType::kInt64,      DType::kString,
                               DType::kBool,           DType::kFloat16,    DType::kFloat64,
                               DType::kUInt32,         DType::kUInt64,     DType::kComplex64,
                               DType::kComplex128,     DType::kBFloat16,   DType::kFloat8E4M3FN,
                               DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ,
                               DType::kUInt4,          DType::kInt4,       DType::kFloat4E2M1,
                               DType::kFloat8E8M0,     DType::kUInt2,      DType::kInt2};

}  // namespace

DType DTypeFromNumber(std::int64_t number) {
  const bool known = number >= 0 && number < static_cast<std::int64_t>(std::size(kByNumber));
  return known ? kByNumber[number] : DType::kUnknown;
}

DType DTypeAttribute(const OpContext& op, std::string_view name, DType otherwise) {
  const std::optional<std::int64_t> number = op.Int(name);
  return number.has_value() ? DTypeFromNumber(*number) : otherwise;
}

Work ElementwiseWork(const OpContext& op) {
  return work::Elementwise{Elements(op.dims(), op.out(0))};
}

Work PointwiseWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape), 1, true};
}

Work MovementWork(const OpContext&) { return work::Movement{}; }

Work CastWork(const OpContext&) { return work::Movement{std::nullopt, true}; }

Work ReadOutputWork(const OpContext& op) { return work::Movement{BytesOf(op.dims(), op.out(0))}; }

Work ViewWork(const OpContext&) { return work::View{}; }

Work NoWork(const OpContext&) { return work::Nothing{}; }

void ShareInput(OpContext& op) { op.out(0).storage = op.in(0).storage; }

}  // namespace opscope::onnx
