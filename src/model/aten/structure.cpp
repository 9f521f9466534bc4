#include "model/aten/structure.h"

#include "base/hash.h"

namespace opscope::aten {

namespace {

constexpr std::uint64_t kSingle = 16;

void AddIds(const std::vector<TensorId>& ids, std::string& text) {
  for (const TensorId id : ids) text += " " + (id.valid() ? std::to_string(id.value) : "-");
}

}  // namespace

std::string HashOf(const Model& model) {
  Hasher hasher;
  for (const Node& node : model.nodes) {
    std::string text(model.text(node.domain));
    text += ":" + std::string(model.text(node.op)) + "." + std::string(model.text(node.overload));
    AddIds(node.inputs, text);
    text += " >";
    AddIds(node.outputs, text);
    for (const Attribute& attribute : node.attributes) {
      text += " " + std::string(model.text(attribute.name));
      if (const auto* one = std::get_if<std::int64_t>(&attribute.value))
        text += "=" + std::to_string(*one);
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value))
        for (const std::int64_t value : *list) text += "," + std::to_string(value);
    }
    hasher.Add(text + "\n");
  }
  for (const Tensor& tensor : model.tensors) {
    std::string text(Name(tensor.declared.dtype));
    if (tensor.declared.shape.known_rank())
      for (const Dim dim : *tensor.declared.shape.dims) text += "," + model.dims.ToText(dim);
    hasher.Add(text + "\n");
  }
  return hasher.Hex();
}

Result<void> ReadSmall(Source& file, Payload& payload) {
  const bool wanted =
      payload.length <= kSmallPayloadBytes &&
      (IsInteger(payload.dtype) || payload.dtype == DType::kBool || payload.length <= kSingle);
  if (!wanted || payload.place != Payload::Place::kInline || payload.length == 0) return {};
  TRY_ASSIGN(const std::string_view bytes,
             file.Window(payload.offset, static_cast<std::size_t>(payload.length)));
  if (bytes.size() == payload.length) payload.small = std::string(bytes);
  return {};
}

}  // namespace opscope::aten
