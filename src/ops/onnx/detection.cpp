// Detection heads: regions of interest, suppression of overlapping boxes.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// [regions, C, height, width]; the regions are the rows of input 1.
Result<void> InferRegions(OpContext& op, Dim height, Dim width) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype,
            ShapeOf({DimAt(op.in(1).shape, 0), DimAt(in.shape, 1), height, width}));
  return {};
}

Result<void> InferRoiAlign(OpContext& op) {
  return InferRegions(op, op.IntOr("output_height", 1), op.IntOr("output_width", 1));
}

Result<void> InferMaxRoiPool(OpContext& op) {
  const auto size = op.Ints("pooled_shape");
  if (!size.has_value() || size->size() != 2) {
    return op.Problem("attribute \"pooled_shape\" needs 2 values");
  }
  return InferRegions(op, (*size)[0], (*size)[1]);
}

// Rows of (batch, class, box).
Result<void> InferSuppression(OpContext& op) {
  SetOutput(op, 0, DType::kInt64, ShapeOf({op.DataDependent("count"), 3}));
  return {};
}

Work RoiAlignWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), "linear"};
}

// How many inputs one output looks at depends on the regions.
Work RoiPoolWork(const OpContext& op) {
  return work::Pooling{ElementsOf(op, op.out(0).shape), Dim(), true};
}

Work SuppressionWork(const OpContext&) {
  return work::Unknown{"the number of comparisons depends on the boxes"};
}

constexpr OpEntry kOps[] = {
    {.op = "MaxRoiPool",
     .infer = InferMaxRoiPool,
     .work = RoiPoolWork,
     .rule = "pooling",
     .roles = "xc"},
    {.op = "NonMaxSuppression",
     .infer = InferSuppression,
     .work = SuppressionWork,
     .rule = "suppression",
     .roles = "xxc"},
    {.op = "RoiAlign",
     .infer = InferRoiAlign,
     .work = RoiAlignWork,
     .rule = "resampling",
     .roles = "xxc"},
};

}  // namespace

std::span<const OpEntry> DetectionOps() { return kOps; }

}  // namespace opscope::onnx
