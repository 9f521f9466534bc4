// Modules and functions of torch that compute more than an element at a time.
#include "ops/ncnn/traced.h"

#include <algorithm>
#include <string>

#include "ops/contrib/common.h"
#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

using contrib::LastOf;
using contrib::RowsOf;

// The weight of that name, as an input.
int WeightIndex(const OpContext& op, std::string_view name) {
  std::string_view names = op.String("weights").value_or("");
  for (std::size_t i = Bottoms(op); !names.empty(); ++i) {
    const std::size_t comma = names.find(',');
    if (names.substr(0, comma) == name) return static_cast<int>(i);
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return -1;
}

// The second operand: a weight of the module, or a blob of the function.
int SecondOf(const OpContext& op) {
  const int weight = WeightIndex(op, "weight");
  return weight >= 0 ? weight : 1;
}

bool HasBias(const OpContext& op) {
  return WeightIndex(op, "bias") >= 0 || (WeightIndex(op, "weight") < 0 && Bottoms(op) > 2);
}

Work ConvWork(const OpContext& op) {
  const Shape& out = op.out(0).shape;
  const Shape& weight = op.in(static_cast<std::size_t>(SecondOf(op))).shape;
  return work::Convolution{.batch = DimAt(out, 0),
                           .out_channels = DimAt(out, 1),
                           .out_points = PointsOf(op, out),
                           .in_per_group = DimAt(weight, 1),
                           .kernel_points = PointsOf(op, weight),
                           .bias = HasBias(op),
                           .operands = {0, SecondOf(op)}};
}

Work TransposedWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(static_cast<std::size_t>(SecondOf(op))).shape;
  return work::TransposedConvolution{.batch = DimAt(in, 0),
                                     .in_channels = DimAt(in, 1),
                                     .in_points = PointsOf(op, in),
                                     .out_per_group = DimAt(weight, 1),
                                     .kernel_points = PointsOf(op, weight),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = HasBias(op),
                                     .operands = {0, SecondOf(op)}};
}

Work LinearWork(const OpContext& op) {
  const Shape& weight = op.in(static_cast<std::size_t>(SecondOf(op))).shape;
  return work::MatrixProduct{.batch = 1,
                             .m = RowsOf(op, op.in(0).shape),
                             .n = DimAt(weight, 0),
                             .k = LastOf(op.in(0).shape),
                             .bias = HasBias(op),
                             .operands = {0, SecondOf(op)}};
}

// Of two blobs; torch.addmm and baddbmm have what is added in front.
template <int kFirst>
Work ProductWork(const OpContext& op) {
  const Shape& a = op.in(kFirst).shape;
  const Shape& out = op.out(0).shape;
  const Dim k = LastOf(a);
  return work::MatrixProduct{.batch = 1,
                             .m = ElementsOf(op, out),
                             .n = 1,
                             .k = k,
                             .bias = kFirst > 0,
                             .operands = {kFirst, kFirst + 1}};
}

Work NormWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim all = ElementsOf(op, in);
  DimTable& dims = op.dims();
  const bool affine = WeightIndex(op, "weight") >= 0 || Bottoms(op) > 1;
  const std::string_view name = op.op();
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("BatchNorm") || has("batch_norm"))
    return work::Normalisation{.rows = DimAt(in, 1),
                               .n = dims.FloorDiv(all, DimAt(in, 1)),
                               .affine = affine,
                               .folded = true};
  Dim rows = dims.Mul(DimAt(in, 0), DimAt(in, 1));
  if (has("GroupNorm") || has("group_norm"))
    rows = dims.Mul(DimAt(in, 0), std::max<std::int64_t>(Param(op, "num_groups", 1), 1));
  if (has("Layer") || has("layer") || has("RMS") || has("rms")) {
    Dim n = 1;
    for (const std::int64_t size : List(op, "normalized_shape")) n = dims.Mul(n, size);
    rows = dims.FloorDiv(all, n);
  }
  return work::Normalisation{.rows = rows,
                             .n = dims.FloorDiv(all, rows),
                             .affine = affine,
                             .centred = !has("RMS") && !has("rms") && !has("normalize")};
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return work::Softmax{};
  const auto axis = AxisOf(op, Param(op, "dim", -1), in.rank());
  if (!axis.has_value()) return work::Softmax{};
  const Dim n = (*in.dims)[*axis];
  return work::Softmax{op.dims().FloorDiv(ElementsOf(op, in), n), n};
}

