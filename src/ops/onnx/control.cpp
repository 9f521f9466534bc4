// If, Loop, Scan: bodies are run over facts.
#include <algorithm>

#include "ops/fold.h"
#include "ops/onnx/carried.h"
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

TensorFact Scalar(DType dtype, bool runtime) {
  TensorFact fact;
  fact.dtype = dtype;
  fact.shape = ShapeOf({});
  fact.runtime = runtime;
  return fact;
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

// One of two dims, by a condition: an equal one stays; where the condition is a formula (1 or 0) so
// is the dim; else it is a symbol, which is at most the larger.
Dim MergedDim(OpContext& op, TensorId output, std::size_t axis, Dim yes, Dim no) {
  if (yes == no && !yes.is_unknown()) return yes;
  DimTable& dims = op.dims();
  const Dim chosen = fold::Select(dims, SingleDim(op.in(0)), yes, no);
  return chosen.is_unknown() ? op.OpenDim(output, axis, dims.Max(yes, no)) : chosen;
}

TensorFact Merged(OpContext& op, std::size_t output, const TensorFact& yes, const TensorFact& no) {
  TensorFact fact = Common(yes, no);
  const TensorId tensor = op.node().outputs[output];
  if (fact.shape.known_rank()) {
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis)
      (*fact.shape.dims)[axis] =
          MergedDim(op, tensor, axis, (*yes.shape.dims)[axis], (*no.shape.dims)[axis]);
    return fact;
  }
  // Branches that differ in the rank alone.
  const Dim one = Elements(op.dims(), yes);
  const Dim other = Elements(op.dims(), no);
  fact.elements = one == other && !one.is_unknown()
                      ? one
                      : op.OpenSize(tensor, "elements", op.dims().Max(one, other));
  return fact;
}

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
    const TensorFact yes = OutputOf(op, bodies[0], i);
    const TensorFact no = OutputOf(op, bodies[1], i);
    SetFact(op, i, !taken ? Merged(op, i, yes, no) : *taken == 0 ? yes : no);
    op.out(i).runtime = yes.runtime || no.runtime;
  }
  return {};
}

// --- Loop ---
//   inputs  M, condition, carried …      body (iteration, condition, carried …)
//   outputs carried …, collected …       body gives (condition, carried …, collected …)

constexpr std::size_t kLoopOwn = 2;  // inputs before the carried ones

// So many executions are followed one by one.
constexpr std::int64_t kMaxFollowed = 64;

// One execution after the other, each with the values that the last one handed on.
struct Followed {
  std::int64_t trips = 0;
  std::vector<TensorFact> carried;
};

class LoopRunner {
 public:
  LoopRunner(OpContext& op, GraphId body, std::size_t carried) : op_(op), body_(body) {
    for (std::size_t i = 0; i < carried; ++i) initial_.push_back(op.in(kLoopOwn + i));
  }

  void Run() {
    CarriedValues values(op_, body_, initial_, kLoopOwn, 1);
    // Inside, the condition is always true: the body runs only then.
    const auto prepare = [this] {
      TensorFact condition = Scalar(DType::kBool, op_.in(1).runtime);
      condition.ints = {Dim(1)};
      Prepare(Scalar(DType::kInt64, op_.in(0).runtime), condition);
    };
    values.Settle(prepare);
    Dim trips = KnownTrips();
    std::optional<Followed> followed;
    if (trips.is_unknown() || (trips.is_number() && values.varies())) {
      followed = Follow();
      values.Restore(prepare);
    }
    if (followed) trips = followed->trips;
    if (trips.is_unknown()) trips = op_.DataDependent("trips", SingleDim(op_.in(0)));
    op_.SetTrips(body_, trips);
    for (std::size_t i = 0; i < op_.outputs(); ++i) {
      if (i < initial_.size()) {
        SetFact(op_, i, followed ? followed->carried[i] : values.After(trips, i, i));
      } else {
        SetFact(op_, i, Collected(values, trips, i));
      }
    }
  }

 private:
  void Prepare(const TensorFact& iteration, const TensorFact& condition) {
    const Graph& graph = op_.model().graph(body_);
    Assign(op_, graph.inputs[0], iteration);
    Assign(op_, graph.inputs[1], condition);
  }

