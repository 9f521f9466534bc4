#include "model/formats/tflite/tflite.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "model/formats/tflite/fields.h"
#include "model/formats/tflite/graph.h"

namespace opscope::tflite {

namespace {

constexpr std::size_t kIdentifierAt = 4;
constexpr std::string_view kIdentifier = "TFL3";
constexpr std::size_t kMaxMetadataText = 256;
// Entries of metadata and signatures that are kept.
constexpr std::uint32_t kMaxEntries = 256;

class ModelReader {
 public:
  explicit ModelReader(const ModelReadContext& context)
      : context_(context), flat_(context.source) {}

  Result<Model> Read() {
    const Table root = flat_.Root();
    const std::int64_t version = flat_.UInt32(root, model_table::kVersion);
    GraphReader graphs(flat_, root, model_, context_);
    if (flat_.ok() && graphs.subgraphs() == 0)
      return Error{"tflite.no-graph", "a TFLite file without a graph; convert the model again",
                   AtByte(0)};
    if (flat_.ok()) graphs.Read(0, GraphId{}, NodeId{}, {});
    ReadMetadata(root, graphs.buffers());
    ReadSignatures(root, graphs);
    model_.producer = flat_.Text(root, model_table::kDescription).substr(0, kMaxMetadataText);
    if (!flat_.ok()) return flat_.error();
    model_.opsets.emplace_back(model_.strings.Intern("tflite"), std::max<std::int64_t>(version, 1));
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    model_.structure_hash = flat_.StructureHash();
    return std::move(model_);
  }

 private:
  // Short texts (min_runtime_version) are shown, of anything else its size.
  void ReadMetadata(const Table& root, Buffers& buffers) {
    const Vector entries = flat_.List(root, model_table::kMetadata, 4);
    for (std::uint32_t i = 0; i < std::min(entries.size, kMaxEntries) && flat_.ok(); ++i) {
      const Table entry = flat_.TableAt(entries, i);
      const std::string name = flat_.Text(entry, metadata_table::kName);
      Buffers::Text value =
          buffers.Small(flat_.UInt32(entry, metadata_table::kBuffer), kMaxMetadataText);
      value.bytes.erase(std::find(value.bytes.begin(), value.bytes.end(), '\0'), value.bytes.end());
      const bool text =
          !value.bytes.empty() && std::all_of(value.bytes.begin(), value.bytes.end(),
                                              [](char c) { return c >= ' ' && c <= '~'; });
      model_.metadata.emplace_back(name,
                                   text ? value.bytes : std::to_string(value.length) + " bytes");
    }
  }

  std::string Names(const Table& signature, int slot) {
    const Vector maps = flat_.List(signature, slot, 4);
    std::string names;
    for (std::uint32_t i = 0; i < maps.size && names.size() < kMaxMetadataText && flat_.ok(); ++i)
      names += (i == 0 ? "" : ", ") + flat_.Text(flat_.TableAt(maps, i), signature_table::kMapName);
    return names;
  }

  // Figures are those of sub-graph 0; a signature that runs another one is named.
  void ReadSignatures(const Table& root, const GraphReader& graphs) {
    const Vector signatures = flat_.List(root, model_table::kSignatures, 4);
    for (std::uint32_t i = 0; i < std::min(signatures.size, kMaxEntries) && flat_.ok(); ++i) {
      const Table signature = flat_.TableAt(signatures, i);
      const std::string key = flat_.Text(signature, signature_table::kKey);
      const std::int64_t subgraph = flat_.UInt32(signature, signature_table::kSubgraph);
      std::string text = "sub-graph " + std::to_string(subgraph) + ": (" +
                         Names(signature, signature_table::kInputs) + ") -> (" +
                         Names(signature, signature_table::kOutputs) + ")";
      if (text.size() > kMaxMetadataText) text = text.substr(0, kMaxMetadataText - 3) + "...";
      model_.metadata.emplace_back("signature " + key, std::move(text));
      const bool read =
          subgraph < graphs.subgraphs() && graphs.used()[static_cast<std::size_t>(subgraph)];
      if (!read)
        context_.log.Add("tflite.signature", Severity::kNotice, "signature \"" + key + "\"",
                         "runs sub-graph " + std::to_string(subgraph) +
                             "; all figures are those of sub-graph 0");
    }
  }

  const ModelReadContext& context_;
  Model model_;
  Flat flat_;
};

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t /*size*/) {
  return prefix.size() >= kIdentifierAt && prefix.substr(kIdentifierAt).starts_with(kIdentifier)
             ? Match::kYes
             : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) { return ModelReader(context).Read(); }

}  // namespace opscope::tflite
