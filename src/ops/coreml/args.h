// Inputs of ML programs by name, attributes as numbers, windows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/onnx/common.h"

namespace opscope::coreml {

// The position of a named input; the first of several. Nullopt when it is left out.
std::optional<std::size_t> Position(const OpContext& op, std::string_view name);
// What is known of it; an unknown fact when it is left out.
TensorFact Named(const OpContext& op, std::string_view name);
std::int64_t Number(const OpContext& op, std::string_view name, std::int64_t otherwise = 0);
std::vector<std::int64_t> Numbers(const OpContext& op, std::string_view name);
// How many inputs of a layer are no weights.
std::size_t Blobs(const OpContext& op);

// The last dims of a tensor under a window: kernel, strides, dilations, pads before and after in
// pairs. `same`: ceil(in / stride).
struct Window {
  Dims kernel;
  std::vector<std::int64_t> strides, dilations, pads;
  bool same = false;
  bool ceil = false;
};
// Fills in what is missing; an error for what cannot be.
Result<void> Complete(const OpContext& op, Window& window);
Result<Dim> Places(const OpContext& op, const Window& window, std::size_t axis, Dim in);
Result<Dim> TransposedPlaces(const OpContext& op, const Window& window, std::size_t axis, Dim in);

// What the file says is all there is.
Result<void> AsStated(OpContext& op);
// Output 0 like input 0, all outputs of its dtype.
Result<void> Like(OpContext& op);
Result<void> Broadcasted(OpContext& op);
// Layers of networks: the dtype of the input and no shape; the shape that parameter 1 states.
Result<void> InferOpen(OpContext& op);
Result<void> InferConstant(OpContext& op);

// Sizes counted from the last dim on, the product of those in front of the last `kept`, and the
// shape with other last sizes.
Dim Back(const Shape& shape, std::size_t from_end);
Dim Leading(const OpContext& op, const Shape& shape, std::size_t kept);
Shape WithEnd(const Shape& shape, std::vector<Dim> end);

}  // namespace opscope::coreml
