// Ops that take graphs: cond, while_loop, scan, map, and wrappers that run their graph once.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

std::vector<GraphId> BodiesOf(const OpContext& op) {
  std::vector<GraphId> bodies;
  for (const Attribute& attribute : op.node().attributes)
    if (const auto* body = std::get_if<GraphId>(&attribute.value)) bodies.push_back(*body);
  return bodies;
}

// cond(pred, true_graph, false_graph): the bodies read their operands from outside, as If's do.
Form CondForm(const OpContext& op) {
  const std::vector<GraphId> bodies = BodiesOf(op);
  Form form(op, "If", {0});
  if (bodies.size() == 2) form.Set("then_branch", bodies[0]).Set("else_branch", bodies[1]);
  return form;
}
Result<void> InferCond(OpContext& op) {
  if (BodiesOf(op).size() != 2) return op.Problem("needs two graphs");
  return CondForm(op).Infer();
}

void Enter(const OpContext& op, GraphId body, const std::vector<TensorId>& operands,
           std::size_t sliced_from) {
  const std::vector<TensorId>& inputs = op.model().graph(body).inputs;
  for (std::size_t i = 0; i < std::min(inputs.size(), operands.size()); ++i) {
    if (!inputs[i].valid() || !operands[i].valid()) continue;
    TensorFact fact = op.FactOf(operands[i]);
    if (i >= sliced_from && fact.shape.known_rank() && fact.shape.rank() > 0) {
      fact.shape.dims->erase(fact.shape.dims->begin());
      fact.ints.reset();
      fact.floats.reset();
      fact.storage = inputs[i];
    }
    op.FactOf(inputs[i]) = std::move(fact);
  }
}
TensorFact ResultOf(const OpContext& op, GraphId body, std::size_t output) {
  const std::vector<TensorId>& outputs = op.model().graph(body).outputs;
  const bool there = output < outputs.size() && outputs[output].valid();
  return there ? op.FactOf(outputs[output]) : TensorFact();
}

// A graph that runs once: invoke_subgraph, wrap_with_set_grad_enabled, checkpoints …
Result<void> InferOnce(OpContext& op) {
  const std::vector<GraphId> bodies = BodiesOf(op);
  if (bodies.empty()) return op.Problem("has no graph");
  Enter(op, bodies[0], op.node().inputs, op.inputs());
  op.RunBody(bodies[0]);
  op.SetTrips(bodies[0], 1);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const TensorFact fact = ResultOf(op, bodies[0], i);
    SetOutput(op, i, fact.dtype, fact.shape);
  }
  return {};
}

// while_loop(cond, body, carried, additional): as often as only the data know.
Result<void> InferWhile(OpContext& op) {
  const std::vector<GraphId> bodies = BodiesOf(op);
  if (bodies.size() != 2) return op.Problem("needs two graphs");
  const Dim trips = op.DataDependent("trips");
  for (const GraphId body : bodies) {
    Enter(op, body, op.node().inputs, op.inputs());
    op.RunBody(body);
  }
  op.SetTrips(bodies[0], op.dims().Add(trips, 1));
  op.SetTrips(bodies[1], trips);
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(i).dtype, op.in(i).shape);
  return {};
}

// scan(combine, init, xs, additional) and map(f, xs, args): a trip for each row of xs. Results
// behind the carried values are stacked.
Result<void> InferScan(OpContext& op) {
  const std::vector<GraphId> bodies = BodiesOf(op);
  if (bodies.empty()) return op.Problem("has no graph");
  const std::string_view name = op.op();
  std::size_t carried = 0;
  Dim trips;
  std::size_t list = 0;
  const bool map = name == "map_impl" || name == "map";
  for (const Attribute& attribute : op.node().attributes) {
    const std::string_view key = op.model().text(attribute.name);
    const auto* places = std::get_if<std::vector<std::int64_t>>(&attribute.value);
    if (places == nullptr || !key.ends_with(".inputs")) continue;
    if (list == 0 && !map) carried = places->size();
    if (list == (map ? 0U : 1U) && !places->empty()) {
      const auto first = static_cast<std::size_t>(std::max<std::int64_t>(places->front(), 0));
      trips = DimAt(op.in(first).shape, 0);
    }
    ++list;
  }
  Enter(op, bodies[0], op.node().inputs, carried);
  op.RunBody(bodies[0]);
  op.SetTrips(bodies[0], trips);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    TensorFact fact = ResultOf(op, bodies[0], i);
    if (i >= carried && fact.shape.known_rank())
      fact.shape.dims->insert(fact.shape.dims->begin(), trips);
    SetOutput(op, i, fact.dtype, fact.shape);
  }
  return {};
}

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry Control(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ControlWork, .rule = "control-flow"};
}

constexpr OpEntry kOps[] = {
    {.op = "cond",
     .infer = InferCond,
     .work = ControlWork,
     .rule = "control-flow",
     .roles = "c",
     .like = "If"},
    Control("while_loop", InferWhile),
    Control("scan", InferScan),
    Control("map", InferScan),
    Control("map_impl", InferScan),
    Control("invoke_subgraph", InferOnce),
    Control("wrap", InferOnce),
    Control("wrap_with_set_grad_enabled", InferOnce),
    Control("wrap_with_autocast", InferOnce),
    Control("wrap_activation_checkpoint", InferOnce),
    Control("tag_activation_checkpoint", InferOnce),
    Control("hints_wrapper", InferOnce),
    Control("strict_mode", InferOnce),
};

}  // namespace

std::span<const OpEntry> ControlOps() { return kOps; }

}  // namespace opscope::aten
