// Neural networks: convolutions and pooling. Channels, rows and columns are the last three dims of
// what a layer reads, whatever stands in front.
#include <algorithm>
#include <string>

#include "ops/contrib/common.h"
#include "ops/coreml/args.h"
#include "ops/coreml/families.h"

namespace opscope::coreml {

namespace {

int FirstWeight(const OpContext& op) { return static_cast<int>(Blobs(op)); }

// --- convolution (100): 1 output channels, 2 channels of the kernel, 10 groups, 20 kernel,
// 30 strides, 40 dilations, 50 pads or 51 same, 60 turned round, 70 bias, 100 output shape ---

Result<Window> ConvWindow(const OpContext& op) {
  const std::vector<std::int64_t> kernel = Numbers(op, "20");
  Window window;
  window.kernel = kernel.empty() ? Dims{3, 3} : Dims(kernel.begin(), kernel.end());
  window.strides = Numbers(op, "30");
  window.dilations = Numbers(op, "40");
  window.pads = Numbers(op, "50");
  window.same = Number(op, "51") != 0;
  TRY(Complete(op, window));
  return window;
}

bool IsTurned(const OpContext& op) { return Number(op, "60") != 0; }

Result<void> InferConv(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  if (in.rank() < 3) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 3");
  TRY_ASSIGN(const Window window, ConvWindow(op));
  if (window.kernel.size() != 2) return op.Problem("a kernel has two dims");
  const std::vector<std::int64_t> stated = Numbers(op, "100");
  const auto places = IsTurned(op) ? TransposedPlaces : Places;
  TRY_ASSIGN(Dim h, places(op, window, 0, Back(in, 2)));
  TRY_ASSIGN(Dim w, places(op, window, 1, Back(in, 1)));
  if (IsTurned(op) && stated.size() == 2) {
    h = stated[0];
    w = stated[1];
  }
  op.out(0).shape = WithEnd(in, {Number(op, "1"), h, w});
  return {};
}

Work ConvWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  Dim kernel = 1;
  if (const auto window = ConvWindow(op); window.has_value())
    for (const Dim size : window->kernel) kernel = dims.Mul(kernel, size);
  const bool bias = Number(op, "70") != 0;
  if (IsTurned(op)) {
    const std::int64_t groups = std::max<std::int64_t>(Number(op, "10", 1), 1);
    return work::TransposedConvolution{.batch = Leading(op, in, 3),
                                       .in_channels = Back(in, 3),
                                       .in_points = dims.Mul(Back(in, 2), Back(in, 1)),
                                       .out_per_group = dims.FloorDiv(Number(op, "1"), groups),
                                       .kernel_points = kernel,
                                       .outputs = ElementsOf(op, out),
                                       .bias = bias,
                                       .operands = {0, FirstWeight(op)}};
  }
  return work::Convolution{.batch = Leading(op, in, 3),
                           .out_channels = Number(op, "1"),
                           .out_points = dims.Mul(Back(out, 2), Back(out, 1)),
                           .in_per_group = Number(op, "2"),
                           .kernel_points = kernel,
                           .bias = bias,
                           .operands = {0, FirstWeight(op)}};
}

// --- convolution3d (1000 …): sizes of their own fields ---

Result<Window> Window3d(const OpContext& op) {
  Window window;
  window.kernel = {Number(op, "20", 1), Number(op, "21", 1), Number(op, "22", 1)};
  window.strides = {Number(op, "31", 1), Number(op, "32", 1), Number(op, "33", 1)};
  window.dilations = {Number(op, "40", 1), Number(op, "41", 1), Number(op, "42", 1)};
  const std::int64_t type = Number(op, "70");
  window.same = type == 2;
  if (type == 0)
    window.pads = {Number(op, "80"), Number(op, "81"), Number(op, "82"),
                   Number(op, "83"), Number(op, "84"), Number(op, "85")};
  TRY(Complete(op, window));
  return window;
}

Result<void> InferConv3d(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank() || in.rank() < 4) return {};
  TRY_ASSIGN(const Window window, Window3d(op));
  Dims end = {Number(op, "1")};
  for (std::size_t i = 0; i < 3; ++i) {
    TRY_ASSIGN(const Dim size,
               (Number(op, "86") != 0 ? TransposedPlaces : Places)(op, window, i, Back(in, 3 - i)));
    end.push_back(size);
  }
  op.out(0).shape = WithEnd(in, std::move(end));
  return {};
}

