#include "ops/onnx/carried.h"

#include <algorithm>
#include <utility>

#include "ops/infer.h"

namespace opscope::onnx {

namespace {

// Rounds after which whatever still changes is given up.
constexpr int kRounds = 4;

}  // namespace

void Assign(OpContext& op, TensorId tensor, const TensorFact& fact) {
  if (!tensor.valid()) return;
  TensorFact& target = op.FactOf(tensor);
  target = fact;
  target.storage = tensor;
}

TensorFact OutputOf(const OpContext& op, GraphId body, std::size_t output) {
  const std::vector<TensorId>& outputs = op.model().graph(body).outputs;
  const bool there = output < outputs.size() && outputs[output].valid();
  return there ? op.FactOf(outputs[output]) : TensorFact();
}

CarriedValues::CarriedValues(OpContext& op, GraphId body, std::vector<TensorFact> initial,
                             std::size_t first_input, std::size_t first_output)
    : op_(op),
      body_(body),
      initial_(initial),
      state_(std::move(initial)),
      first_input_(first_input),
      first_output_(first_output) {}

void CarriedValues::Settle(const std::function<void()>& prepare) {
  for (int round = 0;; ++round) {
    if (round >= kRounds || (round > 0 && !op_.MayRepeat())) GiveUp();
    Run(prepare);
    if (given_up_) return;
    bool changed = false;
    for (std::size_t i = 0; i < state_.size(); ++i) changed = Widen(i) || changed;
    if (!changed) return;
  }
}

void CarriedValues::Restore(const std::function<void()>& prepare) { Run(prepare); }

void CarriedValues::Run(const std::function<void()>& prepare) {
  for (std::size_t i = 0; i < state_.size(); ++i)
    Assign(op_, op_.model().graph(body_).inputs[first_input_ + i], state_[i]);
  prepare();
  op_.RunBody(body_);
}

void CarriedValues::GiveUp() {
  given_up_ = true;
  for (TensorFact& fact : state_) {
    TensorFact left;
    left.kind = fact.kind;
    left.dtype = fact.dtype;
    left.runtime = true;
    fact = std::move(left);
  }
}

Dim CarriedValues::Open(Dim dim, std::size_t i, const std::string& what) {
  if (HangsOnTrip(dim)) return dim;
  const TensorId input = op_.model().graph(body_).inputs[first_input_ + i];
  const Dim open = op_.OpenSize(input, what);
  for (std::string& name : op_.dims().Symbols(open)) symbols_.insert(std::move(name));
  return open;
}

bool CarriedValues::HangsOnTrip(Dim dim) const {
  if (symbols_.empty() || !dim.is_expression()) return false;
  const std::vector<std::string> names = op_.dims().Symbols(dim);
  return std::any_of(names.begin(), names.end(),
                     [this](const std::string& name) { return symbols_.count(name) > 0; });
}

bool CarriedValues::Widen(std::size_t i) {
  const TensorFact next = OutputOf(op_, body_, first_output_ + i);
  bool changed = WidenSequence(i, next);
  changed = WidenShape(i, next) || changed;
  changed = WidenElements(i, next) || changed;
  TensorFact& state = state_[i];
  if (state.dtype != next.dtype && state.dtype != DType::kUnknown) {
    state.dtype = DType::kUnknown;
    changed = true;
  }
  if (next.runtime && !state.runtime) {
    state.runtime = true;
    changed = true;
  }
  return changed;
}

bool CarriedValues::WidenShape(std::size_t i, const TensorFact& next) {
  TensorFact& state = state_[i];
  if (!state.shape.known_rank()) return false;
  if (!next.shape.known_rank() || next.shape.rank() != state.shape.rank()) {
    state.shape = Shape{};
    return true;
  }
  bool changed = false;
  for (std::size_t axis = 0; axis < state.shape.rank(); ++axis) {
    Dim& dim = (*state.shape.dims)[axis];
    if (dim == (*next.shape.dims)[axis] || dim.is_unknown()) continue;
    const Dim open = Open(dim, i, "dim" + std::to_string(axis));
    changed = changed || open != dim;
    dim = open;
  }
  return changed;
}

bool CarriedValues::WidenElements(std::size_t i, const TensorFact& next) {
  TensorFact& state = state_[i];
  bool changed = false;
  if (state.floats && state.floats != next.floats) {
    state.floats.reset();
    changed = true;
  }
  if (!state.ints) return changed;
  if (!next.ints || next.ints->size() != state.ints->size()) {
    state.ints.reset();
    return true;
  }
  for (std::size_t k = 0; k < state.ints->size(); ++k) {
    Dim& element = (*state.ints)[k];
    if (element == (*next.ints)[k] || element.is_unknown()) continue;
    element = Dim();
    changed = true;
  }
  return changed;
}

bool CarriedValues::WidenSequence(std::size_t i, const TensorFact& next) {
  TensorFact& state = state_[i];
  if (!state.sequence || state.sequence == next.sequence) return false;
  const bool was_empty = LengthOf(state) == Dim(0);
  const Dim length =
      LengthOf(state) == LengthOf(next) ? LengthOf(state) : Open(LengthOf(state), i, "length");
  const bool changed = length != LengthOf(state) || state.sequence->items.has_value();
  // What is inserted into an empty sequence says what its tensors are.
  if (was_empty && changed) {
    state.shape = next.shape;
    if (state.dtype == DType::kUnknown) state.dtype = next.dtype;
  }
  if (changed) state.sequence = std::make_shared<SequenceFact>(SequenceFact{length, std::nullopt});
  return changed;
}

Dim CarriedValues::Grown(Dim initial, Dim in, Dim out, Dim trips) {
  if (in == out && !HangsOnTrip(in)) return in;
  if (!in.is_expression()) return {};
  const Dim step = op_.dims().Sub(out, in);
  if (HangsOnTrip(step)) return {};
  return op_.dims().Add(initial, op_.dims().Mul(trips, step));
}

// Of an output of the node: dims that are unknown or stand for one execution get a symbol.
void CarriedValues::OpenTripSizes(TensorFact& fact, std::size_t output) {
  if (!fact.shape.known_rank()) return;
  for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
    Dim& dim = (*fact.shape.dims)[axis];
    if (dim.is_unknown() || HangsOnTrip(dim)) dim = op_.OpenDim(op_.node().outputs[output], axis);
  }
}

