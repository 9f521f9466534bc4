#include "model/formats/pt2/pt2.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "model/aten/archive.h"
#include "model/aten/graph_reader.h"
#include "model/aten/structure.h"
#include "model/formats/pt2/pickled.h"

namespace opscope::pt2 {

namespace {

using aten::Archive;

constexpr std::string_view kOldProgram = "serialized_exported_program.json";
// The second name of each is that of the first releases, which held the same.
constexpr std::array<std::string_view, 4> kPickled = {
    "serialized_state_dict.pt", "serialized_state_dict.json", "serialized_constants.pt",
    "serialized_constants.json"};
constexpr std::size_t kMaxConfig = 256 << 20;

class Reader {
 public:
  Reader(const ModelReadContext& context, Archive archive)
      : context_(context), archive_(std::move(archive)) {}

  Result<Model> Read() {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    TRY_ASSIGN(const ZipMember* program, FindProgram());
    TRY(ReadPayloads("data/weights/"));
    TRY(ReadPayloads("data/constants/"));
    for (const std::string_view name : kPickled)
      if (const ZipMember* member = archive_.Find(name))
        AddPickled(context_, archive_, *member, payloads_);
    TRY_ASSIGN(Source source, archive_.Read(*program));
    JsonReader json(source);
    TRY(json.Expect(JsonKind::kBeginObject));
    aten::GraphReader graph(model_, json);
    bool found = false;
    aten::Signature signature;
    TRY(json.ForEachField(
        [&](std::string_view key) { return ReadField(key, json, graph, signature, found); }));
    if (!found)
      return Error{"pt2.damaged", "the program has no graph",
                   "\"" + Printable(program->name) + "\""};
    graph.Finish(signature, payloads_);
    NoteMissing();
    model_.structure_hash = aten::HashOf(model_);
    return std::move(model_);
  }

 private:
  Result<const ZipMember*> FindProgram() {
    if (const ZipMember* old = archive_.Find(kOldProgram)) return old;
    if (const ZipMember* usual = archive_.Find("models/model.json")) return usual;
    const ZipMember* program = nullptr;
    for (const std::string_view name : archive_.Names("models/"))
      if (name.ends_with(".json") && program == nullptr) program = archive_.Find(name);
    if (program != nullptr) return program;
    if (!archive_.Names("data/aotinductor/").empty())
      return Error{"pt2.compiled",
                   "the archive holds code that AOTInductor compiled, and no graph; give the .pt2 "
                   "that torch.export.save wrote",
                   ""};
    return Error{"pt2.no-program",
                 "the archive holds no models/model.json and no " + std::string(kOldProgram) +
                     "; a TorchScript file or a checkpoint is read with --as torchscript",
                 ""};
  }

  Result<void> ReadField(std::string_view key, JsonReader& json, aten::GraphReader& graph,
                         aten::Signature& signature, bool& found) {
    if (key == "graph_module") {
      TRY(json.Expect(JsonKind::kBeginObject));
      return json.ForEachField([&](std::string_view field) -> Result<void> {
        if (field != "graph" && field != "signature") return {};
        const bool is_graph = field == "graph";
        TRY(json.Expect(JsonKind::kBeginObject));
        if (!is_graph) {
          TRY_ASSIGN(signature, graph.ReadSignature());
          return {};
        }
        if (found) return Error{"pt2.damaged", "the program has two graphs", ""};
        found = true;
        return graph.ReadMain();
      });
    }
    if (key == "torch_version") {
      TRY_ASSIGN(const JsonToken value, json.Next());
      if (value.kind == JsonKind::kString) model_.producer = "torch " + Printable(value.text);
      return {};
    }
    if (key == "opset_version") return ReadOpsets(json);
    if (key == "range_constraints") return ReadRanges(json);
    return {};
  }

  Result<void> ReadOpsets(JsonReader& json) {
    TRY(json.Expect(JsonKind::kBeginObject));
    return json.ForEachField([&](std::string_view key) -> Result<void> {
      const Str domain = model_.strings.Intern(key);
      TRY_ASSIGN(const JsonToken value, json.Next());
      if (const auto version = value.AsInt64()) model_.opsets.emplace_back(domain, *version);
      return {};
    });
  }

  // {"s77": {"min_val": 2, "max_val": 1024}}
  Result<void> ReadRanges(JsonReader& json) {
    TRY(json.Expect(JsonKind::kBeginObject));
    return json.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string symbol = "range " + Printable(key);
      std::string least = "0", most = "any";
      TRY(json.Expect(JsonKind::kBeginObject));
      TRY(json.ForEachField([&](std::string_view field) -> Result<void> {
        std::string& bound = field == "min_val" ? least : most;
        TRY_ASSIGN(const JsonToken value, json.Next());
        if (const auto number = value.AsInt64()) bound = std::to_string(*number);
        return {};
      }));
      if (model_.metadata.size() < 64) model_.metadata.emplace_back(symbol, least + " .. " + most);
      return {};
    });
  }

