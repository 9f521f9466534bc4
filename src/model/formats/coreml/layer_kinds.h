// The layers of neural networks: the field that holds each one's parameters, and which of those are
// lists, weights or messages.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::coreml {

struct LayerKind {
  std::uint32_t field;  // of NeuralNetworkLayer
  std::string_view name;
  // Fields of the parameters, by number, with a letter each: l list of integers, w weights, n a
  // message of weights, m amounts on both sides of each dim, s a message whose presence counts;
  // "a" alone: an activation.
  std::string_view fields;
};

// nullptr for a field that is none.
const LayerKind* FindLayerKind(std::uint32_t field);

}  // namespace opscope::coreml
