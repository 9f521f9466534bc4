#include "ops/onnx/while.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ops/infer.h"
#include "ops/onnx/carried.h"

namespace opscope::onnx {

namespace {

// So many executions are followed one by one.
constexpr std::size_t kMaxFollowed = 256;

void SetFact(OpContext& op, std::size_t output, TensorFact fact) {
  fact.storage = TensorId();
  op.out(output) = std::move(fact);
}

class While {
 public:
  While(OpContext& op, GraphId condition, GraphId body)
      : op_(op), condition_(condition), body_(body) {
    for (std::size_t i = 0; i < op.inputs(); ++i) initial_.push_back(op.in(i));
  }

  void Run() {
    std::vector<TensorFact> after;
    const std::optional<Dim> followed = Follow(after);
    CarriedValues values(op_, body_, initial_, 0, 0);
    values.Settle([] {});
    if (!followed) Hold();
    const Dim trips = followed ? *followed : op_.DataDependent("trips");
    op_.SetTrips(body_, trips);
    op_.SetTrips(condition_, op_.dims().Add(trips, 1));
    for (std::size_t i = 0; i < op_.outputs(); ++i) {
      TensorFact fact = followed ? after[i] : values.After(trips, i, i);
      values.OpenTripSizes(fact, i);
      SetFact(op_, i, std::move(fact));
    }
  }

 private:
  void Give(GraphId graph, const std::vector<TensorFact>& facts) {
    const std::vector<TensorId>& inputs = op_.model().graph(graph).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].valid()) Assign(op_, inputs[i], facts[i]);
  }

  // Runs the condition over what the body knows of its inputs.
  void Hold() {
    const std::vector<TensorId>& inputs = op_.model().graph(body_).inputs;
    std::vector<TensorFact> facts;
    for (const TensorId input : inputs)
      facts.push_back(input.valid() ? op_.FactOf(input) : TensorFact());
    Give(condition_, facts);
    op_.RunBody(condition_);
  }

  // How often the body runs, where the condition is known each time; nullopt where it is not.
  std::optional<Dim> Follow(std::vector<TensorFact>& facts) {
    facts = initial_;
    for (std::size_t trips = 0; trips <= kMaxFollowed && op_.MayRepeat(); ++trips) {
      Give(condition_, facts);
      op_.RunBody(condition_);
      const auto holds = SingleInteger(OutputOf(op_, condition_, 0));
      if (!holds) return std::nullopt;
      if (*holds == 0) return Dim(static_cast<std::int64_t>(trips));
      Give(body_, facts);
      op_.RunBody(body_);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        facts[i] = OutputOf(op_, body_, i);
        facts[i].runtime = facts[i].runtime || initial_[i].runtime;
      }
    }
    return std::nullopt;
  }

  OpContext& op_;
  GraphId condition_, body_;
  std::vector<TensorFact> initial_;
};

}  // namespace

Result<GraphId> BodyOf(const OpContext& op, std::string_view attribute) {
  const std::optional<GraphId> body = op.GraphAttribute(attribute);
  if (!body.has_value()) return op.Problem("body \"" + std::string(attribute) + "\" is not there");
  return *body;
}

Result<void> Enter(OpContext& op, GraphId body, std::size_t first) {
  const std::vector<TensorId>& inputs = op.model().graph(body).inputs;
  if (op.inputs() < first || inputs.size() != op.inputs() - first)
    return op.Problem("a body of " + std::to_string(inputs.size()) + " inputs gets " +
                      std::to_string(op.inputs()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].valid()) Assign(op, inputs[i], op.in(first + i));
  return {};
}

Result<void> InferWhile(OpContext& op) {
  TRY_ASSIGN(const GraphId condition, BodyOf(op, "cond"));
  TRY_ASSIGN(const GraphId body, BodyOf(op, "body"));
  TRY(Enter(op, condition, 0));
  TRY(Enter(op, body, 0));
  if (op.model().graph(body).outputs.size() != op.inputs() || op.outputs() > op.inputs())
    return op.Problem("the body hands on another number of values");
  While(op, condition, body).Run();
  return {};
}

}  // namespace opscope::onnx
