// Layers that carry a state from one token to the next (opset 27 on): linear attention, and the
// causal convolution before it.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- linear attention: a matrix [key, value] for each head instead of a cache of keys ---

struct Linear {
  Dim batch, length, q_heads, kv_heads, key, value;
};

Dim HeadsAttribute(const OpContext& op, std::string_view name) {
  const std::int64_t heads = op.IntOr(name, 0);
  return heads > 0 ? Dim(heads) : Dim();
}

Linear ReadLinear(const OpContext& op) {
  DimTable& dims = op.dims();
  Linear sizes;
  sizes.batch = DimAt(op.in(0).shape, 0);
  sizes.length = DimAt(op.in(0).shape, 1);
  sizes.q_heads = HeadsAttribute(op, "q_num_heads");
  sizes.kv_heads = HeadsAttribute(op, "kv_num_heads");
  sizes.key = dims.FloorDiv(DimAt(op.in(1).shape, 2), sizes.kv_heads);
  sizes.value = dims.FloorDiv(DimAt(op.in(2).shape, 2), sizes.kv_heads);
  return sizes;
}

Result<void> InferLinear(OpContext& op) {
  const Linear sizes = ReadLinear(op);
  const DType dtype = op.in(0).dtype;
  SetOutput(op, 0, dtype,
            ShapeOf({sizes.batch, sizes.length, op.dims().Mul(sizes.q_heads, sizes.value)}));
  SetOutput(op, 1, op.has(3) ? op.in(3).dtype : dtype,
            ShapeOf({sizes.batch, sizes.kv_heads, sizes.key, sizes.value}));
  return {};
}

// Token by token as the definition has it: k v' enters the state of each key head, q' S leaves it
// for each query head, and the delta rules look up S' k before.
//   B 1, T 5, 4 query and 2 key heads of 8 x 16, delta: 5 * 8*16 * (4 + 2*2) = 5,120.
Work LinearWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Linear sizes = ReadLinear(op);
  const std::string_view rule = op.String("update_rule").value_or("gated_delta");
  const bool delta = rule == "delta" || rule == "gated_delta";
  const bool gated = rule == "gated" || rule == "gated_delta";
  const Dim tokens = dims.Mul(sizes.batch, sizes.length);
  const Dim state = dims.Mul(sizes.key, sizes.value);
  const Dim products = dims.Add(sizes.q_heads, dims.Mul(sizes.kv_heads, delta ? 2 : 1));
  const Dim states = dims.Mul(dims.Mul(tokens, sizes.kv_heads), state);
  return work::Contraction{dims.Mul(dims.Mul(tokens, state), products),
                           delta ? "k v', S' k, q' S" : "k v', q' S", gated ? states : Dim(0)};
}

// --- causal depthwise convolution: [batch, channels, length], weight [channels, 1, k] ---

Result<void> InferCausalConv(OpContext& op) {
  TRY(SameAsInput(op));
  const Dim kept = op.dims().Sub(DimAt(op.in(1).shape, 2), 1);
  SetOutput(op, 1, op.has(3) ? op.in(3).dtype : op.in(0).dtype,
            ShapeOf({DimAt(op.in(0).shape, 0), DimAt(op.in(0).shape, 1), kept}));
  return {};
}

Work CausalConvWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const std::string_view activation = op.String("activation").value_or("none");
  return work::Convolution{.batch = DimAt(in, 0),
                           .out_channels = DimAt(in, 1),
                           .out_points = PointsOf(op, in),
                           .in_per_group = 1,
                           .kernel_points = PointsOf(op, op.in(1).shape),
                           .bias = op.has(2),
                           .then = {activation == "none" ? "" : "Swish"}};
}

constexpr OpEntry kOps[] = {
    {.op = "CausalConvWithState",
     .infer = InferCausalConv,
     .work = CausalConvWork,
     .rule = "conv",
     .roles = "xwwx"},
    {.op = "LinearAttention", .infer = InferLinear, .work = LinearWork, .rule = "linear-attention"},
};

}  // namespace

std::span<const OpEntry> StateOps() { return kOps; }

}  // namespace opscope::onnx
