// Pictures at another size, and samples at given places.
#include <algorithm>
#include <cmath>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

std::string_view ModeOf(std::string_view name) {
  if (name.find("nearest") != std::string_view::npos) return "nearest";
  return name.find("bicubic") != std::string_view::npos ? "cubic" : "linear";
}

// floor(size * scale); a formula where the scale is whole.
Dim Scaled(DimTable& dims, Dim size, double scale) {
  if (!(scale > 0 && scale < 1e6)) return {};
  if (std::floor(scale) == scale) return dims.Mul(size, static_cast<std::int64_t>(scale));
  const double inverse = 1 / scale;
  if (std::floor(inverse) == inverse)
    return dims.FloorDiv(size, static_cast<std::int64_t>(inverse));
  if (!size.is_number()) return {};
  return Dim(static_cast<std::int64_t>(std::floor(static_cast<double>(size.number()) * scale)));
}

// upsample_nearest2d(self, output_size, …); .vec(input, output_size?, scale_factors?).
Result<void> InferUpsample(OpContext& op) {
  TRY(SameAsInput(op));
  CopyElements({}, op.out(0));
  Shape& shape = op.out(0).shape;
  if (!shape.known_rank()) return {};
  const auto sizes = DimsArg(op, "output_size");
  const auto scales = FloatsArg(op, "scale_factors");
  const std::size_t count = sizes.has_value() ? sizes->size() : scales ? scales->size() : 0;
  if (count == 0 || count > shape.rank()) {
    for (std::size_t i = 2; i < shape.rank(); ++i) (*shape.dims)[i] = Dim();
    return {};
  }
  for (std::size_t i = 0; i < count; ++i) {
    Dim& dim = (*shape.dims)[shape.rank() - count + i];
    dim =
        sizes.has_value() ? (*sizes)[i] : Scaled(op.dims(), dim, static_cast<double>((*scales)[i]));
  }
  return {};
}
Work UpsampleWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), std::string(ModeOf(op.op()))};
}

// input [N, C, ..], grid [N, .., spatial].
Result<void> InferGrid(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& grid = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!grid.known_rank() || grid.rank() < 2) return {};
  Dims out = {DimAt(in, 0), DimAt(in, 1)};
  out.insert(out.end(), grid.dims->begin() + 1, grid.dims->end() - 1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}
Work GridWork(const OpContext& op) {
  constexpr std::string_view kModes[] = {"linear", "nearest", "cubic"};
  const std::int64_t mode = std::clamp<std::int64_t>(IntArg(op, "interpolation_mode", 0), 0, 2);
  return work::Resampling{ElementsOf(op, op.out(0).shape),
                          std::string(kModes[static_cast<std::size_t>(mode)])};
}
Result<void> InferAffine(OpContext& op) {
  const auto size = DimsArg(op, "size");
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!size.has_value() || size->size() < 3) return {};
  Dims out = {size->front()};
  out.insert(out.end(), size->begin() + 2, size->end());
  out.push_back(static_cast<std::int64_t>(size->size()) - 2);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

constexpr OpEntry Upsample(std::string_view op) {
  return {.op = op,
          .infer = InferUpsample,
          .work = UpsampleWork,
          .rule = "resampling",
          .roles = "xc",
          .like = "Resize"};
}
constexpr OpEntry Grid(std::string_view op) {
  return {.op = op,
          .infer = InferGrid,
          .work = GridWork,
          .rule = "resampling",
          .roles = "xx",
          .like = "GridSample"};
}

constexpr OpEntry kOps[] = {
    Upsample("upsample_nearest1d"),
    Upsample("upsample_nearest2d"),
    Upsample("upsample_nearest3d"),
    Upsample("_upsample_nearest_exact1d"),
    Upsample("_upsample_nearest_exact2d"),
    Upsample("_upsample_nearest_exact3d"),
    Upsample("upsample_linear1d"),
    Upsample("upsample_bilinear2d"),
    Upsample("upsample_trilinear3d"),
    Upsample("upsample_bicubic2d"),
    Upsample("_upsample_bilinear2d_aa"),
    Upsample("_upsample_bicubic2d_aa"),
    Grid("grid_sampler"),
    Grid("grid_sampler_2d"),
    Grid("grid_sampler_3d"),
    {.op = "affine_grid_generator",
     .infer = InferAffine,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "AffineGrid"},
};

}  // namespace

std::span<const OpEntry> ResampleOps() { return kOps; }

}  // namespace opscope::aten
