// Transforms and windows.
#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// [batch, dims …, 1 or 2]: the last dim holds real and imaginary part. The axis is an attribute
// in opset 17 and an input from 20 on. `onesided` keeps half of it; its inverse gives reals.
Result<void> InferDft(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  if (out.size() < 2) return op.Problem("input of rank " + std::to_string(out.size()));
  const bool inverse = op.IntOr("inverse", 0) != 0;
  const bool onesided = op.IntOr("onesided", 0) != 0;
  out.back() = inverse && onesided ? 1 : 2;
  op.out(0).shape = ShapeOf(out);
  const bool by_input = op.opset() >= 20;
  std::optional<std::int64_t> stated = op.IntOr("axis", 1);
  if (by_input) stated = op.has(2) ? SingleInteger(op.in(2)) : std::optional<std::int64_t>(-2);
  if (!stated.has_value()) {
    op.out(0).shape = UnknownDims(out.size());
    return {};
  }
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, out.size()));
  DimTable& dims = op.dims();
  if (op.has(1)) {
    out[axis] = SingleDim(op.in(1));
  } else if (inverse && onesided) {
    out[axis] = dims.Mul(2, dims.Sub(out[axis], 1));
  }
  if (onesided && !inverse) out[axis] = dims.Add(dims.FloorDiv(out[axis], 2), 1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// [batch, frames, bins, 2]; signal [batch, length, 1 or 2], onesided by default.
//   frames = (length - frame) / step + 1
Result<void> InferStft(OpContext& op) {
  const TensorFact& in = op.in(0);
  DimTable& dims = op.dims();
  Dim frame = op.has(3) ? SingleDim(op.in(3)) : DimAt(op.in(2).shape, 0);
  if (frame.is_unknown()) frame = DimAt(op.in(2).shape, 0);
  const Dim room = dims.Sub(DimAt(in.shape, 1), frame);
  const Dim frames = dims.Add(dims.FloorDiv(room, SingleDim(op.in(1))), 1);
  const bool onesided = op.IntOr("onesided", 1) != 0;
  const Dim bins = onesided ? dims.Add(dims.FloorDiv(frame, 2), 1) : frame;
  SetOutput(op, 0, in.dtype, ShapeOf({DimAt(in.shape, 0), frames, bins, 2}));
  return {};
}

Result<void> InferWindow(OpContext& op) {
  SetOutput(op, 0, DTypeFromNumber(op.IntOr("output_datatype", 1)), ShapeOf({SingleDim(op.in(0))}));
  return {};
}

// num_mel_bins, dft_length, sample_rate, edges: [dft_length / 2 + 1, num_mel_bins].
Result<void> InferMelWeights(OpContext& op) {
  DimTable& dims = op.dims();
  const Dim rows = dims.Add(dims.FloorDiv(SingleDim(op.in(1)), 2), 1);
  SetOutput(op, 0, DTypeFromNumber(op.IntOr("output_datatype", 1)),
            ShapeOf({rows, SingleDim(op.in(0))}));
  return {};
}

// By definition a transform is a product with the matrix exp(-2 pi i n k / N): real parts and
// imaginary parts of `points` inputs make those of `bins` outputs. Engines use fast algorithms,
// which need less: log2 N instead of N multiplications an output.
//   64 real points, onesided, 33 bins: 33 * 2 * 64 = 4,224; complex input: twice that.
work::MatrixProduct Transform(const OpContext& op, Dim rows, Dim points, Dim bins) {
  const Shape& in = op.in(0).shape;
  DimTable& dims = op.dims();
  const Dim parts = in.known_rank() && in.rank() > 0 ? in.dims->back() : Dim();
  return {.batch = rows, .m = 1, .n = dims.Mul(bins, 2), .k = dims.Mul(points, parts)};
}

Work DftWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  if (!in.known_rank() || !out.known_rank() || in.rank() < 2) return work::MatrixProduct{};
  std::optional<std::int64_t> stated = op.IntOr("axis", 1);
  if (op.opset() >= 20) {
    stated = op.has(2) ? SingleInteger(op.in(2)) : std::optional<std::int64_t>(-2);
  }
  if (!stated.has_value()) return work::MatrixProduct{};
  const Result<std::size_t> axis = AxisOf(op, *stated, in.rank());
  if (!axis.has_value() || *axis + 1 == in.rank()) return work::MatrixProduct{};
  const Dim rows =
      op.dims().Mul(ProductOf(op, out, 0, *axis), ProductOf(op, out, *axis + 1, out.rank() - 1));
  const Dim points = op.has(1) ? SingleDim(op.in(1)) : (*in.dims)[*axis];
  return Transform(op, rows, points, (*out.dims)[*axis]);
}

// Each frame is multiplied with the window and transformed.
Work StftWork(const OpContext& op) {
  const Shape& out = op.out(0).shape;
  Dim frame = op.has(3) ? SingleDim(op.in(3)) : DimAt(op.in(2).shape, 0);
  if (frame.is_unknown()) frame = DimAt(op.in(2).shape, 0);
  return Transform(op, ProductOf(op, out, 0, 2), frame, DimAt(out, 2));
}

constexpr OpEntry Transforming(std::string_view op, InferFn infer, WorkFn work) {
  return {.op = op, .infer = infer, .work = work, .rule = "transform", .roles = "xcwc"};
}

constexpr OpEntry Window(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ElementwiseWork, .rule = "elementwise", .roles = "c"};
}

constexpr OpEntry kOps[] = {
    Transforming("DFT", InferDft, DftWork), Transforming("STFT", InferStft, StftWork),
    Window("BlackmanWindow", InferWindow),  Window("HammingWindow", InferWindow),
    Window("HannWindow", InferWindow),      Window("MelWeightMatrix", InferMelWeights),
};

}  // namespace

std::span<const OpEntry> SignalOps() { return kOps; }

}  // namespace opscope::onnx
