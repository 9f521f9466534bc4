// Other sizes by interpolation: Resize, Upsample, GridSample, AffineGrid, Col2Im.
#include <algorithm>
#include <cmath>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// floor(size * scale) as the engine computes it, in float32. With a symbolic size only for scales
// that are a whole number of 1024ths: those are exact.
Dim Scaled(const OpContext& op, Dim size, double scale) {
  if (!(scale > 0) || scale > 1e6) return {};
  if (size.is_number()) {
    const float product = static_cast<float>(size.number()) * static_cast<float>(scale);
    return product < 9e18F ? Dim(static_cast<std::int64_t>(product)) : Dim();
  }
  constexpr std::int64_t kParts = 1024;
  const double parts = scale * kParts;
  if (std::floor(parts) != parts) return {};
  DimTable& dims = op.dims();
  return dims.FloorDiv(dims.Mul(size, static_cast<std::int64_t>(parts)), kParts);
}

// Which axes `scales` or `sizes` speak of: all, or those of `axes` (opset 18).
Result<std::vector<std::size_t>> ResizedAxes(const OpContext& op, std::size_t rank) {
  std::vector<std::size_t> out;
  const auto axes = op.Ints("axes");
  for (std::size_t i = 0; !axes.has_value() && i < rank; ++i) out.push_back(i);
  if (!axes.has_value()) return out;
  for (const std::int64_t axis : *axes) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, rank));
    out.push_back(index);
  }
  return out;
}

// One scale for all resized axes where the aspect ratio is kept: the smallest or the largest of
// size / input, each axis then rounded.
bool KeepAspect(const OpContext& op, std::span<const std::size_t> axes, Dims& out) {
  const std::string_view policy = op.String("keep_aspect_ratio_policy").value_or("stretch");
  if (policy == "stretch") return true;
  const Dims& in = *op.in(0).shape.dims;
  std::optional<double> scale;
  for (const std::size_t axis : axes) {
    if (!in[axis].is_number() || !out[axis].is_number() || in[axis].number() == 0) return false;
    const double own =
        static_cast<double>(out[axis].number()) / static_cast<double>(in[axis].number());
    if (!scale) scale = own;
    scale = policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  for (const std::size_t axis : axes) {
    const double size = std::floor(*scale * static_cast<double>(in[axis].number()) + 0.5);
    if (!(size < 9e15)) return false;
    out[axis] = static_cast<std::int64_t>(size);
  }
  return true;
}

Result<void> ResizeBySizes(OpContext& op, std::span<const std::size_t> axes, const Dims& sizes) {
  if (sizes.size() != axes.size()) {
    return op.Problem(std::to_string(sizes.size()) + " sizes for " + std::to_string(axes.size()) +
                      " axes");
  }
  Dims out = *op.in(0).shape.dims;
  for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i]] = sizes[i];
  const bool known = KeepAspect(op, axes, out);
  if (!known) {
    for (const std::size_t axis : axes) out[axis] = Dim();
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> ResizeByScales(OpContext& op, std::span<const std::size_t> axes,
                            std::span<const double> scales) {
  if (scales.size() != axes.size()) {
    return op.Problem(std::to_string(scales.size()) + " scales for " + std::to_string(axes.size()) +
                      " axes");
  }
  Dims out = *op.in(0).shape.dims;
  for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i]] = Scaled(op, out[axes[i]], scales[i]);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Known to hold nothing: how Resize-11 leaves out roi or scales.
bool IsEmpty(const OpContext& op, std::size_t input) {
  return !op.has(input) || KnownLength(op.in(input)) == std::size_t{0};
}

