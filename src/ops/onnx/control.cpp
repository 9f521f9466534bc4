// If, Loop, Scan: bodies are run over facts.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// What two executions have in common: equal dims and elements stay, the rest becomes unknown.
TensorFact Common(const TensorFact& a, const TensorFact& b) {
  TensorFact out;
  out.kind = a.kind;
  if (a.dtype == b.dtype) out.dtype = a.dtype;
  out.runtime = a.runtime || b.runtime;
  if (a.shape.known_rank() && b.shape.known_rank() && a.shape.rank() == b.shape.rank()) {
    out.shape = a.shape;
    for (std::size_t i = 0; i < a.shape.rank(); ++i) {
      if ((*a.shape.dims)[i] != (*b.shape.dims)[i]) (*out.shape.dims)[i] = Dim();
    }
  }
  if (a.floats == b.floats) out.floats = a.floats;
  if (a.ints && b.ints && a.ints->size() == b.ints->size()) {
    out.ints = a.ints;
    for (std::size_t i = 0; i < a.ints->size(); ++i) {
      if ((*a.ints)[i] != (*b.ints)[i]) (*out.ints)[i] = Dim();
    }
  }
  return out;
}

bool Same(const TensorFact& a, const TensorFact& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.ints == b.ints &&
         a.floats == b.floats && a.runtime == b.runtime;
}

TensorFact Scalar(DType dtype, bool runtime) {
  TensorFact fact;
  fact.dtype = dtype;
  fact.shape = ShapeOf({});
  fact.runtime = runtime;
  return fact;
}

// Sets a fact without touching where the tensor's bytes lie.
void Assign(OpContext& op, TensorId tensor, const TensorFact& fact) {
  if (!tensor.valid()) return;
  TensorFact& target = op.FactOf(tensor);
  target = fact;
  target.storage = tensor;
}

TensorFact OutputOf(const OpContext& op, const Graph& body, std::size_t output) {
  const TensorId tensor = body.outputs[output];
  return tensor.valid() ? op.FactOf(tensor) : TensorFact();
}

void SetFact(OpContext& op, std::size_t output, TensorFact fact) {
  fact.storage = TensorId();
  op.out(output) = std::move(fact);
}

Result<GraphId> BodyOf(const OpContext& op, std::string_view attribute) {
  const std::optional<GraphId> body = op.GraphAttribute(attribute);
  if (!body.has_value()) {
    return op.Problem("attribute \"" + std::string(attribute) + "\" is missing");
  }
  return *body;
}

// --- If ---

// Both branches are looked at. A branch that contradicts the shapes, while the other does not,
// cannot be the one that runs: silero-vad has a branch for each sample rate, and an input fits one
// of them. Else, where the condition is known, the outputs are those of the branch taken; where it
// is not, what both have in common.
Result<void> InferIf(OpContext& op) {
  constexpr std::string_view kNames[] = {"then_branch", "else_branch"};
  GraphId bodies[2];
  bool fits[2];
  for (std::size_t i = 0; i < 2; ++i) {
    TRY_ASSIGN(bodies[i], BodyOf(op, kNames[i]));
    if (op.model().graph(bodies[i]).outputs.size() != op.outputs()) {
      return op.Problem(std::string(kNames[i]) + " has another number of outputs");
    }
    fits[i] = op.RunBody(bodies[i]);
  }
  std::optional<std::size_t> taken;
  if (const auto condition = SingleInteger(op.in(0))) taken = *condition != 0 ? 0 : 1;
  if (fits[0] != fits[1]) {
    taken = fits[0] ? 0 : 1;
    op.Note(std::string(kNames[1 - *taken]) + " contradicts the shapes and cannot be taken");
  }
  for (std::size_t i = 0; i < 2; ++i) op.SetTrips(bodies[i], fits[i] || !fits[1 - i] ? 1 : 0);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const TensorFact yes = OutputOf(op, op.model().graph(bodies[0]), i);
    const TensorFact no = OutputOf(op, op.model().graph(bodies[1]), i);
    SetFact(op, i, !taken ? Common(yes, no) : *taken == 0 ? yes : no);
    op.out(i).runtime = yes.runtime || no.runtime;
  }
  return {};
}

