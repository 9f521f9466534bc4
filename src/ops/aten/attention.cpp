// Attention as one op, and the fused layers of transformers.
#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

// Query [.., heads, length, head]; leading dims beyond the heads are the batch. The kernels behind
// torch's memory-efficient attention keep the heads behind the length.
struct Sizes {
  Dim batch, heads, q_length, kv_length, head, value_head, kv_heads;
};

Sizes SizesOf(const OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape& k = op.in(1).shape;
  const Shape& v = op.in(2).shape;
  Sizes sizes;
  if (!q.known_rank() || !k.known_rank() || !v.known_rank() || q.rank() < 2 || k.rank() < 2 ||
      v.rank() < 2)
    return sizes;
  const std::size_t rank = q.rank();
  sizes.q_length = (*q.dims)[rank - 2];
  sizes.head = q.dims->back();
  sizes.kv_length = (*k.dims)[k.rank() - 2];
  sizes.value_head = v.dims->back();
  sizes.heads = rank > 2 ? (*q.dims)[rank - 3] : Dim(1);
  sizes.kv_heads = k.rank() > 2 ? (*k.dims)[k.rank() - 3] : Dim(1);
  sizes.batch = rank > 3 ? ProductOf(op, q, 0, rank - 3) : Dim(1);
  return sizes;
}

Result<void> InferAttention(OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape& v = op.in(2).shape;
  const DType dtype = op.in(0).dtype;
  SetOutput(op, 0, dtype, {});
  if (!q.known_rank() || !v.known_rank() || q.rank() < 2 || v.rank() < 2) return {};
  Dims out = *q.dims;
  out.back() = v.dims->back();
  op.out(0).shape = ShapeOf(std::move(out));
  if (op.op() == "_scaled_dot_product_attention_math") {
    Dims scores = *q.dims;
    scores.back() = SizesOf(op).kv_length;
    SetOutput(op, 1, dtype, ShapeOf(std::move(scores)));
  } else if (op.outputs() > 1) {
    const Sizes sizes = SizesOf(op);
    SetOutput(op, 1, DType::kFloat32, ShapeOf({sizes.batch, sizes.heads, sizes.q_length}));
  }
  return {};
}

Work AttentionWork(const OpContext& op) {
  const Sizes sizes = SizesOf(op);
  return work::Attention{.batch = sizes.batch,
                         .query_heads = sizes.heads,
                         .q_length = sizes.q_length,
                         .kv_length = sizes.kv_length,
                         .head = sizes.head,
                         .value_head = sizes.value_head,
                         .kv_heads = sizes.kv_heads,
                         .causal = FlagArg(op, "is_causal")};
}

// _native_multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias,
// proj_weight, proj_bias, mask …): [batch, length, width] as queries, keys and values.
Work LayerAttention(const OpContext& op, const Shape& x, Dim width, Dim heads) {
  DimTable& dims = op.dims();
  const Dim batch = DimAt(x, 0);
  const Dim length = DimAt(x, 1);
  const Dim tokens = dims.Mul(batch, length);
  const Dim head = dims.FloorDiv(width, heads);
  const Dim squared = dims.Mul(width, width);
  return work::Attention{.batch = batch,
                         .query_heads = heads,
                         .q_length = length,
                         .kv_length = length,
                         .head = head,
                         .value_head = head,
                         .kv_heads = heads,
                         .projection = dims.Mul(dims.Mul(tokens, 4), squared),
                         .projection_bias = dims.Mul(dims.Mul(tokens, 4), width)};
}

Result<void> InferMultiHead(OpContext& op) {
  const Shape& q = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, q);
  const bool averaged = FlagArg(op, "average_attn_weights", true);
  Dims weights = {DimAt(q, 0)};
  if (!averaged) weights.push_back(DimArg(op, "num_head", Dim()));
  weights.push_back(DimAt(q, 1));
  weights.push_back(DimAt(op.in(1).shape, 1));
  if (FlagArg(op, "need_weights", true)) {
    SetOutput(op, 1, op.in(0).dtype, ShapeOf(std::move(weights)));
  } else {
    SetOutput(op, 1, op.in(0).dtype, ShapeOf({0}));
  }
  return {};
}
Work MultiHeadWork(const OpContext& op) {
  return LayerAttention(op, op.in(0).shape, DimArg(op, "embed_dim", Dim()),
                        DimArg(op, "num_head", Dim()));
}

// _transformer_encoder_layer_fwd(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight,
// proj_bias, use_gelu, norm_first, eps, norm weights and biases, ffn_weight_1, ffn_bias_1, …).
constexpr std::size_t kFirstWeight = 9;

Work EncoderWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& x = op.in(0).shape;
  const Dim width = DimArg(op, "embed_dim", Dim());
  Work work = LayerAttention(op, x, width, DimArg(op, "num_heads", Dim()));
  auto& attention = std::get<work::Attention>(work);
  const Dim inner = DimAt(op.in(kFirstWeight).shape, 0);
  const Dim tokens = ProductOf(op, x, 0, 2);
  const Dim inside = dims.Mul(tokens, inner);
  attention.projection = dims.Add(attention.projection, dims.Mul(dims.Mul(inside, width), 2));
  attention.projection_bias =
      dims.Add(attention.projection_bias, dims.Add(inside, dims.Mul(tokens, width)));
  return work;
}

// The higher-order op: query, key, value, score_mod, block_mask, scale …
Result<void> InferFlex(OpContext& op) {
  TRY(InferAttention(op));
  const Sizes sizes = SizesOf(op);
  for (std::size_t i = 1; i < op.outputs(); ++i)
    SetOutput(op, i, DType::kFloat32, ShapeOf({sizes.batch, sizes.heads, sizes.q_length}));
  for (const Attribute& attribute : op.node().attributes) {
    const auto* body = std::get_if<GraphId>(&attribute.value);
    if (body != nullptr) op.SetTrips(*body, 0);
  }
  return {};
}

constexpr OpEntry Attention(std::string_view op) {
  return {.op = op,
          .infer = InferAttention,
          .work = AttentionWork,
          .rule = "attention",
          .roles = "xxxc",
          .like = "Attention"};
}

constexpr OpEntry kOps[] = {
    Attention("scaled_dot_product_attention"),
    Attention("_scaled_dot_product_attention_math"),
    Attention("_scaled_dot_product_attention_math_for_mps"),
    Attention("_scaled_dot_product_flash_attention"),
    Attention("_scaled_dot_product_flash_attention_for_cpu"),
    Attention("_scaled_dot_product_efficient_attention"),
    Attention("_scaled_dot_product_cudnn_attention"),
    Attention("_scaled_dot_product_fused_attention_overrideable"),
    {.op = "_native_multi_head_attention",
     .infer = InferMultiHead,
     .work = MultiHeadWork,
     .rule = "attention",
     .roles = "xxxwwwwc",
     .like = "Attention"},
    {.op = "_transformer_encoder_layer_fwd",
     .infer = SameAsInput,
     .work = EncoderWork,
     .rule = "attention",
     .roles = "xwwwwwwwwwwwwc",
     .like = "Attention"},
};

constexpr OpEntry kHigherOrder[] = {
    {.op = "flex_attention",
     .infer = InferFlex,
     .work = AttentionWork,
     .rule = "attention",
     .roles = "xxxc",
     .like = "Attention"},
};

}  // namespace

std::span<const OpEntry> AttentionOps() { return kOps; }
std::span<const OpEntry> FlexOps() { return kHigherOrder; }

}  // namespace opscope::aten
