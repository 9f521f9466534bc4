#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "model/formats/onnx/onnx.h"

namespace opscope::onnx {

namespace {

constexpr std::uint64_t kNewestIrVersion = 40;  // 13 in 2026; one or two a year

// A varint at the front of `bytes`, taken off them.
std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

struct Seen {
  bool ir_version = false;
  bool opset_or_graph = false;
  int fields = 0;
};

// One field of a ModelProto with its proper type: false when it is something else.
bool TakeField(std::string_view& bytes, Seen& seen) {
  const auto tag = TakeVarint(bytes);
  const auto value = tag ? TakeVarint(bytes) : std::nullopt;
  if (!value) return std::exchange(bytes, {}).size() < 10;  // cut by the prefix's end
  const std::uint64_t number = *tag >> 3;
  const bool is_number = (*tag & 7) == 0;
  if (!is_number && (*tag & 7) != 2) return false;
  if (is_number) {
    seen.ir_version = seen.ir_version || (number == 1 && *value > 0 && *value <= kNewestIrVersion);
    return (number == 1 && *value > 0 && *value <= kNewestIrVersion) || number == 5;
  }
  // producer, version, domain, doc, graph, opset, metadata, training, functions, configuration
  const bool known = (number >= 2 && number <= 4) || (number >= 6 && number <= 8) || number == 14 ||
                     number == 20 || number == 25 || number == 26;
  seen.opset_or_graph = seen.opset_or_graph || number == 7 || number == 8;
  bytes.remove_prefix(std::min<std::uint64_t>(*value, bytes.size()));
  return known;
}

}  // namespace

// ONNX has no magic number. Yes: an IR version that can be, and a graph or an opset; all fields
// seen have the types of ModelProto's. A lone TensorProto fails on field 2, a number there.
Match Probe(std::string_view prefix, std::uint64_t /*size*/) {
  Seen seen;
  while (!prefix.empty()) {
    if (!TakeField(prefix, seen)) return Match::kNo;
    ++seen.fields;
  }
  if (seen.ir_version && seen.opset_or_graph) return Match::kYes;
  return seen.fields > 1 && (seen.ir_version || seen.opset_or_graph) ? Match::kMaybe : Match::kNo;
}

}  // namespace opscope::onnx
