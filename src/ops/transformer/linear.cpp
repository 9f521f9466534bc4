// Products with weights as checkpoints hold them, norms, tables, experts; modules of unknown work.
#include <string>

#include "ops/contrib/common.h"
#include "ops/transformer/families.h"

namespace opscope::transformer {

namespace {

using contrib::LastOf;
using contrib::RowsOf;
using contrib::WithLast;

// --- Embedding: table [rows, width], ids ---

Result<void> InferEmbedding(OpContext& op) {
  const Shape& ids = op.in(1).shape;
  Dims out = ids.known_rank() ? *ids.dims : Dims();
  out.push_back(LastOf(op.in(0).shape));
  SetOutput(op, 0, DTypeFromName(op.String("dtype").value_or("")),
            ids.known_rank() ? ShapeOf(std::move(out)) : Shape{});
  return {};
}

// Of the table one row an id, as it is stored.
Work EmbeddingWork(const OpContext& op) {
  TensorFact row = op.in(0);
  row.shape = ShapeOf({LastOf(row.shape)});
  const Dim ids = ElementsOf(op, op.in(1).shape);
  return work::GatherScatter{op.dims().Mul(ids, BytesOf(op.dims(), row))};
}

// --- Linear: [.., K] times [N, K] (or [K, N]), bias [N], what unpacks the weight ---

// A vector is a matrix of one row.
struct Matrix {
  Dim n, k;
};

Matrix WeightOf(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  if (weight.known_rank() && weight.rank() == 1) return {1, DimAt(weight, 0)};
  if (op.IntOr("columns_first", 0) != 0) return {DimAt(weight, 1), DimAt(weight, 0)};
  return {DimAt(weight, 0), DimAt(weight, 1)};
}

Result<void> InferLinear(OpContext& op) {
  const auto [n, k] = WeightOf(op);
  TRY(SameDim(op, LastOf(op.in(0).shape), k, "columns of the input against those of the weight"));
  SetOutput(op, 0, op.in(0).dtype, WithLast(op.in(0).shape, n));
  return {};
}

Work LinearWork(const OpContext& op) {
  return work::MatrixProduct{.batch = 1,
                             .m = RowsOf(op, op.in(0).shape),
                             .n = WeightOf(op).n,
                             .k = LastOf(op.in(0).shape),
                             .bias = op.has(2)};
}

// --- norms over as many elements as the weight has: a row, or one head of it ---

template <bool kCentred>
Work NormWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim n = DimAt(op.in(1).shape, 0);
  return work::Normalisation{.rows = dims.FloorDiv(ElementsOf(op, op.in(0).shape), n),
                             .n = n,
                             .affine = true,
                             .centred = kCentred};
}

// --- Split: parts of the last axis, which show the bytes of the input ---

Result<void> InferSplit(OpContext& op) {
  const auto sizes = op.Ints("sizes");
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const Dim size = sizes && i < sizes->size() ? Dim((*sizes)[i]) : Dim();
    SetOutput(op, i, op.in(0).dtype, WithLast(op.in(0).shape, size));
    if (op.has_output(i)) op.out(i).storage = op.in(0).storage;
  }
  return {};
}

// --- Experts: tokens, one score an expert, the weights of all experts ---

Work ExpertsWork(const OpContext& op) {
  const auto size = [&op](std::string_view name) {
    const std::int64_t value = op.IntOr(name, 0);
    return value > 0 ? Dim(value) : Dim();
  };
  return work::Experts{
      .tokens = RowsOf(op, op.in(0).shape),
      .experts = size("experts"),
      .active = size("active"),
      .hidden = LastOf(op.in(0).shape),
      .inner = size("inner"),
      .products = static_cast<int>(op.IntOr("products", 3)),
      .operands = {0, 2},
      .activation = contrib::ActivationNamed(op.String("activation").value_or("none"))};
}

// --- Module: weights whose use is not known ---

Result<void> InferNothing(OpContext&) { return {}; }

Work ModuleWork(const OpContext& op) {
  return work::Unknown{std::string(op.String("because").value_or("what it computes is not known"))};
}

constexpr OpEntry kOps[] = {
    {.op = "Embedding",
     .infer = InferEmbedding,
     .work = EmbeddingWork,
     .rule = "gather",
     .roles = "wx",
     .like = "Gather"},
    {.op = "Linear",
     .infer = InferLinear,
     .work = LinearWork,
     .rule = "matmul",
     .roles = "xwwwwwc",  // weight, bias, scale, scales and zero points of groups, their order
     .like = "Gemm"},
    {.op = "RMSNorm",
     .infer = SameAsInput,
     .work = NormWork<false>,
     .rule = "normalisation",
     .roles = "xw",
     .like = "RMSNormalization"},
    {.op = "LayerNorm",
     .infer = SameAsInput,
     .work = NormWork<true>,
     .rule = "normalisation",
     .roles = "xw",
     .like = "LayerNormalization"},
    {.op = "Split",
     .infer = InferSplit,
     .work = onnx::ViewWork,
     .rule = "view",
     .roles = "x",
     .like = "Split"},
    {.op = "Experts", .infer = SameAsInput, .work = ExpertsWork, .rule = "experts", .roles = "xxw"},
    {.op = "Module", .infer = InferNothing, .work = ModuleWork, .rule = "unknown", .roles = "xw"},
};

}  // namespace

std::span<const OpEntry> LinearOps() { return kOps; }

}  // namespace opscope::transformer
