#include "model/formats/safetensors/safetensors.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/shard_name.h"
#include "base/text.h"
#include "model/decoder/decoder.h"
#include "model/formats/safetensors/header.h"

namespace opscope::safetensors {

namespace {

class WeightReader {
 public:
  explicit WeightReader(const ModelReadContext& context) : context_(context), weights_(model_) {}

  Result<Model> Read(bool is_index) {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    config_ = ReadConfig();
    if (is_index) {
      TRY_ASSIGN(const Index index, ReadIndex(context_.source));
      TRY(ReadShards(index, ""));
    } else if (auto index = IndexBeside()) {
      TRY(ReadShards(*index, model_.file));
    } else {
      TRY_ASSIGN(Header header, ReadHeader(context_.source, context_.log));
      TRY(Add(header, Payload::Place::kInline, 0));
    }
    model_.format = kFormat.info.id;
    model_.structure_hash = decoder::HashOf(weights_);
    decoder::BuildGraph(model_, weights_, config_, context_.log);
    return std::move(model_);
  }

 private:
  Result<Source> Open(const std::string& name) const {
    if (context_.sibling) return context_.sibling(name);
    return Error{"input.missing", "files beside this one cannot be opened", ""};
  }

  // A shard stands for the whole model where the index lies beside it.
  std::optional<Index> IndexBeside() {
    const auto shard = ParseShardName(model_.file);
    if (!shard) return std::nullopt;
    const std::string name = shard->stem + shard->ending + ".index.json";
    auto source = Open(name);
    auto index = source.has_value() ? ReadIndex(*source) : Result<Index>(source.error());
    if (index.has_value() &&
        std::find(index->files.begin(), index->files.end(), model_.file) != index->files.end())
      return std::move(*index);
    context_.log.Add("safetensors.no-index", Severity::kLoss, model_.file,
                     "this is one file of several, and the index that names the others (" + name +
                         ") cannot be used: only its own weights are shown");
    return std::nullopt;
  }

  // `own`: the file that is open already.
  Result<void> ReadShards(const Index& index, const std::string& own) {
    for (const std::string& file : index.files) {
      if (file == own) {
        TRY_ASSIGN(Header header, ReadHeader(context_.source, context_.log));
        TRY(Add(header, Payload::Place::kInline, 0));
        continue;
      }
      const auto number = static_cast<std::uint32_t>(model_.external_files.size());
      ExternalFile& external = model_.external_files.emplace_back();
      external.path = file;
      auto source = Open(file);
      if (!source.has_value()) {
        external.refused = source.error().code == "input.outside";
        context_.log.Add("safetensors.shard-missing", Severity::kLoss, file,
                         "the weights of this file are missing: " + source.error().message);
        continue;
      }
      external.bytes = source->size();
      auto header = ReadHeader(*source, context_.log);
      if (!header.has_value()) return WithContext(std::move(header.error()), file);
      TRY(Add(*header, Payload::Place::kExternal, number));
    }
    std::int64_t absent = 0;
    for (const auto& [name, file] : index.weights)
      if (!weights_.Find(name).valid()) ++absent;
    if (absent > 0)
      context_.log.Add("safetensors.weights-missing", Severity::kLoss, model_.file,
                       std::to_string(absent) + " weights of the index are in none of its files");
    return {};
  }

  Result<void> Add(Header& header, Payload::Place place, std::uint32_t file) {
    for (Entry& entry : header.entries) {
      Payload payload;
      payload.dtype = entry.dtype;
      payload.dims = std::move(entry.dims);
      payload.place = place;
      payload.external_file = file;
      payload.offset = entry.begin;
      payload.length = entry.end - entry.begin;
      if (config_) decoder::Unpack(config_->packing, entry.name, payload);
      if (!weights_.Add(entry.name, std::move(payload)))
        return Error{"safetensors.damaged",
                     "tensor \"" + Printable(entry.name) + "\" is in two files of the model", ""};
    }
    for (auto& pair : header.metadata)
      if (model_.metadata.size() < 64) model_.metadata.push_back(std::move(pair));
    return {};
  }

  std::optional<decoder::Config> ReadConfig() const {
    constexpr std::size_t kMaxConfig = 4 << 20;
    auto source = Open("config.json");
    if (!source.has_value() || source->size() > kMaxConfig) return std::nullopt;
    const auto text = source->Window(0, kMaxConfig);
    return text.has_value() ? decoder::ReadConfigJson(*text) : std::nullopt;
  }

  const ModelReadContext& context_;
  Model model_;
  decoder::Weights weights_;
  std::optional<decoder::Config> config_;
};

bool IsIndex(std::string_view prefix) {
  const std::size_t at = prefix.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && prefix[at] == '{' &&
         prefix.find("\"weight_map\"") != std::string_view::npos &&
         prefix.find(".safetensors\"") != std::string_view::npos;
}

}  // namespace

// The length of the header, then its brace; real files begin with the first name.
Match Probe(std::string_view prefix, std::uint64_t size) {
  constexpr std::size_t kStart = 8;
  if (IsIndex(prefix)) return Match::kYes;
  if (prefix.size() < kStart + 2 || prefix[kStart] != '{') return Match::kNo;
  std::uint64_t length = 0;
  for (std::size_t i = kStart; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(prefix[i]);
  const std::string_view header = prefix.substr(kStart);
  const bool named = header.find("\"data_offsets\"") != std::string_view::npos ||
                     header.find("\"__metadata__\"") != std::string_view::npos;
  if (named) return Match::kYes;
  return length >= 2 && length <= size && (header[1] == '"' || header[1] == '}') ? Match::kMaybe
                                                                                 : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  TRY_ASSIGN(const std::string_view prefix, context.source.Window(0, 64 * 1024));
  return WeightReader(context).Read(IsIndex(prefix));
}

}  // namespace opscope::safetensors
