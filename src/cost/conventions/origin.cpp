#include "cost/conventions/origin.h"

#include <algorithm>
#include <array>

namespace opscope {

namespace {

using Form = Origin::Form;

// Modules of torch.nn that compute through functions and through other modules.
constexpr std::array<std::string_view, 2> kComposed = {"torch.nn.modules.container.",
                                                       "torch.nn.modules.transformer."};

// The last class but one of "['A', 'B', 'op']": that of the innermost module.
std::string_view InnermostClass(std::string_view list) {
  const std::size_t op = list.rfind(", ");
  if (op == std::string_view::npos) return {};
  list = list.substr(0, op);
  const std::size_t before = list.rfind(", ");
  list.remove_prefix(before == std::string_view::npos ? 1 : before + 2);
  if (list.size() < 2) return {};
  return list.substr(1, list.size() - 2);
}

Form FormOf(std::string_view type) {
  if (type == "torch.nn.modules.activation.MultiheadAttention") return Form::kAttention;
  // Only ever used inside of nn.MultiheadAttention, where it is not called.
  if (type == "torch.nn.modules.linear.NonDynamicallyQuantizableLinear") return Form::kCall;
  const bool composed =
      std::any_of(kComposed.begin(), kComposed.end(),
                  [&](std::string_view prefix) { return type.starts_with(prefix); });
  return type.starts_with("torch.nn.modules.") && !composed ? Form::kModule : Form::kCall;
}

}  // namespace

Origin OriginOf(const Model& model, const Node& node) {
  Origin out;
  for (const auto& [key, value] : node.metadata) {
    const std::string_view name = model.text(key);
    if (name == "torch.function") out.function = model.text(value);
    if (name != "pkg.torch.onnx.class_hierarchy") continue;
    const std::string_view type = InnermostClass(model.text(value));
    if (!type.empty()) out.form = FormOf(type);
  }
  if (out.form != Form::kCall) out.function = {};
  return out;
}

}  // namespace opscope
