#include "support/tflite_text.h"

#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "support/tflite_model.h"

namespace opscope::testing {

namespace {

struct Kind {
  std::string_view name;
  int number, bits;
};
constexpr Kind kKinds[] = {{"float32", 0, 32}, {"float16", 1, 16}, {"int32", 2, 32},
                           {"uint8", 3, 8},    {"int64", 4, 64},   {"bool", 6, 8},
                           {"int16", 7, 16},   {"int8", 9, 8},     {"int4", 17, 4}};

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    const std::size_t from = part.find_first_not_of(" ");
    if (from == std::string::npos) continue;
    parts.push_back(part.substr(from, part.find_last_not_of(" ") - from + 1));
  }
  return parts;
}

std::string Between(const std::string& text, char open, char close, std::size_t from = 0) {
  const std::size_t begin = text.find(open, from);
  const std::size_t end = text.find(close, begin);
  return begin == std::string::npos || end == std::string::npos
             ? std::string()
             : text.substr(begin + 1, end - begin - 1);
}

using Words = std::map<std::string, std::string>;
// The words "key=value" of a line.
Words WordsOf(const std::string& line) {
  Words words;
  for (const std::string& word : Split(line, ' '))
    if (const std::size_t at = word.find('='); at != std::string::npos)
      words[word.substr(0, at)] = word.substr(at + 1);
  return words;
}

FlatPointer QuantisationOf(const Words& words) {
  if (!words.contains("scale")) return nullptr;
  std::vector<float> scales;
  for (const std::string& scale : Split(words.at("scale"), ',')) scales.push_back(std::stof(scale));
  const std::int64_t zero = words.contains("zero") ? std::stol(words.at("zero")) : 0;
  FlatFields fields = {{2, FlatFloats(scales)},
                       {3, FlatLongs(std::vector<std::int64_t>(scales.size(), zero))},
                       {6, I32(words.contains("axis") ? std::stol(words.at("axis")) : 0)}};
  if (words.contains("block")) {
    fields[4] = I8(2);
    fields[5] = FlatTable({{0, I32(1)}, {2, I32(std::stol(words.at("block")))}});
  }
  return FlatTable(std::move(fields));
}

class Parser {
 public:
  Result<std::string> Run(std::string_view text) {
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
      const std::string word = line.substr(0, line.find(' '));
      if (line.empty() || line.front() == '#') continue;
      if (word == "input" || word == "const" || word == "value") {
        if (!AddTensor(word, line)) return Error{"text.tflite", "not understood: " + line, ""};
      } else if (word == "op") {
        AddOp(line);
      } else if (word == "output") {
        graph_.outputs.push_back(places_[line.substr(word.size() + 1)]);
      } else {
        return Error{"text.tflite", "not understood: " + line, ""};
      }
    }
    return TfliteFile({graph_});
  }

 private:
  bool AddTensor(const std::string& word, const std::string& line) {
    const std::vector<std::string> parts = Split(line, ' ');
    if (parts.size() < 4) return false;
    TfliteTensor tensor{.name = parts[1], .shape = {}};
    std::int64_t bits = 0;
    for (const Kind& kind : kKinds)
      if (kind.name == parts[2]) {
        tensor.type = kind.number;
        bits = kind.bits;
      }
    if (bits == 0) return false;
    for (const std::string& dim : Split(Between(line, '[', ']'), ',')) {
      tensor.shape.push_back(dim == "?" ? 1 : std::stoi(dim));
      tensor.signature.push_back(dim == "?" ? -1 : std::stoi(dim));
      bits *= tensor.shape.back();
    }
    tensor.quantisation = QuantisationOf(WordsOf(line));
    if (word == "const") tensor.data = std::string(static_cast<std::size_t>((bits + 7) / 8), '\0');
    const auto place = static_cast<std::int32_t>(graph_.tensors.size());
    places_[tensor.name] = place;
    if (word == "input") graph_.inputs.push_back(place);
    graph_.tensors.push_back(std::move(tensor));
    return true;
  }

  void AddOp(const std::string& line) {
    TfliteOp op{.code = std::stoi(Split(line, ' ').at(1)), .inputs = {}, .outputs = {}};
    for (const std::string& name : Split(Between(line, '(', ')'), ','))
      op.inputs.push_back(name == "-" ? -1 : places_[name]);
    for (const std::string& name : Split(Between(line, '(', ')', line.find("->")), ','))
      op.outputs.push_back(places_[name]);
    for (const auto& [key, value] : WordsOf(line)) {
      if (key == "options") {
        op.options_type = std::stoi(value);
      } else if (key.front() >= '0' && key.front() <= '9') {
        const bool byte = key.ends_with(":b");
        op.options[std::stoi(key)] = byte ? I8(std::stol(value)) : I32(std::stol(value));
      }
    }
    graph_.ops.push_back(std::move(op));
  }

  TfliteGraph graph_;
  std::map<std::string, std::int32_t> places_;
};

}  // namespace

Result<std::string> TfliteFromText(std::string_view text) { return Parser().Run(text); }

}  // namespace opscope::testing
