// Object detection and images: regions, boxes, colours. Most outputs have the sizes that the file
// declares; how many boxes are found, the data decide.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// Every score (input 1) is compared once; how many boxes meet each other, the data decide.
Work SuppressionWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.in(1).shape)};
}

// Data, regions, batch of each: [regions, channels, pooled_h, pooled_w].
Result<void> InferRoiAlign(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({DimAt(op.in(1).shape, 0), DimAt(op.in(0).shape, 1),
                     Dim(op.IntOr("pooled_h", 1)), Dim(op.IntOr("pooled_w", 1))}));
  return {};
}

Result<void> InferGridSample(OpContext& op) { return AsOnnx(op, "GridSample", {0, 1}).Infer(); }

Work ResampleWork(const OpContext& op) {
  const std::string_view mode = op.String("mode").value_or("linear");
  const bool nearest = mode == "nearest";
  const bool cubic = mode.find("cubic") != std::string_view::npos;
  return work::Resampling{ElementsOf(op, op.out(0).shape), nearest ? "nearest"
                                                           : cubic ? "cubic"
                                                                   : "linear"};
}

// CTC: what the letters are, or how well they fit, follows from one walk over the scores.
Work WalkWork(const OpContext& op) { return work::Elementwise{ElementsOf(op, op.in(0).shape)}; }

constexpr OpEntry Found(std::string_view op) {
  return {.op = op,
          .infer = InferDeclared,
          .work = SuppressionWork,
          .rule = "elementwise",
          .roles = "xxc",
          .like = "NonMaxSuppression"};
}
constexpr OpEntry Pooled(std::string_view op, InferFn infer = InferDeclared) {
  return {.op = op,
          .infer = infer,
          .work = ResampleWork,
          .rule = "resampling",
          .roles = "xxc",
          .like = "RoiAlign"};
}
// A few operations for each element that comes out: bounded from below.
constexpr OpEntry Made(std::string_view op) {
  return {.op = op, .infer = InferDeclared, .work = ElementwiseWork, .rule = "elementwise"};
}
constexpr OpEntry Walked(std::string_view op) {
  return {.op = op, .infer = InferDeclared, .work = WalkWork, .rule = "elementwise", .roles = "xc"};
}

constexpr OpEntry kOps[] = {
    Found("DetectionOutput"),
    Found("ExperimentalDetectronDetectionOutput"),
    Found("ExperimentalDetectronGenerateProposalsSingleImage"),
    Found("ExperimentalDetectronTopKROIs"),
    Found("GenerateProposals"),
    Found("MatrixNms"),
    Found("MulticlassNms"),
    Found("NMSRotated"),
    Found("NonMaxSuppression"),
    Found("Proposal"),
    Pooled("DeformablePSROIPooling"),
    Pooled("ExperimentalDetectronROIFeatureExtractor"),
    Pooled("PSROIPooling"),
    Pooled("ROIAlign", InferRoiAlign),
    Pooled("ROIAlignRotated", InferRoiAlign),
    Pooled("ROIPooling"),
    Made("BGRtoNV12"),
    Made("ExperimentalDetectronPriorGridGenerator"),
    Made("I420toBGR"),
    Made("I420toRGB"),
    Made("NV12toBGR"),
    Made("NV12toRGB"),
    Made("PriorBox"),
    Made("PriorBoxClustered"),
    Made("RGBtoNV12"),
    Made("RegionYolo"),
    Walked("CTCGreedyDecoder"),
    Walked("CTCGreedyDecoderSeqLen"),
    Walked("CTCLoss"),
    {.op = "GridSample",
     .infer = InferGridSample,
     .work = ResampleWork,
     .rule = "resampling",
     .like = "GridSample"},
};

}  // namespace

std::span<const OpEntry> DetectionOps() { return kOps; }

}  // namespace opscope::openvino