  // M when the condition stays true, 0 when it is false from the start; else unknown.
  Dim KnownTrips() const {
    const bool begins = !op_.has(1) || SingleInteger(op_.in(1)) == 1;
    if (SingleInteger(op_.in(1)) == 0) return 0;
    const bool stays = SingleInteger(OutputOf(op_, body_, 0)) == 1;
    const Dim most = SingleDim(op_.in(0));
    if (!begins || !stays || most.is_unknown()) return {};
    return op_.dims().AtLeast(most, 0) ? most : op_.dims().Max(most, 0);
  }

  // Where the condition and M are known at each step, until the loop ends.
  std::optional<Followed> Follow() {
    if (op_.has(1) && SingleInteger(op_.in(1)) != 1) return std::nullopt;
    const auto most = SingleInteger(op_.in(0));
    if ((op_.has(0) && !most) || (most && *most > kMaxFollowed)) return std::nullopt;
    Followed followed{0, initial_};
    while (!most || followed.trips < *most) {
      if (followed.trips == kMaxFollowed || !op_.MayRepeat()) return std::nullopt;
      const std::optional<bool> goes_on = Step(followed);
      if (!goes_on) return std::nullopt;
      if (!*goes_on) break;
    }
    return followed;
  }

  // Whether the loop goes on; nullopt when that is not known.
  std::optional<bool> Step(Followed& followed) {
    const Graph& graph = op_.model().graph(body_);
    for (std::size_t i = 0; i < initial_.size(); ++i)
      Assign(op_, graph.inputs[kLoopOwn + i], followed.carried[i]);
    TensorFact iteration = Scalar(DType::kInt64, op_.in(0).runtime);
    iteration.ints = {Dim(followed.trips)};
    TensorFact condition = Scalar(DType::kBool, op_.in(1).runtime);
    condition.ints = {Dim(1)};
    Prepare(iteration, condition);
    op_.RunBody(body_);
    const auto holds = SingleInteger(OutputOf(op_, body_, 0));
    if (!holds) return std::nullopt;
    for (std::size_t i = 0; i < initial_.size(); ++i)
      followed.carried[i] = OutputOf(op_, body_, 1 + i);
    ++followed.trips;
    return *holds != 0;
  }

  // The values of one output of all executions, one beside the other.
  TensorFact Collected(CarriedValues& values, Dim trips, std::size_t output) {
    TensorFact fact = OutputOf(op_, body_, 1 + output);
    values.OpenTripSizes(fact, output);
    if (fact.shape.known_rank()) fact.shape.dims->insert(fact.shape.dims->begin(), trips);
    fact.ints.reset();
    fact.floats.reset();
    return fact;
  }

  OpContext& op_;
  GraphId body_;
  std::vector<TensorFact> initial_;
};

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
  LoopRunner(op, body, carried).Run();
  return {};
}

// --- Scan ---
//   inputs  carried …, scanned …         body takes carried …, slices …
//   outputs carried …, collected …       body gives the same
// Below opset 9 input 0 holds the lengths of the sequences, every other one has the batch before
// all other axes, and the body sees one sequence of it: the scanned axis is the second.

// Axes of scanned inputs and collected outputs; 0 unless stated.
std::int64_t ScanAxis(const OpContext& op, std::string_view attribute, std::size_t i) {
  const auto axes = op.Ints(attribute);
  return axes.has_value() && i < axes->size() ? (*axes)[i] : 0;
}

class Scanner {
 public:
  Scanner(OpContext& op, GraphId body) : op_(op), body_(body), batched_(op.opset() < 9) {}

