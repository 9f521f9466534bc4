// Matrix products.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

// input [.., k], weight [n, k] or [k], bias [n].
Result<void> InferLinear(OpContext& op) {
  const TensorFact& in = op.in(0);
  const Shape& weight = op.in(1).shape;
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank() || !weight.known_rank() || weight.rank() == 0) return {};
  if (in.shape.rank() == 0) return op.Problem("the input is a scalar");
  TRY(SameDim(op, in.shape.dims->back(), weight.dims->back(), "input size against weight"));
  Dims out = *in.shape.dims;
  out.pop_back();
  if (weight.rank() > 1) out.push_back(weight.dims->front());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work LinearWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  if (!in.known_rank() || !weight.known_rank() || in.rank() == 0 || weight.rank() == 0)
    return work::MatrixProduct{{}, {}, {}, {}, op.has(2)};
  return work::MatrixProduct{.batch = 1,
                             .m = ProductOf(op, in, 0, in.rank() - 1),
                             .n = weight.rank() > 1 ? weight.dims->front() : Dim(1),
                             .k = BetterKnown(op, in.dims->back(), weight.dims->back()),
                             .bias = op.has(2)};
}

Form MatMulForm(const OpContext& op) { return Form(op, "MatMul", {0, 1}); }
// addmm(self, mat1, mat2) and kin: self is what is added.
Form AddedForm(const OpContext& op) { return Form(op, "MatMul", {1, 2}); }
Form IntegerForm(const OpContext& op) { return Form(op, "MatMulInteger", {0, 1}); }

Work AddedWork(const OpContext& op) {
  Work work = AddedForm(op).WorkOf();
  if (auto* product = std::get_if<work::MatrixProduct>(&work)) product->bias = op.has(0);
  return work;
}

// self [n, k] of float8 times mat2 [k, m], with scales; out_dtype decides the type.
Result<void> InferScaled(OpContext& op) {
  TRY(MatMulForm(op).Infer());
  op.out(0).dtype = DTypeArg(op, "out_dtype", op.in(0).dtype);
  return {};
}

// Sums over the batch: addbmm.
Result<void> InferAddBatch(OpContext& op) {
  const Shape& a = op.in(1).shape;
  const Shape& b = op.in(2).shape;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(a, 1), DimAt(b, 2)}));
  return {};
}
Work AddBatchWork(const OpContext& op) {
  const Shape& a = op.in(1).shape;
  return work::MatrixProduct{.batch = 1,
                             .m = DimAt(a, 1),
                             .n = DimAt(op.in(2).shape, 2),
                             .k = op.dims().Mul(DimAt(a, 0), DimAt(a, 2)),
                             .bias = op.has(0),
                             .operands = {1, 2}};
}

Form EinsumForm(const OpContext& op) {
  std::vector<int> inputs;
  for (const auto& input : TensorsArg(op, "tensors"))
    if (input.has_value()) inputs.push_back(static_cast<int>(*input));
  Form form(op, "Einsum", std::move(inputs));
  return form.Set("equation", std::string(TextArg(op, "equation", "")));
}

Result<void> InferOuter(OpContext& op) {
  SetOutput(op, 0, Promoted(op, 2), ShapeOf({DimAt(op.in(0).shape, 0), DimAt(op.in(1).shape, 0)}));
  return {};
}

// The axes named by dims_self and dims_other are summed over.
Result<void> InferTensorDot(OpContext& op) {
  const Shape& a = op.in(0).shape;
  const Shape& b = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!a.known_rank() || !b.known_rank()) return {};
  TRY_ASSIGN(const auto of_a, AxesArg(op, "dims_self", a.rank()));
  TRY_ASSIGN(const auto of_b, AxesArg(op, "dims_other", b.rank()));
  Dims out;
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (std::find(of_a.begin(), of_a.end(), i) == of_a.end()) out.push_back((*a.dims)[i]);
  for (std::size_t i = 0; i < b.rank(); ++i)
    if (std::find(of_b.begin(), of_b.end(), i) == of_b.end()) out.push_back((*b.dims)[i]);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}
