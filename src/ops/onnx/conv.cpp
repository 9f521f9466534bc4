// Convolutions in any number of spatial dims: Conv, ConvTranspose, their quantised kin, DeformConv.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"
#include "ops/onnx/window.h"

namespace opscope::onnx {

namespace {

// Where an op of the family keeps its weight and its bias, and what it computes.
struct Slots {
  std::size_t weight;
  std::size_t bias;
  DType (*dtype)(const OpContext& op);
};
constexpr std::size_t kNone = 99;
DType DTypeOfInput(const OpContext& op) { return op.in(0).dtype; }
DType DTypeOfZeroPoint(const OpContext& op) { return op.in(7).dtype; }
DType Int32(const OpContext&) { return DType::kInt32; }
constexpr Slots kConv = {1, 2, DTypeOfInput};
constexpr Slots kInteger = {1, kNone, Int32};
constexpr Slots kQLinear = {3, 8, DTypeOfZeroPoint};
constexpr Slots kDeform = {1, 3, DTypeOfInput};

// The spatial dims of the kernel: the weight's shape decides, kernel_shape fills in.
Result<Dims> KernelOf(OpContext& op, const Shape& weight, std::size_t spatial) {
  if (!weight.known_rank()) return KernelShape(op, spatial);
  Dims kernel(weight.dims->begin() + 2, weight.dims->end());
  if (!op.Ints("kernel_shape").has_value()) return kernel;
  TRY_ASSIGN(const Dims stated, KernelShape(op, spatial));
  for (std::size_t i = 0; i < spatial; ++i) {
    TRY_ASSIGN(kernel[i], SameDim(op, kernel[i], stated[i], "kernel size"));
  }
  return kernel;
}

// Input and weight have the same rank, at least 3; the number of their spatial dims, or nullopt
// when neither rank is known.
Result<std::optional<std::size_t>> SpatialRank(const OpContext& op, const Shape& input,
                                               const Shape& weight) {
  const Shape& known = input.known_rank() ? input : weight;
  if (!known.known_rank()) return std::optional<std::size_t>();
  if (input.known_rank() && weight.known_rank() && input.rank() != weight.rank()) {
    return op.Problem("input of rank " + std::to_string(input.rank()) + ", weight of rank " +
                      std::to_string(weight.rank()));
  }
  if (known.rank() < 3) return op.Problem("rank " + std::to_string(known.rank()) + ", needs 3");
  return std::optional(known.rank() - 2);
}

Result<std::int64_t> GroupsOf(const OpContext& op) {
  const std::int64_t groups = op.IntOr("group", 1);
  if (groups < 1) return op.Problem("attribute \"group\" is " + std::to_string(groups));
  return groups;
}

// out = [N, W[0], places of the window …]; W is (Cout, Cin / group, k …).
Result<Shape> ConvShape(OpContext& op, const Slots& slots) {
  const Shape& input = op.in(0).shape;
  const Shape& weight = op.in(slots.weight).shape;
  TRY_ASSIGN(const std::optional<std::size_t> spatial, SpatialRank(op, input, weight));
  if (!spatial.has_value()) return Shape{};
  TRY_ASSIGN(const std::int64_t groups, GroupsOf(op));
  TRY_ASSIGN(Dims kernel, KernelOf(op, weight, *spatial));
  TRY_ASSIGN(const Window window, ReadWindow(op, std::move(kernel)));
  TRY(SameDim(op, DimAt(input, 1), op.dims().Mul(DimAt(weight, 1), groups),
              "input channels against weight channels times groups"));
  Dims out = {DimAt(input, 0), DimAt(weight, 0)};
  for (std::size_t i = 0; i < *spatial; ++i) {
    TRY_ASSIGN(const Dim places, PlacesOf(op, window, i, DimAt(input, 2 + i)));
    out.push_back(places);
  }
  return ShapeOf(std::move(out));
}

template <const Slots& kSlots>
Result<void> InferConv(OpContext& op) {
  op.out(0).dtype = kSlots.dtype(op);
  TRY_ASSIGN(op.out(0).shape, ConvShape(op, kSlots));
  return {};
}

template <const Slots& kSlots>
Work ConvWork(const OpContext& op) {
  const Shape& weight = op.in(kSlots.weight).shape;
  const Shape& out = op.out(0).shape;
  return work::Convolution{.batch = DimAt(out, 0),
                           .out_channels = DimAt(out, 1),
                           .out_points = PointsOf(op, out),
                           .in_per_group = DimAt(weight, 1),
                           .kernel_points = PointsOf(op, weight),
                           .bias = op.has(kSlots.bias),
                           .operands = {0, static_cast<int>(kSlots.weight)}};
}

// One spatial dim of ConvTranspose:
//   stride * (in - 1) + output_padding + d * (k - 1) + 1 - pads; in * stride for SAME_*.
Result<Dim> TransposedSize(const OpContext& op, const Window& window, std::size_t i, Dim in,
                           std::int64_t output_padding) {
  DimTable& dims = op.dims();
  if (window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower) {
    return dims.Mul(in, window.strides[i]);
  }
  const Dim reach = ReachOf(op, window, i);
  const Dim steps = dims.Mul(window.strides[i], dims.Sub(in, 1));
  const Dim size = dims.Sub(dims.Add(dims.Add(steps, output_padding), reach), PadsOf(window, i));
  if (size.is_number() && size.number() < 0) {
    return op.Problem("padding takes more than the output has");
  }
  return size;
}

// W is (Cin, Cout / group, k …). An output_shape, when given, decides.
Result<Shape> TransposedShape(OpContext& op) {
  const Shape& input = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  TRY_ASSIGN(const std::optional<std::size_t> spatial, SpatialRank(op, input, weight));
  if (!spatial.has_value()) return Shape{};
  TRY_ASSIGN(const std::int64_t groups, GroupsOf(op));
  TRY_ASSIGN(Dims kernel, KernelOf(op, weight, *spatial));
  TRY_ASSIGN(const Window window, ReadWindow(op, std::move(kernel)));
  TRY(SameDim(op, DimAt(input, 1), DimAt(weight, 0), "input channels against weight channels"));
  const auto stated = op.Ints("output_shape");
  const auto padding = op.Ints("output_padding");
  if (stated.has_value() && stated->size() < *spatial) {
    return op.Problem("attribute \"output_shape\" has " + std::to_string(stated->size()) +
                      " values, needs " + std::to_string(*spatial));
  }
  if (padding.has_value() && padding->size() != *spatial) {
    return op.Problem("attribute \"output_padding\" has " + std::to_string(padding->size()) +
                      " values, needs " + std::to_string(*spatial));
  }
  Dims out = {DimAt(input, 0), op.dims().Mul(DimAt(weight, 1), groups)};
  for (std::size_t i = 0; i < *spatial; ++i) {
    if (stated.has_value()) {
      const std::int64_t size = (*stated)[stated->size() - *spatial + i];
      if (size < 0) return op.Problem("attribute \"output_shape\" holds a negative size");
      out.push_back(size);
      continue;
    }
    TRY_ASSIGN(const Dim size, TransposedSize(op, window, i, DimAt(input, 2 + i),
                                              padding.has_value() ? (*padding)[i] : 0));
    out.push_back(size);
  }
  return ShapeOf(std::move(out));
}

Result<void> InferTransposed(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  TRY_ASSIGN(op.out(0).shape, TransposedShape(op));
  return {};
}

Work TransposedWork(const OpContext& op) {
  const Shape& input = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  return work::TransposedConvolution{.batch = DimAt(input, 0),
                                     .in_channels = DimAt(input, 1),
                                     .in_points = PointsOf(op, input),
                                     .out_per_group = DimAt(weight, 1),
                                     .kernel_points = PointsOf(op, weight),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = op.has(2)};
}

template <const Slots& kSlots>
constexpr OpEntry Convolution(std::string_view op, std::string_view roles) {
  return {.op = op,
          .infer = InferConv<kSlots>,
          .work = ConvWork<kSlots>,
          .rule = "conv",
          .roles = roles};
}

constexpr OpEntry kOps[] = {
    Convolution<kConv>("Conv", "xww"),
    Convolution<kInteger>("ConvInteger", "xwww"),
    Convolution<kDeform>("DeformConv", "xwxwx"),
    Convolution<kQLinear>("QLinearConv", "xwwwwwwww"),
    {.op = "ConvTranspose",
     .infer = InferTransposed,
     .work = TransposedWork,
     .rule = "conv-transpose",
     .roles = "xww"},
};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }

}  // namespace opscope::onnx
