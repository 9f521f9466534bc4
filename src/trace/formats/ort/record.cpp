#include "trace/formats/ort/record.h"

#include <array>
#include <utility>

#include "base/checked.h"

namespace opscope::ort {

namespace {

using TextField = std::pair<std::string_view, std::string Record::*>;
using NumberField = std::pair<std::string_view, std::int64_t Record::*>;

constexpr std::array<TextField, 5> kTexts = {{{"op_name", &Record::op},
                                              {"provider", &Record::provider},
                                              {"input_type_shape", &Record::inputs},
                                              {"output_type_shape", &Record::outputs},
                                              {"parent_name", &Record::parent_name}}};
// graph_index counts like node_index; exec_plan_index is the position in the execution order.
constexpr std::array<NumberField, 6> kNumbers = {{{"node_index", &Record::node_index},
                                                  {"graph_index", &Record::node_index},
                                                  {"output_size", &Record::output_bytes},
                                                  {"activation_size", &Record::activation_bytes},
                                                  {"parameter_size", &Record::parameter_bytes},
                                                  {"stream", &Record::stream}}};

// Names of element types in C++, as the runtime prints them.
std::string_view DTypeName(std::string_view name) {
  if (name == "float") return "float32";
  if (name == "double") return "float64";
  return name;
}

}  // namespace

void SetArgument(std::string_view key, std::string_view value, Record& record) {
  if (key == "graph_index") record.has_graph_index = true;
  if (key.starts_with("mem_")) record.has_memory = true;
  for (const auto& [name, field] : kTexts)
    if (key == name) record.*field = value;
  for (const auto& [name, field] : kNumbers)
    if (key == name) record.*field = ParseInt64(value).value_or(-1);
}

std::string TypesAndShapes(std::string_view array) {
  std::string list;
  // Lenient about what stands between the objects: 1.11 writes malformed commas.
  for (std::size_t at = array.find('"'); at != std::string_view::npos; at = array.find('"', at)) {
    const std::size_t name_end = array.find('"', at + 1);
    const std::size_t begin = array.find('[', at);
    if (name_end == std::string_view::npos || begin == std::string_view::npos) break;
    const std::size_t end = array.find(']', begin);
    if (end == std::string_view::npos) break;
    if (!list.empty()) list += ' ';
    list += DTypeName(array.substr(at + 1, name_end - at - 1));
    for (const char c : array.substr(begin, end + 1 - begin))
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') list += c;
    at = end;
  }
  return list;
}

}  // namespace opscope::ort