TensorFact CarriedValues::After(Dim trips, std::size_t i, std::size_t output) {
  const TensorFact& first = initial_[i];
  if (trips == Dim(0)) return first;
  TensorFact out = OutputOf(op_, body_, first_output_ + i);
  const TensorFact& in = state_[i];
  const bool runs = trips.is_number();
  if (!runs) out = Common(in, out);
  const Shape made = OutputOf(op_, body_, first_output_ + i).shape;
  if (first.shape.known_rank() && in.shape.known_rank() && out.shape.known_rank() &&
      out.shape.rank() == in.shape.rank()) {
    for (std::size_t axis = 0; axis < out.shape.rank(); ++axis)
      (*out.shape.dims)[axis] =
          Grown((*first.shape.dims)[axis], (*in.shape.dims)[axis], (*made.dims)[axis], trips);
  }
  OpenTripSizes(out, output);
  if (in.sequence) {
    const Dim length_made = LengthOf(OutputOf(op_, body_, first_output_ + i));
    const Dim length = Grown(LengthOf(first), LengthOf(in), length_made, trips);
    out.sequence = std::make_shared<SequenceFact>(SequenceFact{length, std::nullopt});
  }
  if (out.ints)
    for (Dim& element : *out.ints)
      if (HangsOnTrip(element)) element = Dim();
  return out;
}

}  // namespace opscope::onnx