template <bool kMaximum>
Work PoolWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  const std::vector<std::int64_t> kernel = List(op, "kernel_size");
  const std::size_t spatial = in.known_rank() && in.rank() > 2 ? in.rank() - 2 : 0;
  Dim points = 1;
  for (std::size_t i = 0; i < spatial; ++i) {
    const Dim own = kernel.empty() ? dims.CeilDiv(DimAt(in, 2 + i), DimAt(out, 2 + i))
                                   : Dim(kernel[std::min(i, kernel.size() - 1)]);
    points = dims.Mul(points, own);
  }
  return work::Pooling{ElementsOf(op, out), points, kMaximum};
}

Work ReductionWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Work ResizeWork(const OpContext& op) {
  const std::string_view mode = op.String("mode").value_or("nearest");
  return work::Resampling{ElementsOf(op, op.out(0).shape), mode == "nearest"   ? "nearest"
                                                           : mode == "bicubic" ? "cubic"
                                                                               : "linear"};
}

// Layers above the first read both directions of the one below.
template <int kGates>
Work RecurrenceWork(const OpContext& op) {
  const std::int64_t layers = Param(op, "num_layers", 1);
  if (layers != 1 || Param(op, "proj_size") != 0)
    return work::Unknown{"several layers or a projection in one recurrence"};
  const Shape& in = op.in(0).shape;
  const bool first = Param(op, "batch_first") != 0;
  const bool batched = in.known_rank() && in.rank() == 3;
  return work::Recurrence{.steps = DimAt(in, batched && first ? 1 : 0),
                          .batch = batched ? DimAt(in, first ? 0 : 1) : Dim(1),
                          .directions = Param(op, "bidirectional") != 0 ? 2 : 1,
                          .hidden = Param(op, "hidden_size"),
                          .input = LastOf(in),
                          .gates = kGates,
                          .bias = Param(op, "bias", 1) != 0,
                          .operands = {0, static_cast<int>(Bottoms(op))}};
}

Work MultiHeadWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim width = Param(op, "embed_dim");
  const Dim heads = std::max<std::int64_t>(Param(op, "num_heads", 1), 1);
  const bool first = Param(op, "batch_first") != 0;
  const Shape& q = op.in(0).shape;
  const std::size_t blobs = Bottoms(op);
  const Shape& k = op.in(blobs > 1 ? 1 : 0).shape;
  const Dim batch = DimAt(q, first ? 0 : 1);
  const Dim q_length = DimAt(q, first ? 1 : 0);
  const Dim kv_length = DimAt(k, first ? 1 : 0);
  const Dim turned = dims.Mul(q_length, dims.Mul(dims.Mul(width, width), 2));
  const Dim sides = dims.Add(Param(op, "kdim", Param(op, "embed_dim")),
                             Param(op, "vdim", Param(op, "embed_dim")));
  const Dim made = dims.Mul(kv_length, dims.Mul(width, sides));
  const Dim bias = dims.Mul(dims.Mul(width, 2), dims.Add(q_length, kv_length));
  return work::Attention{
      .batch = batch,
      .query_heads = heads,
      .q_length = q_length,
      .kv_length = kv_length,
      .head = dims.FloorDiv(width, heads),
      .value_head = dims.FloorDiv(width, heads),
      .kv_heads = heads,
      .projection = dims.Mul(batch, dims.Add(turned, made)),
      .projection_bias = Param(op, "bias", 1) != 0 ? dims.Mul(batch, bias) : Dim(0),
      .operands = {0, static_cast<int>(blobs)}};
}

