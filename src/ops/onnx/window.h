// Sliding windows: what convolutions and poolings share, in any number of spatial dims.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/infer.h"

namespace opscope::onnx {

enum class AutoPad : std::uint8_t { kNotSet, kSameUpper, kSameLower, kValid };

struct Window {
  Dims kernel;  // one entry a spatial dim, like all below
  std::vector<std::int64_t> strides, dilations, pads_begin, pads_end;
  AutoPad auto_pad = AutoPad::kNotSet;

  std::size_t rank() const { return kernel.size(); }
};

// The attributes strides, dilations, pads and auto_pad over a kernel, completed with their
// defaults and checked for their number of values.
Result<Window> ReadWindow(const OpContext& op, Dims kernel);
// kernel_shape; an error when it is absent or has not `rank` values.
Result<Dims> KernelShape(const OpContext& op, std::size_t rank);

// Padding before and after one spatial dim together, where it is not automatic.
std::int64_t PadsOf(const Window& window, std::size_t dim);
// d * (k - 1) + 1: how far the taps of one kernel dim reach.
Dim ReachOf(const OpContext& op, const Window& window, std::size_t dim);

// How many places the window takes along a spatial dim of size `in`:
//   floor((in + pads - reach) / stride) + 1, ceil(in / stride) for SAME_*.
Result<Dim> PlacesOf(const OpContext& op, const Window& window, std::size_t dim, Dim in);

}  // namespace opscope::onnx
