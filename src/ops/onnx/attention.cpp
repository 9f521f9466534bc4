// Attention as one op (opset 23 on), and the rotary embedding beside it.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// One of Q, K, V: [batch, heads, length, head], or [batch, length, heads * head] with the number
// of heads as an attribute.
struct Heads {
  Dim batch, heads, length, head;
  bool flat = false;
};

Heads ReadHeads(const OpContext& op, std::size_t input, std::string_view attribute) {
  const Shape& shape = op.in(input).shape;
  if (!shape.known_rank()) return {};
  if (shape.rank() == 4) {
    return {DimAt(shape, 0), DimAt(shape, 1), DimAt(shape, 2), DimAt(shape, 3), false};
  }
  const std::optional<std::int64_t> count = op.Int(attribute);
  const Dim heads = count.has_value() && *count > 0 ? Dim(*count) : Dim();
  return {DimAt(shape, 0), heads, DimAt(shape, 1), op.dims().FloorDiv(DimAt(shape, 2), heads),
          true};
}

struct Sizes {
  Heads q, k, v;
  Dim past = 0;  // in the cache already
  Dim total;     // keys and values: the past and the new ones
};

constexpr std::size_t kPastKey = 4;

Sizes ReadSizes(const OpContext& op) {
  Sizes sizes;
  sizes.q = ReadHeads(op, 0, "q_num_heads");
  sizes.k = ReadHeads(op, 1, "kv_num_heads");
  sizes.v = ReadHeads(op, 2, "kv_num_heads");
  if (op.has(kPastKey)) sizes.past = DimAt(op.in(kPastKey).shape, 2);
  sizes.total = op.dims().Add(sizes.past, sizes.k.length);
  return sizes;
}

// Y like Q with the value's head size; the present keys and values; the matrix of scores.
Result<void> InferAttention(OpContext& op) {
  const DType dtype = op.in(0).dtype;
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, dtype, {});
  for (std::size_t i = 0; i < 3; ++i) {
    const Shape& shape = op.in(i).shape;
    if (!shape.known_rank()) return {};
    if (shape.rank() != 3 && shape.rank() != 4) {
      return op.Problem("input " + std::to_string(i) + " has rank " + std::to_string(shape.rank()) +
                        ", needs 3 or 4");
    }
  }
  const auto [q, k, v, past, total] = ReadSizes(op);
  op.out(0).shape = q.flat ? ShapeOf({q.batch, q.length, op.dims().Mul(q.heads, v.head)})
                           : ShapeOf({q.batch, q.heads, q.length, v.head});
  SetOutput(op, 1, dtype, ShapeOf({k.batch, k.heads, total, k.head}));
  SetOutput(op, 2, dtype, ShapeOf({v.batch, v.heads, total, v.head}));
  SetOutput(op, 3, dtype, ShapeOf({q.batch, q.heads, q.length, total}));
  return {};
}

Work AttentionWork(const OpContext& op) {
  const Sizes sizes = ReadSizes(op);
  return work::Attention{.batch = sizes.q.batch,
                         .query_heads = sizes.q.heads,
                         .q_length = sizes.q.length,
                         .kv_length = sizes.total,
                         .head = sizes.q.head,
                         .value_head = sizes.v.head,
                         .kv_heads = sizes.k.heads,
                         .past = sizes.past,
                         .causal = op.IntOr("is_causal", 0) != 0};
}

// Domain ai.onnx.preview: bodies may change the scores and what the softmax makes of them.
Result<void> InferFlexAttention(OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape& v = op.in(2).shape;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(q, 0), DimAt(q, 1), DimAt(q, 2), DimAt(v, 3)}));
  TensorFact scores;
  const DType wide = op.in(0).dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  scores.dtype = DTypeAttribute(op, "softmax_precision", wide);
  scores.shape = ShapeOf({DimAt(q, 0), DimAt(q, 1), DimAt(q, 2), DimAt(op.in(1).shape, 2)});
  scores.runtime = op.in(0).runtime || op.in(1).runtime;
  for (const std::string_view name : {"score_mod", "prob_mod"}) {
    const std::optional<GraphId> body = op.GraphAttribute(name);
    if (!body.has_value()) continue;
    const std::vector<TensorId>& inputs = op.model().graph(*body).inputs;
    if (inputs.size() == 1 && inputs[0].valid()) {
      scores.storage = inputs[0];
      op.FactOf(inputs[0]) = scores;
    }
    op.RunBody(*body);
    op.SetTrips(*body, 1);
  }
  return {};
}

constexpr OpEntry kPreview[] = {
    {.op = "FlexAttention",
     .infer = InferFlexAttention,
     .work = AttentionWork,
     .rule = "attention"},
};

constexpr OpEntry kOps[] = {
    {.op = "Attention",
     .infer = InferAttention,
     .work = AttentionWork,
     .rule = "attention",
     .roles = "xxxcxx"},
    {.op = "RotaryEmbedding",
     .infer = SameAsInput,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xcc"},
};

}  // namespace

std::span<const OpEntry> AttentionOps() { return kOps; }
std::span<const OpEntry> PreviewOps() { return kPreview; }

}  // namespace opscope::onnx
