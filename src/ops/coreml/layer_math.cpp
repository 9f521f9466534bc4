// Neural networks: layers that multiply, sum or normalise. Channels, rows and columns are the last
// three dims of what a layer reads, whatever stands in front.
#include <algorithm>
#include <string>

#include "ops/contrib/common.h"
#include "ops/coreml/args.h"
#include "ops/coreml/families.h"

namespace opscope::coreml {

namespace {

using contrib::LastOf;
using contrib::RowsOf;

int FirstWeight(const OpContext& op) { return static_cast<int>(Blobs(op)); }

// --- products ---

// 1 columns, 2 rows of the weight. The last dim, or channels of one row and one column.
bool ByChannel(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  return in.known_rank() && in.rank() >= 3 && Back(in, 1) == Dim(1) && Back(in, 2) == Dim(1) &&
         Back(in, 3) == Dim(Number(op, "1"));
}

Result<void> InferInner(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim outputs = Number(op, "2");
  SetOutput(op, 0, op.in(0).dtype,
            ByChannel(op) ? WithEnd(in, {outputs, 1, 1}) : WithEnd(in, {outputs}));
  return {};
}

Work InnerWork(const OpContext& op) {
  const Dim inputs = Number(op, "1");
  return work::MatrixProduct{.batch = 1,
                             .m = op.dims().FloorDiv(ElementsOf(op, op.in(0).shape), inputs),
                             .n = Number(op, "2"),
                             .k = inputs,
                             .bias = Number(op, "10") != 0,
                             .operands = {0, FirstWeight(op)}};
}

// 1, 2 turned; with one input the weight of 5 rows and 6 columns.
Result<void> InferBatched(OpContext& op) {
  const Shape& a = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (Blobs(op) < 2) {
    op.out(0).shape = WithEnd(a, {Number(op, "6")});
    return {};
  }
  const Shape& b = op.in(1).shape;
  if (!a.known_rank() || !b.known_rank() || a.rank() < 2 || b.rank() < 2) return {};
  const auto leading = [](const Shape& s) {
    return ShapeOf(Dims(s.dims->begin(), s.dims->end() - 2));
  };
  TRY_ASSIGN(Shape out, Broadcast(op, leading(a), leading(b)));
  out.dims->push_back(Back(a, Number(op, "1") != 0 ? 1 : 2));
  out.dims->push_back(Back(b, Number(op, "2") != 0 ? 2 : 1));
  op.out(0).shape = std::move(out);
  return {};
}

Work BatchedWork(const OpContext& op) {
  const Shape& a = op.in(0).shape;
  return work::MatrixProduct{.batch = 1,
                             .m = ElementsOf(op, op.out(0).shape),
                             .n = 1,
                             .k = Back(a, Number(op, "1") != 0 ? 2 : 1),
                             .bias = Number(op, "7") != 0,
                             .operands = {0, 1}};
}

Result<void> InferEmbedding(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const bool any_rank = op.op() == "embeddingND";
  if (!in.known_rank()) return {};
  const Dim width = Number(op, "2");
  SetOutput(op, 0, DType::kFloat32,
            !any_rank && in.rank() >= 3 ? WithEnd(in, {width, 1, 1}) : WithEnd(in, {width}));
  return {};
}

Work EmbeddingWork(const OpContext& op) {
  return work::GatherScatter{BytesOf(op.dims(), op.out(0))};
}

// --- recurrences: 1 columns, 2 hidden; input [steps, batch, size, 1, 1] or [steps, batch, size]
// ---

bool IsBoth(const OpContext& op) { return op.op() == "biDirectionalLSTM"; }

Result<void> InferRecurrence(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim hidden = Number(op, "2");
  const Dim width = IsBoth(op) ? op.dims().Mul(hidden, 2) : hidden;
  const DType dtype = op.in(0).dtype;
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).dtype = dtype;
  if (!in.known_rank() || in.rank() < 3) return {};
  const auto ones = [&in](Dims dims) {
    while (dims.size() < in.rank()) dims.push_back(1);
    return ShapeOf(std::move(dims));
  };
  const Dim steps = DimAt(in, 0);
  const Dim batch = DimAt(in, 1);
  const bool each = op.op().find("LSTM") != std::string_view::npos || Number(op, "15") != 0;
  op.out(0).shape = ones({each ? steps : Dim(1), batch, width});
  for (std::size_t i = 1; i < op.outputs(); ++i) op.out(i).shape = ones({1, batch, hidden});
  return {};
}

template <int kGates>
Work RecurrenceWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  return work::Recurrence{.steps = DimAt(in, 0),
                          .batch = DimAt(in, 1),
                          .directions = IsBoth(op) ? 2 : 1,
                          .hidden = Number(op, "2"),
                          .input = Number(op, "1"),
                          .gates = kGates,
                          .bias = true,
                          .operands = {0, FirstWeight(op)}};
}

// --- norms, sums ---

Work BatchNormWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  DimTable& dims = op.dims();
  const bool instance = Number(op, "6") != 0;
  const Dim all = ElementsOf(op, in);
  const Dim rows = instance ? dims.Mul(Leading(op, in, 3), Back(in, 3)) : Dim(Number(op, "1"));
  return work::Normalisation{
      .rows = rows, .n = dims.FloorDiv(all, rows), .affine = true, .folded = !instance};
}

Work LayerNormWork(const OpContext& op) {
  Dim n = 1;
  for (const std::int64_t size : Numbers(op, "1")) n = op.dims().Mul(n, size);
  return work::Normalisation{.rows = op.dims().FloorDiv(ElementsOf(op, op.in(0).shape), n),
                             .n = n,
                             .affine = Blobs(op) < op.inputs()};
}

