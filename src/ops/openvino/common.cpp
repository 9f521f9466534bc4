#include "ops/openvino/common.h"

#include <algorithm>

namespace opscope::openvino {

std::optional<std::vector<std::int64_t>> ListAttribute(const OpContext& op, std::string_view name) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), name);
  if (attribute == nullptr) return std::nullopt;
  if (const auto* one = std::get_if<std::int64_t>(&attribute->value)) return std::vector{*one};
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute->value)) return *list;
  // A list of none is an empty text.
  const auto* text = std::get_if<std::string>(&attribute->value);
  if (text != nullptr && text->empty()) return std::vector<std::int64_t>();
  return std::nullopt;
}

DType TypeAttribute(const OpContext& op, std::string_view name, DType otherwise) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), name);
  const auto* text = attribute == nullptr ? nullptr : std::get_if<std::string>(&attribute->value);
  const DType dtype = text == nullptr ? DType::kUnknown : DTypeFromName(*text);
  return dtype == DType::kUnknown ? otherwise : dtype;
}

Result<void> InferDeclared(OpContext& op) {
  op.Note("no rule computes its shape: that of the file is taken");
  return {};
}

AsOnnx::AsOnnx(const OpContext& op, std::string_view name)
    : op_(op.AtOpset(kNewest)), node_(op.node()), entry_(FindOp("ai.onnx", name, kNewest)) {
  CHECK(entry_ != nullptr);
}

AsOnnx::AsOnnx(const OpContext& op, std::string_view name, std::initializer_list<int> inputs)
    : AsOnnx(op, name) {
  node_.inputs.clear();
  for (const int input : inputs) {
    const bool there = input >= 0 && op.has(static_cast<std::size_t>(input));
    node_.inputs.push_back(there ? op.node().inputs[static_cast<std::size_t>(input)] : TensorId());
  }
}

AsOnnx& AsOnnx::Set(std::string_view name, AttributeValue value) {
  const Str id = op_.Intern(name);
  std::erase_if(node_.attributes, [id](const Attribute& other) { return other.name == id; });
  node_.attributes.push_back({id, std::move(value)});
  return *this;
}

AsOnnx& AsOnnx::Rename(std::string_view from, std::string_view to) {
  const Attribute* attribute = FindAttribute(op_.model(), op_.node(), from);
  return attribute == nullptr ? *this : Set(to, attribute->value);
}

AsOnnx& AsOnnx::RenameList(std::string_view from, std::string_view to) {
  auto list = ListAttribute(op_, from);
  return list.has_value() ? Set(to, std::move(*list)) : *this;
}

Result<void> AsOnnx::Infer() const {
  OpContext op = context();
  TRY(entry_->infer(op));
  if (!op.misuse().empty()) return op.Problem(op.misuse());
  return {};
}

Work AsOnnx::Work() const { return entry_->work(context()); }

Result<void> InferLike(OpContext& op) {
  return AsOnnx(op, StandardOp(op.model(), op.node())).Infer();
}

Work WorkLike(const OpContext& op) { return AsOnnx(op, StandardOp(op.model(), op.node())).Work(); }

}  // namespace opscope::openvino
