// Files of weights as bytes: safetensors and GGUF of a few tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace opscope::testing {

struct WeightSpec {
  std::string name;
  std::string dtype;  // as safetensors spells it
  std::vector<std::int64_t> dims;
  std::int64_t bytes;
};

inline std::string LittleEndian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

// Header and as many bytes of data as it names.
inline std::string Framed(const std::string& header, std::uint64_t data) {
  return LittleEndian(header.size(), 8) + header + std::string(data, '\0');
}

inline std::string Safetensors(const std::vector<WeightSpec>& weights) {
  std::string header = "{";
  std::int64_t at = 0;
  for (const WeightSpec& weight : weights) {
    std::string dims;
    for (const std::int64_t dim : weight.dims)
      dims += (dims.empty() ? "" : ",") + std::to_string(dim);
    header += (at == 0 && header == "{" ? "" : ",") + ("\"" + weight.name) + "\":{\"dtype\":\"" +
              weight.dtype + "\",\"shape\":[" + dims + "],\"data_offsets\":[" + std::to_string(at) +
              "," + std::to_string(at + weight.bytes) + "]}";
    at += weight.bytes;
  }
  return Framed(header + "}", static_cast<std::uint64_t>(at));
}

// Version 3. `pairs` are whole entries of the metadata (GgufText, GgufNumber).
struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> dims;  // innermost first, as the file has them
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
};

inline std::string GgufString(const std::string& text) {
  return LittleEndian(text.size(), 8) + text;
}
inline std::string GgufText(const std::string& key, const std::string& value) {
  return GgufString(key) + LittleEndian(8, 4) + GgufString(value);
}
inline std::string GgufNumber(const std::string& key, std::uint32_t value) {
  return GgufString(key) + LittleEndian(4, 4) + LittleEndian(value, 4);
}
inline std::string Gguf(const std::vector<std::string>& pairs,
                        const std::vector<GgufTensor>& tensors, std::uint64_t data) {
  std::string out =
      "GGUF" + LittleEndian(3, 4) + LittleEndian(tensors.size(), 8) + LittleEndian(pairs.size(), 8);
  for (const std::string& pair : pairs) out += pair;
  for (const GgufTensor& tensor : tensors) {
    out += GgufString(tensor.name) + LittleEndian(tensor.dims.size(), 4);
    for (const std::uint64_t dim : tensor.dims) out += LittleEndian(dim, 8);
    out += LittleEndian(tensor.type, 4) + LittleEndian(tensor.offset, 8);
  }
  out += std::string((32 - out.size() % 32) % 32, '\0');
  return out + std::string(data, '\0');
}

}  // namespace opscope::testing