Work TensorDotWork(const OpContext& op) {
  const Shape& a = op.in(0).shape;
  Dim k = 1;
  if (!a.known_rank()) return work::MatrixProduct{};
  const auto axes = AxesArg(op, "dims_self", a.rank());
  if (!axes.has_value()) return work::MatrixProduct{};
  for (const std::size_t axis : *axes) k = op.dims().Mul(k, (*a.dims)[axis]);
  return work::MatrixProduct{.batch = 1, .m = ElementsOf(op, op.out(0).shape), .n = 1, .k = k};
}

// 4-bit weights [n, k / 2 or k / 8 …] with groups of scales; k is the input's.
Result<void> InferPacked(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!in.known_rank() || in.rank() == 0) return {};
  Dims out = *in.dims;
  out.back() = weight.known_rank() && weight.rank() == 2 ? weight.dims->front() : Dim();
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}
Work PackedWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  if (!in.known_rank() || !out.known_rank() || in.rank() == 0 || out.rank() == 0)
    return work::MatrixProduct{};
  work::MatrixProduct product{.batch = 1,
                              .m = ProductOf(op, in, 0, in.rank() - 1),
                              .n = out.dims->back(),
                              .k = in.dims->back()};
  if (op.op().find("int4") != std::string_view::npos) product.operands.packed = DType::kInt4;
  return product;
}

constexpr OpEntry Product(std::string_view op) {
  return {.op = op,
          .infer = InferForm<MatMulForm>,
          .work = FormWork<MatMulForm>,
          .rule = "matmul",
          .roles = "xx",
          .like = "MatMul"};
}
constexpr OpEntry Added(std::string_view op) {
  return {.op = op,
          .infer = InferForm<AddedForm>,
          .work = AddedWork,
          .rule = "gemm",
          .roles = "wxw",
          .like = "Gemm"};
}

constexpr OpEntry kOps[] = {
    {.op = "linear",
     .infer = InferLinear,
     .work = LinearWork,
     .rule = "gemm",
     .roles = "xww",
     .like = "Gemm"},
    Product("matmul"),
    Product("mm"),
    Product("bmm"),
    Product("mv"),
    Product("dot"),
    Product("vdot"),
    Product("linalg_matmul"),
    Added("addmm"),
    Added("_addmm_activation"),
    Added("addmv"),
    Added("baddbmm"),
    {.op = "addbmm",
     .infer = InferAddBatch,
     .work = AddBatchWork,
     .rule = "gemm",
     .roles = "wxw",
     .like = "Gemm"},
    {.op = "einsum",
     .infer = InferForm<EinsumForm>,
     .work = FormWork<EinsumForm>,
     .rule = "einsum",
     .roles = "x",
     .like = "Einsum"},
    {.op = "outer",
     .infer = InferOuter,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "Mul"},
    {.op = "tensordot",
     .infer = InferTensorDot,
     .work = TensorDotWork,
     .rule = "matmul",
     .roles = "xx",
     .like = "MatMul"},
    {.op = "_scaled_mm",
     .infer = InferScaled,
     .work = FormWork<MatMulForm>,
     .rule = "matmul",
     .roles = "xww",
     .like = "MatMul"},
    {.op = "_int_mm",
     .infer = InferForm<IntegerForm>,
     .work = FormWork<IntegerForm>,
     .rule = "matmul",
     .roles = "xx",
     .like = "MatMulInteger"},
    {.op = "_weight_int4pack_mm",
     .infer = InferPacked,
     .work = PackedWork,
     .rule = "matmul",
     .roles = "xww",
     .like = "MatMul"},
    {.op = "_weight_int4pack_mm_for_cpu",
     .infer = InferPacked,
     .work = PackedWork,
     .rule = "matmul",
     .roles = "xww",
     .like = "MatMul"},
    {.op = "_weight_int8pack_mm",
     .infer = InferPacked,
     .work = PackedWork,
     .rule = "matmul",
     .roles = "xww",
     .like = "MatMul"},
};

}  // namespace

std::span<const OpEntry> LinearOps() { return kOps; }

}  // namespace opscope::aten
