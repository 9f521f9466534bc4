#include "trace/formats/trtexec_log/engine_layer.h"

#include <array>
#include <utility>

#include "trace/formats/trtexec_log/line.h"

namespace opscope::trtexec_log {

namespace {

std::string_view TypeName(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTypes = {
      {{"Float", "float32"},
       {"Half", "float16"},
       {"BFloat16", "bfloat16"},
       {"Int8", "int8"},
       {"UInt8", "uint8"},
       {"Int32", "int32"},
       {"Int64", "int64"},
       {"Bool", "bool"},
       {"FP8", "float8"},
       {"Int4", "int4"}}};
  for (const auto& [name, known] : kTypes)
    if (name == type) return known;
  return type;
}

// "relu (Float[-1,32,28,28]), y (Half[8])" -> "float32[-1,32,28,28] float16[8]". Names may hold
// anything, so that types are found by their brackets.
std::string Types(std::string_view text, std::string* first) {
  std::string out;
  std::size_t at = text.find(" (");
  while (at != std::string_view::npos) {
    const std::size_t begin = at + 2;
    const std::size_t bracket = text.find('[', begin);
    const std::size_t end = text.find("])", begin);
    const std::size_t close = text.find(')', begin);
    if (bracket != std::string_view::npos && end != std::string_view::npos && bracket < end &&
        close == end + 1) {
      const std::string type(TypeName(text.substr(begin, bracket - begin)));
      if (first != nullptr && first->empty()) *first = type;
      if (!out.empty()) out += ' ';
      out += type;
      out += text.substr(bracket, end + 1 - bracket);
    }
    at = text.find(" (", begin);
  }
  return out;
}

}  // namespace

std::optional<EngineLayer> ParseEngineLayer(std::string_view text) {
  const auto rest = After(text, "Layer(");
  if (!rest) return std::nullopt;
  const std::size_t kind = rest->find("): ");
  const std::size_t tactic = rest->find(", Tactic: ");
  if (kind == std::string_view::npos || tactic == std::string_view::npos || tactic < kind + 3)
    return std::nullopt;
  EngineLayer layer;
  layer.kind = rest->substr(0, kind);
  layer.name = rest->substr(kind + 3, tactic - kind - 3);
  std::string_view tail = rest->substr(tactic + 10);
  layer.tactic = tail.substr(0, tail.find(','));
  tail.remove_prefix(std::min(layer.tactic.size(), tail.size()));
  const std::size_t arrow = tail.find(" -> ");
  layer.inputs = Types(tail.substr(0, arrow), nullptr);
  if (arrow != std::string_view::npos) layer.outputs = Types(tail.substr(arrow + 3), &layer.type);
  return layer;
}

}  // namespace opscope::trtexec_log
