// One layer of the list, as it is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "model/dtype.h"

namespace opscope::tensorrt {

struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> dims;  // -1: not fixed
  bool has_dims = false;
  std::string format;  // "Channel major FP16 format where C % 16 == 0"
  DType dtype = DType::kUnknown;
};

struct WeightInfo {
  DType dtype = DType::kUnknown;
  std::int64_t count = 0;
};

struct LayerInfo {
  std::string name;
  std::string type;       // LayerType: "CaskConvolution", "kgen"
  std::string parameter;  // ParameterType: "Convolution"; empty where there is none
  bool detailed = false;  // an object, not a name alone
  std::vector<TensorInfo> inputs, outputs;
  std::optional<WeightInfo> weights, bias;
  std::map<std::string, std::int64_t, std::less<>> integers;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> lists;
  std::map<std::string, std::string, std::less<>> texts;

  std::int64_t Integer(std::string_view key, std::int64_t otherwise) const;
  // Of the key, or of "Conv" + key (fused convolution, activation and pooling).
  const std::vector<std::int64_t>* List(std::string_view key) const;
};

// The value that begins with `first`: an object, or a name.
Result<LayerInfo> ReadLayer(JsonReader& reader, const JsonToken& first);
// One entry of "I/O Tensors" (TensorRT 11), or of Inputs and Outputs.
Result<TensorInfo> ReadTensor(JsonReader& reader, bool* is_input);

// "Half", "Row major linear FP32", "Int8 NC/32HW32", "Four wide channel vectorized row major Int8
// format" -> the element type.
DType TypeOfFormat(std::string_view format);

}  // namespace opscope::tensorrt
