#include "ops/op.h"

namespace opscope {

namespace {

// The kind of an attribute as messages name it, in the order of AttributeValue's alternatives.
constexpr std::string_view kKinds[] = {
    "nothing",  "an integer", "a float", "a string", "integers",     "floats",      "strings",
    "a tensor", "tensors",    "a graph", "graphs",   "a type proto", "a reference", "type protos"};
static_assert(std::size(kKinds) == std::variant_size_v<AttributeValue>);

// The value if the attribute is there and of kind T. Another kind is remembered in `misuse`; a
// reference of a function that was not expanded counts as absent.
template <class T>
const T* Find(const Model& model, const Node& node, std::string_view name, std::string& misuse) {
  const Attribute* attribute = FindAttribute(model, node, name);
  if (attribute == nullptr) return nullptr;
  const T* value = std::get_if<T>(&attribute->value);
  if (value == nullptr && misuse.empty() &&
      !std::holds_alternative<AttributeRef>(attribute->value)) {
    misuse = "attribute \"" + std::string(name) + "\" holds " +
             std::string(kKinds[attribute->value.index()]);
  }
  return value;
}

}  // namespace

std::string Label(const Model& model, const Node& node) {
  const std::string op(model.text(node.op));
  const std::string_view name = model.text(node.name);
  if (!name.empty()) return "node \"" + std::string(name) + "\" (" + op + ")";
  for (const TensorId output : node.outputs) {
    if (!output.valid()) continue;
    return "node that computes \"" + std::string(model.text(model.tensor(output).name)) + "\" (" +
           op + ")";
  }
  return "unnamed node (" + op + ")";
}

const TensorFact& OpContext::in(std::size_t input) const {
  static const TensorFact kUnknown;
  return has(input) ? (*facts_)[node_->inputs[input].index()] : kUnknown;
}

TensorFact& OpContext::out(std::size_t output) {
  return has_output(output) ? (*facts_)[node_->outputs[output].index()] : unused_;
}

const TensorFact& OpContext::out(std::size_t output) const {
  return has_output(output) ? (*facts_)[node_->outputs[output].index()] : unused_;
}

std::optional<std::int64_t> OpContext::Int(std::string_view name) const {
  const auto* value = Find<std::int64_t>(*model_, *node_, name, misuse_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> OpContext::Float(std::string_view name) const {
  const auto* value = Find<float>(*model_, *node_, name, misuse_);
  return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

std::optional<std::string_view> OpContext::String(std::string_view name) const {
  const auto* value = Find<std::string>(*model_, *node_, name, misuse_);
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
}

std::optional<std::span<const std::int64_t>> OpContext::Ints(std::string_view name) const {
  const auto* value = Find<std::vector<std::int64_t>>(*model_, *node_, name, misuse_);
  if (value == nullptr) return std::nullopt;
  return std::span<const std::int64_t>(*value);
}

std::optional<std::span<const float>> OpContext::Floats(std::string_view name) const {
  const auto* value = Find<std::vector<float>>(*model_, *node_, name, misuse_);
  if (value == nullptr) return std::nullopt;
  return std::span<const float>(*value);
}

std::optional<std::span<const std::string>> OpContext::Strings(std::string_view name) const {
  const auto* value = Find<std::vector<std::string>>(*model_, *node_, name, misuse_);
  if (value == nullptr) return std::nullopt;
  return std::span<const std::string>(*value);
}

const Payload* OpContext::PayloadAttribute(std::string_view name) const {
  const auto* value = Find<PayloadId>(*model_, *node_, name, misuse_);
  return value == nullptr ? nullptr : &model_->payload(*value);
}

std::optional<GraphId> OpContext::GraphAttribute(std::string_view name) const {
  const auto* value = Find<GraphId>(*model_, *node_, name, misuse_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Error OpContext::Problem(std::string message) const {
  return {"ops.contradiction", std::move(message), Label(*model_, *own_)};
}

}  // namespace opscope
