// What the readers of ML programs and of neural networks share: the graph under construction, the
// tensors by name, and messages read to their ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/wire.h"
#include "model/formats/format.h"
#include "model/graph_builder.h"

namespace opscope::coreml {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxName = 1 << 16;
constexpr std::size_t kMaxRank = 64;

struct Building {
  explicit Building(const ModelReadContext& given) : context(given), graph(model) {}

  const ModelReadContext& context;
  Model model;
  GraphBuilder graph;
  std::unordered_map<std::string, TensorId> tensors;  // features and values of the model at hand
  std::string hashed;                                 // what the hash of the structure is made of

  // The index of an external file; found or not.
  std::uint32_t FileOf(const std::string& path);
  std::unordered_map<std::string, std::uint32_t> files;
};

// Calls `visit` with every field of a message. "coreml.depth" below kMaxDepth.
Result<void> ForEach(WireReader reader, int depth,
                     const std::function<Result<void>(const WireField&, const WireReader&)>& visit);
Result<std::string> TextOf(const WireReader& reader, const WireField& field);
// The numbers of a packed field, or its only one where it is not packed. At most 64 Ki are kept.
Result<void> AddNumbers(const WireReader& reader, const WireField& field,
                        std::vector<std::int64_t>& out);

// Both put the nodes of one model at the end of the graph.
Result<void> ReadProgram(Building& building, WireReader program, int depth);
Result<void> ReadNetwork(Building& building, WireReader network, int depth);

}  // namespace opscope::coreml
