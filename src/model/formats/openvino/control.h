// Internal to the format: how the values of a layer go into its bodies and out of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/formats/openvino/ir.h"
#include "model/model.h"

namespace opscope::openvino {

// Where the parameters and results of a body stand in its graph, by the id of their layer.
struct BodyPlaces {
  std::unordered_map<std::int64_t, std::size_t> parameters, results;
};

// Port map and back edges as attributes of the node, and the body's inputs and outputs in the order
// in which its owner needs them. -1 stands for none.
//   If: the outputs of a body are those of the node.
//     then_inputs, else_inputs   by body input: which input of the node it is
//   TensorIterator, Loop: values that the next execution gets come first, on both sides.
//     carried                    how many there are
//     inputs                     by body input: which input of the node it is
//     input_axes, input_starts, input_ends, input_strides, input_parts
//                                by body input: along which axis it is cut, if it is
//     outputs, output_axes       by output of the node: which output of the body it is, and along
//                                which axis those of all executions are joined, if they are
//     iteration, condition       the body input that counts, the body output that goes on
// Error: openvino.damaged, for ports and layers that do not exist.
Result<void> AddPortMap(const LayerInfo& layer, const Body& body, const BodyPlaces& places,
                        Model& model, NodeId node, GraphId graph);

// In axes: handed on as it is. No tensor has such an axis.
constexpr std::int64_t kNoAxis = -1'000'000;

}  // namespace opscope::openvino