// [.., heads, length, head]
Work SdpaWork(const OpContext& op) {
  const auto back = [&](std::size_t input, std::size_t from_end) {
    const Shape& shape = op.in(input).shape;
    return shape.known_rank() && shape.rank() >= from_end ? DimAt(shape, shape.rank() - from_end)
                                                          : Dim();
  };
  const Shape& q = op.in(0).shape;
  const bool known = q.known_rank() && q.rank() >= 3;
  return work::Attention{.batch = known ? ProductOf(op, q, 0, q.rank() - 3) : Dim(),
                         .query_heads = back(0, 3),
                         .q_length = back(0, 2),
                         .kv_length = back(1, 2),
                         .head = back(0, 1),
                         .value_head = back(2, 1),
                         .kv_heads = back(1, 3),
                         .causal = Param(op, "is_causal") != 0};
}

Work EmbedWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

// add(mul(@0,2),0.5): an application of each function that is named.
Work ExpressionWork(const OpContext& op) {
  const std::string_view text = op.String("expr").value_or("");
  const auto calls = std::count(text.begin(), text.end(), '(');
  return work::Elementwise{
      op.dims().Mul(ElementsOf(op, op.out(0).shape), static_cast<std::int64_t>(calls)), 1, true};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

constexpr OpEntry Of(std::string_view op, WorkFn work, std::string_view rule, std::string_view like,
                     std::string_view roles = "xw") {
  return {.op = op, .infer = InferTraced, .work = work, .rule = rule, .roles = roles, .like = like};
}
constexpr OpEntry Norm(std::string_view op, std::string_view like) {
  return Of(op, NormWork, "normalisation", like);
}

// Batch statistics: nn.BatchNorm2d has bias, running_mean, running_var, weight, in this order.
constexpr OpEntry BatchNorm(std::string_view op) {
  return Of(op, NormWork, "normalisation", "BatchNormalization", "xwssw");
}

constexpr OpEntry kOps[] = {
    Of("nn.Conv1d", ConvWork, "conv", "Conv"),
    Of("nn.Conv2d", ConvWork, "conv", "Conv"),
    Of("nn.Conv3d", ConvWork, "conv", "Conv"),
    Of("F.conv1d", ConvWork, "conv", "Conv"),
    Of("F.conv2d", ConvWork, "conv", "Conv"),
    Of("F.conv3d", ConvWork, "conv", "Conv"),
    Of("nn.ConvTranspose1d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("nn.ConvTranspose2d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("nn.ConvTranspose3d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("F.conv_transpose1d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("F.conv_transpose2d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("F.conv_transpose3d", TransposedWork, "conv-transpose", "ConvTranspose"),
    Of("torchvision.ops.DeformConv2d", ConvWork, "conv", "DeformConv"),
    Of("nn.Linear", LinearWork, "matmul", "Gemm"),
    Of("F.linear", LinearWork, "matmul", "Gemm"),
    Of("torch.matmul", ProductWork<0>, "matmul", "MatMul", "x"),
    Of("torch.mm", ProductWork<0>, "matmul", "MatMul", "x"),
    Of("torch.bmm", ProductWork<0>, "matmul", "MatMul", "x"),
    Of("torch.mv", ProductWork<0>, "matmul", "MatMul", "x"),
    Of("torch.addmm", ProductWork<1>, "matmul", "Gemm", "x"),
    Of("torch.baddbmm", ProductWork<1>, "matmul", "Gemm", "x"),
    Of("nn.LSTM", RecurrenceWork<4>, "recurrence", "LSTM"),
    Of("nn.GRU", RecurrenceWork<3>, "recurrence", "GRU"),
    Of("nn.RNN", RecurrenceWork<1>, "recurrence", "RNN"),
    Of("nn.MultiheadAttention", MultiHeadWork, "attention", "Attention"),
    Of("F.scaled_dot_product_attention", SdpaWork, "attention", "Attention", "xxxc"),
    Of("nn.Embedding", EmbedWork, "gather", "Gather"),
    Of("F.embedding", EmbedWork, "gather", "Gather"),
    Of("nn.Softmax", SoftmaxWork, "softmax", "Softmax"),
    Of("F.softmax", SoftmaxWork, "softmax", "Softmax"),
    Of("nn.LogSoftmax", SoftmaxWork, "softmax", "LogSoftmax"),
    Of("F.log_softmax", SoftmaxWork, "softmax", "LogSoftmax"),
    BatchNorm("nn.BatchNorm1d"),
    BatchNorm("nn.BatchNorm2d"),
    BatchNorm("nn.BatchNorm3d"),
    Norm("F.batch_norm", "BatchNormalization"),
    Norm("nn.LayerNorm", "LayerNormalization"),
    Norm("F.layer_norm", "LayerNormalization"),
    Norm("nn.GroupNorm", "GroupNormalization"),
    Norm("F.group_norm", "GroupNormalization"),
    Norm("nn.InstanceNorm1d", "InstanceNormalization"),
    Norm("nn.InstanceNorm2d", "InstanceNormalization"),
    Norm("nn.InstanceNorm3d", "InstanceNormalization"),
    Norm("nn.RMSNorm", "RMSNormalization"),
    Norm("F.rms_norm", "RMSNormalization"),
    Norm("F.normalize", "LpNormalization"),
    Of("nn.MaxPool1d", PoolWork<true>, "pooling", "MaxPool"),
    Of("nn.MaxPool2d", PoolWork<true>, "pooling", "MaxPool"),
    Of("nn.MaxPool3d", PoolWork<true>, "pooling", "MaxPool"),
    Of("F.max_pool1d", PoolWork<true>, "pooling", "MaxPool"),
    Of("F.max_pool2d", PoolWork<true>, "pooling", "MaxPool"),
    Of("F.max_pool3d", PoolWork<true>, "pooling", "MaxPool"),
    Of("nn.AvgPool1d", PoolWork<false>, "pooling", "AveragePool"),
    Of("nn.AvgPool2d", PoolWork<false>, "pooling", "AveragePool"),
    Of("nn.AvgPool3d", PoolWork<false>, "pooling", "AveragePool"),
    Of("F.avg_pool2d", PoolWork<false>, "pooling", "AveragePool"),
    Of("nn.AdaptiveAvgPool1d", PoolWork<false>, "pooling", "AveragePool"),
    Of("nn.AdaptiveAvgPool2d", PoolWork<false>, "pooling", "AveragePool"),
    Of("F.adaptive_avg_pool2d", PoolWork<false>, "pooling", "AveragePool"),
    Of("nn.AdaptiveMaxPool2d", PoolWork<true>, "pooling", "MaxPool"),
    Of("F.adaptive_max_pool2d", PoolWork<true>, "pooling", "MaxPool"),
    Of("torch.mean", ReductionWork, "reduction", "ReduceMean"),
    Of("torch.sum", ReductionWork, "reduction", "ReduceSum"),
    Of("torch.amax", ReductionWork, "reduction", "ReduceMax"),
    Of("torch.amin", ReductionWork, "reduction", "ReduceMin"),
    Of("torch.max", ReductionWork, "reduction", "ReduceMax"),
    Of("torch.min", ReductionWork, "reduction", "ReduceMin"),
    Of("torch.prod", ReductionWork, "reduction", "ReduceProd"),
    Of("torch.norm", ReductionWork, "reduction", "ReduceL2"),
    Of("torch.logsumexp", ReductionWork, "reduction", "ReduceLogSumExp"),
    Of("torch.argmax", ReductionWork, "reduction", "ArgMax"),
    Of("torch.argmin", ReductionWork, "reduction", "ArgMin"),
    Of("F.upsample", ResizeWork, "resampling", "Resize"),
    Of("F.interpolate", ResizeWork, "resampling", "Resize"),
    Of("F.upsample_nearest", ResizeWork, "resampling", "Resize"),
    Of("F.upsample_bilinear", ResizeWork, "resampling", "Resize"),
    Of("nn.Upsample", ResizeWork, "resampling", "Resize"),
    Of("nn.UpsamplingNearest2d", ResizeWork, "resampling", "Resize"),
    Of("nn.UpsamplingBilinear2d", ResizeWork, "resampling", "Resize"),
    Of("F.grid_sample", ResizeWork, "resampling", "GridSample", "xc"),
    Of("pnnx.Expression", ExpressionWork, "elementwise", "Add", "x"),
    Of("torch.index_select", GatherWork, "gather", "Gather", "xc"),
    Of("torch.gather", GatherWork, "gather", "GatherElements", "xc"),
};

}  // namespace

std::span<const OpEntry> TracedOps() { return kOps; }

}  // namespace opscope::ncnn
