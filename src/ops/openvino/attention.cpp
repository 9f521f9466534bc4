// Attention as one operator.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// query [N …, L, E], key [N …, S, E], value [N …, S, Ev]: [N …, L, Ev].
Result<void> InferScaledDotProduct(OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape& v = op.in(2).shape;
  SetOutput(op, 0, op.in(0).dtype, q);
  if (!q.known_rank()) return {};
  if (q.rank() < 2) return op.Problem("query of rank " + std::to_string(q.rank()) + ", needs 2");
  TRY(SameDim(op, q.dims->back(),
              op.in(1).shape.known_rank() && op.in(1).shape.rank() > 0 ? op.in(1).shape.dims->back()
                                                                       : Dim(),
              "head sizes of query and key"));
  op.out(0).shape.dims->back() = v.known_rank() && v.rank() > 0 ? v.dims->back() : Dim();
  return {};
}

Work ScaledDotProductWork(const OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape& k = op.in(1).shape;
  const Shape& v = op.in(2).shape;
  if (!q.known_rank() || !k.known_rank() || !v.known_rank() || q.rank() < 2 || k.rank() < 2 ||
      v.rank() < 2)
    return work::Attention{};
  // The axis before the lengths holds the heads.
  const Dim heads = q.rank() > 2 ? (*q.dims)[q.rank() - 3] : Dim(1);
  const Dim batch = q.rank() > 3 ? ProductOf(op, q, 0, q.rank() - 3) : Dim(1);
  return work::Attention{.batch = batch,
                         .query_heads = heads,
                         .q_length = (*q.dims)[q.rank() - 2],
                         .kv_length = (*k.dims)[k.rank() - 2],
                         .head = q.dims->back(),
                         .value_head = v.dims->back(),
                         .kv_heads = k.rank() > 2 ? (*k.dims)[k.rank() - 3] : Dim(1),
                         .causal = op.IntOr("causal", 0) != 0};
}

constexpr OpEntry kOps[] = {
    {.op = "ScaledDotProductAttention",
     .infer = InferScaledDotProduct,
     .work = ScaledDotProductWork,
     .rule = "attention",
     .roles = "xxxc",
     .like = "Attention"},
};

}  // namespace

std::span<const OpEntry> AttentionOps() { return kOps; }

}  // namespace opscope::openvino
