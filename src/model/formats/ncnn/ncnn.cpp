#include "model/formats/ncnn/ncnn.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "model/formats/ncnn/record.h"
#include "model/formats/ncnn/weights.h"
#include "model/graph_builder.h"

namespace opscope::ncnn {

namespace {

// net.param -> net.bin, net.param.bin -> net.bin
std::string WeightsBeside(std::string file) {
  constexpr std::string_view kEndings[] = {".param.bin", ".param"};
  for (const std::string_view ending : kEndings)
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size()) + ".bin";
  return file + ".bin";
}

bool IsInput(const Record& record) { return record.type == "Input" || record.type == "pnnx.Input"; }

// Makes the graph of the layers.
class Builder {
 public:
  Builder(const ModelReadContext& context, const Layers& layers)
      : context_(context), layers_(layers), graph_(model_) {}

  Result<Model> Build() {
    model_.file = context_.source.file_name();
    model_.bytes = context_.source.stored_bytes();
    model_.format = kFormat.info.id;
    model_.producer = layers_.pnnx ? "pnnx" : "ncnn";
    OpenWeights();
    FindConsumers();
    for (const Record& record : layers_.records) TRY(AddTops(record));
    for (const Record& record : layers_.records) TRY(AddLayer(record));
    for (const Record& record : layers_.records)
      for (const std::string& top : record.tops)
        if (!layers_.pnnx && !read_.contains(top)) graph_.Output(blobs_.at(top));
    if (weights_ && weights_->lost() && weights_source_)
      context_.log.Add("ncnn.weights-lost", Severity::kLoss, model_.external_files[0].path,
                       "not every weight could be found in this file; float32 is assumed for "
                       "those behind");
    return std::move(model_);
  }

 private:
  void OpenWeights() {
    const std::string name = WeightsBeside(model_.file);
    ExternalFile& file = model_.external_files.emplace_back();
    file.path = name;
    if (context_.sibling && name != model_.file) {
      auto source = context_.sibling(name);
      if (source.has_value()) {
        file.bytes = source->size();
        weights_source_.emplace(std::move(*source));
      } else {
        file.refused = source.error().code == "input.outside";
      }
    }
    weights_.emplace(weights_source_ && !layers_.pnnx ? &*weights_source_ : nullptr);
    if (!weights_source_)
      context_.log.Add("ncnn.no-weights", Severity::kNotice, name,
                       layers_.pnnx ? "the weights are not beside the model"
                                    : "the weights are not beside the model: float32 is assumed");
    if (layers_.pnnx) weights_source_.reset();
  }

  void FindConsumers() {
    for (const Record& record : layers_.records)
      for (const std::string& bottom : record.bottoms) {
        read_.insert(bottom);
        consumers_.emplace(bottom, &record);
      }
  }

  Result<void> AddTops(const Record& record) {
    const std::vector<std::int64_t> hints = IntsOf(record, 30);
    for (std::size_t i = 0; i < record.tops.size(); ++i) {
      const std::string& name = record.tops[i];
      if (blobs_.contains(name))
        return Error{"ncnn.damaged",
                     "blob \"" + Printable(name) + "\" is written by two layers, the second is \"" +
                         Printable(record.name) + "\"",
                     ""};
      TypeInfo type;
      if (IsInput(record)) {
        type = InputType(record, name, i, hints);
        blobs_.emplace(name, graph_.Input(name, type.dtype, std::move(type.shape)));
        continue;
      }
      if (!layers_.pnnx) {
        type.dtype = DType::kUnknown;
        type.shape = Hinted(hints, i);
      }
      blobs_.emplace(name, graph_.Value(name, std::move(type)));
    }
    return {};
  }

  // -23330=4,3,227,227,3: four numbers a blob: how many dims, then w, h, c.
  static Shape Hinted(const std::vector<std::int64_t>& hints, std::size_t top) {
    if (hints.size() < 4 * (top + 1)) return {};
    const std::int64_t* hint = hints.data() + 4 * top;
    if (hint[0] < 1 || hint[0] > 3) return {};
    std::vector<Dim> dims;
    for (std::int64_t i = hint[0]; i >= 1; --i) {
      if (hint[i] <= 0) return {};
      dims.emplace_back(hint[i]);
    }
    return Shape{std::move(dims)};
  }

