#include "model/formats/coreml/coreml.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "model/formats/coreml/builder.h"

namespace opscope::coreml {

namespace {

// What a model is, by the field that holds it.
struct Kind {
  std::uint32_t field;
  std::string_view name;
};
constexpr Kind kKinds[] = {{200, "PipelineClassifier"},
                           {201, "PipelineRegressor"},
                           {202, "Pipeline"},
                           {300, "GLMRegressor"},
                           {301, "SupportVectorRegressor"},
                           {302, "TreeEnsembleRegressor"},
                           {303, "NeuralNetworkRegressor"},
                           {304, "BayesianProbitRegressor"},
                           {400, "GLMClassifier"},
                           {401, "SupportVectorClassifier"},
                           {402, "TreeEnsembleClassifier"},
                           {403, "NeuralNetworkClassifier"},
                           {404, "KNearestNeighborsClassifier"},
                           {500, "NeuralNetwork"},
                           {501, "ItemSimilarityRecommender"},
                           {502, "MLProgram"},
                           {555, "CustomModel"},
                           {556, "LinkedModel"},
                           {560, "ClassConfidenceThresholding"},
                           {600, "OneHotEncoder"},
                           {601, "Imputer"},
                           {602, "FeatureVectorizer"},
                           {603, "DictVectorizer"},
                           {604, "Scaler"},
                           {606, "CategoricalMapping"},
                           {607, "Normalizer"},
                           {609, "ArrayFeatureExtractor"},
                           {610, "NonMaximumSuppression"},
                           {900, "Identity"},
                           {2000, "TextClassifier"},
                           {2001, "WordTagger"},
                           {2002, "VisionFeaturePrint"},
                           {2003, "SoundAnalysisPreprocessing"},
                           {2004, "Gazetteer"},
                           {2005, "WordEmbedding"},
                           {2006, "AudioFeaturePrint"},
                           {3000, "SerializedModel"}};

const Kind* FindKind(std::uint32_t field) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& kind) { return kind.field == field; });
  return found == std::end(kKinds) ? nullptr : found;
}

struct Feature {
  std::string name;
  TypeInfo type;
};

struct Range {
  std::int64_t low = 0, high = 0;
};

class Reader {
 public:
  explicit Reader(const ModelReadContext& context) : b_(context) {}

  Result<Model> Read() {
    Source& source = b_.context.source;
    b_.model.file = source.file_name();
    b_.model.bytes = source.stored_bytes();
    b_.model.format = kFormat.info.id;
    TRY(ReadModel(WireReader(source, 0, source.size()), 0));
    Hasher hasher;
    hasher.Add(b_.hashed);
    b_.model.structure_hash = hasher.Hex();
    return std::move(b_.model);
  }

 private:
  struct Part {
    const Kind* kind = nullptr;
    std::optional<WireReader> body;
    std::vector<Feature> inputs, outputs;
    std::uint64_t version = 0;
  };

