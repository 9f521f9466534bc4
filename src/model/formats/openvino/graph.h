// Internal to the format: layers and edges become nodes and tensors.
#pragma once

#include <functional>
#include <optional>

#include "model/formats/format.h"
#include "model/formats/openvino/ir.h"

namespace opscope::openvino {

// The weights beside the network.
struct Weights {
  std::optional<Source> source;       // nullopt: not found
  std::optional<std::uint32_t> file;  // in Model::external_files; nullopt: the network needs none
};

// Fills `model` with the graph of `net` and those of its bodies. Error: openvino.damaged.
Result<void> BuildGraph(const Net& net, Weights& weights, Model& model, ImportLog& log);

}  // namespace opscope::openvino