Result<void> Resize(OpContext& op, std::size_t scales_input, std::size_t sizes_input) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  const std::size_t rank = in.shape.rank();
  TRY_ASSIGN(const std::vector<std::size_t> axes, ResizedAxes(op, rank));
  op.out(0).shape = in.shape;
  for (const std::size_t axis : axes) (*op.out(0).shape.dims)[axis] = Dim();
  if (!IsEmpty(op, sizes_input)) {
    if (!op.in(sizes_input).ints.has_value()) return {};
    return ResizeBySizes(op, axes, *op.in(sizes_input).ints);
  }
  const auto scales = KnownFloats(op.in(scales_input));
  return scales.has_value() ? ResizeByScales(op, axes, *scales) : Result<void>();
}

// X, scales (10) · X, roi, scales, sizes (11 on).
constexpr std::size_t kNoInput = 99;
Result<void> InferResize(OpContext& op) {
  return op.opset() < 11 ? Resize(op, 1, kNoInput) : Resize(op, 2, 3);
}

// Scales are an attribute below opset 9; opset 1 had one for the width and one for the height.
Result<void> InferUpsample(OpContext& op) {
  if (op.opset() >= 9) return Resize(op, 1, kNoInput);
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  std::vector<double> scales;
  if (const auto values = op.Floats("scales")) {
    scales.assign(values->begin(), values->end());
  } else {
    scales = {1, 1, op.Float("height_scale").value_or(0), op.Float("width_scale").value_or(0)};
  }
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::vector<std::size_t> axes, ResizedAxes(op, in.shape.rank()));
  return ResizeByScales(op, axes, scales);
}

Work ResampleWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape),
                          std::string(op.String("mode").value_or("nearest"))};
}

// [N, C] of the input, the spatial dims of the grid.
Result<void> InferGridSample(OpContext& op) {
  const TensorFact& in = op.in(0);
  const Shape& grid = op.in(1).shape;
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank() || !grid.known_rank()) return {};
  if (in.shape.rank() < 3 || grid.rank() != in.shape.rank()) {
    return op.Problem("input of rank " + std::to_string(in.shape.rank()) + ", grid of rank " +
                      std::to_string(grid.rank()));
  }
  Dims out = *in.shape.dims;
  std::copy(grid.dims->begin() + 1, grid.dims->end() - 1, out.begin() + 2);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work GridSampleWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape),
                          std::string(op.String("mode").value_or("linear"))};
}

// size = [N, C, spatial …]: one point of as many coordinates as there are spatial dims for each.
Result<void> InferAffineGrid(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  const std::optional<Dims> size = op.in(1).ints;
  if (!size.has_value()) return {};
  if (size->size() < 3) return op.Problem("\"size\" has fewer than 3 values");
  Dims out(size->begin() + 2, size->end());
  out.insert(out.begin(), size->front());
  out.push_back(static_cast<std::int64_t>(size->size() - 2));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// [N, C * block, L] becomes [N, C, image …].
Result<void> InferCol2Im(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const std::optional<Dims> image = op.in(1).ints;
  const std::optional<Dims> block = op.in(2).ints;
  if (!image.has_value() || !block.has_value()) return {};
  Dims out = {DimAt(in.shape, 0),
              op.dims().FloorDiv(DimAt(in.shape, 1), op.dims().Product(*block))};
  out.insert(out.end(), image->begin(), image->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work Col2ImWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry kOps[] = {
    {.op = "AffineGrid",
     .infer = InferAffineGrid,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc"},
    {.op = "Col2Im", .infer = InferCol2Im, .work = Col2ImWork, .rule = "reduction", .roles = "xc"},
    {.op = "GridSample", .infer = InferGridSample, .work = GridSampleWork, .rule = "resampling"},
    {.op = "Resize",
     .infer = InferResize,
     .work = ResampleWork,
     .rule = "resampling",
     .roles = "xc"},
    {.op = "Upsample",
     .infer = InferUpsample,
     .work = ResampleWork,
     .rule = "resampling",
     .roles = "xc"},
};

}  // namespace

std::span<const OpEntry> ResizeOps() { return kOps; }

}  // namespace opscope::onnx
