// {"Name": "Conv_12 + PWN(Clip_16)", "LayerType": "CaskConvolution",
//  "Inputs": [{"Name": "317", "Location": "Device", "Dimensions": [1,3,224,224],
//    "Format/Datatype": "Four wide channel vectorized row major Int8 format"}], "Outputs": [...],
//  "ParameterType": "Convolution", "Kernel": [3,3], "PrePadding": [1,1], "PostPadding": [1,1],
//  "Stride": [2,2], "Dilation": [1,1], "OutMaps": 32, "Groups": 1,
//  "Weights": {"Type": "Int8", "Count": 864}, "Bias": {"Type": "Float", "Count": 32},
//  "Activation": "RELU", "TacticName": "sm75_xmma_…", "TacticValue": "0x10d7116a3fad9b7a",
//  "StreamId": 0, "Metadata": "[ONNX Layer: Conv_12]\x1e[ONNX Layer: Clip_16]"}
#include "model/formats/tensorrt/layer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/result.h"

namespace opscope::tensorrt {

namespace {

constexpr std::size_t kMaxList = 64;          // numbers of one attribute
constexpr std::size_t kMaxRank = 16;          // TensorRT itself has 8
constexpr std::size_t kMaxTensors = 1 << 16;  // of one layer
constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kMaxKeys = 256;

Result<std::vector<std::int64_t>> ReadNumbers(JsonReader& reader, std::size_t most) {
  std::vector<std::int64_t> out;
  TRY(reader.ForEachElement([&](const JsonToken& token) -> Result<void> {
    const auto value = token.kind == JsonKind::kNumber ? token.AsInt64() : std::nullopt;
    if (value && out.size() < most) out.push_back(*value);
    return {};
  }));
  return out;
}

Result<std::vector<TensorInfo>> ReadTensors(JsonReader& reader) {
  std::vector<TensorInfo> out;
  TRY(reader.ForEachElement([&](const JsonToken& token) -> Result<void> {
    if (token.kind == JsonKind::kString && out.size() < kMaxTensors)
      out.emplace_back().name = token.text;
    if (token.kind != JsonKind::kBeginObject) return {};
    TRY_ASSIGN(TensorInfo tensor, ReadTensor(reader, nullptr));
    if (out.size() < kMaxTensors) out.push_back(std::move(tensor));
    return {};
  }));
  return out;
}

// {"Type": "Int8", "Count": 864}
Result<WeightInfo> ReadWeights(JsonReader& reader) {
  WeightInfo out;
  TRY(reader.ForEachField([&](std::string_view key) -> Result<void> {
    const bool count = key == "Count";
    const bool type = key == "Type";
    TRY_ASSIGN(const JsonToken token, reader.Next());
    if (type && token.kind == JsonKind::kString) out.dtype = TypeOfFormat(token.text);
    if (count && token.kind == JsonKind::kNumber)
      out.count = std::max<std::int64_t>(token.AsInt64().value_or(0), 0);
    return {};
  }));
  return out;
}

Result<void> ReadField(JsonReader& reader, const std::string& key, LayerInfo& layer) {
  TRY_ASSIGN(const JsonToken token, reader.Next());
  const bool room = layer.integers.size() + layer.lists.size() + layer.texts.size() < kMaxKeys;
  switch (token.kind) {
    case JsonKind::kString:
      if (key == "Name")
        layer.name = token.text;
      else if (key == "LayerType")
        layer.type = token.text;
      else if (key == "ParameterType")
        layer.parameter = token.text;
      else if (room && (key == "Metadata" || token.text.size() <= kMaxText))
        layer.texts.emplace(key, token.text);
      return {};
    case JsonKind::kNumber:
      if (const auto value = token.AsInt64(); value && room) layer.integers.emplace(key, *value);
      return {};
    case JsonKind::kBool:
      if (room) layer.integers.emplace(key, token.boolean ? 1 : 0);
      return {};
    case JsonKind::kBeginArray: {
      if (key == "Inputs" || key == "Outputs") {
        TRY_ASSIGN((key == "Inputs" ? layer.inputs : layer.outputs), ReadTensors(reader));
        return {};
      }
      TRY_ASSIGN(auto numbers, ReadNumbers(reader, kMaxList));
      if (room && !numbers.empty()) layer.lists.emplace(key, std::move(numbers));
      return {};
    }
    case JsonKind::kBeginObject:
      if (key != "Weights" && key != "Bias" && key != "ConvWeights" && key != "ConvBias")
        return reader.Skip(token);
      {
        TRY_ASSIGN(const WeightInfo weights, ReadWeights(reader));
        (key.ends_with("Weights") ? layer.weights : layer.bias) = weights;
      }
      return {};
    default:
      return {};
  }
}

}  // namespace

std::int64_t LayerInfo::Integer(std::string_view key, std::int64_t otherwise) const {
  auto found = integers.find(key);
  if (found == integers.end()) found = integers.find("Conv" + std::string(key));
  return found == integers.end() ? otherwise : found->second;
}

const std::vector<std::int64_t>* LayerInfo::List(std::string_view key) const {
  auto found = lists.find(key);
  if (found == lists.end()) found = lists.find("Conv" + std::string(key));
  return found == lists.end() ? nullptr : &found->second;
}

Result<TensorInfo> ReadTensor(JsonReader& reader, bool* is_input) {
  TensorInfo tensor;
  std::string type;
  TRY(reader.ForEachField([&](std::string_view key_view) -> Result<void> {
    const std::string key(key_view);
    TRY_ASSIGN(const JsonToken token, reader.Next());
    if (token.kind == JsonKind::kString) {
      if (key == "Name") tensor.name = token.text;
      if ((key == "Format/Datatype" || key == "Format") && token.text.size() <= kMaxText)
        tensor.format = token.text;
      if (key == "Datatype" || key == "DataType") type = token.text.substr(0, kMaxText);
      if (key == "IOMode" && is_input != nullptr) *is_input = token.text == "Input";
    } else if (key == "Dimensions" && token.kind == JsonKind::kBeginArray) {
      TRY_ASSIGN(tensor.dims, ReadNumbers(reader, kMaxRank));
      tensor.has_dims = true;
    } else if (token.kind == JsonKind::kBeginArray || token.kind == JsonKind::kBeginObject) {
      return reader.Skip(token);
    }
    return {};
  }));
  tensor.dtype = TypeOfFormat(type.empty() ? tensor.format : type);
  return tensor;
}

Result<LayerInfo> ReadLayer(JsonReader& reader, const JsonToken& first) {
  LayerInfo layer;
  if (first.kind == JsonKind::kString) {
    layer.name = first.text;
    return layer;
  }
  layer.detailed = true;
  TRY(reader.ForEachField([&](std::string_view key) -> Result<void> {
    return ReadField(reader, std::string(key), layer);
  }));
  return layer;
}

DType TypeOfFormat(std::string_view format) {
  constexpr std::pair<std::string_view, DType> kWords[] = {
      {"fp32", DType::kFloat32},      {"float", DType::kFloat32},
      {"float32", DType::kFloat32},   {"tf32", DType::kFloat32},
      {"fp16", DType::kFloat16},      {"half", DType::kFloat16},
      {"float16", DType::kFloat16},   {"bf16", DType::kBFloat16},
      {"bfloat16", DType::kBFloat16}, {"fp64", DType::kFloat64},
      {"fp8", DType::kFloat8E4M3FN},  {"float8", DType::kFloat8E4M3FN},
      {"e4m3", DType::kFloat8E4M3FN}, {"fp4", DType::kFloat4E2M1},
      {"e2m1", DType::kFloat4E2M1},   {"e8m0", DType::kFloat8E8M0},
      {"int64", DType::kInt64},       {"int32", DType::kInt32},
      {"int8", DType::kInt8},         {"int4", DType::kInt4},
      {"uint8", DType::kUInt8},       {"bool", DType::kBool}};
  std::string word;
  const auto known = [&] {
    const auto found = std::find_if(std::begin(kWords), std::end(kWords),
                                    [&](const auto& entry) { return entry.first == word; });
    return found == std::end(kWords) ? DType::kUnknown : found->second;
  };
  for (std::size_t i = 0; i <= format.size(); ++i) {
    const unsigned char c = i < format.size() ? static_cast<unsigned char>(format[i]) : ' ';
    if (std::isalnum(c) != 0) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (const DType dtype = known(); dtype != DType::kUnknown) return dtype;
    word.clear();
  }
  return DType::kUnknown;
}

}  // namespace opscope::tensorrt
