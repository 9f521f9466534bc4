#include "model/formats/gguf/gguf.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/shard_name.h"
#include "base/text.h"
#include "model/decoder/decoder.h"
#include "model/formats/gguf/header.h"

namespace opscope::gguf {

namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::int64_t kMaxParts = 4096;

// llama.block_count = 32, llama.attention.head_count_kv = 8 (or a list, one a layer) …
decoder::Config ConfigOf(const Header& header) {
  decoder::Config config;
  const auto architecture = header.texts.find("general.architecture");
  if (architecture == header.texts.end()) return config;
  config.id = architecture->second;
  config.architecture = decoder::FindArchitecture(config.id);
  const auto get = [&](const char* key) -> std::int64_t {
    const std::int64_t value = header.Integer(config.id + "." + key).value_or(0);
    return value > 0 && value <= decoder::kMaxConfigSize ? value : 0;
  };
  config.layers = get("block_count");
  config.hidden = get("embedding_length");
  config.heads = get("attention.head_count");
  config.kv_heads = get("attention.head_count_kv");
  config.head = get("attention.key_length");
  config.experts = get("expert_count");
  config.active_experts = get("expert_used_count");
  config.window = get("attention.sliding_window");
  config.latent = get("attention.kv_lora_rank");
  if (config.latent > 0) {
    // Files since 2025 give the heads of the cache as key_length and the real ones as .._mla.
    const std::int64_t key = get("attention.key_length_mla");
    const std::int64_t value = get("attention.value_length_mla");
    config.rope = get("rope.dimension_count");
    config.nope = (key > 0 ? key : config.head) - config.rope;
    config.value = value > 0 ? value : get("attention.value_length");
  }
  // Products give float32; keys and values are kept as float16 unless the user says otherwise.
  config.compute = DType::kFloat32;
  config.cache = DType::kFloat16;
  if (config.architecture != nullptr) {
    config.parallel = config.architecture->parallel;
    if (const auto parallel = header.Integer(config.id + ".use_parallel_residual"))
      config.parallel = *parallel != 0;
    const int period = config.architecture->local_period;
    for (std::int64_t i = 0; config.window > 0 && i < std::min<std::int64_t>(config.layers, 65536);
         ++i)
      config.local.push_back(period == 0 || (i + 1) % period != 0);
  }
  return config;
}

class WeightReader {
 public:
  explicit WeightReader(const ModelReadContext& context) : context_(context), weights_(model_) {}

  Result<Model> Read() {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    TRY_ASSIGN(Header own, ReadHeader(context_.source, context_.log));
    decoder::Config config = ConfigOf(own);
    const std::int64_t parts = own.Integer("split.count").value_or(1);
    if (parts > kMaxParts)
      return Error{"gguf.damaged", "a split into " + std::to_string(parts) + " files", ""};
    Describe(own);
    // The name without its part, where it is named as parts are.
    const std::int64_t mine = parts == 1 ? 1 : own.Integer("split.no").value_or(0) + 1;
    shard_ = ParseShardName(model_.file);
    if (shard_ && (shard_->number != mine || shard_->of != parts)) shard_.reset();
    for (std::int64_t part = 1; part <= parts; ++part) {
      if (part == mine) {
        TRY(Add(own, Payload::Place::kInline, 0));
      } else {
        TRY(ReadPart(part, parts, config));
      }
    }
    model_.format = kFormat.info.id;
    model_.structure_hash = decoder::HashOf(weights_);
    std::optional<decoder::Config> known;
    if (!config.id.empty()) known = std::move(config);
    decoder::BuildGraph(model_, weights_, known, context_.log);
    return std::move(model_);
  }

 private:
  void Describe(const Header& header) {
    for (const auto& [key, value] : header.texts)
      if (key.rfind("general.", 0) == 0 && model_.metadata.size() < 64)
        model_.metadata.emplace_back(key, value);
    model_.producer = "gguf " + std::to_string(header.version);
  }

  // Only the first part of a split has the metadata.
  Result<void> ReadPart(std::int64_t part, std::int64_t parts, decoder::Config& config) {
    const auto number = static_cast<std::uint32_t>(model_.external_files.size());
    ExternalFile& external = model_.external_files.emplace_back();
    external.path = "part " + std::to_string(part) + " of " + std::to_string(parts);
    if (shard_) external.path = ToText(ShardName{shard_->stem, part, parts, shard_->ending});
    auto source =
        shard_ && context_.sibling
            ? context_.sibling(external.path)
            : Result<Source>(Error{"input.missing", "the file's name does not say where", ""});
    if (!source.has_value()) {
      external.refused = source.error().code == "input.outside";
      context_.log.Add("gguf.part-missing", Severity::kLoss, external.path,
                       "the weights of this part are missing: " + source.error().message);
      return {};
    }
    external.bytes = source->size();
    auto header = ReadHeader(*source, context_.log);
    if (!header.has_value()) return WithContext(std::move(header.error()), external.path);
    if (config.id.empty()) {
      config = ConfigOf(*header);
      Describe(*header);
    }
    return Add(*header, Payload::Place::kExternal, number);
  }

  Result<void> Add(Header& header, Payload::Place place, std::uint32_t file) {
    for (Entry& entry : header.entries) {
      Payload payload;
      payload.dtype = entry.dtype;
      payload.dims = std::move(entry.dims);
      payload.place = place;
      payload.external_file = file;
      payload.offset = entry.offset;
      payload.length = entry.bytes;
      if (!weights_.Add(entry.name, std::move(payload)))
        return Error{"gguf.damaged",
                     "tensor \"" + Printable(entry.name) + "\" is in two parts of the model", ""};
    }
    return {};
  }

  const ModelReadContext& context_;
  Model model_;
  decoder::Weights weights_;
  std::optional<ShardName> shard_;  // of the file, where it is named as parts are
};

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  return prefix.starts_with(kMagic) ? Match::kYes : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  TRY_ASSIGN(const std::string_view start, context.source.Window(0, kMagic.size()));
  if (start != kMagic)
    return Error{"gguf.damaged", "the file does not begin with \"GGUF\"", AtByte(0)};
  return WeightReader(context).Read();
}

}  // namespace opscope::gguf
