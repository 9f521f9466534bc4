// ML programs: operations that multiply, sum or normalise.
#include <algorithm>
#include <string>

#include "ops/contrib/common.h"
#include "ops/coreml/args.h"
#include "ops/coreml/families.h"

namespace opscope::coreml {

namespace {

using contrib::LastOf;
using contrib::RowsOf;

// --- windows ---

Result<Window> WindowOf(const OpContext& op, Dims kernel) {
  Window window;
  window.kernel = std::move(kernel);
  window.strides = Numbers(op, "strides");
  window.dilations = Numbers(op, "dilations");
  const std::string_view type = op.String("pad_type").value_or("valid");
  window.same = type == "same" || type == "same_lower";
  window.ceil = Number(op, "ceil_mode") != 0;
  if (type == "custom") window.pads = Numbers(op, "pad");
  TRY(Complete(op, window));
  return window;
}

int WeightOf(const OpContext& op, std::string_view name = "weight") {
  return static_cast<int>(Position(op, name).value_or(1));
}

template <bool kTransposed>
Result<void> InferConv(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape weight = Named(op, "weight").shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank() || !weight.known_rank()) return {};
  if (in.rank() != weight.rank() || in.rank() < 3)
    return op.Problem("input of rank " + std::to_string(in.rank()) + ", weight of rank " +
                      std::to_string(weight.rank()));
  TRY_ASSIGN(const Window window, WindowOf(op, Dims(weight.dims->begin() + 2, weight.dims->end())));
  const std::int64_t groups = std::max<std::int64_t>(Number(op, "groups", 1), 1);
  const Dim channels = kTransposed ? op.dims().Mul(DimAt(weight, 1), groups) : DimAt(weight, 0);
  const std::vector<std::int64_t> stated = Numbers(op, "output_shape");
  Dims out = {DimAt(in, 0), channels};
  for (std::size_t i = 0; i + 2 < in.rank(); ++i) {
    if (kTransposed && stated.size() == in.rank()) {
      out.push_back(stated[i + 2] > 0 ? Dim(stated[i + 2]) : Dim());
      continue;
    }
    TRY_ASSIGN(const Dim size,
               (kTransposed ? TransposedPlaces : Places)(op, window, i, (*in.dims)[i + 2]));
    out.push_back(size);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ConvWork(const OpContext& op) {
  const Shape& out = op.out(0).shape;
  const Shape weight = Named(op, "weight").shape;
  return work::Convolution{.batch = DimAt(out, 0),
                           .out_channels = DimAt(out, 1),
                           .out_points = PointsOf(op, out),
                           .in_per_group = DimAt(weight, 1),
                           .kernel_points = PointsOf(op, weight),
                           .bias = Position(op, "bias").has_value(),
                           .operands = {0, WeightOf(op)}};
}

Work TransposedWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape weight = Named(op, "weight").shape;
  return work::TransposedConvolution{.batch = DimAt(in, 0),
                                     .in_channels = DimAt(in, 1),
                                     .in_points = PointsOf(op, in),
                                     .out_per_group = DimAt(weight, 1),
                                     .kernel_points = PointsOf(op, weight),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = Position(op, "bias").has_value(),
                                     .operands = {0, WeightOf(op)}};
}

Result<void> InferPool(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> kernel = Numbers(op, "kernel_sizes");
  if (!in.known_rank() || kernel.size() + 2 != in.rank()) return {};
  TRY_ASSIGN(const Window window, WindowOf(op, Dims(kernel.begin(), kernel.end())));
  Dims out = {DimAt(in, 0), DimAt(in, 1)};
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    TRY_ASSIGN(const Dim size, Places(op, window, i, (*in.dims)[i + 2]));
    out.push_back(size);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <bool kMaximum>
Work PoolWork(const OpContext& op) {
  Dim points = 1;
  for (const std::int64_t size : Numbers(op, "kernel_sizes")) points = op.dims().Mul(points, size);
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, kMaximum};
}

// --- products ---

Result<void> InferLinear(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype,
            contrib::WithLast(op.in(0).shape, DimAt(Named(op, "weight").shape, 0)));
  return {};
}

Work LinearWork(const OpContext& op) {
  return work::MatrixProduct{.batch = 1,
                             .m = RowsOf(op, op.in(0).shape),
                             .n = DimAt(Named(op, "weight").shape, 0),
                             .k = LastOf(op.in(0).shape),
                             .bias = Position(op, "bias").has_value(),
                             .operands = {0, WeightOf(op)}};
}

struct Sizes {
  Dim m, n, k;
};

Dim Back(const Shape& shape, std::size_t from_end) {
  return shape.known_rank() && shape.rank() >= from_end ? DimAt(shape, shape.rank() - from_end)
                                                        : Dim(1);
}

Sizes MatMulSizes(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const Shape& y = op.in(1).shape;
  const bool turned_x = Number(op, "transpose_x") != 0;
  const bool turned_y = Number(op, "transpose_y") != 0;
  const bool vector = y.known_rank() && y.rank() == 1;
  return {Back(x, turned_x ? 1 : 2), vector ? Dim(1) : Back(y, turned_y ? 2 : 1),
          Back(x, turned_x ? 2 : 1)};
}

Shape Leading(const Shape& shape) {
  if (!shape.known_rank()) return {};
  const auto kept = static_cast<std::ptrdiff_t>(shape.rank() > 2 ? shape.rank() - 2 : 0);
  return ShapeOf(Dims(shape.dims->begin(), shape.dims->begin() + kept));
}

Result<void> InferMatMul(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  const Shape& x = op.in(0).shape;
  const Shape& y = op.in(1).shape;
  if (!x.known_rank() || !y.known_rank() || x.rank() < 2 || y.rank() < 2) return {};
  const Sizes s = MatMulSizes(op);
  TRY_ASSIGN(Shape out, Broadcast(op, Leading(x), Leading(y)));
  out.dims->push_back(s.m);
  out.dims->push_back(s.n);
  op.out(0).shape = std::move(out);
  return {};
}

Work MatMulWork(const OpContext& op) {
  const Sizes s = MatMulSizes(op);
  const auto leading = Broadcast(op, Leading(op.in(0).shape), Leading(op.in(1).shape));
  return work::MatrixProduct{.batch = leading.has_value() ? ElementsOf(op, *leading) : Dim(),
                             .m = s.m,
                             .n = s.n,
                             .k = s.k};
}

// q, k, v: [.., heads, length, head]
Work AttentionWork(const OpContext& op) {
  const Shape q = Named(op, "query").shape;
  const Shape k = Named(op, "key").shape;
  const Shape v = Named(op, "value").shape;
  const bool known = q.known_rank() && q.rank() >= 3;
  return work::Attention{.batch = known ? ProductOf(op, q, 0, q.rank() - 3) : Dim(),
                         .query_heads = Back(q, 3),
                         .q_length = Back(q, 2),
                         .kv_length = Back(k, 2),
                         .head = Back(q, 1),
                         .value_head = Back(v, 1),
                         .kv_heads = Back(k, 3)};
}

// x [steps, batch, input]; weights stand by direction.
template <int kGates>
Work RecurrenceWork(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const bool both = op.String("direction").value_or("forward") == "bidirectional";
  return work::Recurrence{.steps = DimAt(x, 0),
                          .batch = DimAt(x, 1),
                          .directions = both ? 2 : 1,
                          .hidden = DimAt(Named(op, "weight_hh").shape, 1),
                          .input = DimAt(x, 2),
                          .gates = kGates,
                          .bias = Position(op, "bias").has_value(),
                          .operands = {0, WeightOf(op, "weight_ih")}};
}

// --- norms and sums ---

template <bool kFolded>
Work ChannelNormWork(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  DimTable& dims = op.dims();
  const Dim rows = kFolded ? DimAt(x, 1) : dims.Mul(DimAt(x, 0), DimAt(x, 1));
  return work::Normalisation{.rows = rows,
                             .n = dims.FloorDiv(ElementsOf(op, x), rows),
                             .affine = Position(op, "gamma").has_value(),
                             .folded = kFolded};
}

std::vector<std::size_t> AxesIn(const OpContext& op, std::size_t rank) {
  const std::vector<std::int64_t> listed =
      Numbers(op, FindAttribute(op.model(), op.node(), "axes") != nullptr ? "axes" : "axis");
  const auto axes = AxesOf(op, listed, rank);
  return axes.has_value() ? *axes : std::vector<std::size_t>();
}

Dim ProductOfAxes(const OpContext& op, const Shape& x) {
  Dim n = 1;
  if (!x.known_rank()) return {};
  std::vector<std::size_t> axes = AxesIn(op, x.rank());
  if (axes.empty() && x.rank() > 0) axes.push_back(x.rank() - 1);
  for (const std::size_t axis : axes) n = op.dims().Mul(n, (*x.dims)[axis]);
  return n;
}

template <bool kCentred>
Work AxesNormWork(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const Dim n = ProductOfAxes(op, x);
  return work::Normalisation{.rows = op.dims().FloorDiv(ElementsOf(op, x), n),
                             .n = n,
                             .affine = Position(op, "gamma").has_value(),
                             .centred = kCentred};
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const Dim n = ProductOfAxes(op, x);
  return work::Softmax{op.dims().FloorDiv(ElementsOf(op, x), n), n};
}

Result<void> InferReduce(OpContext& op) {
  const Shape& x = op.in(0).shape;
  if (op.op().find("arg") == std::string_view::npos) op.out(0).dtype = op.in(0).dtype;
  if (!x.known_rank()) return {};
  std::vector<std::size_t> axes = AxesIn(op, x.rank());
  if (axes.empty())
    for (std::size_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  const bool keep = Number(op, "keep_dims") != 0;
  Dims out;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), i);
    if (!gone || keep) out.push_back(gone ? Dim(1) : (*x.dims)[i]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Work ResizeWork(const OpContext& op) {
  const std::string_view name = op.op();
  return work::Resampling{ElementsOf(op, op.out(0).shape),
                          name.find("bilinear") != std::string_view::npos ||
                                  name.find("resample") != std::string_view::npos
                              ? "linear"
                              : "nearest"};
}

Work RegionWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape), "linear"};
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

