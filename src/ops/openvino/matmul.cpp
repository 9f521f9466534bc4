// Matrix products, whose factors may be transposed.
#include "ops/onnx/matmul.h"

#include <utility>

#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// A vector stays as it is.
Shape FactorOf(const OpContext& op, std::size_t input, std::string_view transposed) {
  Shape shape = op.in(input).shape;
  if (op.IntOr(transposed, 0) == 0 || !shape.known_rank() || shape.rank() < 2) return shape;
  std::swap(shape.dims->back(), (*shape.dims)[shape.rank() - 2]);
  return shape;
}

Result<void> InferMatMul(OpContext& op) {
  SetOutput(op, 0, CommonDType(op), {});
  TRY_ASSIGN(op.out(0).shape, onnx::ProductShape(op, FactorOf(op, 0, "transpose_a"),
                                                 FactorOf(op, 1, "transpose_b")));
  return {};
}

Work MatMulWork(const OpContext& op) {
  return onnx::ProductWork(op, FactorOf(op, 0, "transpose_a"), FactorOf(op, 1, "transpose_b"));
}

Work EinsumWork(const OpContext& op) { return AsOnnx(op, "Einsum").Work(); }

// Which rows meet which of the matrices, the third input decides.
Work GroupedWork(const OpContext&) {
  return work::Unknown{"a product of groups whose sizes the data decide"};
}

constexpr OpEntry kOps[] = {
    {.op = "Einsum", .infer = InferLike, .work = EinsumWork, .rule = "einsum", .like = "Einsum"},
    {.op = "GroupedMatMul",
     .infer = InferDeclared,
     .work = GroupedWork,
     .rule = "unknown",
     .roles = "xwc"},
    {.op = "MatMul",
     .infer = InferMatMul,
     .work = MatMulWork,
     .rule = "matmul",
     .roles = "xx",
     .like = "MatMul"},
};

}  // namespace

std::span<const OpEntry> MatMulOps() { return kOps; }

}  // namespace opscope::openvino
