#include "ops/onnx/window.h"

#include <limits>

namespace opscope::onnx {

namespace {

// Sizes in a window beyond this are damage; sums of a few of them stay far from overflow.
constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();

Result<std::vector<std::int64_t>> ReadExtents(const OpContext& op, std::string_view name,
                                              std::size_t count, std::int64_t otherwise,
                                              std::int64_t smallest) {
  const auto values = op.Ints(name);
  if (!values.has_value()) return std::vector<std::int64_t>(count, otherwise);
  if (values->size() != count) {
    return op.Problem("attribute \"" + std::string(name) + "\" has " +
                      std::to_string(values->size()) + " values, needs " + std::to_string(count));
  }
  for (const std::int64_t value : *values) {
    if (value < smallest || value > kMaxExtent) {
      return op.Problem("attribute \"" + std::string(name) + "\" holds " + std::to_string(value));
    }
  }
  return std::vector<std::int64_t>(values->begin(), values->end());
}

Result<AutoPad> ReadAutoPad(const OpContext& op) {
  const std::string_view text = op.String("auto_pad").value_or("NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::kNotSet;
  if (text == "SAME_UPPER") return AutoPad::kSameUpper;
  if (text == "SAME_LOWER") return AutoPad::kSameLower;
  if (text == "VALID") return AutoPad::kValid;
  return op.Problem("attribute \"auto_pad\" is \"" + std::string(text) + "\"");
}

}  // namespace

Result<Window> ReadWindow(const OpContext& op, Dims kernel) {
  Window window;
  window.kernel = std::move(kernel);
  const std::size_t rank = window.rank();
  TRY_ASSIGN(window.strides, ReadExtents(op, "strides", rank, 1, 1));
  TRY_ASSIGN(window.dilations, ReadExtents(op, "dilations", rank, 1, 1));
  TRY_ASSIGN(window.auto_pad, ReadAutoPad(op));
  std::vector<std::int64_t> pads(2 * rank, 0);
  if (window.auto_pad == AutoPad::kNotSet) {
    TRY_ASSIGN(pads, ReadExtents(op, "pads", 2 * rank, 0, -kMaxExtent));
  }
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.pads_begin.assign(pads.begin(), middle);
  window.pads_end.assign(middle, pads.end());
  return window;
}

Result<Dims> KernelShape(const OpContext& op, std::size_t rank) {
  if (!op.Ints("kernel_shape").has_value()) {
    return op.Problem("attribute \"kernel_shape\" is missing");
  }
  TRY_ASSIGN(const std::vector<std::int64_t> values, ReadExtents(op, "kernel_shape", rank, 1, 1));
  return Dims(values.begin(), values.end());
}

std::int64_t PadsOf(const Window& window, std::size_t dim) {
  return window.pads_begin[dim] + window.pads_end[dim];
}

Dim ReachOf(const OpContext& op, const Window& window, std::size_t dim) {
  DimTable& dims = op.dims();
  return dims.Add(dims.Mul(window.dilations[dim], dims.Sub(window.kernel[dim], 1)), 1);
}

Result<Dim> PlacesOf(const OpContext& op, const Window& window, std::size_t dim, Dim in) {
  DimTable& dims = op.dims();
  const std::int64_t stride = window.strides[dim];
  if (window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower) {
    return dims.CeilDiv(in, stride);
  }
  const Dim reach = ReachOf(op, window, dim);
  const Dim room = dims.Sub(dims.Add(in, PadsOf(window, dim)), reach);
  if (room.is_number() && room.number() < 0) {
    return op.Problem("a window of " + dims.ToText(reach) + " does not fit into " +
                      dims.ToText(in) + " padded by " + std::to_string(PadsOf(window, dim)));
  }
  return dims.Add(dims.FloorDiv(room, stride), 1);
}

}  // namespace opscope::onnx
