#include "support/profile_text.h"

#include <map>
#include <sstream>
#include <vector>

namespace opscope {

namespace {

struct EventLine {
  std::string kind, begin, duration, name, op;
  std::map<std::string, std::string> options;
};

std::vector<EventLine> Parse(std::string_view text) {
  std::vector<EventLine> events;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    EventLine event;
    std::vector<std::string> names;
    if (!(words >> event.kind >> event.begin >> event.duration)) continue;
    event.duration.erase(0, 1);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos)
        names.push_back(word);
      else
        event.options[word.substr(0, equals)] = word.substr(equals + 1);
    }
    if (!names.empty()) event.name = names[0];
    if (names.size() > 1) event.op = names[1];
    events.push_back(std::move(event));
  }
  return events;
}

// "float:1,3;int64:" -> [{"float":[1,3]},{"int64":[]}]
std::string TypeShapes(const std::string& list) {
  std::string array = "[";
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ';');) {
    const std::size_t colon = item.find(':');
    if (array.size() > 1) array += ',';
    array += "{\"" + item.substr(0, colon) + "\":[" + item.substr(colon + 1) + "]}";
  }
  return array + "]";
}

std::string Category(const EventLine& event) {
  if (event.kind == "kernel") return "Kernel";
  if (event.kind == "op" || event.kind == "fence") return "Node";
  return "Session";
}

std::string FullName(const EventLine& event) {
  if (event.kind == "run") return "model_run";
  if (event.kind == "exec") return "SequentialExecutor::Execute";
  if (event.kind == "op") return event.name + "_kernel_time";
  if (event.kind == "fence") return event.name + "_fence_before";
  return event.name;
}

std::vector<std::pair<std::string, std::string>> Arguments(const EventLine& event) {
  std::vector<std::pair<std::string, std::string>> arguments;
  const auto quoted = [](const std::string& value) { return "\"" + value + "\""; };
  if (!event.op.empty()) arguments.emplace_back("op_name", quoted(event.op));
  for (const auto& [key, value] : event.options) {
    if (key == "index") arguments.emplace_back("node_index", quoted(value));
    if (key == "ep") arguments.emplace_back("provider", quoted(value));
    if (key == "in") arguments.emplace_back("input_type_shape", TypeShapes(value));
    if (key == "out") arguments.emplace_back("output_type_shape", TypeShapes(value));
    if (key == "parent") arguments.emplace_back("parent_name", quoted(value + "_kernel_time"));
    if (key == "stream") arguments.emplace_back("stream", quoted(value));
  }
  return arguments;
}

std::string Tid(const EventLine& event) {
  if (event.kind == "kernel") return "-1";
  const auto tid = event.options.find("tid");
  return tid == event.options.end() ? "1" : tid->second;
}

}  // namespace

std::string ProfileFromText(std::string_view text) {
  std::string file = "[\n";
  for (const EventLine& event : Parse(text)) {
    if (file.size() > 2) file += ",\n";
    file += "{\"cat\" : \"" + Category(event) + "\",\"pid\" :1,\"tid\" :" + Tid(event) +
            ",\"dur\" :" + event.duration + ",\"ts\" :" + event.begin +
            ",\"ph\" : \"X\",\"name\" :\"" + FullName(event) + "\",\"args\" : {";
    std::string separator;
    for (const auto& [key, value] : Arguments(event)) {
      file += separator + "\"" + key + "\" : " + value;
      separator = ",";
    }
    file += "}}";
  }
  return file + "\n]\n";
}

std::string PrettyProfileFromText(std::string_view text) {
  std::string file = "[\n";
  for (const EventLine& event : Parse(text)) {
    if (file.size() > 2) file += ",\n";
    file += "  {\n    \"name\": \"" + FullName(event) + "\",\n    \"ts\": " + event.begin +
            ",\n    \"dur\": " + event.duration + ".0,\n    \"args\": {";
    std::string separator;
    for (const auto& [key, value] : Arguments(event)) {
      file += separator + "\n      \"" + key + "\": " + value;
      separator = ",";
    }
    file += "\n    },\n    \"ph\": \"X\",\n    \"tid\": " + Tid(event) +
            ",\n    \"pid\": 1,\n    \"cat\": \"" + Category(event) + "\"\n  }";
  }
  return file + "\n]\n";
}

}  // namespace opscope
