// Slices along axes: what ops that spell their bounds differently share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/infer.h"

namespace opscope::onnx {

// Bounds as ai.onnx has them: negative ones count from the back, beyond the end is the end.
struct SliceRange {
  Dim start, end;
  std::int64_t step = 1;
};
// By axis; an axis without a range is taken whole.
using SliceRanges = std::vector<std::optional<SliceRange>>;

// Shape and elements of output 0 from input 0, whose rank is known and the number of ranges.
void TakeRanges(OpContext& op, const SliceRanges& ranges);

}  // namespace opscope::onnx
