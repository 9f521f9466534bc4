// Resizing, regions, detection heads, spectra.
#include <algorithm>

#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

std::string ModeOf(std::int64_t type) {
  return type == 1 ? "nearest" : type == 3 ? "cubic" : "linear";
}

// Sizes, or factors, or as large as another blob. A vector becomes channels of one value.
Result<void> InferInterp(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!in.known_rank() || in.rank() == 0 || op.String("9").has_value()) return {};
  const bool vector = in.rank() == 1;
  Dims out = vector ? Dims{DimAt(in, 0), 1, 1} : *in.dims;
  const auto size = [&](std::size_t back, std::string_view stated, std::string_view factor) {
    Dim& dim = out[out.size() - back];
    if (Bottoms(op) > 1) {
      const Shape& like = op.in(1).shape;
      dim = like.known_rank() && like.rank() >= back ? (*like.dims)[like.rank() - back] : Dim();
    } else if (const std::int64_t fixed = Param(op, stated); fixed > 0) {
      dim = fixed;
    } else {
      dim = Scaled(op, dim, Real(op, factor, 1));
    }
  };
  if (out.size() > 2) size(2, "3", "1");
  size(1, "4", "2");
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work InterpWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), ModeOf(Param(op, "0"))};
}

// The grid is [h, w, 2], or [2, h, w] where 3 says so.
Result<void> InferGrid(OpContext& op) {
  const Shape& grid = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!grid.known_rank() || grid.rank() < 3) return {};
  const bool first = Param(op, "3") != 0;
  Dims out = {DimAt(op.in(0).shape, 0)};
  for (std::size_t i = 0; i + 1 < grid.rank(); ++i)
    out.push_back((*grid.dims)[i + (first ? 1 : 0)]);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work GridWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), ModeOf(Param(op, "0", 1) == 2   ? 1
                                                                  : Param(op, "0", 1) == 1 ? 2
                                                                                           : 3)};
}

// One region: [channels, h, w].
template <bool kByPosition>
Result<void> InferRegion(OpContext& op) {
  const Dim channels = kByPosition ? Dim(Param(op, "3")) : DimAt(op.in(0).shape, 0);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({channels, Param(op, "1"), Param(op, "0")}));
  return {};
}

Work RegionWork(const OpContext& op) {
  return work::Pooling{ElementsOf(op, op.out(0).shape), 1, true};
}

// Boxes of every place: for each smallest size one, one an aspect ratio (two, when flipped), and
// one a largest size. Rows: boxes, variances.
Result<void> InferPriors(OpContext& op) {
  const auto count = [&](std::string_view id) {
    const Attribute* found = FindAttribute(op.model(), op.node(), id);
    if (found == nullptr) return std::int64_t{0};
    if (const auto* floats = std::get_if<std::vector<float>>(&found->value))
      return std::ssize(*floats);
    if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&found->value))
      return std::ssize(*ints);
    return std::int64_t{0};
  };
  const std::int64_t ratios = count("2") * (Param(op, "7", 1) != 0 ? 2 : 1);
  const std::int64_t each =
      std::min<std::int64_t>(count("0"), 1 << 20) * (1 + std::min<std::int64_t>(ratios, 1 << 20)) +
      count("1");
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, DType::kFloat32, {});
  if (Bottoms(op) < 2 || !in.known_rank() || in.rank() != 3) return {};
  const Dim places = op.dims().Mul(DimAt(in, 1), DimAt(in, 2));
  op.out(0).shape = ShapeOf({2, op.dims().Mul(places, 4 * each)});
  return {};
}

// What is found depends on the picture: class, score, box.
Result<void> InferDetection(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, ShapeOf({op.DataDependent("found"), 6}));
  return {};
}

Result<void> InferProposal(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, ShapeOf({op.DataDependent("regions"), 1, 4}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({op.DataDependent("regions"), 1, 1}));
  return {};
}

Work DetectionWork(const OpContext&) {
  return work::Unknown{"what it computes depends on what is found"};
}

// [frequencies, frames], complex pairs innermost where the power (1) is 0.
Result<void> InferSpectrogram(OpContext& op) {
  DimTable& dims = op.dims();
  const std::int64_t n = Param(op, "0");
  const std::int64_t hop = Param(op, "2", n / 4);
  SetOutput(op, 0, op.in(0).dtype, {});
  if (n < 1 || hop < 1) return op.Problem("n_fft and hop length have to be at least 1");
  const Dim length = dims.Add(DimAt(op.in(0).shape, 0), Param(op, "5", 1) != 0 ? n / 2 * 2 : 0);
  const Dim frames = dims.Add(dims.FloorDiv(dims.Sub(length, n), hop), 1);
  Dims out = {Param(op, "8", 1) != 0 ? n / 2 + 1 : n, frames};
  if (Param(op, "1") == 0) out.push_back(2);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferInverseSpectrogram(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({op.DataDependent("samples")}));
  return {};
}

Work SpectrumWork(const OpContext&) { return work::Unknown{"the cost of its transform is open"}; }

constexpr OpEntry Region(std::string_view op, InferFn infer, std::string_view like) {
  return {
      .op = op, .infer = infer, .work = RegionWork, .rule = "pooling", .roles = "xc", .like = like};
}

constexpr OpEntry Detection(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = DetectionWork, .rule = "unknown"};
}

constexpr OpEntry kOps[] = {
    {.op = "Interp",
     .infer = InferInterp,
     .work = InterpWork,
     .rule = "resampling",
     .roles = "xc",
     .like = "Resize"},
    {.op = "GridSample",
     .infer = InferGrid,
     .work = GridWork,
     .rule = "resampling",
     .roles = "xc",
     .like = "GridSample"},
    Region("ROIAlign", InferRegion<false>, "RoiAlign"),
    Region("ROIPooling", InferRegion<false>, "MaxRoiPool"),
    Region("PSROIPooling", InferRegion<true>, "MaxRoiPool"),
    {.op = "PriorBox",
     .infer = InferPriors,
     .work = onnx::NoWork,
     .rule = "constant",
     .roles = "c"},
    Detection("DetectionOutput", InferDetection),
    Detection("YoloDetectionOutput", InferDetection),
    Detection("Yolov3DetectionOutput", InferDetection),
    Detection("Proposal", InferProposal),
    {.op = "Spectrogram", .infer = InferSpectrogram, .work = SpectrumWork, .rule = "unknown"},
    {.op = "InverseSpectrogram",
     .infer = InferInverseSpectrogram,
     .work = SpectrumWork,
     .rule = "unknown"}};

}  // namespace

std::span<const OpEntry> VisionOps() { return kOps; }

}  // namespace opscope::ncnn