  TypeInfo InputType(const Record& record, const std::string& name, std::size_t top,
                     const std::vector<std::int64_t>& hints) {
    TypeInfo type;
    if (layers_.pnnx) {
      for (const TypedName& operand : record.operands)
        if (operand.name == name) type = operand.type;
      if (type.shape.known_rank()) NameOpenDims(name, type.shape);
      return type;
    }
    type.dtype = DType::kFloat32;
    std::vector<Dim> dims;
    for (const int id : {2, 11, 1, 0})
      if (const std::int64_t size = IntOf(record, id); size > 0) dims.emplace_back(size);
    type.shape = dims.empty() ? Hinted(hints, top) : Shape{std::move(dims)};
    if (!type.shape.known_rank()) type.shape = GuessedShape(name);
    return type;
  }

  void NameOpenDims(const std::string& name, Shape& shape) {
    for (std::size_t i = 0; i < shape.rank(); ++i)
      if ((*shape.dims)[i].is_unknown())
        (*shape.dims)[i] = model_.dims.Symbol(name + "_" + std::to_string(i));
  }

  // Of an input without sizes its readers tell how many dims it has, a convolution its channels.
  Shape GuessedShape(const std::string& name) {
    constexpr std::size_t kMaxSteps = 8;
    std::string blob = name;
    for (std::size_t i = 0; i < kMaxSteps; ++i) {
      const auto found = consumers_.find(blob);
      if (found == consumers_.end()) return {};
      const Record& reader = *found->second;
      const bool three = reader.type == "Convolution" || reader.type == "ConvolutionDepthWise";
      if (three || reader.type == "Pooling" || reader.type == "PixelShuffle") {
        std::vector<Dim> dims;
        for (const char* axis : {"_c", "_h", "_w"}) dims.push_back(model_.dims.Symbol(name + axis));
        if (const auto slots = SlotsOf(reader); three && slots && !slots->empty()) {
          const std::int64_t groups = reader.type == "Convolution" ? 1 : IntOf(reader, 7, 1);
          if (slots->front().dims[1] > 0 && groups > 0 && groups < (1 << 24))
            dims[0] = model_.dims.Mul(slots->front().dims[1], groups);
        }
        return Shape{std::move(dims)};
      }
      if (reader.tops.size() != 1 && reader.type != "Split") return {};
      if (reader.tops.empty() || !SlotsOf(reader)) return {};
      constexpr std::string_view kSameShape[] = {"Split", "Scale",    "BatchNorm", "Bias",
                                                 "Power", "BinaryOp", "Quantize",  "Padding"};
      if (std::find(std::begin(kSameShape), std::end(kSameShape), reader.type) ==
          std::end(kSameShape))
        return {};
      blob = reader.tops[0];
    }
    return {};
  }

  Result<TensorId> BlobOf(const Record& record, const std::string& name) const {
    const auto found = blobs_.find(name);
    if (found != blobs_.end()) return found->second;
    return Error{"ncnn.undefined",
                 "layer \"" + Printable(record.name) + "\" reads \"" + Printable(name) +
                     "\", which no layer writes",
                 ""};
  }

  Result<void> AddLayer(const Record& record) {
    std::vector<TensorId> inputs;
    for (const std::string& bottom : record.bottoms) {
      TRY_ASSIGN(const TensorId blob, BlobOf(record, bottom));
      inputs.push_back(blob);
    }
    if (IsInput(record)) return {};
    if (record.type == "pnnx.Output") {
      for (std::size_t i = 0; i < inputs.size(); ++i) AddOutput(record.bottoms[i], inputs[i]);
      return {};
    }
    if (record.type == "prim::TupleConstruct" && IsLast(record)) {
      tuples_.emplace(record.tops[0], std::move(inputs));
      return {};
    }
    std::vector<TensorId> outputs;
    for (const std::string& top : record.tops) outputs.push_back(blobs_.at(top));
    const std::size_t bottoms = inputs.size();
    AddWeights(record, inputs);
    graph_.Add({layers_.pnnx ? "pnnx" : "ncnn", record.type, record.name, std::move(inputs),
                std::move(outputs)});
    for (const auto& [name, value] : record.params) graph_.Attribute(name, value);
    if (record.type == "Einsum") AddEquation(record);
    // How many inputs are blobs; weights follow.
    graph_.Attribute("bottoms", static_cast<std::int64_t>(bottoms));
    if (layers_.pnnx) AddTraced(record);
    return {};
  }

