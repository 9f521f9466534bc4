#include "model/formats/onnx/onnx.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/formats/onnx/fields.h"
#include "model/formats/onnx/graph.h"
#include "model/formats/onnx/scope.h"
#include "model/formats/onnx/walker.h"

namespace opscope::onnx {

namespace {

// The opset of files that name none: operators of then are those of version 1 (IR versions before
// 3 could not name one); later files forgot to.
constexpr std::int64_t kFirstIrWithOpsets = 3;
constexpr std::int64_t kAssumedOpset = 17;

class ModelReader {
 public:
  explicit ModelReader(const ModelReadContext& context)
      : context_(context), walker_(context, model_), graphs_(walker_) {}

  Result<Model> Read() {
    graphs_.NewGraph();
    // As many as a file without weights may hold; memory that nothing is put into costs nothing.
    constexpr std::uint64_t kMaxReserved = 1 << 17;
    const std::uint64_t most = std::min(context_.source.size() / 64, kMaxReserved);
    model_.nodes.reserve(most);
    model_.tensors.reserve(most);
    WireReader message(context_.source, 0, context_.source.size());
    TRY(walker_.ForEachField(message, [&](const WireField& field, const WireReader& in) {
      return ReadField(field, in);
    }));
    if (!has_graph_)
      return Error{"onnx.no-graph",
                   "an ONNX file without a graph: the export or the download stopped early, or "
                   "only a part of the model was saved; export it again",
                   AtByte(context_.source.size())};
    CheckOpsets();
    BindNames(model_, graphs_.drafts(), context_.log);
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    model_.producer = producer_name_;
    if (!producer_version_.empty())
      model_.producer += (producer_name_.empty() ? "" : " ") + producer_version_;
    model_.structure_hash = walker_.StructureHash();
    return std::move(model_);
  }

 private:
  Result<void> ReadField(const WireField& field, const WireReader& message) {
    switch (Key(field)) {
      case model_proto::kIrVersion:
        walker_.Hash(field, field.value);
        ir_version_ = static_cast<std::int64_t>(field.value);
        return {};
      case model_proto::kProducerName: {
        TRY_ASSIGN(producer_name_, walker_.Text(message, field));
        return {};
      }
      case model_proto::kProducerVersion: {
        TRY_ASSIGN(producer_version_, walker_.Text(message, field));
        return {};
      }
      case model_proto::kGraph:
        has_graph_ = true;
        return graphs_.ReadGraph(message.Message(field), GraphId{0});
      case model_proto::kOpsetImport: {
        TRY_ASSIGN(const auto opset, walker_.Opset(message.Message(field)));
        model_.opsets.push_back(opset);
        return {};
      }
      case model_proto::kMetadataProps: {
        TRY_ASSIGN(auto entry, walker_.Entry(message.Message(field), kMaxModelMetadata));
        if (entry) model_.metadata.push_back(std::move(*entry));
        return {};
      }
      case model_proto::kFunctions:
        return graphs_.ReadFunction(message.Message(field));
      default:
        return {};
    }
  }

  void CheckOpsets() {
    const Str standard = model_.strings.Intern("ai.onnx");
    const bool named = std::any_of(model_.opsets.begin(), model_.opsets.end(),
                                   [&](const auto& opset) { return opset.first == standard; });
    if (named) return;
    const std::int64_t version = ir_version_ < kFirstIrWithOpsets ? 1 : kAssumedOpset;
    model_.opsets.emplace_back(standard, version);
    const bool used = std::any_of(model_.nodes.begin(), model_.nodes.end(),
                                  [&](const Node& node) { return node.domain == standard; });
    if (used)
      walker_.Note("onnx.no-opset", Severity::kNotice, 0,
                   "the file names no opset; version " + std::to_string(version) + " is assumed");
  }

  const ModelReadContext& context_;
  Model model_;
  Walker walker_;
  GraphReader graphs_;
  std::int64_t ir_version_ = 0;
  bool has_graph_ = false;
  std::string producer_name_;
  std::string producer_version_;
};

// wire.truncated becomes onnx.truncated; every other damage of the encoding onnx.damaged.
Error InOnnxTerms(Error error) {
  if (error.code.rfind("wire.", 0) != 0) return error;
  if (error.code == "wire.truncated")
    return {"onnx.truncated",
            "the ONNX file ends inside a field: it was cut, perhaps by a broken download or a full "
            "disk; get it again",
            std::move(error.place)};
  return {"onnx.damaged",
          "not valid ONNX data (" + error.message + "); get or export the file again",
          std::move(error.place)};
}

}  // namespace

Result<Model> Read(const ModelReadContext& context) {
  auto model = ModelReader(context).Read();
  if (!model.has_value()) return InOnnxTerms(std::move(model.error()));
  return model;
}

}  // namespace opscope::onnx
