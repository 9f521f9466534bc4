// Neural networks of layers:
//   NeuralNetworkLayer { name (1), input (2) …, output (3) …, inputTensor (4) …, outputTensor (5)
//   …,
//                        one message of parameters, by whose number the layer is known }
// Parameters become attributes called by their numbers; weights become constants behind the inputs.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "model/formats/coreml/builder.h"
#include "model/formats/coreml/layer_kinds.h"

namespace opscope::coreml {

namespace {

// The letter of a parameter's field; 0 for plain ones.
char LetterOf(const LayerKind& kind, std::uint32_t field) {
  std::string_view rest = kind.fields;
  const std::string number = std::to_string(field);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word.size() > 1 && word.substr(1) == number) return word[0];
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return 0;
}

class Network {
 public:
  explicit Network(Building& building) : b_(building) {}

  Result<void> Read(WireReader network, int depth) {
    return ForEach(network, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 5 && f.type == WireType::kVarint) exact_ = f.value == 1;
      if (f.number != 1 || f.type != WireType::kBytes) return {};
      return ReadLayer(r.Message(f), depth + 1);
    });
  }

 private:
  struct Layer {
    std::string name;
    std::vector<std::string> inputs, outputs;
    std::vector<TypeInfo> types;  // of the outputs, where they are stated
    const LayerKind* kind = nullptr;
    std::vector<std::pair<std::string, AttributeValue>> attributes;
    std::vector<std::pair<std::string, Payload>> weights;
  };

  Result<void> ReadLayer(WireReader message, int depth) {
    Layer layer;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      if (f.number == 1) {
        TRY_ASSIGN(layer.name, TextOf(r, f));
      } else if (f.number == 2 || f.number == 3) {
        TRY_ASSIGN(std::string name, TextOf(r, f));
        (f.number == 2 ? layer.inputs : layer.outputs).push_back(std::move(name));
      } else if (f.number == 5) {
        return ReadTensor(r.Message(f), depth + 1, layer);
      } else if (const LayerKind* kind = FindLayerKind(f.number)) {
        layer.kind = kind;
        return ReadParameters(r.Message(f), depth + 1, layer);
      }
      return {};
    }));
    return Add(layer);
  }

  // Tensor { rank (1), dimValue (2) … }: mostly the rank alone; sizes of -1 are open.
  Result<void> ReadTensor(WireReader message, int depth, Layer& layer) {
    std::uint64_t rank = 0;
    std::vector<std::int64_t> sizes;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1 && f.type == WireType::kVarint) rank = f.value;
      return f.number == 2 ? AddNumbers(r, f, sizes) : Result<void>{};
    }));
    TypeInfo type;
    if (rank > 0 && rank <= kMaxRank) {
      type.shape = Shape{std::vector<Dim>(static_cast<std::size_t>(rank))};
      for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), type.shape.rank()); ++i)
        if (sizes[i] > 0) (*type.shape.dims)[i] = sizes[i];
    }
    layer.types.push_back(std::move(type));
    return {};
  }

  Result<void> ReadParameters(WireReader message, int depth, Layer& layer) {
    const LayerKind& kind = *layer.kind;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      const std::string name = std::to_string(f.number);
      if (kind.fields == "a") {
        layer.attributes.emplace_back("activation", static_cast<std::int64_t>(f.number));
        return {};
      }
      switch (LetterOf(kind, f.number)) {
        case 'l': {
          if (lists.empty() || lists.back().first != name)
            lists.emplace_back(name, std::vector<std::int64_t>());
          return AddNumbers(r, f, lists.back().second);
        }
        case 'w':
          return f.type == WireType::kBytes ? ReadWeights(r.Message(f), depth + 1, name, layer)
                                            : Result<void>{};
        case 'n':
          return f.type == WireType::kBytes ? ReadWeightGroup(r.Message(f), depth + 1, name, layer)
                                            : Result<void>{};
        case 'm': {
          if (f.type != WireType::kBytes) return {};
          std::vector<std::int64_t> amounts;
          TRY(ReadAmounts(r.Message(f), depth + 1, amounts));
          layer.attributes.emplace_back(name, std::move(amounts));
          return {};
        }
        case 's':
          layer.attributes.emplace_back(name, std::int64_t{1});
          return {};
        default:
          break;
      }
      if (f.type == WireType::kVarint)
        layer.attributes.emplace_back(name, static_cast<std::int64_t>(f.value));
      if (f.type == WireType::kFixed32) layer.attributes.emplace_back(name, AsFloat(f.value));
      return {};
    }));
    for (auto& [name, list] : lists) layer.attributes.emplace_back(name, std::move(list));
    return {};
  }

  // BorderAmounts { EdgeSizes (10) { start (1), end (2) } … }, in a message of their own for some.
  Result<void> ReadAmounts(WireReader message, int depth, std::vector<std::int64_t>& out) {
    return ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1 && f.type == WireType::kBytes)
        return ReadAmounts(r.Message(f), depth + 1, out);
      if (f.number != 10) return {};
      if (f.type != WireType::kBytes) return AddNumbers(r, f, out);
      std::int64_t sides[2] = {0, 0};
      TRY(ForEach(r.Message(f), depth + 1,
                  [&](const WireField& side, const WireReader&) -> Result<void> {
                    if ((side.number == 1 || side.number == 2) && side.type == WireType::kVarint)
                      sides[side.number - 1] = static_cast<std::int64_t>(side.value);
                    return {};
                  }));
      if (out.size() < 2 * kMaxRank) out.insert(out.end(), sides, sides + 2);
      return {};
    });
  }

  Result<void> ReadWeightGroup(WireReader message, int depth, const std::string& name,
                               Layer& layer) {
    return ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      return ReadWeights(r.Message(f), depth + 1, name + "." + std::to_string(f.number), layer);
    });
  }

  // WeightParams: float32 (1), float16 (2), bytes with bits of a quantisation (30, 40), int8 (31).
  Result<void> ReadWeights(WireReader message, int depth, const std::string& name, Layer& layer) {
    Payload payload;
    payload.place = Payload::Place::kInline;
    std::uint64_t bits = 8;
    std::uint64_t count = 0;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 40 && f.type == WireType::kBytes)
        return ForEach(
            r.Message(f), depth + 1, [&](const WireField& q, const WireReader&) -> Result<void> {
              if (q.number == 1 && q.type == WireType::kVarint && q.value >= 1 && q.value <= 8)
                bits = q.value;
              return {};
            });
      if (f.type != WireType::kBytes ||
          (f.number != 1 && f.number != 2 && f.number != 30 && f.number != 31))
        return {};
      payload.offset = f.offset;
      payload.length = f.length;
      payload.dtype = f.number == 1    ? DType::kFloat32
                      : f.number == 2  ? DType::kFloat16
                      : f.number == 31 ? DType::kInt8
                                       : DType::kUInt8;
      return {};
    }));
    if (payload.dtype == DType::kUnknown) return {};
    if (payload.dtype == DType::kUInt8) {
      payload.dtype = bits <= 2 ? DType::kUInt2 : bits <= 4 ? DType::kUInt4 : DType::kUInt8;
      count = payload.length * 8 / bits;
    } else {
      count = payload.length / (payload.dtype == DType::kFloat32   ? 4
                                : payload.dtype == DType::kFloat16 ? 2
                                                                   : 1);
    }
    payload.dims = {static_cast<std::int64_t>(count)};
    layer.weights.emplace_back(name, std::move(payload));
    return {};
  }

  static std::int64_t IntOf(const Layer& layer, std::string_view name, std::int64_t otherwise) {
    for (const auto& [key, value] : layer.attributes)
      if (const auto* integer = std::get_if<std::int64_t>(&value); integer && key == name)
        return *integer;
    return otherwise;
  }

  // The shape that a layer's parameters give to its weight, as long as it has as many elements.
  static void ShapeWeight(const Layer& layer, Payload& weight, std::vector<std::int64_t> dims) {
    std::int64_t known = 1;
    for (const std::int64_t dim : dims) {
      if (dim < 1 || dim > std::int64_t{1} << 24 || known > std::int64_t{1} << 38) return;
      known *= dim;
    }
    (void)layer;
    if (known == weight.dims[0]) weight.dims = std::move(dims);
  }

  static void ShapeWeights(Layer& layer) {
    if (layer.weights.empty() || layer.weights[0].second.dims.empty()) return;
    Payload& weight = layer.weights[0].second;
    const std::string_view op = layer.kind->name;
    const auto get = [&](std::string_view name) { return IntOf(layer, name, 0); };
    if (op == "convolution") {
      std::vector<std::int64_t> kernel = {3, 3};
      for (const auto& [key, value] : layer.attributes)
        if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
            list && key == "20" && list->size() == 2)
          kernel = *list;
      const std::int64_t groups = std::max<std::int64_t>(IntOf(layer, "10", 1), 1);
      const bool turned = get("60") != 0;
      ShapeWeight(layer, weight,
                  turned ? std::vector{get("2"), get("1") / groups, kernel[0], kernel[1]}
                         : std::vector{get("1"), get("2"), kernel[0], kernel[1]});
    } else if (op == "convolution3d") {
      const std::int64_t groups = std::max<std::int64_t>(IntOf(layer, "10", 1), 1);
      ShapeWeight(layer, weight, {get("1"), get("2") / groups, get("20"), get("21"), get("22")});
    } else if (op == "innerProduct" || op == "embedding") {
      ShapeWeight(layer, weight, {get("2"), get("1")});
    } else if (op == "embeddingND") {
      ShapeWeight(layer, weight, {get("2"), get("1")});
    } else if (op == "batchedMatmul") {
      ShapeWeight(layer, weight, {get("5"), get("6")});
    } else if (op == "loadConstant" || op == "loadConstantND") {
      for (const auto& [key, value] : layer.attributes)
        if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value); list && key == "1")
          ShapeWeight(layer, weight, *list);
    }
  }

  Result<void> Add(Layer& layer) {
    const std::string_view kind = layer.kind == nullptr ? "unknown" : layer.kind->name;
    b_.hashed += std::string(kind) + "\n";
    std::vector<TensorId> inputs;
    for (const std::string& name : layer.inputs) {
      const auto found = b_.tensors.find(name);
      if (found == b_.tensors.end())
        return Error{"coreml.undefined",
                     "layer \"" + Printable(layer.name) + "\" reads \"" + Printable(name) +
                         "\", which nothing before it writes",
                     ""};
      inputs.push_back(found->second);
    }
    const auto blobs = static_cast<std::int64_t>(inputs.size());
    if (layer.kind != nullptr) ShapeWeights(layer);
    std::string names;
    for (auto& [name, payload] : layer.weights) {
      names += (names.empty() ? "" : ",") + name;
      inputs.push_back(b_.graph.Constant(layer.name + "." + name, std::move(payload)));
    }
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
      const TensorId id =
          b_.graph.Value(layer.outputs[i], i < layer.types.size() ? layer.types[i] : TypeInfo());
      b_.tensors.insert_or_assign(layer.outputs[i], id);
      outputs.push_back(id);
    }
    b_.graph.Add({"coreml.nn", kind, layer.name, std::move(inputs), std::move(outputs)});
    for (auto& [name, value] : layer.attributes) b_.graph.Attribute(name, std::move(value));
    b_.graph.Attribute("bottoms", blobs);
    b_.graph.Attribute("weights", std::move(names));
    b_.graph.Attribute("exact", std::int64_t{exact_ ? 1 : 0});
    return {};
  }

  Building& b_;
  bool exact_ = false;
};

}  // namespace

Result<void> ReadNetwork(Building& building, WireReader network, int depth) {
  return Network(building).Read(network, depth);
}

}  // namespace opscope::coreml
