// LSTM, GRU, RNN over a sequence, and one step of them.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// Where the weights stand; the states before the first step come behind the data, then (of a
// sequence) the lengths.
struct Slots {
  std::size_t weight;
  std::size_t states;  // how many there are
  bool sequence;
};
constexpr Slots kLstmSequence = {4, 2, true};
constexpr Slots kSequence = {3, 1, true};
constexpr Slots kLstmCell = {3, 2, false};
constexpr Slots kCell = {2, 1, false};

// X [batch, steps, input], state [batch, directions, hidden], W [directions, gates * hidden, input]
// -> Y [batch, directions, steps, hidden] and the states; one step has neither steps nor
// directions.
work::Recurrence SizesOf(const OpContext& op, const Slots& slots) {
  const Shape& x = op.in(0).shape;
  const Shape& state = op.in(1).shape;
  const std::size_t last = slots.sequence ? 2 : 1;
  work::Recurrence sizes;
  sizes.batch = BetterKnown(op, DimAt(x, 0), DimAt(state, 0));
  sizes.steps = slots.sequence ? DimAt(x, 1) : Dim(1);
  sizes.input = BetterKnown(op, DimAt(x, last), DimAt(op.in(slots.weight).shape, last));
  const auto hidden = op.Int("hidden_size");
  sizes.hidden = hidden ? Dim(*hidden) : DimAt(state, last);
  const bool both = op.String("direction").value_or("forward") == "bidirectional";
  sizes.directions = both ? 2 : 1;
  sizes.bias = op.has(slots.weight + 2);
  sizes.operands = {0, static_cast<int>(slots.weight)};
  return sizes;
}

template <const Slots& kSlots>
Result<void> InferRecurrence(OpContext& op) {
  const Shape& x = op.in(0).shape;
  const std::size_t rank = kSlots.sequence ? 3 : 2;
  if (x.known_rank() && x.rank() != rank)
    return op.Problem("X has rank " + std::to_string(x.rank()) + ", needs " + std::to_string(rank));
  const DType dtype = op.in(0).dtype;
  const work::Recurrence s = SizesOf(op, kSlots);
  const Dims state =
      kSlots.sequence ? Dims{s.batch, s.directions, s.hidden} : Dims{s.batch, s.hidden};
  std::size_t output = 0;
  if (kSlots.sequence)
    SetOutput(op, output++, dtype, ShapeOf({s.batch, s.directions, s.steps, s.hidden}));
  for (std::size_t i = 0; i < kSlots.states; ++i) SetOutput(op, output++, dtype, ShapeOf(state));
  return {};
}

template <const Slots& kSlots, int kGates>
Work RecurrenceWork(const OpContext& op) {
  work::Recurrence work = SizesOf(op, kSlots);
  work.gates = kGates;
  return work;
}

template <const Slots& kSlots, int kGates>
constexpr OpEntry Recurrent(std::string_view op, std::string_view roles, std::string_view like) {
  return {.op = op,
          .infer = InferRecurrence<kSlots>,
          .work = RecurrenceWork<kSlots, kGates>,
          .rule = "recurrence",
          .roles = roles,
          .like = like};
}

constexpr OpEntry kOps[] = {
    Recurrent<kCell, 3>("GRUCell", "xcw", "GRU"),
    Recurrent<kSequence, 3>("GRUSequence", "xccw", "GRU"),
    Recurrent<kLstmCell, 4>("LSTMCell", "xccw", "LSTM"),
    Recurrent<kLstmSequence, 4>("LSTMSequence", "xcccw", "LSTM"),
    Recurrent<kCell, 1>("RNNCell", "xcw", "RNN"),
    Recurrent<kSequence, 1>("RNNSequence", "xccw", "RNN"),
};

}  // namespace

std::span<const OpEntry> RnnOps() { return kOps; }

}  // namespace opscope::openvino
