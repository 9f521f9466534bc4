// IF, WHILE, CALL: sub-graphs are run over facts. They take the operator's inputs one by one.
#include <algorithm>

#include "ops/onnx/carried.h"
#include "ops/onnx/while.h"
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

using onnx::BodyOf;
using onnx::Enter;
using onnx::InferWhile;
using onnx::OutputOf;

void SetFact(OpContext& op, std::size_t output, TensorFact fact) {
  fact.storage = TensorId();
  op.out(output) = std::move(fact);
}

Result<void> InferIf(OpContext& op) {
  for (const std::string_view name : {"then_branch", "else_branch"}) {
    TRY_ASSIGN(const GraphId body, BodyOf(op, name));
    TRY(Enter(op, body, 1));
  }
  return InferAs(op, "If");
}

// The sub-graph's nodes run once, in place of the operator.
template <const char* kAttribute>
Result<void> InferCall(OpContext& op) {
  if (!op.GraphAttribute(kAttribute).has_value()) return InferStored(op);
  TRY_ASSIGN(const GraphId body, BodyOf(op, kAttribute));
  TRY(Enter(op, body, 0));
  op.RunBody(body);
  op.SetTrips(body, 1);
  for (std::size_t i = 0; i < op.outputs(); ++i) SetFact(op, i, OutputOf(op, body, i));
  return {};
}

// The first run of a model alone does what the sub-graph says: it fills tables and variables.
Result<void> InferCallOnce(OpContext& op) {
  TRY_ASSIGN(const GraphId body, BodyOf(op, "init"));
  op.RunBody(body);
  op.SetTrips(body, 0);
  return {};
}

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

// A composite whose decomposition the file leaves out is a kernel that nobody knows.
Work CompositeWork(const OpContext& op) {
  if (op.GraphAttribute("decomposition").has_value()) return work::ControlFlow{};
  return work::Unknown{"a composite \"" + std::string(op.String("name").value_or("")) +
                       "\" without a decomposition"};
}

constexpr char kBody[] = "body";
constexpr char kDecomposition[] = "decomposition";

constexpr OpEntry Control(std::string_view op, InferFn infer, std::string_view like = "",
                          std::string_view roles = "x", WorkFn work = ControlWork) {
  return {
      .op = op, .infer = infer, .work = work, .rule = "control-flow", .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Control("CALL", InferCall<kBody>),
    Control("CALL_ONCE", InferCallOnce),
    Control("IF", InferIf, "If", "cx"),
    Control("STABLEHLO_COMPOSITE", InferCall<kDecomposition>, "", "x", CompositeWork),
    Control("STABLEHLO_WHILE", InferWhile),
    Control("WHILE", InferWhile),
};

}  // namespace

std::span<const OpEntry> ControlOps() { return kOps; }

}  // namespace opscope::tflite
