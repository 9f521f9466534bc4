// Recurrent layers. Input weights are [cells, inputs], recurrent ones [cells, state]; the state is
// a variable tensor. Without the weight of the input gate an LSTM has three gates.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

constexpr std::size_t kBasicLstmInputs = 5;  // data, state, weight of all gates, bias, cell state
constexpr std::size_t kForgetWeight = 2;
constexpr std::size_t kInputGateWeight = 1;
constexpr std::size_t kForgetRecurrent = 6;
constexpr std::size_t kForgetBias = 13;
constexpr std::size_t kProjection = 16;
constexpr std::size_t kBackward = 17;  // distance of a backward weight from the forward one

struct Steps {
  Dim steps = 1, batch;
  bool time_major = false;
};

// [steps, batch, inputs], [batch, steps, inputs], or [batch, inputs] for one step.
Steps StepsOf(const OpContext& op, bool sequence) {
  const Shape& in = op.in(0).shape;
  if (!sequence) return {1, DimAt(in, 0), false};
  const bool time_major = op.IntOr("time_major", 0) != 0;
  return {DimAt(in, time_major ? 0 : 1), DimAt(in, time_major ? 1 : 0), time_major};
}

Shape WithChannels(const OpContext& op, Dim channels) {
  Shape out = op.in(0).shape;
  if (out.known_rank() && out.rank() > 0) out.dims->back() = channels;
  return out;
}

// --- RNN: data, weight, recurrent weight, bias, state ---

template <bool kSequence>
Result<void> InferRnn(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), WithChannels(op, DimAt(op.in(1).shape, 0)));
  return {};
}

template <bool kSequence>
Work RnnWork(const OpContext& op) {
  const Steps s = StepsOf(op, kSequence);
  return work::Recurrence{.steps = s.steps,
                          .batch = s.batch,
                          .directions = 1,
                          .hidden = DimAt(op.in(1).shape, 0),
                          .input = DimAt(op.in(1).shape, 1),
                          .bias = op.has(3)};
}

// Both directions: one output of both side by side, or two.
Result<void> SetBoth(OpContext& op, Dim forward, Dim backward) {
  if (op.IntOr("merge_outputs", 0) != 0) {
    SetOutput(op, 0, StoredDType(op, 0), WithChannels(op, op.dims().Add(forward, backward)));
    return {};
  }
  SetOutput(op, 0, StoredDType(op, 0), WithChannels(op, forward));
  SetOutput(op, 1, StoredDType(op, 1), WithChannels(op, backward));
  return {};
}

Result<void> InferBothRnn(OpContext& op) {
  return SetBoth(op, DimAt(op.in(1).shape, 0), DimAt(op.in(5).shape, 0));
}

Work BothRnnWork(const OpContext& op) {
  Work work = RnnWork<true>(op);
  std::get<work::Recurrence>(work).directions = 2;
  return work;
}

// --- LSTM ---

Dim StateOf(const OpContext& op, std::size_t direction) {
  return op.has(kProjection + direction) ? DimAt(op.in(kProjection + direction).shape, 0)
                                         : DimAt(op.in(kForgetRecurrent + direction).shape, 1);
}

Result<void> InferSequenceLstm(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), WithChannels(op, StateOf(op, 0)));
  return {};
}

Result<void> InferBothLstm(OpContext& op) {
  return SetBoth(op, StateOf(op, 0), StateOf(op, kBackward));
}

work::Recurrence FullLstm(const OpContext& op, bool sequence) {
  const Steps s = StepsOf(op, sequence);
  work::Recurrence work{.steps = s.steps,
                        .batch = s.batch,
                        .directions = 1,
                        .hidden = DimAt(op.in(kForgetWeight).shape, 0),
                        .input = DimAt(op.in(kForgetWeight).shape, 1),
                        .gates = op.has(kInputGateWeight) ? 4 : 3,
                        .bias = op.has(kForgetBias)};
  if (op.has(kProjection)) work.projection = StateOf(op, 0);
  return work;
}

Work SequenceLstmWork(const OpContext& op) { return FullLstm(op, true); }

Work BothLstmWork(const OpContext& op) {
  work::Recurrence work = FullLstm(op, true);
  work.directions = 2;
  return work;
}

// The basic form has one weight [4 * cells, inputs + cells] and gives state, cell state, and two
// scratch tensors.
Result<void> InferLstm(OpContext& op) {
  if (op.inputs() != kBasicLstmInputs) return InferSequenceLstm(op);
  const Dim batch = DimAt(op.in(0).shape, 0);
  const Shape& weight = op.in(2).shape;
  const Dim cells = op.dims().FloorDiv(DimAt(weight, 0), 4);
  SetOutput(op, 0, StoredDType(op, 0), ShapeOf({batch, cells}));
  SetOutput(op, 1, StoredDType(op, 1), ShapeOf({batch, cells}));
  SetOutput(op, 2, StoredDType(op, 2), ShapeOf({batch, DimAt(weight, 1)}));
  SetOutput(op, 3, StoredDType(op, 3), ShapeOf({batch, DimAt(weight, 0)}));
  return {};
}

Work LstmWork(const OpContext& op) {
  if (op.inputs() != kBasicLstmInputs) return FullLstm(op, false);
  const Shape& weight = op.in(2).shape;
  const Dim cells = op.dims().FloorDiv(DimAt(weight, 0), 4);
  return work::Recurrence{.steps = 1,
                          .batch = DimAt(op.in(0).shape, 0),
                          .directions = 1,
                          .hidden = cells,
                          .input = op.dims().Sub(DimAt(weight, 1), cells),
                          .gates = 4,
                          .bias = op.has(3)};
}

// --- SVDF: data [batch, inputs], weights [filters, inputs] and [filters, memory], bias, state ---

Result<void> InferSvdf(OpContext& op) {
  const std::int64_t rank = op.IntOr("rank", 1);
  if (rank < 1) return op.Problem("attribute \"rank\" is " + std::to_string(rank));
  const Dim units = op.dims().FloorDiv(DimAt(op.in(1).shape, 0), rank);
  SetOutput(op, 0, StoredDType(op, 0), ShapeOf({DimAt(op.in(0).shape, 0), units}));
  return {};
}

Work SvdfWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim taps = dims.Add(DimAt(op.in(1).shape, 1), DimAt(op.in(2).shape, 1));
  const Dim filters = dims.Mul(DimAt(op.in(0).shape, 0), DimAt(op.in(1).shape, 0));
  return work::Contraction{dims.Mul(filters, taps), "features, then time",
                           ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry Recurrent(std::string_view op, std::string_view like, InferFn infer, WorkFn work,
                            std::string_view roles) {
  return {
      .op = op, .infer = infer, .work = work, .rule = "recurrence", .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Recurrent("BIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", InferBothLstm, BothLstmWork, "xw"),
    Recurrent("BIDIRECTIONAL_SEQUENCE_RNN", "RNN", InferBothRnn, BothRnnWork, "xw"),
    Recurrent("LSTM", "LSTM", InferLstm, LstmWork, "xw"),
    Recurrent("RNN", "RNN", InferRnn<false>, RnnWork<false>, "xwwwx"),
    Recurrent("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", InferSequenceLstm, SequenceLstmWork, "xw"),
    Recurrent("UNIDIRECTIONAL_SEQUENCE_RNN", "RNN", InferRnn<true>, RnnWork<true>, "xwwwx"),
    {.op = "SVDF", .infer = InferSvdf, .work = SvdfWork, .rule = "einsum", .roles = "xwwwx"},
};

}  // namespace

std::span<const OpEntry> RnnOps() { return kOps; }

}  // namespace opscope::tflite
