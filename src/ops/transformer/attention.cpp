// Attention with a cache of keys and values, or with one of what both are made from.
#include "ops/contrib/common.h"
#include "ops/transformer/families.h"

namespace opscope::transformer {

namespace {

using contrib::LastOf;
using contrib::WithLast;

Dim Attribute(const OpContext& op, std::string_view name) {
  const std::int64_t value = op.IntOr(name, 0);
  return value > 0 ? Dim(value) : Dim();
}

constexpr std::size_t kPast = 4;  // as in ai.onnx: keys, then values

// --- queries [batch, new, heads * head], keys and values [batch, new, kv_heads * head] ---

struct Sizes {
  Dim batch, length, heads, kv_heads, head, value_head, past, total;
};

Sizes Read(const OpContext& op) {
  DimTable& dims = op.dims();
  Sizes s;
  s.batch = DimAt(op.in(0).shape, 0);
  s.length = DimAt(op.in(0).shape, 1);
  s.heads = Attribute(op, "heads");
  s.kv_heads = Attribute(op, "kv_heads");
  s.head = dims.FloorDiv(LastOf(op.in(1).shape), s.kv_heads);
  s.value_head = dims.FloorDiv(LastOf(op.in(2).shape), s.kv_heads);
  s.past = DimAt(op.in(kPast).shape, 2);
  s.total = dims.Add(s.past, s.length);
  return s;
}

work::Attention WorkOf(const OpContext& op, const Sizes& s) {
  work::Attention work{.batch = s.batch,
                       .query_heads = s.heads,
                       .q_length = s.length,
                       .kv_length = s.total,
                       .head = s.head,
                       .value_head = s.value_head,
                       .kv_heads = s.kv_heads,
                       .past = s.past,
                       .causal = true};
  if (const std::int64_t window = op.IntOr("window", 0); window > 0) work.window = Dim(window);
  return work;
}

Result<void> InferAttention(OpContext& op) {
  const Sizes s = Read(op);
  SetOutput(op, 0, op.in(0).dtype, WithLast(op.in(0).shape, op.dims().Mul(s.heads, s.value_head)));
  SetOutput(op, 1, op.in(kPast).dtype, ShapeOf({s.batch, s.kv_heads, s.total, s.head}));
  SetOutput(op, 2, op.in(kPast).dtype, ShapeOf({s.batch, s.kv_heads, s.total, s.value_head}));
  return {};
}

Work AttentionWork(const OpContext& op) { return WorkOf(op, Read(op)); }

// --- latent attention: queries, [batch, new, latent + rope], the weights that make keys and values
// of it (in one tensor, or two), the past [batch, 1, past, latent + rope] ---

Sizes ReadLatent(const OpContext& op) {
  DimTable& dims = op.dims();
  Sizes s;
  s.batch = DimAt(op.in(0).shape, 0);
  s.length = DimAt(op.in(0).shape, 1);
  s.heads = Attribute(op, "heads");
  s.kv_heads = 1;
  s.head = dims.FloorDiv(LastOf(op.in(0).shape), s.heads);
  s.value_head = Attribute(op, "value_head");
  s.past = DimAt(op.in(kPast).shape, 2);
  s.total = dims.Add(s.past, s.length);
  return s;
}

Result<void> InferLatent(OpContext& op) {
  const Sizes s = ReadLatent(op);
  SetOutput(op, 0, op.in(0).dtype, WithLast(op.in(0).shape, op.dims().Mul(s.heads, s.value_head)));
  SetOutput(op, 1, op.in(kPast).dtype, ShapeOf({s.batch, 1, s.total, LastOf(op.in(1).shape)}));
  return {};
}

// Two ways with one result. Expanded: keys and values of all positions are made from the cache,
// then heads are nope + rope and value wide. Absorbed: queries and outputs are turned instead, for
// new tokens only, then every head is latent + rope and latent wide. The products of new tokens are
// the same; beyond them the cheaper way is counted:
//   min(past * heads * latent * (nope + value),  pairs * heads * (2 * latent - nope - value))
// 128 heads, latent 512, 128 + 64, 128, one token after 4,096: 50,331,648 * .. absorbed.
Work LatentWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Sizes s = ReadLatent(op);
  work::Attention work = WorkOf(op, s);
  const Dim latent = Attribute(op, "latent");
  const Dim nope = dims.Sub(s.head, Attribute(op, "rope"));
  const Dim rows = dims.Mul(dims.Mul(s.batch, s.heads), latent);
  const Dim made = dims.Add(nope, s.value_head);
  const Dim expanded = dims.Mul(dims.Mul(rows, s.past), made);
  const Dim pairs = dims.Mul(dims.Mul(s.batch, s.heads), dims.Mul(s.length, s.total));
  const Dim absorbed = dims.Mul(pairs, dims.Sub(dims.Mul(latent, 2), made));
  work.projection =
      dims.Add(dims.Mul(dims.Mul(rows, s.length), made), dims.Min(expanded, absorbed));
  work.operands = {0, 2};
  return work;
}

constexpr OpEntry kOps[] = {
    {.op = "Attention",
     .infer = InferAttention,
     .work = AttentionWork,
     .rule = "attention",
     .roles = "xxxcxx",
     .like = "Attention"},
    {.op = "LatentAttention",
     .infer = InferLatent,
     .work = LatentWork,
     .rule = "attention",
     .roles = "xxwwxw",
     .like = "Attention"},
};

}  // namespace

std::span<const OpEntry> AttentionOps() { return kOps; }

}  // namespace opscope::transformer