// --- carried values of Loop and Scan ---

// Rounds after which whatever still changes is given up.
constexpr int kRounds = 3;

// Runs a body until what it hands to its next execution is what it was given: `state` holds the
// carried facts, body inputs and outputs begin at the given places. What changes between
// executions becomes unknown, dim by dim and in the end as a whole.
template <class Prepare>
void RunToFixedPoint(OpContext& op, GraphId body, std::vector<TensorFact>& state,
                     std::size_t first_input, std::size_t first_output, Prepare prepare) {
  const Graph& graph = op.model().graph(body);
  for (int round = 0;; ++round) {
    const bool last = round >= kRounds || (round > 0 && !op.MayRepeat());
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (last) {
        TensorFact given_up;
        given_up.kind = state[i].kind;
        given_up.dtype = state[i].dtype;
        given_up.runtime = true;
        state[i] = given_up;
      }
      Assign(op, graph.inputs[first_input + i], state[i]);
    }
    prepare();
    op.RunBody(body);
    bool stable = true;
    for (std::size_t i = 0; i < state.size(); ++i) {
      const TensorFact next = Common(state[i], OutputOf(op, graph, first_output + i));
      stable = stable && Same(next, state[i]);
      if (!last) state[i] = next;
    }
    if (stable || last) return;
  }
}

// --- Loop ---
//   inputs  M, condition, carried …      body (iteration, condition, carried …)
//   outputs carried …, collected …       body gives (condition, carried …, collected …)

constexpr std::size_t kLoopOwn = 2;  // inputs before the carried ones

// How often the body runs: M when the condition stays true, 0 when it is false from the start,
// else a symbol.
Dim LoopTrips(OpContext& op, const Graph& body) {
  const bool begins = !op.has(1) || SingleInteger(op.in(1)) == 1;
  if (SingleInteger(op.in(1)) == 0) return 0;
  const bool stays = SingleInteger(OutputOf(op, body, 0)) == 1;
  const Dim most = SingleDim(op.in(0));
  if (begins && stays && !most.is_unknown()) {
    return op.dims().AtLeast(most, 0) ? most : op.dims().Max(most, 0);
  }
  return op.DataDependent("trips");
}

Result<void> InferLoop(OpContext& op) {
  TRY_ASSIGN(const GraphId body, BodyOf(op, "body"));
  const Graph& graph = op.model().graph(body);
  const std::size_t carried = op.inputs() < kLoopOwn ? 0 : op.inputs() - kLoopOwn;
  if (graph.inputs.size() != kLoopOwn + carried || graph.outputs.size() < 1 + carried ||
      op.outputs() > graph.outputs.size() - 1) {
    return op.Problem("body has " + std::to_string(graph.inputs.size()) + " inputs and " +
                      std::to_string(graph.outputs.size()) + " outputs, which does not fit " +
                      std::to_string(op.inputs()) + " inputs and " + std::to_string(op.outputs()) +
                      " outputs");
  }
  std::vector<TensorFact> state;
  for (std::size_t i = 0; i < carried; ++i) state.push_back(op.in(kLoopOwn + i));
  // Inside, the condition is always true: the body runs only then.
  TensorFact condition = Scalar(DType::kBool, op.in(1).runtime);
  condition.ints = {Dim(1)};
  RunToFixedPoint(op, body, state, kLoopOwn, 1, [&] {
    Assign(op, graph.inputs[0], Scalar(DType::kInt64, op.in(0).runtime));
    Assign(op, graph.inputs[1], condition);
  });
  const Dim trips = LoopTrips(op, graph);
  op.SetTrips(body, trips);
  const bool runs = trips.is_number() && trips.number() > 0;
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    TensorFact fact = OutputOf(op, graph, 1 + i);
    if (i < carried) {
      SetFact(op, i, runs ? fact : state[i]);
      continue;
    }
    if (fact.shape.known_rank()) fact.shape.dims->insert(fact.shape.dims->begin(), trips);
    fact.ints.reset();
    fact.floats.reset();
    SetFact(op, i, std::move(fact));
  }
  return {};
}

