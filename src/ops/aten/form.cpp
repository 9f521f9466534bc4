#include "ops/aten/form.h"

#include <type_traits>

namespace opscope::aten {

namespace {

constexpr int kNewest = 1 << 20;

template <class T, class = void>
struct HasOperands : std::false_type {};
template <class T>
struct HasOperands<T, std::void_t<decltype(std::declval<T>().operands.activation)>>
    : std::true_type {};

}  // namespace

Form::Form(const OpContext& op, std::string_view onnx, std::initializer_list<int> inputs)
    : Form(op, onnx, std::vector<int>(inputs)) {}

Form::Form(const OpContext& op, std::string_view onnx, std::vector<int> inputs)
    : op_(op), onnx_(onnx), inputs_(std::move(inputs)) {
  const Node& own = op.node();
  node_.name = own.name;
  node_.op = op.Intern(onnx);
  node_.domain = op.Intern("ai.onnx");
  node_.graph = own.graph;
  node_.outputs = own.outputs;
  for (const int input : inputs_) {
    const bool there = input >= 0 && op.has(static_cast<std::size_t>(input));
    node_.inputs.push_back(there ? own.inputs[static_cast<std::size_t>(input)] : TensorId());
  }
}

Form& Form::Set(std::string_view name, AttributeValue value) {
  node_.attributes.push_back({op_.Intern(name), std::move(value)});
  return *this;
}

Form& Form::Outputs(std::vector<TensorId> outputs) {
  node_.outputs = std::move(outputs);
  return *this;
}

Result<void> Form::Infer() const {
  OpContext context = Context();
  return FindOp("ai.onnx", onnx_, kNewest)->infer(context);
}

Work Form::WorkOf() const {
  Work work = FindOp("ai.onnx", onnx_, kNewest)->work(Context());
  const auto mapped = [this](int input) {
    const bool fits = input >= 0 && input < static_cast<int>(inputs_.size());
    return fits ? inputs_[static_cast<std::size_t>(input)] : input;
  };
  std::visit(
      [&](auto& kind) {
        if constexpr (HasOperands<std::decay_t<decltype(kind)>>::value) {
          kind.operands.activation = mapped(kind.operands.activation);
          kind.operands.weight = mapped(kind.operands.weight);
        }
      },
      work);
  return work;
}

}  // namespace opscope::aten
