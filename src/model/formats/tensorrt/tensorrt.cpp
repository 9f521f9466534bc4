// {"Layers": [ … ], "Bindings": ["input1", "1179"]}                        TensorRT 8.2 to 10
// {"Layers": ["Conv_1 + Relu_2", …], "Bindings": […]}                      built without details
// {"Layers": [ … ], "I/O Tensors": [{"Name": "x", "IOMode": "Input", …}]}  TensorRT 11
// [ {"Name": …, "LayerType": …}, … ]                                       layer by layer
#include "model/formats/tensorrt/tensorrt.h"

#include <string>
#include <utility>

#include "base/hash.h"
#include "base/json_reader.h"
#include "base/result.h"
#include "model/formats/tensorrt/graph.h"

namespace opscope::tensorrt {

namespace {

constexpr std::size_t kMaxLayers = 1'000'000;

class ListReader {
 public:
  explicit ListReader(const ModelReadContext& context)
      : context_(context), reader_(context.source) {}

  Result<Engine> Run() {
    TRY_ASSIGN(const JsonToken first, reader_.Next());
    if (first.kind == JsonKind::kBeginArray) {
      found_ = true;
      TRY(Keep(ReadLayers()));
    } else if (first.kind == JsonKind::kBeginObject) {
      TRY(Keep(reader_.ForEachField([&](std::string_view key) -> Result<void> {
        const std::string name(key);
        if (name == "Layers") {
          found_ = true;
          TRY(reader_.Expect(JsonKind::kBeginArray));
          return ReadLayers();
        }
        if (name == "Bindings") return ReadBindings();
        if (name == "I/O Tensors") return ReadTensors();
        return {};
      })));
    }
    if (!found_)
      return Error{"tensorrt.no-layers",
                   "the JSON has no list \"Layers\", so it is no layer information of TensorRT",
                   ""};
    return std::move(engine_);
  }

 private:
  // What stands before the damage is kept, where that is some layers at least.
  Result<void> Keep(Result<void> read) {
    if (read.has_value()) return {};
    if (engine_.layers.empty()) return std::move(read.error());
    context_.log.Add("tensorrt.cut", Severity::kLoss, read.error().place,
                     "the list is damaged behind " + std::to_string(engine_.layers.size()) +
                         " layers: " + read.error().message);
    return {};
  }

  Result<void> ReadLayers() {
    return reader_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (token.kind != JsonKind::kBeginObject && token.kind != JsonKind::kString) return {};
      TRY_ASSIGN(LayerInfo layer, ReadLayer(reader_, token));
      if (engine_.layers.size() < kMaxLayers) engine_.layers.push_back(std::move(layer));
      return {};
    });
  }

  Result<void> ReadBindings() {
    TRY(reader_.Expect(JsonKind::kBeginArray));
    return reader_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (token.kind == JsonKind::kString && engine_.bindings.size() < kMaxLayers)
        engine_.bindings.emplace_back().tensor.name = token.text;
      return {};
    });
  }

  Result<void> ReadTensors() {
    TRY(reader_.Expect(JsonKind::kBeginArray));
    return reader_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (token.kind != JsonKind::kBeginObject || engine_.bindings.size() >= kMaxLayers) return {};
      Binding binding;
      binding.mode_known = true;
      TRY_ASSIGN(binding.tensor, ReadTensor(reader_, &binding.input));
      engine_.bindings.push_back(std::move(binding));
      return {};
    });
  }

  const ModelReadContext& context_;
  JsonReader reader_;
  Engine engine_;
  bool found_ = false;
};

std::string HashOf(const Model& model) {
  Hasher hasher;
  for (const Node& node : model.nodes) {
    std::string text(model.text(node.op));
    text += '\0';
    text += model.text(node.name);
    for (const TensorId output : node.outputs) {
      text += '\0';
      text += model.text(model.tensor(output).name);
    }
    hasher.Add(text + "\n");
  }
  return hasher.Hex();
}

// The next piece behind blanks.
std::string_view Past(std::string_view text, std::string_view word) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || !text.substr(at).starts_with(word)) return {};
  return text.substr(at + word.size());
}

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  const std::string_view list = Past(Past(Past(Past(prefix, "{"), "\"Layers\""), ":"), "[");
  if (!list.empty()) {
    const std::size_t at = list.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return Match::kMaybe;
    if (list[at] == '{' || list[at] == '"' || list[at] == ']') return Match::kYes;
  }
  const bool bare = !Past(Past(Past(prefix, "["), "{"), "\"Name\"").empty();
  return bare && prefix.find("\"LayerType\"") != std::string_view::npos ? Match::kYes : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  auto engine = ListReader(context).Run();
  if (!engine.has_value()) {
    Error error = std::move(engine.error());
    if (error.code.starts_with("json."))
      error = {"tensorrt.damaged", "not valid JSON: " + error.message, std::move(error.place)};
    return error;
  }
  Model model;
  model.file = context.source.file_name();
  model.bytes = context.source.stored_bytes();
  model.format = kFormat.info.id;
  BuildGraph(*engine, model, context.log);
  model.opsets.emplace_back(model.strings.Intern("tensorrt"), 1);
  model.structure_hash = HashOf(model);
  return model;
}

}  // namespace opscope::tensorrt
