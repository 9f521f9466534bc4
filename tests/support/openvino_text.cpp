#include "support/openvino_text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <vector>

namespace opscope::testing {

namespace {

struct Words {
  std::string type, name, attributes, element, dims;
  std::vector<std::string> inputs;
  std::vector<long long> values;
};

std::string Between(const std::string& text, char open, char close) {
  const std::size_t from = text.find(open);
  const std::size_t to = text.find(close, from);
  return from == std::string::npos ? "" : text.substr(from + 1, to - from - 1);
}

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> out;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    out.push_back(part);
  }
  return out;
}

Words Parse(const std::string& line) {
  Words words;
  const std::size_t arrow = line.find(" -> ");
  const std::string left = line.substr(0, arrow);
  std::stringstream(left) >> words.type >> words.name;
  std::size_t rest = left.find(words.name, words.type.size()) + words.name.size();
  if (rest + 1 < left.size() && left[rest + 1] == '(') {
    words.inputs = Split(Between(left, '(', ')'));
    rest = left.find(')') + 1;
  }
  words.attributes = left.substr(std::min(rest, left.size()));
  if (arrow == std::string::npos) return words;
  const std::string right = line.substr(arrow + 4);
  std::stringstream(right) >> words.element;
  words.dims = Between(right, '[', ']');
  std::stringstream values(right.substr(right.find(']') + 1));
  for (long long value = 0; values >> value;) words.values.push_back(value);
  return words;
}

std::string Precision(const std::string& element) {
  if (element == "boolean") return "BOOL";
  std::string out = element == "f32" ? "FP32" : element == "f16" ? "FP16" : element;
  for (char& c : out) c = static_cast<char>(std::toupper(c));
  return out;
}

std::string Port(int id, const Words& words) {
  std::string out = "<port id=\"" + std::to_string(id) + "\"";
  out += " precision=\"" + Precision(words.element) + "\" names=\"" + words.name + "\">";
  for (const std::string& dim : Split(words.dims))
    out += "<dim>" + (dim == "?" || dim.find("..") != std::string::npos ? "-1" : dim) + "</dim>";
  return out + "</port>";
}

std::string Data(const Words& words, std::string& bin) {
  const std::string type = " element_type=\"" + words.element + "\" shape=\"" + words.dims + "\"";
  if (words.type == "Parameter") return "<data" + type + "/>";
  if (words.type != "Const") return "<data" + words.attributes + "/>";
  const std::size_t offset = bin.size();
  for (const long long value : words.values)
    for (int byte = 0; byte < 8; ++byte)
      bin += static_cast<char>(static_cast<unsigned long long>(value) >> (8 * byte));
  std::size_t size = bin.size() - offset;
  if (words.values.empty()) {
    size = words.element == "f32" ? 4 : words.element == "u4" ? 1 : 2;
    for (const std::string& dim : Split(words.dims)) size *= std::stoull(dim);
    if (words.element == "u4") size /= 2;
    bin.append(size, '\0');
  }
  return "<data" + type + " offset=\"" + std::to_string(offset) + "\" size=\"" +
         std::to_string(size) + "\"/>";
}

}  // namespace

OpenVinoFiles OpenVinoNet(const std::string& lines, int version) {
  OpenVinoFiles files;
  std::map<std::string, std::pair<int, int>> made;  // name -> layer, port
  std::string layers, edges;
  std::stringstream stream(lines);
  int id = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    const Words words = Parse(line);
    layers += "<layer id=\"" + std::to_string(id) + "\" name=\"" + words.name + "\" type=\"" +
              words.type + "\" version=\"opset8\">" + Data(words, files.bin) + "<input>";
    int port = 0;
    for (const std::string& input : words.inputs) {
      layers += "<port id=\"" + std::to_string(port) + "\"/>";
      const auto [layer, from] = made.at(input);
      edges += "<edge from-layer=\"" + std::to_string(layer) + "\" from-port=\"" +
               std::to_string(from) + "\" to-layer=\"" + std::to_string(id) + "\" to-port=\"" +
               std::to_string(port) + "\"/>";
      ++port;
    }
    layers += "</input>";
    if (!words.element.empty()) layers += "<output>" + Port(port, words) + "</output>";
    layers += "</layer>\n";
    made[words.name] = {id++, port};
  }
  files.xml = "<?xml version=\"1.0\"?>\n<net name=\"n\" version=\"" + std::to_string(version) +
              "\">\n<layers>\n" + layers + "</layers>\n<edges>\n" + edges +
              "</edges>\n<rt_info><Runtime_version value=\"2026.4.1-1\"/></rt_info></net>\n";
  return files;
}

}  // namespace opscope::testing