constexpr OpEntry Of(std::string_view op, InferFn infer, WorkFn work, std::string_view rule,
                     std::string_view like, std::string_view roles = "x") {
  return {.op = op, .infer = infer, .work = work, .rule = rule, .roles = roles, .like = like};
}
constexpr OpEntry Reduce(std::string_view op, std::string_view like) {
  return Of(op, InferReduce, ReduceWork, "reduction", like);
}
constexpr OpEntry Resize(std::string_view op) {
  return Of(op, AsStated, ResizeWork, "resampling", "Resize", "xc");
}

constexpr OpEntry kOps[] = {
    Of("conv", InferConv<false>, ConvWork, "conv", "Conv", "xww"),
    Of("conv_quantized", InferConv<false>, ConvWork, "conv", "Conv", "xww"),
    Of("conv_transpose", InferConv<true>, TransposedWork, "conv-transpose", "ConvTranspose", "xww"),
    Of("linear", InferLinear, LinearWork, "matmul", "Gemm", "xww"),
    Of("matmul", InferMatMul, MatMulWork, "matmul", "MatMul"),
    {.op = "einsum",
     .infer = [](OpContext& op) { return contrib::InferAs(op, "Einsum"); },
     .work = [](const OpContext& op) { return contrib::WorkAs(op, "Einsum"); },
     .rule = "einsum",
     .like = "Einsum"},
    Of("scaled_dot_product_attention", AsStated, AttentionWork, "attention", "Attention", "xxxc"),
    Of("lstm", AsStated, RecurrenceWork<4>, "recurrence", "LSTM", "xxxw"),
    Of("gru", AsStated, RecurrenceWork<3>, "recurrence", "GRU", "xxw"),
    Of("rnn", AsStated, RecurrenceWork<1>, "recurrence", "RNN", "xxw"),
    Of("max_pool", InferPool, PoolWork<true>, "pooling", "MaxPool"),
    Of("avg_pool", InferPool, PoolWork<false>, "pooling", "AveragePool"),
    Of("l2_pool", InferPool, PoolWork<false>, "pooling", "LpPool"),
    Of("batch_norm", Like, ChannelNormWork<true>, "normalisation", "BatchNormalization", "xwwss"),
    Of("instance_norm", Like, ChannelNormWork<false>, "normalisation", "InstanceNormalization",
       "xw"),
    Of("layer_norm", Like, AxesNormWork<true>, "normalisation", "LayerNormalization", "xw"),
    Of("l2_norm", Like, AxesNormWork<false>, "normalisation", "LpNormalization"),
    Of("local_response_norm", Like, onnx::ElementwiseWork, "elementwise", "LRN"),
    Of("softmax", Like, SoftmaxWork, "softmax", "Softmax"),
    Reduce("reduce_argmax", "ArgMax"),
    Reduce("reduce_argmin", "ArgMin"),
    Reduce("reduce_l1_norm", "ReduceL1"),
    Reduce("reduce_l2_norm", "ReduceL2"),
    Reduce("reduce_log_sum", "ReduceLogSum"),
    Reduce("reduce_log_sum_exp", "ReduceLogSumExp"),
    Reduce("reduce_max", "ReduceMax"),
    Reduce("reduce_mean", "ReduceMean"),
    Reduce("reduce_min", "ReduceMin"),
    Reduce("reduce_prod", "ReduceProd"),
    Reduce("reduce_sum", "ReduceSum"),
    Reduce("reduce_sum_square", "ReduceSumSquare"),
    Resize("resize"),
    Resize("resize_bilinear"),
    Resize("resize_nearest_neighbor"),
    Resize("upsample_bilinear"),
    Resize("upsample_nearest_neighbor"),
    Of("resample", AsStated, RegionWork, "resampling", "GridSample", "xc"),
    Of("crop_resize", AsStated, RegionWork, "resampling", "Resize", "xc"),
    Of("affine", AsStated, RegionWork, "resampling", "GridSample", "xc"),
    Of("quantize", AsStated, QuantiseWork, "quantise", "QuantizeLinear", "xw"),
    Of("dequantize", AsStated, QuantiseWork, "quantise", "DequantizeLinear", "xw"),
};

}  // namespace

std::span<const OpEntry> ProgramMathOps() { return kOps; }

}  // namespace opscope::coreml
