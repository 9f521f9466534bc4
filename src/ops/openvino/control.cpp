// If, Loop and TensorIterator, whose bodies get what they read through a port map (the reader's
// control.h says how it is written down), and variables that live from one run to the next.
#include <algorithm>

#include "ops/onnx/carried.h"
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

using onnx::Assign;
using onnx::CarriedValues;
using onnx::OutputOf;

// An entry of a list attribute; `otherwise` where there is none.
std::int64_t Entry(const std::optional<std::vector<std::int64_t>>& list, std::size_t i,
                   std::int64_t otherwise) {
  return list.has_value() && i < list->size() ? (*list)[i] : otherwise;
}

TensorFact InputFact(const OpContext& op, std::int64_t input) {
  return input < 0 ? TensorFact() : op.in(static_cast<std::size_t>(input));
}

// What the body declares, where nothing is handed in.
void FillIn(const OpContext& op, TensorId parameter, TensorFact& fact) {
  const TypeInfo& declared = op.model().tensor(parameter).declared;
  if (fact.dtype == DType::kUnknown) fact.dtype = declared.dtype;
  if (!fact.shape.known_rank()) fact.shape = declared.shape;
}

// --- If ---

Result<void> InferIf(OpContext& op) {
  constexpr std::pair<std::string_view, std::string_view> kBranches[] = {
      {"then_body", "then_inputs"}, {"else_body", "else_inputs"}};
  for (const auto& [attribute, list] : kBranches) {
    const std::optional<GraphId> body = op.GraphAttribute(attribute);
    if (!body.has_value())
      return op.Problem("attribute \"" + std::string(attribute) + "\" is missing");
    const auto inputs = ListAttribute(op, list);
    const std::vector<TensorId>& parameters = op.model().graph(*body).inputs;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      TensorFact fact = InputFact(op, Entry(inputs, i, -1));
      FillIn(op, parameters[i], fact);
      Assign(op, parameters[i], fact);
    }
  }
  return AsOnnx(op, "If", {0})
      .Rename("then_body", "then_branch")
      .Rename("else_body", "else_branch")
      .Infer();
}

// --- TensorIterator, Loop ---

constexpr std::int64_t kNoAxis = -1'000'000;

class LoopRunner {
 public:
  LoopRunner(OpContext& op, GraphId body)
      : op_(op),
        body_(body),
        graph_(op.model().graph(body)),
        inputs_(ListAttribute(op, "inputs")),
        axes_(ListAttribute(op, "input_axes")) {}

  Result<void> Run(bool is_loop) {
    const auto carried = static_cast<std::size_t>(std::clamp<std::int64_t>(
        op_.IntOr("carried", 0), 0, static_cast<std::int64_t>(graph_.inputs.size())));
    std::vector<TensorFact> initial;
    for (std::size_t i = 0; i < carried; ++i) {
      TensorFact fact = InputFact(op_, Entry(inputs_, i, -1));
      FillIn(op_, graph_.inputs[i], fact);
      initial.push_back(std::move(fact));
    }
    std::vector<TensorFact> others;
    for (std::size_t i = carried; i < graph_.inputs.size(); ++i) {
      TRY_ASSIGN(TensorFact fact, HandedIn(i));
      others.push_back(std::move(fact));
    }
    CarriedValues values(op_, body_, std::move(initial), 0, 0);
    values.Settle([&] {
      for (std::size_t i = 0; i < others.size(); ++i)
        Assign(op_, op_.model().graph(body_).inputs[carried + i], others[i]);
    });
    if (is_loop) trips_ = LoopTrips();
    if (trips_.is_unknown()) trips_ = op_.DataDependent("trips", is_loop ? Most() : Dim());
    op_.SetTrips(body_, trips_);
    for (std::size_t i = 0; i < op_.outputs(); ++i) TRY(SetOutputOf(values, i, carried));
    return {};
  }

 private:
  // The whole value, or a part of it along an axis; parts say how often the body runs.
  Result<TensorFact> HandedIn(std::size_t i) {
    TensorFact fact = InputFact(op_, Entry(inputs_, i, -1));
    const std::int64_t axis = Entry(axes_, i, kNoAxis);
    if (axis != kNoAxis && fact.shape.known_rank()) {
      fact.ints.reset();
      fact.floats.reset();
      TRY_ASSIGN(const std::size_t at, AxisOf(op_, axis, fact.shape.rank()));
      const std::int64_t part = Entry(ListAttribute(op_, "input_parts"), i, 1);
      if (part < 1) return op_.Problem("a part of " + std::to_string(part) + " along an axis");
      Dim& dim = (*fact.shape.dims)[at];
      TRY_ASSIGN(trips_, SameDim(op_, trips_, Trips(i, dim, part), "executions of the body"));
      dim = part;
    }
    if (static_cast<std::int64_t>(i) == op_.IntOr("iteration", -1)) fact.runtime = true;
    FillIn(op_, graph_.inputs[i], fact);
    return fact;
  }

