// Products whose weights are packed numbers of a few bits: the sizes are attributes, the bytes are
// those of the packed tensors.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

Dim SizeAttribute(const OpContext& op, std::string_view name) {
  const std::int64_t size = op.IntOr(name, 0);
  return size > 0 ? Dim(size) : Dim();
}

work::MatrixProduct Product(const OpContext& op, Dim n, Dim k, DType packed) {
  return {.batch = 1, .m = RowsOf(op, op.in(0).shape), .n = n, .k = k, .operands = {0, 1, packed}};
}

// [.., K] times [K, N], whatever the packing.
Result<void> InferColumns(OpContext& op) {
  const TensorFact& a = op.in(0);
  const Dim k = SizeAttribute(op, "K");
  if (!k.is_unknown()) TRY(SameDim(op, LastOf(a.shape), k, "columns of A against \"K\""));
  SetOutput(op, 0, a.dtype, WithLast(a.shape, SizeAttribute(op, "N")));
  return {};
}

// M * N * K; K 2048, N 1024: 2,097,152 a row. 4 bits: B holds N * K / 2 bytes.
template <std::size_t kBias>
Work NBitsWork(const OpContext& op) {
  work::MatrixProduct product =
      Product(op, SizeAttribute(op, "N"), SizeAttribute(op, "K"), PackedType(op.IntOr("bits", 4)));
  product.bias = op.has(kBias);
  return product;
}

// Bits and bytes: two 4-bit numbers a byte, of a float or a normal-float kind.
Work Bnb4Work(const OpContext& op) {
  return Product(op, SizeAttribute(op, "N"), SizeAttribute(op, "K"), DType::kFloat4E2M1);
}

// MatMulPacked: the format of the blob is a number whose bits are not in the file.
Work PackedWork(const OpContext& op) {
  work::MatrixProduct product =
      Product(op, SizeAttribute(op, "N"), SizeAttribute(op, "K"), DType::kUnknown);
  product.then.activation = ActivationNamed(op.String("activation_type").value_or("none"));
  return product;
}

// --- MatMulFpQ4: N and K are the elements of input 2 ---

Dims MatrixOf(const OpContext& op) {
  const auto& shape = op.in(2).ints;
  return shape.has_value() && shape->size() == 2 ? *shape : Dims(2);
}

Result<void> InferFpQ4(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, WithLast(op.in(0).shape, MatrixOf(op)[1]));
  return {};
}

Work FpQ4Work(const OpContext& op) {
  const Dims matrix = MatrixOf(op);
  return Product(op, matrix[1], matrix[0], DType::kUInt4);
}

// --- weights [N, K] of float8, or [N, K / 2] with two float4 a byte ---

Result<void> InferBlocks(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, WithLast(op.in(0).shape, DimAt(op.in(1).shape, 0)));
  return {};
}

template <DType kType, std::size_t kBias>
Work BlocksWork(const OpContext& op) {
  work::MatrixProduct product =
      Product(op, DimAt(op.in(1).shape, 0), LastOf(op.in(0).shape), kType);
  product.bias = op.has(kBias);
  return product;
}

// --- fused projections: normalised input, then several products that share it ---

Result<void> InferMlp(OpContext& op) {
  TRY(InferColumns(op));
  SetOutput(op, 1, op.in(0).dtype, op.in(0).shape);
  return {};
}

// Gate and value side by side. The product of both and the normalisation are not among the columns.
Work MlpWork(const OpContext& op) {
  work::MatrixProduct product = Product(op, op.dims().Mul(SizeAttribute(op, "N"), 2),
                                        SizeAttribute(op, "K"), PackedType(op.IntOr("bits", 4)));
  product.operands.weight = 3;
  return product;
}

Result<void> InferQkv(OpContext& op) {
  const TensorFact& a = op.in(0);
  SetOutput(op, 0, a.dtype, WithLast(a.shape, SizeAttribute(op, "Nq")));
  SetOutput(op, 1, a.dtype, WithLast(a.shape, SizeAttribute(op, "Nkv")));
  SetOutput(op, 2, a.dtype, WithLast(a.shape, SizeAttribute(op, "Nkv")));
  SetOutput(op, 3, a.dtype, a.shape);
  return {};
}

Work QkvWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim columns = dims.Add(SizeAttribute(op, "Nq"), dims.Mul(SizeAttribute(op, "Nkv"), 2));
  work::MatrixProduct product =
      Product(op, columns, SizeAttribute(op, "K"), PackedType(op.IntOr("bits", 4)));
  product.operands.weight = 3;
  return product;
}

// A low-rank pair beside the product: K to R and R to N, R the rows of lora_A.
Work QLoraWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim n = SizeAttribute(op, "N");
  const Dim k = SizeAttribute(op, "K");
  const Dim rows = RowsOf(op, op.in(0).shape);
  const Dim low = dims.Mul(DimAt(op.in(3).shape, 0), dims.Add(n, k));
  return work::Contraction{dims.Mul(rows, dims.Add(dims.Mul(n, k), low)), "X W' + (X A') B'"};
}

constexpr OpEntry Packed(std::string_view op, InferFn infer, WorkFn work, std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "matmul", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Packed("MatMulBlockQuantizedFp4Weight", InferBlocks, BlocksWork<DType::kFloat4E2M1, 5>,
           "xwwwww"),
    Packed("MatMulBlockQuantizedFp8Weight", InferBlocks, BlocksWork<DType::kFloat8E4M3FN, 4>,
           "xwwww"),
    Packed("MatMulBnb4", InferColumns, Bnb4Work, "xww"),
    Packed("MatMulFpQ4", InferFpQ4, FpQ4Work, "xwc"),
    Packed("MatMulNBits", InferColumns, NBitsWork<5>, "xwwwcw"),
    Packed("MatMulNBitsMlp", InferMlp, MlpWork, "xxwwwwwww"),
    Packed("MatMulNBitsQLoRA", InferColumns, QLoraWork, "xwwwwww"),
    Packed("MatMulNBitsQkv", InferQkv, QkvWork, "xxwwwwwwwwww"),
    Packed("MatMulPacked", InferColumns, PackedWork, "xww"),
};

}  // namespace

std::span<const OpEntry> NBitsOps() { return kOps; }

}  // namespace opscope::contrib