  Result<void> ReadModel(WireReader message, int depth) {
    Part part;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1 && f.type == WireType::kVarint) part.version = f.value;
      if (f.type != WireType::kBytes) return {};
      if (f.number == 2) return ReadDescription(r.Message(f), depth + 1, part);
      if (const Kind* kind = FindKind(f.number)) {
        part.kind = kind;
        part.body = r.Message(f);
      }
      return {};
    }));
    if (part.kind == nullptr)
      return Error{"coreml.no-model", "the file holds no model of a kind that is known", ""};
    if (depth == 0)
      b_.model.metadata.emplace_back("specification version", std::to_string(part.version));
    b_.hashed += std::string(part.kind->name) + "\n";
    for (Feature& input : part.inputs)
      if (!b_.tensors.contains(input.name))
        b_.tensors.emplace(input.name,
                           b_.graph.Input(input.name, input.type.dtype, input.type.shape));
    TRY(ReadBody(part, depth));
    if (depth == 0)
      for (const Feature& output : part.outputs)
        if (const auto found = b_.tensors.find(output.name); found != b_.tensors.end())
          b_.graph.Output(found->second);
    return {};
  }

  Result<void> ReadBody(const Part& part, int depth) {
    const std::string_view kind = part.kind->name;
    if (kind == "MLProgram") return ReadProgram(b_, *part.body, depth + 1);
    if (kind.starts_with("NeuralNetwork")) return ReadNetwork(b_, *part.body, depth + 1);
    if (kind == "Pipeline") return ReadPipeline(*part.body, depth + 1);
    if (kind.starts_with("Pipeline")) {
      return ForEach(*part.body, depth + 1,
                     [&](const WireField& f, const WireReader& r) -> Result<void> {
                       return f.number == 1 && f.type == WireType::kBytes
                                  ? ReadPipeline(r.Message(f), depth + 2)
                                  : Result<void>{};
                     });
    }
    // A model that is no network is one node of what it is.
    std::vector<TensorId> inputs, outputs;
    for (const Feature& input : part.inputs) inputs.push_back(b_.tensors.at(input.name));
    for (const Feature& output : part.outputs) {
      const TensorId id = b_.graph.Value(output.name, output.type);
      b_.tensors.insert_or_assign(output.name, id);
      outputs.push_back(id);
    }
    b_.graph.Add({"coreml", kind, kind, std::move(inputs), std::move(outputs)});
    return {};
  }

  // Models one behind the other; they meet in features of the same name.
  Result<void> ReadPipeline(WireReader pipeline, int depth) {
    return ForEach(pipeline, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      return f.number == 1 && f.type == WireType::kBytes ? ReadModel(r.Message(f), depth + 1)
                                                         : Result<void>{};
    });
  }

  // Features: 1 in, 10 out, 13 states; those of a function (20) are in a message of their own.
  Result<void> ReadDescription(WireReader message, int depth, Part& part) {
    bool first = true;
    return ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      if (f.number == 1 || f.number == 13) return AddFeature(r.Message(f), depth + 1, part.inputs);
      if (f.number == 10) return AddFeature(r.Message(f), depth + 1, part.outputs);
      if (f.number == 100) return ReadMetadata(r.Message(f), depth + 1);
      if (f.number != 20 || !std::exchange(first, false)) return {};
      return ForEach(r.Message(f), depth + 1,
                     [&](const WireField& g, const WireReader& v) -> Result<void> {
                       if (g.type != WireType::kBytes) return {};
                       if (g.number == 2 || g.number == 6)
                         return AddFeature(v.Message(g), depth + 2, part.inputs);
                       return g.number == 3 ? AddFeature(v.Message(g), depth + 2, part.outputs)
                                            : Result<void>{};
                     });
    });
  }

  Result<void> ReadMetadata(WireReader message, int depth) {
    return ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number != 100 || f.type != WireType::kBytes) return {};
      std::string key, value;
      TRY(ForEach(r.Message(f), depth + 1,
                  [&](const WireField& g, const WireReader& v) -> Result<void> {
                    if (g.type != WireType::kBytes || g.length > 256) return {};
                    TRY_ASSIGN(std::string text, TextOf(v, g));
                    (g.number == 1 ? key : value) = std::move(text);
                    return {};
                  }));
      if (key == "com.github.apple.coremltools.version") b_.model.producer = "coremltools " + value;
      if (!key.empty() && b_.model.metadata.size() < 64) b_.model.metadata.emplace_back(key, value);
      return {};
    });
  }

  Result<void> AddFeature(WireReader message, int depth, std::vector<Feature>& out) {
    Feature feature;
    std::optional<WireReader> type;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1) {
        TRY_ASSIGN(feature.name, TextOf(r, f));
      } else if (f.number == 3 && f.type == WireType::kBytes) {
        type = r.Message(f);
      }
      return {};
    }));
    if (type) TRY(ReadFeatureType(*type, depth + 1, feature));
    out.push_back(std::move(feature));
    return {};
  }

  // int64 (1), double (2), string (3), image (4), array (5), state of an array (8); others have no
  // tensor.
  Result<void> ReadFeatureType(WireReader message, int depth, Feature& feature) {
    return ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      constexpr DType kScalars[] = {DType::kInt64, DType::kFloat64, DType::kString};
      if (f.number >= 1 && f.number <= 3) {
        feature.type.dtype = kScalars[f.number - 1];
        feature.type.shape = Shape{std::vector<Dim>{Dim(1)}};
      }
      if (f.number == 4) return ReadImage(r.Message(f), depth + 1, feature);
      if (f.number == 5) return ReadArray(r.Message(f), depth + 1, feature);
      if (f.number == 6) feature.type.kind = ValueKind::kMap;
      if (f.number == 7) feature.type.kind = ValueKind::kSequence;
      if (f.number == 8)
        return ForEach(r.Message(f), depth + 1,
                       [&](const WireField& g, const WireReader& v) -> Result<void> {
                         return g.number == 1 && g.type == WireType::kBytes
                                    ? ReadArray(v.Message(g), depth + 2, feature)
                                    : Result<void>{};
                       });
      return {};
    });
  }

  Dim SizeOf(const Feature& feature, std::size_t axis, std::int64_t size, bool open) {
    return open ? b_.model.dims.Symbol(feature.name + "_" + std::to_string(axis)) : Dim(size);
  }

  // Pictures are [channels, height, width] to a network and [1, channels, height, width] to a
  // program.
  Result<void> ReadImage(WireReader message, int depth, Feature& feature) {
    std::int64_t width = 0, height = 0, colour = 0;
    bool open = false;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader&) -> Result<void> {
      if (f.type == WireType::kBytes && (f.number == 21 || f.number == 31)) open = true;
      if (f.type != WireType::kVarint) return {};
      const auto value = static_cast<std::int64_t>(f.value);
      if (f.number == 1) width = value;
      if (f.number == 2) height = value;
      if (f.number == 3) colour = value;
      return {};
    }));
    constexpr std::int64_t kMost = 1 << 24;
    if (width < 0 || height < 0 || width > kMost || height > kMost)
      return Error{"coreml.damaged",
                   "feature \"" + Printable(feature.name) + "\" has an impossible size", ""};
    const bool grey = colour == 10 || colour == 40;
    feature.type.dtype = colour == 40 ? DType::kFloat16 : DType::kFloat32;
    feature.type.shape = Shape{std::vector<Dim>{grey ? 1 : 3, SizeOf(feature, 1, height, open),
                                                SizeOf(feature, 2, width, open)}};
    return {};
  }

  // The sizes that are not the same in all shapes are symbols.
  Result<void> ReadArray(WireReader message, int depth, Feature& feature) {
    std::vector<std::int64_t> sizes;
    std::vector<std::vector<std::int64_t>> shapes;
    std::vector<Range> ranges;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1) return AddNumbers(r, f, sizes);
      if (f.number == 2 && f.type == WireType::kVarint) feature.type.dtype = ArrayType(f.value);
      if (f.type != WireType::kBytes) return {};
      if (f.number == 21)
        return ForEach(r.Message(f), depth + 1,
                       [&](const WireField& g, const WireReader& v) -> Result<void> {
                         if (g.type != WireType::kBytes || shapes.size() >= 1024) return {};
                         shapes.emplace_back();
                         return ForEach(v.Message(g), depth + 2,
                                        [&](const WireField& size, const WireReader& s) {
                                          return AddNumbers(s, size, shapes.back());
                                        });
                       });
      if (f.number != 31) return {};
      return ForEach(
          r.Message(f), depth + 1, [&](const WireField& g, const WireReader& v) -> Result<void> {
            if (g.type != WireType::kBytes || ranges.size() >= kMaxRank) return {};
            ranges.emplace_back();
            return ForEach(v.Message(g), depth + 2,
                           [&](const WireField& side, const WireReader&) -> Result<void> {
                             if (side.type == WireType::kVarint)
                               (side.number == 1 ? ranges.back().low : ranges.back().high) =
                                   static_cast<std::int64_t>(side.value);
                             return {};
                           });
          });
    }));
    if (sizes.size() > kMaxRank)
      return Error{"coreml.damaged",
                   "feature \"" + Printable(feature.name) + "\" has more than 64 dims", ""};
    if (sizes.empty()) return {};
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      bool open = i < ranges.size() && ranges[i].low != ranges[i].high;
      for (const auto& shape : shapes)
        if (i < shape.size() && shape[i] != sizes[i]) open = true;
      if (sizes[i] < 0 || sizes[i] > std::int64_t{1} << 48)
        return Error{"coreml.damaged",
                     "feature \"" + Printable(feature.name) + "\" has an impossible size", ""};
      dims.push_back(SizeOf(feature, i, sizes[i], open));
    }
    feature.type.shape = Shape{std::move(dims)};
    return {};
  }

  static DType ArrayType(std::uint64_t number) {
    switch (number) {
      case 65568:
        return DType::kFloat32;
      case 65600:
        return DType::kFloat64;
      case 65552:
        return DType::kFloat16;
      case 131104:
        return DType::kInt32;
      case 131080:
        return DType::kInt8;
      default:
        return DType::kUnknown;
    }
  }

  Building b_;
};

