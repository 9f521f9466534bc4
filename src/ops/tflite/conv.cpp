// Convolutions. Data are NHWC (NDHWC); weights OHWI, 1HWO for depthwise ones, DHWIO in three dims.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// Where a weight has what.
struct Layout {
  std::size_t rank;
  std::string_view window;  // letters of the spatial attributes
  std::size_t kernel;       // first spatial axis of the weight
  std::size_t in, out;      // axes of the weight's channels
};
constexpr Layout kPlane = {4, "hw", 1, 3, 0};
constexpr Layout kDepthwise = {4, "hw", 1, 0, 3};
constexpr Layout kVolume = {5, "dhw", 0, 3, 4};
constexpr Layout kPlaneTransposed = {4, "hw", 1, 3, 0};
constexpr Layout kVolumeTransposed = {5, "dhw", 0, 4, 3};

Result<bool> Known(const OpContext& op, const Shape& shape, std::size_t rank) {
  if (!shape.known_rank()) return false;
  if (shape.rank() == rank) return true;
  return op.Problem("a tensor of rank " + std::to_string(shape.rank()) + ", needs " +
                    std::to_string(rank));
}

Dims KernelOf(const Shape& weight, const Layout& layout) {
  const auto begin = weight.dims->begin() + static_cast<std::ptrdiff_t>(layout.kernel);
  return {begin, begin + static_cast<std::ptrdiff_t>(layout.window.size())};
}

Dim TapsOf(const OpContext& op, const Shape& weight, const Layout& layout) {
  return ProductOf(op, weight, layout.kernel, layout.kernel + layout.window.size());
}

// The points between batch and channels.
Dim InnerPoints(const OpContext& op, const Shape& shape) {
  return shape.known_rank() && shape.rank() > 2 ? ProductOf(op, shape, 1, shape.rank() - 1) : Dim();
}

Dim LastOf(const Shape& shape) {
  return shape.known_rank() && shape.rank() > 0 ? shape.dims->back() : Dim();
}

// out = [N, places of the window …, channels]. Groups are input channels over the weight's; a
// depthwise weight says its output channels alone.
template <const Layout& kLayout>
Result<void> InferConv(OpContext& op) {
  const Shape& input = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  TRY_ASSIGN(const bool has_input, Known(op, input, kLayout.rank));
  TRY_ASSIGN(const bool has_weight, Known(op, weight, kLayout.rank));
  if (!has_input || !has_weight) return {};
  TRY_ASSIGN(const onnx::Window window, ReadWindow(op, KernelOf(weight, kLayout), kLayout.window));
  const Dim channels = LastOf(input);
  const Dim taken = DimAt(weight, kLayout.in);
  if (channels.is_number() && taken.is_number() &&
      (taken.number() < 1 || channels.number() % taken.number() != 0))
    return op.Problem(
        "input channels against weight channels: " + std::to_string(channels.number()) +
        " against " + std::to_string(taken.number()));
  Dims out = {DimAt(input, 0)};
  for (std::size_t i = 0; i < window.rank(); ++i) {
    TRY_ASSIGN(const Dim places, onnx::PlacesOf(op, window, i, DimAt(input, 1 + i)));
    out.push_back(places);
  }
  out.push_back(DimAt(weight, kLayout.out));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <const Layout& kLayout>
Work ConvWork(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& out = op.out(0).shape;
  const bool depthwise = &kLayout == &kDepthwise;
  return work::Convolution{.batch = DimAt(out, 0),
                           .out_channels = LastOf(out),
                           .out_points = InnerPoints(op, out),
                           .in_per_group = depthwise ? Dim(1) : DimAt(weight, kLayout.in),
                           .kernel_points = TapsOf(op, weight, kLayout),
                           .bias = op.has(2),
                           .then = FusedActivation(op)};
}

// Input 0 holds the output's shape, 1 the weight, 2 the data, 3 the bias. Where the shape is only
// known at run time it follows from the padding: in * stride, or what reaches over it.
template <const Layout& kLayout>
Result<void> InferTransposed(OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& input = op.in(2).shape;
  SetOutput(op, 0, StoredDType(op, 0, 2), {});
  if (op.in(0).ints.has_value()) {
    op.out(0).shape = ShapeOf(*op.in(0).ints);
    return {};
  }
  TRY_ASSIGN(const bool has_input, Known(op, input, kLayout.rank));
  TRY_ASSIGN(const bool has_weight, Known(op, weight, kLayout.rank));
  if (!has_input || !has_weight) return {};
  TRY_ASSIGN(const onnx::Window window, ReadWindow(op, KernelOf(weight, kLayout), kLayout.window));
  DimTable& dims = op.dims();
  Dims out = {DimAt(input, 0)};
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const Dim in = DimAt(input, 1 + i);
    const bool same = window.auto_pad == onnx::AutoPad::kSameUpper;
    out.push_back(same ? dims.Mul(in, window.strides[i])
                       : dims.Add(dims.Mul(dims.Sub(in, 1), window.strides[i]),
                                  onnx::ReachOf(op, window, i)));
  }
  out.push_back(DimAt(weight, kLayout.out));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <const Layout& kLayout>
Work TransposedWork(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& input = op.in(2).shape;
  return work::TransposedConvolution{.batch = DimAt(input, 0),
                                     .in_channels = LastOf(input),
                                     .in_points = InnerPoints(op, input),
                                     .out_per_group = DimAt(weight, kLayout.out),
                                     .kernel_points = TapsOf(op, weight, kLayout),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = op.has(3),
                                     .operands = {2, 1},
                                     .then = FusedActivation(op)};
}

// MediaPipe's: data, weight OHWI, bias; the padding is in options of its own, so that the shape is
// the file's.
Work BiasedTransposedWork(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& input = op.in(0).shape;
  return work::TransposedConvolution{.batch = DimAt(input, 0),
                                     .in_channels = LastOf(input),
                                     .in_points = InnerPoints(op, input),
                                     .out_per_group = DimAt(weight, 0),
                                     .kernel_points = TapsOf(op, weight, kPlaneTransposed),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = op.has(2)};
}

template <const Layout& kLayout>
constexpr OpEntry Convolution(std::string_view op) {
  return {.op = op,
          .infer = InferConv<kLayout>,
          .work = ConvWork<kLayout>,
          .rule = "conv",
          .roles = "xww",
          .like = "Conv"};
}

template <const Layout& kLayout>
constexpr OpEntry Transposed(std::string_view op) {
  return {.op = op,
          .infer = InferTransposed<kLayout>,
          .work = TransposedWork<kLayout>,
          .rule = "conv-transpose",
          .roles = "cwxw",
          .like = "ConvTranspose"};
}

constexpr OpEntry kOps[] = {
    Convolution<kPlane>("CONV_2D"),
    Convolution<kDepthwise>("DEPTHWISE_CONV_2D"),
    Convolution<kVolume>("CONV_3D"),
    Transposed<kPlaneTransposed>("TRANSPOSE_CONV"),
    Transposed<kVolumeTransposed>("CONV_3D_TRANSPOSE"),
};

constexpr OpEntry kCustom[] = {
    {.op = "Convolution2DTransposeBias",
     .infer = InferStored,
     .work = BiasedTransposedWork,
     .rule = "conv-transpose",
     .roles = "xww",
     .like = "ConvTranspose"},
};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }
std::span<const OpEntry> CustomOps() { return kCustom; }

}  // namespace opscope::tflite