  // |end - start| / part; negative bounds count from behind the last element.
  Dim Trips(std::size_t i, Dim size, std::int64_t part) {
    DimTable& dims = op_.dims();
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
      const std::int64_t at = Entry(ListAttribute(op_, name), i, otherwise);
      return at < 0 ? dims.Add(dims.Add(size, 1), at) : Dim(at);
    };
    const Dim start = bound("input_starts", 0);
    const Dim end = bound("input_ends", -1);
    const bool back = Entry(ListAttribute(op_, "input_strides"), i, 1) < 0;
    return dims.FloorDiv(back ? dims.Sub(start, end) : dims.Sub(end, start), part);
  }

  // Input 0 of a Loop says how often at most, -1 without end; input 1 and the body's condition
  // whether it goes on.
  Dim Most() const {
    const Dim most = SingleDim(op_.in(0));
    return most.is_number() && most.number() < 0 ? Dim() : most;
  }
  Dim LoopTrips() const {
    if (SingleInteger(op_.in(1)) == 0) return 0;
    const std::int64_t condition = op_.IntOr("condition", -1);
    const bool stays = condition >= 0 && SingleInteger(OutputOf(
                                             op_, body_, static_cast<std::size_t>(condition))) == 1;
    return SingleInteger(op_.in(1)) == 1 && stays ? Most() : Dim();
  }

  Result<void> SetOutputOf(CarriedValues& values, std::size_t i, std::size_t carried) {
    const std::int64_t place = Entry(ListAttribute(op_, "outputs"), i, -1);
    if (place < 0) return {};  // as declared
    const std::vector<TensorId>& outputs = op_.model().graph(body_).outputs;
    const auto result = static_cast<std::size_t>(place);
    const std::int64_t axis = Entry(ListAttribute(op_, "output_axes"), i, kNoAxis);
    std::size_t same = carried;
    for (std::size_t c = 0; c < carried && result < outputs.size(); ++c)
      if (outputs[c] == outputs[result] && same == carried) same = c;
    TensorFact fact = axis == kNoAxis && same < carried ? values.After(trips_, same, i)
                                                        : OutputOf(op_, body_, result);
    values.OpenTripSizes(fact, i);
    if (axis != kNoAxis) {
      fact.ints.reset();
      fact.floats.reset();
    }
    if (axis != kNoAxis && fact.shape.known_rank()) {
      TRY_ASSIGN(const std::size_t at, AxisOf(op_, axis, fact.shape.rank()));
      (*fact.shape.dims)[at] = op_.dims().Mul((*fact.shape.dims)[at], trips_);
    }
    fact.storage = TensorId();
    op_.out(i) = std::move(fact);
    return {};
  }

  OpContext& op_;
  GraphId body_;
  const Graph& graph_;
  std::optional<std::vector<std::int64_t>> inputs_, axes_;
  Dim trips_;
};

template <bool kLoop>
Result<void> InferLoop(OpContext& op) {
  const std::optional<GraphId> body = op.GraphAttribute("body");
  if (!body.has_value()) return op.Problem("it has no body");
  return LoopRunner(op, *body).Run(kLoop);
}

// --- variables ---

// What the last run left, or the initial value.
Result<void> InferReadValue(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  op.out(0).runtime = true;
  return {};
}

Result<void> InferAssign(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  if (op.outputs() > 0) onnx::ShareInput(op);
  return {};
}

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry Control(std::string_view op, InferFn infer, std::string_view roles,
                          std::string_view like) {
  return {.op = op,
          .infer = infer,
          .work = ControlWork,
          .rule = "control-flow",
          .roles = roles,
          .like = like};
}

constexpr OpEntry kOps[] = {
    Control("If", InferIf, "cx", "If"),
    Control("Loop", InferLoop<true>, "ccx", "Loop"),
    Control("TensorIterator", InferLoop<false>, "x", "Scan"),
    {.op = "Assign", .infer = InferAssign, .work = MovementWork, .rule = "movement"},
    {.op = "ReadValue", .infer = InferReadValue, .work = MovementWork, .rule = "movement"},
};

}  // namespace

std::span<const OpEntry> ControlOps() { return kOps; }

}  // namespace opscope::openvino
