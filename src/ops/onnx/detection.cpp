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

// Rows of (batch, class, box): for each batch and class at most all boxes, and at most so many as
// input 2 says (0 when it is left out). boxes [batch, boxes, 4], scores [batch, classes, boxes].
Result<void> InferSuppression(OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& scores = op.in(1).shape;
  Dim each = DimAt(scores, 2);
  if (!op.has(2)) each = 0;
  if (const Dim stated = SingleDim(op.in(2)); !stated.is_unknown()) {
    each = dims.Min(each, dims.Max(stated, 0));
  }
  const Dim most = dims.Mul(dims.Mul(DimAt(scores, 0), DimAt(scores, 1)), each);
  SetOutput(op, 0, DType::kInt64, ShapeOf({op.DataDependent("count", most), 3}));
  return {};
}

Work RoiAlignWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), "linear"};
}

// How many inputs one output looks at depends on the regions: one at least.
Work RoiPoolWork(const OpContext& op) { return ElementwiseWork(op); }

// Every score is compared once; how many boxes are compared with each other depends on the data.
Work SuppressionWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.in(1).shape)};
}

constexpr OpEntry kOps[] = {
    {.op = "MaxRoiPool",
     .infer = InferMaxRoiPool,
     .work = RoiPoolWork,
     .rule = "elementwise",
     .roles = "xc"},
    {.op = "NonMaxSuppression",
     .infer = InferSuppression,
     .work = SuppressionWork,
     .rule = "elementwise",
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