Work Conv3dWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  const std::int64_t groups = std::max<std::int64_t>(Number(op, "10", 1), 1);
  const Dim kernel =
      dims.Mul(dims.Mul(Number(op, "20", 1), Number(op, "21", 1)), Number(op, "22", 1));
  const auto points = [&](const Shape& s) {
    return dims.Mul(dims.Mul(Back(s, 3), Back(s, 2)), Back(s, 1));
  };
  if (Number(op, "86") != 0)
    return work::TransposedConvolution{.batch = Leading(op, in, 4),
                                       .in_channels = Back(in, 4),
                                       .in_points = points(in),
                                       .out_per_group = dims.FloorDiv(Number(op, "1"), groups),
                                       .kernel_points = kernel,
                                       .outputs = ElementsOf(op, out),
                                       .bias = Number(op, "50") != 0,
                                       .operands = {0, FirstWeight(op)}};
  return work::Convolution{.batch = Leading(op, in, 4),
                           .out_channels = Number(op, "1"),
                           .out_points = points(out),
                           .in_per_group = dims.FloorDiv(Number(op, "2"), groups),
                           .kernel_points = kernel,
                           .bias = Number(op, "50") != 0,
                           .operands = {0, FirstWeight(op)}};
}

// --- pooling (120): 1 type, 10 kernel, 20 strides, 30 pads, 31 same, 32 with the last pixel,
// 60 over everything ---

Result<void> InferPool(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  if (in.rank() < 3) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 3");
  if (Number(op, "60") != 0) {
    op.out(0).shape = WithEnd(in, {1, 1});
    return {};
  }
  Window window;
  const std::vector<std::int64_t> kernel = Numbers(op, "10");
  window.kernel = kernel.empty() ? Dims{3, 3} : Dims(kernel.begin(), kernel.end());
  window.strides = Numbers(op, "20");
  window.pads = Numbers(op, "30");
  window.same = Number(op, "31") != 0;
  if (const std::vector<std::int64_t> last = Numbers(op, "32"); last.size() == 2) {
    window.pads = {last[0], last[0], last[1], last[1]};
    window.ceil = true;
  }
  TRY(Complete(op, window));
  if (window.kernel.size() != 2) return op.Problem("a kernel has two dims");
  TRY_ASSIGN(const Dim h, Places(op, window, 0, Back(in, 2)));
  TRY_ASSIGN(const Dim w, Places(op, window, 1, Back(in, 1)));
  op.out(0).shape = WithEnd(in, {h, w});
  return {};
}

Work PoolWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  Dim points = dims.Mul(Back(in, 2), Back(in, 1));
  if (Number(op, "60") == 0) {
    points = 1;
    for (const std::int64_t size : Numbers(op, "10")) points = dims.Mul(points, size);
  }
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, Number(op, "1") == 0};
}

constexpr OpEntry Of(std::string_view op, InferFn infer, WorkFn work, std::string_view rule,
                     std::string_view like, std::string_view roles = "x") {
  return {.op = op, .infer = infer, .work = work, .rule = rule, .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Of("convolution", InferConv, ConvWork, "conv", "Conv", "xw"),
    Of("convolution3d", InferConv3d, Conv3dWork, "conv", "Conv", "xw"),
    Of("pooling", InferPool, PoolWork, "pooling", "MaxPool"),
};

}  // namespace

std::span<const OpEntry> LayerWindowOps() { return kOps; }

}  // namespace opscope::coreml