  // Einsum's equation stands as the numbers of its letters.
  void AddEquation(const Record& record) {
    std::string equation;
    for (const std::int64_t letter : IntsOf(record, 0))
      if (letter >= ' ' && letter <= '~') equation += static_cast<char>(letter);
    if (!equation.empty()) graph_.Attribute("equation", std::move(equation));
  }

  // A tuple that only the outputs of the model read.
  bool IsLast(const Record& record) const {
    if (record.tops.size() != 1) return false;
    const auto reader = consumers_.find(record.tops[0]);
    return reader != consumers_.end() && reader->second->type == "pnnx.Output";
  }

  void AddOutput(const std::string& name, TensorId blob) {
    const auto tuple = tuples_.find(name);
    if (tuple == tuples_.end()) return graph_.Output(blob);
    for (const TensorId part : tuple->second) graph_.Output(part);
  }

  void AddWeights(const Record& record, std::vector<TensorId>& inputs) {
    for (const TypedName& weight : record.weights) {
      Payload payload;
      payload.dtype = weight.type.dtype;
      if (weight.type.shape.known_rank())
        for (const Dim dim : *weight.type.shape.dims)
          payload.dims.push_back(dim.is_number() ? dim.number() : 0);
      inputs.push_back(graph_.Constant(record.name + "." + weight.name, std::move(payload)));
    }
    if (layers_.pnnx) return;
    const auto slots = SlotsOf(record);
    if (!slots) {
      weights_->Lose();
      return;
    }
    for (const Slot& slot : *slots) {
      inputs.push_back(
          graph_.Constant(record.name + "." + std::string(slot.name), weights_->Next(slot)));
    }
  }

  // The types that the tracer saw, for ops whose rule is not known.
  void AddTraced(const Record& record) {
    std::unordered_map<std::string_view, const TypeInfo*> types;
    for (const TypedName& operand : record.operands) types.emplace(operand.name, &operand.type);
    const auto list = [&types](const std::vector<std::string>& names) {
      std::vector<TypeInfo> out;
      for (const std::string& name : names) {
        const auto found = types.find(name);
        out.push_back(found == types.end() ? TypeInfo() : *found->second);
      }
      return out;
    };
    graph_.Attribute("traced_inputs", list(record.bottoms));
    graph_.Attribute("traced_outputs", list(record.tops));
    std::string names;
    for (const TypedName& weight : record.weights)
      names += (names.empty() ? "" : ",") + weight.name;
    graph_.Attribute("weights", std::move(names));
  }

  const ModelReadContext& context_;
  const Layers& layers_;
  Model model_;
  GraphBuilder graph_;
  std::optional<Source> weights_source_;
  std::optional<WeightFile> weights_;
  std::unordered_map<std::string, TensorId> blobs_;
  std::unordered_set<std::string> read_;
  std::unordered_map<std::string, const Record*> consumers_;  // the first of each blob
  std::unordered_map<std::string, std::vector<TensorId>> tuples_;
};

bool IsText(std::string_view prefix) {
  prefix.remove_prefix(std::min(prefix.find_first_not_of(" \t\r\n"), prefix.size()));
  if (!prefix.starts_with(kMagic)) return false;
  const std::string_view rest = prefix.substr(kMagic.size());
  return rest.empty() || rest.front() == '\n' || rest.front() == '\r' || rest.front() == ' ';
}

bool IsBinary(std::string_view prefix) {
  if (prefix.size() < 4) return false;
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(prefix[i]);
  return number == kMagicNumber;
}

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  return IsText(prefix) || IsBinary(prefix) ? Match::kYes : Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  TRY_ASSIGN(const std::string_view prefix, context.source.Window(0, 64));
  const bool binary = IsBinary(prefix);
  TRY_ASSIGN(const Layers layers, binary ? ReadBinary(context.source) : ReadText(context.source));
  TRY_ASSIGN(Model model, Builder(context, layers).Build());
  TRY_ASSIGN(model.structure_hash, HashSource(context.source));
  return model;
}

}  // namespace opscope::ncnn