std::optional<std::uint64_t> Varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]) & 0x7f)
             << (7 * std::min<std::size_t>(i, 9));
    if ((static_cast<unsigned char>(bytes[i]) & 0x80) == 0) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

// specificationVersion (1), description (2), isUpdatable (10) perhaps, then the field of the kind,
// whose number no other format has there.
Match Probe(std::string_view prefix, std::uint64_t size) {
  bool described = false;
  for (int fields = 0; fields < 8; ++fields) {
    const auto tag = Varint(prefix);
    if (!tag) return Match::kNo;
    const auto number = static_cast<std::uint32_t>(*tag >> 3);
    if (fields == 0 && *tag != 8) return Match::kNo;
    const auto value = Varint(prefix);
    if (!value) return Match::kNo;
    if ((*tag & 7) == 0) {
      if (number != 1 && number != 10) return Match::kNo;
      continue;
    }
    if ((*tag & 7) != 2 || *value > size) return Match::kNo;
    if (FindKind(number) != nullptr) return described ? Match::kYes : Match::kMaybe;
    if (number != 2 || *value > prefix.size()) return Match::kNo;
    described = true;
    prefix.remove_prefix(static_cast<std::size_t>(*value));
  }
  return Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) { return Reader(context).Read(); }

}  // namespace opscope::coreml
