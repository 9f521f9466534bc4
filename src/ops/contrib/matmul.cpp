// Matrix products: transposed on the way, fused with what follows, quantised.
#include <algorithm>

#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// --- MatMul of any rank, both sides transposed on demand ---

// transBatch moves the first dim, of a batch, to just before the last two: (b, m, n, k) is read as
// (m, n, b, k). Together with trans the rest follows as for a matrix.
std::optional<Dims> Transposed(const OpContext& op, std::size_t input, bool matrix, bool batch) {
  const Shape& shape = op.in(input).shape;
  if (!shape.known_rank()) return std::nullopt;
  Dims dims = *shape.dims;
  if (batch && dims.size() > 2) std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
  if (matrix && dims.size() > 1) std::iter_swap(dims.end() - 2, dims.end() - 1);
  return dims;
}

// A and B as their transposes are, and from where on their dims are the matrix.
struct Factors {
  std::optional<Dims> a, b;
};

Factors ReadFactors(const OpContext& op, std::size_t right) {
  const auto flag = [&op](std::string_view name) { return op.IntOr(name, 0) != 0; };
  return {Transposed(op, 0, flag("transA"), flag("transBatchA")),
          Transposed(op, right, flag("transB"), flag("transBatchB"))};
}

Result<void> InferProduct(OpContext& op, std::size_t right, DType dtype) {
  SetOutput(op, 0, dtype, {});
  const Factors factors = ReadFactors(op, right);
  if (!factors.a.has_value() || !factors.b.has_value()) return {};
  const Dims& a = *factors.a;
  const Dims& b = *factors.b;
  if (a.empty() || b.empty()) return op.Problem("an input is a scalar");
  const bool vector = b.size() == 1;
  TRY(SameDim(op, a.back(), vector ? b.back() : b[b.size() - 2], "columns of A against rows of B"));
  const auto leading = [](const Dims& dims) {
    return ShapeOf(dims.size() > 2 ? Dims(dims.begin(), dims.end() - 2) : Dims());
  };
  TRY_ASSIGN(Shape shape, Broadcast(op, leading(a), leading(b)));
  if (a.size() > 1) shape.dims->push_back(a[a.size() - 2]);
  if (!vector) shape.dims->push_back(b.back());
  op.out(0).shape = std::move(shape);
  return {};
}

work::MatrixProduct Product(const OpContext& op, std::size_t right) {
  work::MatrixProduct product;
  product.operands.weight = static_cast<int>(right);
  const Factors factors = ReadFactors(op, right);
  const Shape& out = op.out(0).shape;
  if (!factors.a || !factors.b || factors.a->empty() || factors.b->empty()) return product;
  const bool rows = factors.a->size() > 1;
  const bool columns = factors.b->size() > 1;
  product.m = rows ? (*factors.a)[factors.a->size() - 2] : Dim(1);
  product.n = columns ? factors.b->back() : Dim(1);
  product.k = factors.a->back();
  const std::size_t tail = (rows ? 1U : 0U) + (columns ? 1U : 0U);
  if (out.known_rank() && out.rank() >= tail) {
    product.batch = ProductOf(op, out, 0, out.rank() - tail);
  }
  return product;
}

Result<void> InferFused(OpContext& op) { return InferProduct(op, 1, CommonDType(op)); }
// SparseToDenseMatMul: a sparse A; counted as if it were dense, an upper bound.
Result<void> InferDense(OpContext& op) { return InferProduct(op, 1, op.in(1).dtype); }
// MatMulInteger16: sums of int16 products in int32.
Result<void> InferInt32(OpContext& op) { return InferProduct(op, 1, DType::kInt32); }
// MatMulIntegerToFloat: the dtype of the scale of A.
Result<void> InferToFloat(OpContext& op) { return InferProduct(op, 1, op.in(2).dtype); }

template <std::size_t kBias>
Work ProductWork(const OpContext& op) {
  work::MatrixProduct product = Product(op, 1);
  product.bias = op.has(kBias);
  product.then.activation = ActivationNamed(op.String("activation").value_or(""));
  return product;
}
constexpr std::size_t kNoBias = 99;

// GemmFastGelu is a MatMul with a bias and the approximation of Gelu by tanh.
Work FastGeluWork(const OpContext& op) {
  work::MatrixProduct product = Product(op, 1);
  product.bias = op.has(2);
  return product;
}

// DynamicQuantizeMatMul quantises A by itself; the products are of 8-bit integers.
Work DynamicWork(const OpContext& op) {
  work::MatrixProduct product = Product(op, 1);
  product.bias = op.has(4);
  return product;
}

// --- Gemm ---

Dim GemmDim(const OpContext& op, std::size_t input, bool transposed, std::size_t axis) {
  return DimAt(op.in(input).shape, transposed ? 1 - axis : axis);
}