Work MapNormWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim n = op.dims().Mul(Back(in, 2), Back(in, 1));
  return work::Normalisation{.rows = op.dims().FloorDiv(ElementsOf(op, in), n), .n = n};
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  Dim n = Back(in, 3);
  if (op.op() == "softmaxND" && in.known_rank()) {
    const auto axis = AxisOf(op, Number(op, "1"), in.rank());
    n = axis.has_value() ? (*in.dims)[*axis] : Dim();
  }
  return work::Softmax{op.dims().FloorDiv(ElementsOf(op, in), n), n};
}

// 1 axes, 2 kept, 3 all of them.
Result<void> InferReduce(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(std::vector<std::size_t> axes, AxesOf(op, Numbers(op, "1"), in.rank()));
  if (axes.empty() || Number(op, "3") != 0) {
    axes.clear();
    for (std::size_t i = 0; i < in.rank(); ++i) axes.push_back(i);
  }
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), i);
    if (!gone || Number(op, "2") != 0) out.push_back(gone ? Dim(1) : (*in.dims)[i]);
  }
  if (out.empty()) out.push_back(1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// The older layer: 1 kind, 3 dims: channels, rows and columns; rows and columns; or one of them.
Result<void> InferOldReduce(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const std::int64_t axis = Number(op, "3");
  Shape out = in;
  for (std::size_t back = 1; back <= 3; ++back) {
    const bool gone = axis == 0 || (axis == 1 && back < 3) || (axis == 2 && back == 3) ||
                      (axis == 3 && back == 2) || (axis == 4 && back == 1);
    if (gone && out.known_rank() && out.rank() >= back) (*out.dims)[out.rank() - back] = 1;
  }
  SetOutput(op, 0, op.in(0).dtype, std::move(out));
  return {};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

// 1 factors, or sizes.
template <bool kFactors>
Result<void> InferResize(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const std::vector<std::int64_t> sizes = Numbers(op, "1");
  op.out(0).dtype = op.in(0).dtype;
  if (sizes.size() != 2) return {};
  const auto size = [&](std::size_t i) {
    return kFactors ? op.dims().Mul(Back(in, 2 - i), sizes[i]) : Dim(sizes[i]);
  };
  op.out(0).shape = WithEnd(in, {size(0), size(1)});
  return {};
}

Work ResizeWork(const OpContext& op) {
  const bool linear = op.op() != "upsample" || Number(op, "5") == 1;
  return work::Resampling{ElementsOf(op, op.out(0).shape), linear ? "linear" : "nearest"};
}

constexpr OpEntry Of(std::string_view op, InferFn infer, WorkFn work, std::string_view rule,
                     std::string_view like, std::string_view roles = "x") {
  return {.op = op, .infer = infer, .work = work, .rule = rule, .roles = roles, .like = like};
}
constexpr OpEntry Reduce(std::string_view op, std::string_view like) {
  return Of(op, InferReduce, ReduceWork, "reduction", like);
}

constexpr OpEntry kOps[] = {
    Of("innerProduct", InferInner, InnerWork, "matmul", "Gemm", "xw"),
    Of("batchedMatmul", InferBatched, BatchedWork, "matmul", "MatMul", "xw"),
    Of("embedding", InferEmbedding, EmbeddingWork, "gather", "Gather", "xw"),
    Of("embeddingND", InferEmbedding, EmbeddingWork, "gather", "Gather", "xw"),
    Of("uniDirectionalLSTM", InferRecurrence, RecurrenceWork<4>, "recurrence", "LSTM", "xxxw"),
    Of("biDirectionalLSTM", InferRecurrence, RecurrenceWork<4>, "recurrence", "LSTM", "xxxxxw"),
    Of("gru", InferRecurrence, RecurrenceWork<3>, "recurrence", "GRU", "xxw"),
    Of("simpleRecurrent", InferRecurrence, RecurrenceWork<1>, "recurrence", "RNN", "xxw"),
    Of("batchnorm", Like, BatchNormWork, "normalisation", "BatchNormalization", "xwwss"),
    Of("layerNormalization", Like, LayerNormWork, "normalisation", "LayerNormalization", "xw"),
    Of("mvn", Like, MapNormWork, "normalisation", "MeanVarianceNormalization"),
    Of("l2normalize", Like, MapNormWork, "normalisation", "LpNormalization"),
    Of("lrn", Like, onnx::ElementwiseWork, "elementwise", "LRN"),
    Of("softmax", Like, SoftmaxWork, "softmax", "Softmax"),
    Of("softmaxND", Like, SoftmaxWork, "softmax", "Softmax"),
    Of("reduce", InferOldReduce, ReduceWork, "reduction", "ReduceSum"),
    Reduce("reduceL1", "ReduceL1"),
    Reduce("reduceL2", "ReduceL2"),
    Reduce("reduceMax", "ReduceMax"),
    Reduce("reduceMin", "ReduceMin"),
    Reduce("reduceSum", "ReduceSum"),
    Reduce("reduceProd", "ReduceProd"),
    Reduce("reduceMean", "ReduceMean"),
    Reduce("reduceLogSum", "ReduceLogSum"),
    Reduce("reduceSumSquare", "ReduceSumSquare"),
    Reduce("reduceLogSumExp", "ReduceLogSumExp"),
    Of("upsample", InferResize<true>, ResizeWork, "resampling", "Resize"),
    Of("resizeBilinear", InferResize<false>, ResizeWork, "resampling", "Resize"),
};

}  // namespace

std::span<const OpEntry> LayerMathOps() { return kOps; }

}  // namespace opscope::coreml
