// Matrix products: MatMul and its quantised kin, Gemm.
#include "ops/onnx/matmul.h"

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// A matrix product as numpy has it: a vector is promoted to a matrix, and the added dim dropped
// from the output again.
struct Factors {
  Dim m, n, a_depth, b_depth;
  bool has_m = true;  // false: A was a vector
  bool has_n = true;  // false: B was a vector
};

// Both ranks are known and not 0.
Factors FactorsOf(const Shape& a, const Shape& b) {
  Factors factors;
  factors.has_m = a.rank() > 1;
  factors.has_n = b.rank() > 1;
  factors.m = factors.has_m ? (*a.dims)[a.rank() - 2] : Dim(1);
  factors.n = factors.has_n ? b.dims->back() : Dim(1);
  factors.a_depth = a.dims->back();
  factors.b_depth = factors.has_n ? (*b.dims)[b.rank() - 2] : b.dims->back();
  return factors;
}

Shape Leading(const Shape& shape) {
  if (shape.rank() <= 2) return ShapeOf({});
  return ShapeOf({shape.dims->begin(), shape.dims->end() - 2});
}

Result<void> InferProduct(OpContext& op, std::size_t right, DType dtype) {
  SetOutput(op, 0, dtype, {});
  TRY_ASSIGN(op.out(0).shape, ProductShape(op, op.in(0).shape, op.in(right).shape));
  return {};
}

Result<void> InferMatMul(OpContext& op) { return InferProduct(op, 1, CommonDType(op)); }

Result<void> InferMatMulInteger(OpContext& op) { return InferProduct(op, 1, DType::kInt32); }

Result<void> InferQLinearMatMul(OpContext& op) { return InferProduct(op, 3, op.in(7).dtype); }

template <std::size_t kRight>
Work WorkOfProduct(const OpContext& op) {
  work::MatrixProduct product = ProductWork(op, op.in(0).shape, op.in(kRight).shape);
  product.operands.weight = static_cast<int>(kRight);
  return product;
}

// alpha * A' * B' + beta * C, A' and B' transposed on demand. axis: 0 = rows, 1 = columns.
Dim GemmDim(const OpContext& op, std::size_t input, std::size_t axis) {
  const bool transposed = op.IntOr(input == 0 ? "transA" : "transB", 0) != 0;
  return DimAt(op.in(input).shape, transposed ? 1 - axis : axis);
}

Result<void> InferGemm(OpContext& op) {
  for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
    const Shape& shape = op.in(input).shape;
    if (shape.known_rank() && shape.rank() != 2) {
      return op.Problem("input " + std::to_string(input) + " has rank " +
                        std::to_string(shape.rank()) + ", needs 2");
    }
  }
  TRY(SameDim(op, GemmDim(op, 0, 1), GemmDim(op, 1, 0), "columns of A against rows of B"));
  SetOutput(op, 0, CommonDType(op), ShapeOf({GemmDim(op, 0, 0), GemmDim(op, 1, 1)}));
  return {};
}

Work GemmWork(const OpContext& op) {
  return work::MatrixProduct{.batch = 1,
                             .m = GemmDim(op, 0, 0),
                             .n = GemmDim(op, 1, 1),
                             .k = BetterKnown(op, GemmDim(op, 0, 1), GemmDim(op, 1, 0)),
                             .bias = op.has(2)};
}

constexpr OpEntry kOps[] = {
    {.op = "Gemm", .infer = InferGemm, .work = GemmWork, .rule = "gemm", .roles = "xww"},
    {.op = "MatMul",
     .infer = InferMatMul,
     .work = WorkOfProduct<1>,
     .rule = "matmul",
     .roles = "xx"},
    {.op = "MatMulInteger",
     .infer = InferMatMulInteger,
     .work = WorkOfProduct<1>,
     .rule = "matmul",
     .roles = "xxww"},
    {.op = "QLinearMatMul",
     .infer = InferQLinearMatMul,
     .work = WorkOfProduct<3>,
     .rule = "matmul",
     .roles = "xwwxwwww"},
};

}  // namespace

Result<Shape> ProductShape(const OpContext& op, const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank()) return Shape{};
  if (a.rank() == 0 || b.rank() == 0) return op.Problem("an input is a scalar");
  const Factors factors = FactorsOf(a, b);
  TRY(SameDim(op, factors.a_depth, factors.b_depth, "columns of A against rows of B"));
  TRY_ASSIGN(Shape shape, Broadcast(op, Leading(a), Leading(b)));
  if (factors.has_m) shape.dims->push_back(factors.m);
  if (factors.has_n) shape.dims->push_back(factors.n);
  return shape;
}

work::MatrixProduct ProductWork(const OpContext& op, const Shape& a, const Shape& b) {
  work::MatrixProduct product;
  if (!a.known_rank() || !b.known_rank() || a.rank() == 0 || b.rank() == 0) return product;
  const Factors factors = FactorsOf(a, b);
  product.m = factors.m;
  product.n = factors.n;
  product.k = BetterKnown(op, factors.a_depth, factors.b_depth);
  const Shape& out = op.out(0).shape;
  const std::size_t tail = (factors.has_m ? 1U : 0U) + (factors.has_n ? 1U : 0U);
  if (out.known_rank() && out.rank() >= tail) {
    product.batch = ProductOf(op, out, 0, out.rank() - tail);
  }
  return product;
}

std::span<const OpEntry> MatMulOps() { return kOps; }

}  // namespace opscope::onnx
