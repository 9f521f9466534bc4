#include "model/formats/aten_json/aten_json.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "model/aten/graph_reader.h"
#include "model/aten/structure.h"

namespace opscope::aten_json {

namespace {

constexpr std::int64_t kVersion = 1;

using Kind = aten::Signature::Weight::Kind;

class Reader {
 public:
  explicit Reader(const ModelReadContext& context)
      : context_(context), json_(context.source), graph_(model_, json_) {}

  Result<Model> Read() {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    TRY(json_.Expect(JsonKind::kBeginObject));
    TRY(json_.ForEachField([&](std::string_view key) { return ReadField(key); }));
    if (!found_) return Error{"aten_json.no-graph", "the text has no \"graph\"", ""};
    graph_.Finish(signature_, {});
    model_.structure_hash = aten::HashOf(model_);
    return std::move(model_);
  }

 private:
  Result<void> ReadField(std::string_view key) {
    if (key == "parameters") return ReadWeights(Kind::kParameter);
    if (key == "buffers") return ReadWeights(Kind::kBuffer);
    if (key == "constants") return ReadWeights(Kind::kConstant);
    if (key == "graph") {
      if (found_) return Error{"aten_json.damaged", "the text has two graphs", ""};
      found_ = true;
      TRY(json_.Expect(JsonKind::kBeginObject));
      return graph_.ReadMain();
    }
    const bool version = key == "version";
    const bool device = key == "device";
    if (!version && !device && key != "producer") return {};
    TRY_ASSIGN(const JsonToken value, json_.Next());
    if (device) {
      if (value.kind == JsonKind::kString)
        model_.metadata.emplace_back("device", Printable(value.text).substr(0, 32));
      return value.kind == JsonKind::kString ? Result<void>() : json_.Skip(value);
    }
    if (!version && value.kind == JsonKind::kString) model_.producer = Printable(value.text);
    if (version && value.AsInt64().value_or(0) > kVersion)
      return Error{"aten_json.version",
                   "version " + Printable(value.text) + " of the JSON form, this build knows " +
                       std::to_string(kVersion) + "; update opscope",
                   ""};
    return {};
  }

  // {"w": "encoder.dense.weight"}
  Result<void> ReadWeights(Kind kind) {
    TRY(json_.Expect(JsonKind::kBeginObject));
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      aten::Signature::Weight weight{std::string(key), std::string(key), kind};
      TRY_ASSIGN(const JsonToken value, json_.Next());
      if (value.kind == JsonKind::kString) weight.name = value.text;
      signature_.weights.push_back(std::move(weight));
      return {};
    });
  }

  const ModelReadContext& context_;
  Model model_;
  JsonReader json_;
  aten::GraphReader graph_;
  aten::Signature signature_;
  bool found_ = false;
};

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  const std::size_t begin = prefix.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || prefix[begin] != '{') return Match::kNo;
  const std::string_view start = prefix.substr(begin, 256);
  const std::size_t key = start.find("\"opscope\"");
  if (key == std::string_view::npos) return Match::kNo;
  const std::size_t value = start.find_first_not_of(" \t\r\n:", key + 9);
  return value != std::string_view::npos && start.substr(value, 6) == "\"aten\"" ? Match::kYes
                                                                                 : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) { return Reader(context).Read(); }

}  // namespace opscope::aten_json
