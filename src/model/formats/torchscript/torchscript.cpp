#include "model/formats/torchscript/torchscript.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "model/aten/archive.h"
#include "model/aten/structure.h"
#include "model/decoder/decoder.h"
#include "model/formats/torchscript/evaluator.h"
#include "model/formats/torchscript/tensors.h"

namespace opscope::torchscript {

namespace {

using aten::Archive;

constexpr std::size_t kMaxCode = 64 << 20;
constexpr std::size_t kMaxPickle = 512 << 20;

class Reader {
 public:
  Reader(const ModelReadContext& context, Archive archive)
      : context_(context), archive_(std::move(archive)) {}

  Result<Model> Read() {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    const ZipMember* data = archive_.Find("data.pkl");
    if (data == nullptr)
      return Error{"torchscript.no-data", "the archive holds no data.pkl, so it is no PyTorch file",
                   ""};
    TRY_ASSIGN(data_, Pickled(*data));
    const bool has_code = !archive_.Names("code/").empty();
    TRY(has_code ? ReadProgram() : ReadCheckpoint());
    return std::move(model_);
  }

 private:
  Result<Pickle> Pickled(const ZipMember& member) {
    TRY_ASSIGN(const std::string bytes, archive_.Text(member, kMaxPickle));
    auto pickle = ReadPickle(bytes);
    if (!pickle.has_value())
      return WithContext(std::move(pickle.error()), "\"" + Printable(member.name) + "\"");
    return pickle;
  }

  Result<void> ReadProgram() {
    model_.producer = "TorchScript";
    std::optional<Pickle> constants;
    if (const ZipMember* member = archive_.Find("constants.pkl")) {
      TRY_ASSIGN(constants, Pickled(*member));
    }
    Evaluator evaluator(
        {model_, context_.log, data_, constants ? &*constants : nullptr,
         [&](const std::string& path) { return Code(path); },
         [&](const PickleValue& tensor, const std::string& name) { return Weight(tensor, name); }});
    model_.graphs.emplace_back();
    TRY(evaluator.Run());
    AssumeTypes();
    model_.structure_hash = aten::HashOf(model_);
    return {};
  }

  // The code does not say what elements an input has: numbers of rows where one looks up an
  // embedding, else what the weights have.
  void AssumeTypes() {
    DType usual = DType::kFloat32;
    for (const TensorId weight : model_.main().initializers) {
      usual = model_.payload(model_.tensor(weight).payload).dtype;
      if (IsFloating(usual)) break;
    }
    for (const TensorId input : model_.main().inputs) {
      DType& dtype = model_.tensors[input.index()].declared.dtype;
      if (dtype != DType::kUnknown) continue;
      dtype = LooksUp(input) ? DType::kInt64 : usual;
      context_.log.Add(
          "torchscript.input-type", Severity::kNotice,
          "input \"" + Printable(model_.text(model_.tensor(input).name)) + "\"",
          "TorchScript does not say its element type; " + std::string(Name(dtype)) + " is taken");
    }
  }
  bool LooksUp(TensorId input) const {
    return std::any_of(model_.nodes.begin(), model_.nodes.end(), [&](const Node& node) {
      return node.inputs.size() > 1 && node.inputs[1] == input &&
             model_.text(node.op).starts_with("embedding");
    });
  }

  Result<const CodeFile*> Code(const std::string& path) {
    const auto [place, added] = code_.try_emplace(path);
    if (!added) return place->second.get();
    const ZipMember* member = archive_.Find("code/" + path + ".py");
    if (member == nullptr) return nullptr;
    TRY_ASSIGN(const std::string text, archive_.Text(*member, kMaxCode));
    auto parsed = ParseCode(text);
    if (!parsed.has_value())
      return WithContext(std::move(parsed.error()), "\"" + Printable(member->name) + "\"");
    place->second = std::make_unique<CodeFile>(std::move(*parsed));
    return place->second.get();
  }

  // The same bytes seen in the same way are one weight.
  Result<TensorId> Weight(const PickleValue& tensor, const std::string& name) {
    std::string key = tensor.text + "@" + std::to_string(tensor.integer);
    for (const std::int64_t size : tensor.sizes) key += "," + std::to_string(size);
    const bool constant = name.starts_with("CONSTANTS.");
    if (constant) key += "c";
    const auto [place, added] = weights_.try_emplace(std::move(key));
    if (!added) return place->second;
    TRY_ASSIGN(Payload payload,
               PayloadOf(context_.source, archive_, tensor, constant ? "constants/" : "data/"));
    TypeInfo declared;
    declared.dtype = payload.dtype;
    declared.shape.dims.emplace(payload.dims.begin(), payload.dims.end());
    const TensorId id = aten::AddValue(model_, GraphId{0}, name, std::move(declared));
    model_.tensors[id.index()].payload =
        PayloadId{static_cast<std::uint32_t>(model_.payloads.size())};
    model_.payloads.push_back(std::move(payload));
    model_.graphs[0].initializers.push_back(id);
    place->second = id;
    return id;
  }

  // Tensors by their path in dicts and lists: {"state_dict": {"fc.weight": …}} ->
  // state_dict.fc.weight
  Result<void> ReadCheckpoint() {
    model_.producer = "PyTorch checkpoint";
    decoder::Weights weights(model_);
    std::vector<NamedTensor> tensors;
    TRY(ListTensors(data_, tensors));
    for (const NamedTensor& named : tensors) {
      TRY_ASSIGN(Payload payload, PayloadOf(context_.source, archive_, *named.tensor, "data/"));
      if (!weights.Add(named.name, std::move(payload)))
        context_.log.Add("torchscript.repeated", Severity::kNotice,
                         "\"" + Printable(named.name) + "\"", "two tensors have this name");
    }
    if (tensors.empty())
      return Error{"torchscript.no-tensors", "the checkpoint holds no tensors", ""};
    model_.structure_hash = decoder::HashOf(weights);
    decoder::BuildGraph(model_, weights, std::nullopt, context_.log);
    return {};
  }

  const ModelReadContext& context_;
  Archive archive_;
  Model model_;
  Pickle data_;
  std::map<std::string, std::unique_ptr<CodeFile>, std::less<>> code_;
  std::map<std::string, TensorId, std::less<>> weights_;
};

bool IsTelling(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view inner = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return inner == "data.pkl" || inner == "constants.pkl" || inner.starts_with("code/__torch__") ||
         inner == ".format_version" || inner == ".storage_alignment" ||
         (inner.starts_with("data/") &&
          inner.find_first_not_of("0123456789", 5) == std::string_view::npos && inner.size() > 5);
}

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  for (const std::string_view name : aten::LeadingNames(prefix))
    if (IsTelling(name)) return Match::kYes;
  return Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  TRY_ASSIGN(Archive archive, Archive::Open(context.source));
  return Reader(context, std::move(archive)).Read();
}

}  // namespace opscope::torchscript