  Result<void> Run() {
    const Graph& graph = op_.model().graph(body_);
    const std::size_t own = batched_ ? 1 : 0;
    const std::int64_t scanned = op_.IntOr("num_scan_inputs", -1);
    if (op_.inputs() < own || scanned < 0 ||
        static_cast<std::size_t>(scanned) > op_.inputs() - own ||
        graph.inputs.size() != op_.inputs() - own || graph.outputs.size() != op_.outputs()) {
      return op_.Problem("\"num_scan_inputs\" and the body do not fit the inputs and outputs");
    }
    const std::size_t carried = graph.inputs.size() - static_cast<std::size_t>(scanned);
    if (carried > op_.outputs()) return op_.Problem("fewer outputs than carried values");
    std::vector<TensorFact> initial;
    for (std::size_t i = 0; i < carried; ++i) {
      TensorFact fact = op_.in(own + i);
      TRY(TakeBatch(fact));
      initial.push_back(std::move(fact));
    }
    std::vector<TensorFact> slices;
    for (std::size_t i = carried; i < graph.inputs.size(); ++i) {
      TRY_ASSIGN(TensorFact slice, Slice(own + i, i - carried));
      slices.push_back(std::move(slice));
    }
    CarriedValues values(op_, body_, std::move(initial), 0, 0);
    values.Settle([&] {
      for (std::size_t i = 0; i < slices.size(); ++i)
        Assign(op_, op_.model().graph(body_).inputs[carried + i], slices[i]);
    });
    if (trips_.is_unknown()) trips_ = op_.DataDependent("trips");
    op_.SetTrips(body_, batched_ ? op_.dims().Mul(batch_, trips_) : trips_);
    for (std::size_t i = 0; i < op_.outputs(); ++i) TRY(SetOutputOf(values, i, carried));
    return {};
  }

 private:
  Result<void> TakeBatch(TensorFact& fact) {
    fact.ints.reset();
    fact.floats.reset();
    if (!batched_ || !fact.shape.known_rank()) return {};
    if (fact.shape.rank() == 0) return op_.Problem("an input has no batch axis");
    TRY_ASSIGN(batch_, SameDim(op_, batch_, fact.shape.dims->front(), "batch sizes"));
    fact.shape.dims->erase(fact.shape.dims->begin());
    return {};
  }

  // A scanned input without its scanned axis, whose size is the number of trips.
  Result<TensorFact> Slice(std::size_t input, std::size_t scanned) {
    TensorFact fact = op_.in(input);
    TRY(TakeBatch(fact));
    if (!fact.shape.known_rank()) return fact;
    const std::int64_t stated = batched_ ? 0 : ScanAxis(op_, "scan_input_axes", scanned);
    TRY_ASSIGN(const std::size_t axis, AxisOf(op_, stated, fact.shape.rank()));
    TRY_ASSIGN(trips_, SameDim(op_, trips_, (*fact.shape.dims)[axis], "sizes of the scanned axes"));
    fact.shape.dims->erase(fact.shape.dims->begin() + static_cast<std::ptrdiff_t>(axis));
    return fact;
  }

  Result<void> SetOutputOf(CarriedValues& values, std::size_t i, std::size_t carried) {
    TensorFact fact = i < carried ? values.After(trips_, i, i) : OutputOf(op_, body_, i);
    values.OpenTripSizes(fact, i);
    fact.ints.reset();
    fact.floats.reset();
    if (fact.shape.known_rank()) {
      Dims& dims = *fact.shape.dims;
      if (i >= carried) {
        const std::int64_t stated = batched_ ? 0 : ScanAxis(op_, "scan_output_axes", i - carried);
        TRY_ASSIGN(const std::size_t axis, AxisOf(op_, stated, dims.size() + 1));
        dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), trips_);
      }
      if (batched_) dims.insert(dims.begin(), batch_);
    }
    SetFact(op_, i, std::move(fact));
    return {};
  }

  OpContext& op_;
  GraphId body_;
  bool batched_;
  Dim batch_, trips_;
};

Result<void> InferScan(OpContext& op) {
  TRY_ASSIGN(const GraphId body, BodyOf(op, "body"));
  return Scanner(op, body).Run();
}

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry kOps[] = {
    {.op = "If", .infer = InferIf, .work = ControlWork, .rule = "control-flow", .roles = "c"},
    {.op = "Loop", .infer = InferLoop, .work = ControlWork, .rule = "control-flow", .roles = "ccx"},
    {.op = "Scan", .infer = InferScan, .work = ControlWork, .rule = "control-flow"},
};

}  // namespace

std::span<const OpEntry> ControlOps() { return kOps; }

}  // namespace opscope::onnx