struct Gemm {
  Dim m, n, k, b_rows;
};

Gemm ReadGemm(const OpContext& op, std::size_t right) {
  const bool a = op.IntOr("transA", 0) != 0;
  const bool b = op.IntOr("transB", 0) != 0;
  return {GemmDim(op, 0, a, 0), GemmDim(op, right, b, 1), GemmDim(op, 0, a, 1),
          GemmDim(op, right, b, 0)};
}

Result<void> InferGemm(OpContext& op, std::size_t right, DType dtype) {
  const Gemm gemm = ReadGemm(op, right);
  TRY(SameDim(op, gemm.k, gemm.b_rows, "columns of A against rows of B"));
  SetOutput(op, 0, dtype, ShapeOf({gemm.m, gemm.n}));
  return {};
}

Result<void> InferFusedGemm(OpContext& op) { return InferGemm(op, 1, CommonDType(op)); }
Result<void> InferFloat8(OpContext& op) {
  return InferGemm(op, 1, DTypeAttribute(op, "dtype", DType::kFloat32));
}
// Without a scale of the output the result stays float.
Result<void> InferQGemm(OpContext& op) {
  return InferGemm(op, 3, op.has(8) ? op.in(8).dtype : DType::kFloat32);
}

template <std::size_t kRight, std::size_t kBias>
Work GemmWork(const OpContext& op) {
  const Gemm gemm = ReadGemm(op, kRight);
  return work::MatrixProduct{.batch = 1,
                             .m = gemm.m,
                             .n = gemm.n,
                             .k = BetterKnown(op, gemm.k, gemm.b_rows),
                             .bias = op.has(kBias),
                             .operands = {0, static_cast<int>(kRight)},
                             .then = {ActivationNamed(op.String("activation").value_or(""))}};
}

// --- QOrderedMatMul: the layouts are attributes, the shapes those of a MatMul ---

Result<void> InferOrdered(OpContext& op) { return InferProduct(op, 2, op.in(0).dtype); }

Work OrderedWork(const OpContext& op) {
  work::MatrixProduct product = Product(op, 2);
  product.bias = op.has(5);
  product.then.addition = op.has(6);
  return product;
}

// --- RouterGateUpProj: one product whose columns are router logits, gates and values ---

Result<void> InferRouter(OpContext& op) {
  const TensorFact& x = op.in(0);
  const Dim router = op.IntOr("router_size", 0);
  const Dim gated = op.dims().Sub(DimAt(op.in(1).shape, 1), router);
  SetOutput(op, 0, x.dtype, WithLast(x.shape, router));
  SetOutput(op, 1, x.dtype, WithLast(x.shape, op.dims().FloorDiv(gated, 2)));
  return {};
}

Work RouterWork(const OpContext& op) {
  return work::MatrixProduct{.batch = 1,
                             .m = RowsOf(op, op.in(0).shape),
                             .n = DimAt(op.in(1).shape, 1),
                             .k = LastOf(op.in(0).shape)};
}

constexpr OpEntry MatMul(std::string_view op, InferFn infer, WorkFn work, std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "matmul", .roles = roles};
}

constexpr OpEntry GemmLike(std::string_view op, InferFn infer, WorkFn work,
                           std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "gemm", .roles = roles};
}

constexpr OpEntry kOps[] = {
    GemmLike("FusedGemm", InferFusedGemm, GemmWork<1, 2>, "xww"),
    GemmLike("GemmFloat8", InferFloat8, GemmWork<1, 2>, "xwwwww"),
    GemmLike("QGemm", InferQGemm, GemmWork<3, 6>, "xwwwwwwww"),
    MatMul("DynamicQuantizeMatMul", InferFused, DynamicWork, "xwwww"),
    MatMul("FusedMatMul", InferFused, ProductWork<kNoBias>, "xx"),
    MatMul("FusedMatMulActivation", InferFused, ProductWork<kNoBias>, "xx"),
    MatMul("GemmFastGelu", InferFused, FastGeluWork, "xww"),
    MatMul("MatMulInteger16", InferInt32, ProductWork<kNoBias>, "xx"),
    MatMul("MatMulIntegerToFloat", InferToFloat, ProductWork<6>, "xwwwwww"),
    MatMul("QOrderedMatMul", InferOrdered, OrderedWork, "xwwwwwxw"),
    MatMul("RouterGateUpProj", InferRouter, RouterWork, "xw"),
    MatMul("SparseToDenseMatMul", InferDense, ProductWork<kNoBias>, "xx"),
    MatMul("TransposeMatMul", InferFused, ProductWork<kNoBias>, "xx"),
};

}  // namespace

std::span<const OpEntry> MatMulOps() { return kOps; }

}  // namespace opscope::contrib
