// Protobuf by hand, for files that no text can spell.
#pragma once

#include <cstdint>
#include <string>

namespace opscope::testing {

inline std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string Field(std::uint64_t number, const std::string& payload) {
  return Varint(number << 3 | 2) + Varint(payload.size()) + payload;
}
inline std::string Number(std::uint64_t number, std::uint64_t value) {
  return Varint(number << 3) + Varint(value);
}
// A ModelProto around the fields of a GraphProto.
inline std::string InModel(const std::string& graph, std::uint64_t opset = 17) {
  return Number(1, 8) + Field(8, Number(2, opset)) + Field(7, graph);
}

}  // namespace opscope::testing
