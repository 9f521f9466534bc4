// Domain ai.onnx.preview.training: optimizers.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// Inputs: the learning rate, the update count, then the tensors, their gradients, and for each a
// number of states. Outputs: the new tensors, then the new states.
constexpr std::size_t kFirst = 2;

template <std::size_t kStates>
Result<void> InferOptimizer(OpContext& op) {
  constexpr std::size_t kGroups = kStates + 2;
  if (op.inputs() < kFirst || (op.inputs() - kFirst) % kGroups != 0) {
    return op.Problem("inputs are no whole number of tensors");
  }
  const std::size_t tensors = (op.inputs() - kFirst) / kGroups;
  for (std::size_t i = 0; i < op.outputs() && i < tensors * (kStates + 1); ++i) {
    // Gradients stand between tensors and states.
    const std::size_t from = kFirst + (i < tensors ? i : i + tensors);
    SetOutput(op, i, op.in(from).dtype, op.in(from).shape);
  }
  return {};
}

// Every element of every tensor is updated.
Work UpdateWork(const OpContext& op) {
  Dim elements = 0;
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    elements = op.dims().Add(elements, ElementsOf(op, op.out(i).shape));
  }
  return work::Elementwise{elements};
}

// The outputs are gradients for tensors that attributes name; the names reach no further here.
Result<void> InferGradient(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(0).dtype, {});
  return {};
}

Work GradientWork(const OpContext&) {
  return work::Unknown{"the backward pass of a part of the graph is not counted"};
}

template <std::size_t kStates>
constexpr OpEntry Optimizer(std::string_view op) {
  return {.op = op,
          .infer = InferOptimizer<kStates>,
          .work = UpdateWork,
          .rule = "elementwise",
          .roles = "cx"};
}

constexpr OpEntry kOps[] = {
    Optimizer<1>("Adagrad"),
    Optimizer<2>("Adam"),
    Optimizer<1>("Momentum"),
    {.op = "Gradient", .infer = InferGradient, .work = GradientWork, .rule = "gradient"},
};

}  // namespace

std::span<const OpEntry> TrainingOps() { return kOps; }

}  // namespace opscope::onnx
