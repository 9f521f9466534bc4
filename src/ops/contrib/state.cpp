// Layers that carry a state: recurrences, linear attention, causal convolutions.
#include <algorithm>

#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// --- DynamicQuantizeLSTM, AttnLSTM: as LSTM; quantised weights are [directions, input, 4 * hidden]
// with rows and columns exchanged ---

struct Recurrent {
  Dim steps, batch, input, directions, hidden;
};

Recurrent ReadRecurrent(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const std::int64_t hidden = op.IntOr("hidden_size", 0);
  const bool both = op.String("direction").value_or("forward") == "bidirectional";
  return {DimAt(x, 0), DimAt(x, 1), DimAt(x, 2), both ? 2 : 1,
          hidden > 0 ? Dim(hidden) : DimAt(op.in(2).shape, 1)};
}

Result<void> InferLstm(OpContext& op) {
  const Recurrent s = ReadRecurrent(op);
  const DType dtype = op.in(0).dtype;
  SetOutput(op, 0, dtype, ShapeOf({s.steps, s.directions, s.batch, s.hidden}));
  SetOutput(op, 1, dtype, ShapeOf({s.directions, s.batch, s.hidden}));
  SetOutput(op, 2, dtype, ShapeOf({s.directions, s.batch, s.hidden}));
  return {};
}

Work LstmWork(const OpContext& op) {
  const Recurrent s = ReadRecurrent(op);
  return work::Recurrence{.steps = s.steps,
                          .batch = s.batch,
                          .directions = s.directions,
                          .hidden = s.hidden,
                          .input = s.input,
                          .gates = 4,
                          .bias = op.has(3)};
}

Work AttnLstmWork(const OpContext&) {
  return work::Unknown{"the attention inside the recurrence is not counted"};
}

// --- CausalConvWithState: as in ai.onnx, also with channels last and several states ---

Result<void> InferCausalConv(OpContext& op) {
  TRY(SameAsInput(op));
  DimTable& dims = op.dims();
  const bool last = op.IntOr("channels_last", 0) != 0;
  if (op.has(3)) {
    SetOutput(op, 1, op.in(3).dtype, op.in(3).shape);
    return {};
  }
  const Dim taps = dims.Sub(LastOf(op.in(1).shape), 1);
  const Dim kept = dims.Mul(taps, std::max<std::int64_t>(op.IntOr("dilation", 1), 1));
  const Shape& in = op.in(0).shape;
  if (op.IntOr("ndim", 1) != 1 || op.IntOr("state_window", 0) != 0) return {};
  SetOutput(op, 1, op.in(0).dtype,
            last ? ShapeOf({DimAt(in, 0), kept, DimAt(in, 2)})
                 : ShapeOf({DimAt(in, 0), DimAt(in, 1), kept}));
  return {};
}

// Every output element sums the taps of its channel.
Work DepthwiseWork(const OpContext& op, bool bias) {
  const std::string_view activation = op.String("activation").value_or("none");
  return work::Convolution{.batch = 1,
                           .out_channels = 1,
                           .out_points = ElementsOf(op, op.out(0).shape),
                           .in_per_group = 1,
                           .kernel_points = PointsOf(op, op.in(1).shape),
                           .bias = bias,
                           .then = {ActivationNamed(activation)}};
}

Result<void> InferVarlenConv(OpContext& op) {
  TRY(SameAsInput(op));
  SetOutput(op, 1, op.in(4).dtype, op.in(4).shape);
  return {};
}

// --- GatedDeltaNet: packed tokens [tokens, heads, head]; the state is [batch, heads, value, key]
// ---

constexpr std::size_t kState = 6;

Result<void> InferDeltaNet(OpContext& op) {
  const Shape& state = op.in(kState).shape;
  const Shape& value = op.in(op.has(2) ? 2 : 0).shape;
  Dim heads = DimAt(value, 1);
  if (op.has(2)) heads = op.dims().Max(heads, DimAt(op.in(0).shape, 1));
  const Dim head = op.has(2) ? DimAt(value, 2) : DimAt(state, 2);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(op.in(0).shape, 0), heads, head}));
  SetOutput(op, 1, op.has(kState) ? op.in(kState).dtype : DType::kFloat32, state);
  return {};
}

// As ai.onnx.LinearAttention: the state is read and written for each token and value head.
Work DeltaNetWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& state = op.in(kState).shape;
  const Dim states = dims.Mul(DimAt(op.in(0).shape, 0), ProductOf(op, state, 1, 4));
  const std::string_view rule = op.String("update_rule").value_or("gated_delta");
  const bool delta = rule == "delta" || rule == "gated_delta";
  const bool gated = rule == "gated" || rule == "gated_delta";
  return work::Contraction{dims.Mul(states, delta ? 3 : 2), "k v', S' k, q' S",
                           gated ? states : Dim(0)};
}

constexpr OpEntry kOps[] = {
    {.op = "AttnLSTM",
     .infer = InferLstm,
     .work = AttnLstmWork,
     .rule = "recurrence",
     .roles = "xwwwcxxwwwwxcw"},
    {.op = "CausalConvWithState",
     .infer = InferCausalConv,
     .work = [](const OpContext& op) { return DepthwiseWork(op, op.has(2)); },
     .rule = "conv",
     .roles = "xwwx"},
    {.op = "DynamicQuantizeLSTM",
     .infer = InferLstm,
     .work = LstmWork,
     .rule = "recurrence",
     .roles = "xwwwcxxwwwww"},
    {.op = "GatedDeltaNet",
     .infer = InferDeltaNet,
     .work = DeltaNetWork,
     .rule = "linear-attention",
     .roles = "xxxcxxxwwcc"},
    {.op = "LinearAttention",
     .infer = [](OpContext& op) { return InferAs(op, "LinearAttention"); },
     .work = [](const OpContext& op) { return WorkAs(op, "LinearAttention"); },
     .rule = "linear-attention"},
    {.op = "VarlenCausalConvWithState",
     .infer = InferVarlenConv,
     .work = [](const OpContext& op) { return DepthwiseWork(op, op.has(3)); },
     .rule = "conv",
     .roles = "xwcwxcxx"},
};

}  // namespace

std::span<const OpEntry> StateOps() { return kOps; }

}  // namespace opscope::contrib
