// Text generation as one op: containers whose bodies are the networks that make the next token.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// Runs a body with what the file declares of its inputs.
void RunDeclared(OpContext& op, GraphId body) {
  for (const TensorId input : op.model().graph(body).inputs) {
    if (!input.valid() || op.model().tensor(input).payload.valid()) continue;
    const TypeInfo& declared = op.model().tensor(input).declared;
    TensorFact fact;
    fact.kind = declared.kind;
    fact.dtype = declared.dtype;
    fact.shape = declared.shape;
    fact.runtime = true;
    fact.storage = input;
    op.FactOf(input) = std::move(fact);
  }
  op.RunBody(body);
}

// Encoder and the first decoder run once. The decoder makes a token a step; how many there are is
// in the data, at most max_length.
void RunBodies(OpContext& op) {
  for (const std::string_view once : {"encoder", "init_decoder"}) {
    if (const auto body = op.GraphAttribute(once)) {
      RunDeclared(op, *body);
      op.SetTrips(*body, 1);
    }
  }
  if (const auto body = op.GraphAttribute("decoder")) {
    RunDeclared(op, *body);
    op.SetTrips(*body, op.DataDependent("steps", SingleDim(op.in(1))));
  }
}

// Input 0 is [batch, length] ids, or features of speech; 1 is the longest length.
Result<void> InferGreedy(OpContext& op) {
  RunBodies(op);
  SetOutput(op, 0, DType::kInt32, ShapeOf({DimAt(op.in(0).shape, 0), SingleDim(op.in(1))}));
  const std::int64_t words = op.IntOr("vocab_size", 0);
  SetOutput(op, 1, DType::kFloat32,
            ShapeOf({DimAt(op.in(0).shape, 0), words > 0 ? Dim(words) : Dim()}));
  return {};
}

// Input 3: beams, input 4: sequences returned.
Result<void> InferBeam(OpContext& op) {
  RunBodies(op);
  const Dim batch = DimAt(op.in(0).shape, 0);
  const Dim returned = SingleDim(op.in(4));
  const Dim longest = SingleDim(op.in(1));
  SetOutput(op, 0, DType::kInt32, ShapeOf({batch, returned, longest}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({batch, returned}));
  SetOutput(op, 2, DType::kFloat32, {});
  for (std::size_t i = 3; i < op.outputs(); ++i) SetOutput(op, i, DType::kUnknown, {});
  return {};
}

Work ContainerWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry Container(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ContainerWork, .rule = "control-flow", .roles = "xc"};
}

constexpr OpEntry kOps[] = {
    Container("BeamSearch", InferBeam),
    Container("GreedySearch", InferGreedy),
    Container("Sampling", InferGreedy),
    Container("WhisperBeamSearch", InferBeam),
};

}  // namespace

std::span<const OpEntry> DecodeOps() { return kOps; }

}  // namespace opscope::contrib