// --- Scan (opset 9 on) ---
//   inputs  carried …, scanned …         body takes carried …, slices …
//   outputs carried …, collected …       body gives the same

// Axes of scanned inputs and collected outputs; 0 unless stated.
std::int64_t ScanAxis(const OpContext& op, std::string_view attribute, std::size_t i) {
  const auto axes = op.Ints(attribute);
  return axes.has_value() && i < axes->size() ? (*axes)[i] : 0;
}

// A scanned input without its scanned axis, whose size is the number of trips.
Result<TensorFact> Slice(OpContext& op, std::size_t input, std::size_t scanned, Dim& trips) {
  TensorFact fact = op.in(input);
  fact.ints.reset();
  fact.floats.reset();
  if (!fact.shape.known_rank()) return fact;
  TRY_ASSIGN(const std::size_t axis,
             AxisOf(op, ScanAxis(op, "scan_input_axes", scanned), fact.shape.rank()));
  TRY_ASSIGN(trips, SameDim(op, trips, (*fact.shape.dims)[axis], "sizes of the scanned axes"));
  fact.shape.dims->erase(fact.shape.dims->begin() + static_cast<std::ptrdiff_t>(axis));
  return fact;
}

Result<void> InferScan(OpContext& op) {
  TRY_ASSIGN(const GraphId body, BodyOf(op, "body"));
  const Graph& graph = op.model().graph(body);
  const std::int64_t scanned = op.IntOr("num_scan_inputs", -1);
  if (scanned < 0 || static_cast<std::size_t>(scanned) > op.inputs() ||
      graph.inputs.size() != op.inputs() || graph.outputs.size() != op.outputs()) {
    return op.Problem("\"num_scan_inputs\" and the body do not fit the inputs and outputs");
  }
  const std::size_t carried = op.inputs() - static_cast<std::size_t>(scanned);
  if (carried > op.outputs()) return op.Problem("fewer outputs than carried values");
  std::vector<TensorFact> state;
  for (std::size_t i = 0; i < carried; ++i) state.push_back(op.in(i));
  std::vector<TensorFact> slices;
  Dim trips;
  for (std::size_t i = carried; i < op.inputs(); ++i) {
    TRY_ASSIGN(TensorFact slice, Slice(op, i, i - carried, trips));
    slices.push_back(std::move(slice));
  }
  RunToFixedPoint(op, body, state, 0, 0, [&] {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      Assign(op, graph.inputs[carried + i], slices[i]);
    }
  });
  if (trips.is_unknown()) trips = op.DataDependent("trips");
  op.SetTrips(body, trips);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    TensorFact fact = OutputOf(op, graph, i);
    if (i >= carried && fact.shape.known_rank()) {
      Dims& dims = *fact.shape.dims;
      TRY_ASSIGN(const std::size_t axis,
                 AxisOf(op, ScanAxis(op, "scan_output_axes", i - carried), dims.size() + 1));
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), trips);
      fact.ints.reset();
      fact.floats.reset();
    }
    SetFact(op, i, i < carried ? state[i] : std::move(fact));
  }
  return {};
}

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry kOps[] = {
    {.op = "If", .infer = InferIf, .work = ControlWork, .rule = "control-flow", .roles = "c"},
    {.op = "Loop", .infer = InferLoop, .work = ControlWork, .rule = "control-flow", .roles = "ccx"},
    {.op = "Scan", .since = 9, .infer = InferScan, .work = ControlWork, .rule = "control-flow"},
};

}  // namespace

std::span<const OpEntry> ControlOps() { return kOps; }

}  // namespace opscope::onnx
