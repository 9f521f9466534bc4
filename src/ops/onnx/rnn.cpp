// LSTM, GRU, RNN.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

constexpr std::size_t kWeight = 1;
constexpr std::size_t kState = 2;  // the recurrence weight
constexpr std::size_t kBias = 3;
constexpr std::size_t kInitial = 5;  // the state before the first step

// X is [steps, batch, input], or [batch, steps, input] with layout 1 (opset 14 on).
struct Sizes {
  Dim steps, batch, input, directions, hidden;
  bool batch_first = false;
};

// hidden_size is optional in practice: R is [directions, gates * hidden, hidden].
Sizes ReadSizes(const OpContext& op) {
  Sizes sizes;
  sizes.batch_first = op.IntOr("layout", 0) == 1;
  const Shape& x = op.in(0).shape;
  sizes.steps = DimAt(x, sizes.batch_first ? 1 : 0);
  sizes.batch = DimAt(x, sizes.batch_first ? 0 : 1);
  // Of an X of unknown rank: as the states and, once they are set, the outputs say.
  if (sizes.batch.is_unknown())
    sizes.batch = DimAt(op.in(kInitial).shape, sizes.batch_first ? 0 : 1);
  if (sizes.batch.is_unknown()) sizes.batch = DimAt(op.out(0).shape, sizes.batch_first ? 0 : 2);
  if (sizes.steps.is_unknown()) sizes.steps = DimAt(op.out(0).shape, sizes.batch_first ? 1 : 0);
  sizes.input = BetterKnown(op, DimAt(x, 2), DimAt(op.in(kWeight).shape, 2));
  sizes.directions = op.String("direction").value_or("forward") == "bidirectional" ? 2 : 1;
  const std::optional<std::int64_t> stated = op.Int("hidden_size");
  sizes.hidden = stated.has_value() ? Dim(*stated) : DimAt(op.in(kState).shape, 2);
  return sizes;
}

// Y [steps, directions, batch, hidden], Y_h and (LSTM) Y_c [directions, batch, hidden]; with the
// batch in front when layout is 1.
Result<void> InferRecurrence(OpContext& op) {
  const TensorFact& x = op.in(0);
  if (x.shape.known_rank() && x.shape.rank() != 3) {
    return op.Problem("X has rank " + std::to_string(x.shape.rank()) + ", needs 3");
  }
  const Sizes s = ReadSizes(op);
  TRY(SameDim(op, DimAt(x.shape, 2), DimAt(op.in(kWeight).shape, 2), "input size"));
  TRY(SameDim(op, s.directions, DimAt(op.in(kWeight).shape, 0), "directions"));
  const bool first = s.batch_first;
  const Dims all = first ? Dims{s.batch, s.steps, s.directions, s.hidden}
                         : Dims{s.steps, s.directions, s.batch, s.hidden};
  const Dims last =
      first ? Dims{s.batch, s.directions, s.hidden} : Dims{s.directions, s.batch, s.hidden};
  SetOutput(op, 0, x.dtype, ShapeOf(all));
  SetOutput(op, 1, x.dtype, ShapeOf(last));
  SetOutput(op, 2, x.dtype, ShapeOf(last));
  return {};
}

template <int kGates>
Work RecurrenceWork(const OpContext& op) {
  const Sizes sizes = ReadSizes(op);
  return work::Recurrence{.steps = sizes.steps,
                          .batch = sizes.batch,
                          .directions = sizes.directions,
                          .hidden = sizes.hidden,
                          .input = sizes.input,
                          .gates = kGates,
                          .bias = op.has(kBias)};
}

constexpr OpEntry kOps[] = {
    {.op = "GRU",
     .infer = InferRecurrence,
     .work = RecurrenceWork<3>,
     .rule = "recurrence",
     .roles = "xwwwcc"},
    {.op = "LSTM",
     .infer = InferRecurrence,
     .work = RecurrenceWork<4>,
     .rule = "recurrence",
     .roles = "xwwwcccw"},
    {.op = "RNN",
     .infer = InferRecurrence,
     .work = RecurrenceWork<1>,
     .rule = "recurrence",
     .roles = "xwwwcc"},
};

}  // namespace

std::span<const OpEntry> RnnOps() { return kOps; }

}  // namespace opscope::onnx
