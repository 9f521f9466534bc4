// Matrix products: FULLY_CONNECTED, BATCH_MATMUL.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// Weights are [outputs, inputs]; the data's last dims together are rows of `inputs`.
Result<void> InferFullyConnected(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (!in.known_rank() || !weight.known_rank()) return {};
  if (weight.rank() != 2)
    return op.Problem("a weight of rank " + std::to_string(weight.rank()) + ", needs 2");
  const Dim depth = DimAt(weight, 1);
  if (op.IntOr("keep_num_dims", 0) != 0) {
    if (in.rank() == 0) return op.Problem("the input is a scalar");
    TRY(SameDim(op, in.dims->back(), depth, "columns of the input against those of the weight"));
    Dims out = *in.dims;
    out.back() = DimAt(weight, 0);
    op.out(0).shape = ShapeOf(std::move(out));
    return {};
  }
  const Dim elements = ElementsOf(op, in);
  const auto rows = op.dims().ExactQuotient(elements, depth);
  if (!rows && elements.is_number() && depth.is_number())
    return op.Problem(std::to_string(elements.number()) + " elements in rows of " +
                      std::to_string(depth.number()));
  op.out(0).shape = ShapeOf({rows.value_or(op.dims().FloorDiv(elements, depth)), DimAt(weight, 0)});
  return {};
}

Work FullyConnectedWork(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& out = op.out(0).shape;
  return work::MatrixProduct{
      .batch = 1,
      .m = out.known_rank() && out.rank() > 0 ? ProductOf(op, out, 0, out.rank() - 1) : Dim(),
      .n = DimAt(weight, 0),
      .k = DimAt(weight, 1),
      .bias = op.has(2),
      .then = FusedActivation(op)};
}

// Rows (0) or columns (1) of a factor, transposed on demand.
Dim FactorDim(const OpContext& op, std::size_t input, std::size_t axis) {
  const Shape& shape = op.in(input).shape;
  if (!shape.known_rank() || shape.rank() < 2) return {};
  const bool transposed = op.IntOr(input == 0 ? "adj_x" : "adj_y", 0) != 0;
  return (*shape.dims)[shape.rank() - 2 + (transposed ? 1 - axis : axis)];
}

Shape Leading(const Shape& shape) { return ShapeOf({shape.dims->begin(), shape.dims->end() - 2}); }

Result<void> InferBatchMatMul(OpContext& op) {
  const Shape& a = op.in(0).shape;
  const Shape& b = op.in(1).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (!a.known_rank() || !b.known_rank()) return {};
  if (a.rank() < 2 || b.rank() < 2) return op.Problem("a factor has fewer than 2 dims");
  TRY(SameDim(op, FactorDim(op, 0, 1), FactorDim(op, 1, 0), "columns of A against rows of B"));
  TRY_ASSIGN(Shape shape, Broadcast(op, Leading(a), Leading(b)));
  shape.dims->push_back(FactorDim(op, 0, 0));
  shape.dims->push_back(FactorDim(op, 1, 1));
  op.out(0).shape = std::move(shape);
  return {};
}

Work BatchMatMulWork(const OpContext& op) {
  const Shape& out = op.out(0).shape;
  return work::MatrixProduct{
      .batch = out.known_rank() && out.rank() >= 2 ? ProductOf(op, out, 0, out.rank() - 2) : Dim(),
      .m = FactorDim(op, 0, 0),
      .n = FactorDim(op, 1, 1),
      .k = BetterKnown(op, FactorDim(op, 0, 1), FactorDim(op, 1, 0))};
}

constexpr OpEntry kOps[] = {
    {.op = "BATCH_MATMUL",
     .infer = InferBatchMatMul,
     .work = BatchMatMulWork,
     .rule = "matmul",
     .like = "MatMul"},
    {.op = "FULLY_CONNECTED",
     .infer = InferFullyConnected,
     .work = FullyConnectedWork,
     .rule = "gemm",
     .roles = "xww",
     .like = "Gemm"},
};

}  // namespace

std::span<const OpEntry> MatMulOps() { return kOps; }

}  // namespace opscope::tflite