  // {"config": {"conv1.weight": {"path_name": "weight_0", "use_pickle": false, "tensor_meta": …}}}
  Result<void> ReadPayloads(const std::string& folder) {
    for (const std::string_view name : archive_.Names(folder)) {
      if (!name.ends_with("_config.json")) continue;
      const ZipMember& member = *archive_.Find(name);
      TRY_ASSIGN(const std::string text, archive_.Text(member, kMaxConfig));
      JsonReader json(text);
      auto read = ReadConfig(json, folder);
      if (!read.has_value())
        return WithContext(std::move(read.error()), "\"" + Printable(member.name) + "\"");
    }
    return {};
  }

  Result<void> ReadConfig(JsonReader& json, const std::string& folder) {
    TRY(json.Expect(JsonKind::kBeginObject));
    return json.ForEachField([&](std::string_view key) -> Result<void> {
      if (key != "config") return {};
      TRY(json.Expect(JsonKind::kBeginObject));
      return json.ForEachField([&](std::string_view name) -> Result<void> {
        const std::string weight(name);
        TRY_ASSIGN(payloads_[weight], ReadPayload(json, folder));
        return {};
      });
    });
  }

  Result<Payload> ReadPayload(JsonReader& json, const std::string& folder) {
    Payload payload;
    std::string path;
    bool pickled = false;
    std::int64_t first = 0;
    TRY(json.Expect(JsonKind::kBeginObject));
    TRY(json.ForEachField([&](std::string_view key) -> Result<void> {
      const bool is_path = key == "path_name";
      const bool is_pickle = key == "use_pickle";
      if (key == "tensor_meta") {
        TRY_ASSIGN(const JsonToken value, json.Next());
        if (value.kind != JsonKind::kBeginObject) return {};
        return ReadMeta(json, payload, first);
      }
      if (!is_path && !is_pickle) return {};
      TRY_ASSIGN(const JsonToken value, json.Next());
      if (is_path) path = folder + std::string(value.text);
      if (is_pickle) pickled = value.boolean;
      return {};
    }));
    const ZipMember* member = archive_.Find(path);
    if (member == nullptr || pickled) {
      payload.place = Payload::Place::kNone;
      std::unordered_map<std::string, Payload> found;
      if (member != nullptr) AddPickled(context_, archive_, *member, found);
      if (found.size() == 1) payload = std::move(found.begin()->second);
      return payload;
    }
    TRY(Place(*member, first, payload));
    return payload;
  }

  Result<void> ReadMeta(JsonReader& json, Payload& payload, std::int64_t& first) {
    TRY_ASSIGN(const aten::TensorMeta meta, aten::ReadTensorMeta(json, model_.dims));
    payload.dtype = meta.type.dtype;
    first = meta.storage_offset;
    if (!meta.type.shape.known_rank()) return {};
    for (const Dim dim : *meta.type.shape.dims)
      payload.dims.push_back(dim.is_number() ? dim.number() : 0);
    return {};
  }

  Result<void> Place(const ZipMember& member, std::int64_t first, Payload& payload) {
    TRY_ASSIGN(const std::uint64_t begin, archive_.Offset(member));
    const std::int64_t skip =
        PackedBytes(payload.dtype, std::max<std::int64_t>(first, 0)).value_or(0);
    const std::uint64_t room = member.unpacked_bytes;
    const auto skipped = std::min<std::uint64_t>(static_cast<std::uint64_t>(skip), room);
    std::optional<std::int64_t> elements = 1;
    for (const std::int64_t dim : payload.dims)
      elements = elements ? CheckedMul(*elements, dim) : std::nullopt;
    const auto bytes = elements && *elements >= 0 ? PackedBytes(payload.dtype, *elements)
                                                  : std::optional<std::int64_t>();
    payload.place = Payload::Place::kInline;
    payload.offset = begin + skipped;
    payload.length = std::min<std::uint64_t>(
        room - skipped, bytes ? static_cast<std::uint64_t>(*bytes) : room - skipped);
    return archive_.little_endian() ? aten::ReadSmall(context_.source, payload) : Result<void>();
  }

  void NoteMissing() {
    for (const TensorId id : model_.main().initializers) {
      const Tensor& tensor = model_.tensor(id);
      if (model_.payload(tensor.payload).place != Payload::Place::kNone) continue;
      context_.log.Add("pt2.weight-missing", Severity::kNotice,
                       "\"" + Printable(model_.text(tensor.name)) + "\"",
                       "no bytes of this weight were found");
    }
  }

  const ModelReadContext& context_;
  Archive archive_;
  Model model_;
  std::unordered_map<std::string, Payload> payloads_;
};

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  for (const std::string_view name : aten::LeadingNames(prefix)) {
    if (name == kOldProgram || name.find("/data/weights/") != std::string_view::npos ||
        name.find("/data/constants/") != std::string_view::npos ||
        name.ends_with("/models/model.json") || name.starts_with("data/weights/") ||
        name.starts_with("models/") || name.starts_with("serialized_"))
      return Match::kYes;
  }
  return Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  TRY_ASSIGN(Archive archive, Archive::Open(context.source));
  return Reader(context, std::move(archive)).Read();
}

}  // namespace opscope::pt2
