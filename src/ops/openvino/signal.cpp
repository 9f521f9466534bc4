// Fourier transforms. By definition each is a product with a matrix, as in ai.onnx; here several
// axes may be transformed one after the other.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

Work TransformWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  const auto axes = KnownIntegers(op.in(1));
  if (!in.known_rank() || !out.known_rank() || !axes || in.rank() == 0) return work::Contraction{};
  // Real inputs have no axis for the parts, real outputs neither.
  const std::size_t parts_in = op.op() == "RDFT" ? 0 : 1;
  const std::size_t parts_out = op.op() == "IRDFT" ? 0 : 1;
  if (in.rank() <= parts_in || in.rank() - parts_in != out.rank() - parts_out)
    return work::Contraction{};
  const std::size_t rank = in.rank() - parts_in;
  DimTable& dims = op.dims();
  const Dim values = ProductOf(op, out, 0, rank);
  Dim macs = 0;
  for (const std::int64_t stated : *axes) {
    const auto axis = AxisOf(op, stated, rank);
    if (!axis.has_value()) return work::Contraction{};
    // Complex times complex: four products for each input and output; two where one side is real.
    const Dim points = dims.Max((*in.dims)[*axis], (*out.dims)[*axis]);
    macs = dims.Add(macs, dims.Mul(dims.Mul(values, points), parts_in + parts_out == 2 ? 4 : 2));
  }
  return work::Contraction{macs, "transform over each axis"};
}

// Signal, window, frame size, frame step; the shape that comes out is declared.
Work FramesWork(const OpContext& op) {
  const Dim frame = SingleDim(op.in(2));
  const bool inverse = op.op() == "ISTFT";
  DimTable& dims = op.dims();
  const Dim spectrum = ElementsOf(op, inverse ? op.in(0).shape : op.out(0).shape);
  return work::Contraction{dims.Mul(spectrum, frame), "transform of each frame"};
}

// With a signal size (input 2) the transformed axes have that; RDFT keeps half of the last one.
Result<void> InferComplex(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  const auto axes = KnownIntegers(op.in(1));
  if (op.has(2) || !axes) return {};  // as declared
  op.out(0).shape = op.in(0).shape;
  return {};
}

Result<void> InferOwnType(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  return {};
}

constexpr OpEntry Transform(std::string_view op, InferFn infer, WorkFn work) {
  return {
      .op = op, .infer = infer, .work = work, .rule = "transform", .roles = "xccc", .like = "DFT"};
}

constexpr OpEntry kOps[] = {
    Transform("DFT", InferComplex, TransformWork),   Transform("IDFT", InferComplex, TransformWork),
    Transform("IRDFT", InferOwnType, TransformWork), Transform("ISTFT", InferOwnType, FramesWork),
    Transform("RDFT", InferOwnType, TransformWork),  Transform("STFT", InferOwnType, FramesWork),
};

}  // namespace

std::span<const OpEntry> SignalOps() { return kOps; }

}  // namespace opscope::openvino
