// Layers of execution graphs: what a plug-in made of the network. Shapes stand in the file; what a
// layer does follows from them, as the file has no attributes. Activations that a layer applies
// to its sums are not in the file, so they are not counted.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// What the file says is all there is: everything was compiled away.
Result<void> InferExecuted(OpContext&) { return {}; }

// Weights [out, in, k …], or [groups, out, in, k …] where they have an axis more than the data.
Work ConvolutionWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  const Shape& out = op.out(0).shape;
  if (!in.known_rank() || !weight.known_rank() || !out.known_rank()) return work::Convolution{};
  const std::size_t channels = weight.rank() > in.rank() ? 2 : 1;
  return work::Convolution{.batch = DimAt(out, 0),
                           .out_channels = DimAt(out, 1),
                           .out_points = PointsOf(op, out),
                           .in_per_group = DimAt(weight, channels),
                           .kernel_points = ProductOf(op, weight, channels + 1, weight.rank()),
                           .bias = op.has(2)};
}

Work DeconvolutionWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Shape& weight = op.in(1).shape;
  if (!in.known_rank() || !weight.known_rank()) return work::TransposedConvolution{};
  const std::size_t channels = weight.rank() > in.rank() ? 2 : 1;
  return work::TransposedConvolution{
      .batch = DimAt(in, 0),
      .in_channels = DimAt(in, 1),
      .in_points = PointsOf(op, in),
      .out_per_group = DimAt(weight, channels),
      .kernel_points = ProductOf(op, weight, channels + 1, weight.rank()),
      .outputs = ElementsOf(op, op.out(0).shape),
      .bias = op.has(2)};
}

// Whether a factor is transposed is not in the file; its elements tell the common depth:
// [8,64,32] or [8,32,64] against an output of [8,64,n] have 32 of it.
Work ProductWork(const OpContext& op) {
  const Shape& a = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  if (!a.known_rank() || !out.known_rank() || a.rank() == 0 || out.rank() == 0)
    return work::MatrixProduct{};
  const Dim rows = ProductOf(op, out, 0, out.rank() - 1);
  const Dim batch = out.rank() > 2 ? ProductOf(op, out, 0, out.rank() - 2) : Dim(1);
  const Dim m = out.rank() > 1 ? (*out.dims)[out.rank() - 2] : Dim(1);
  const Dim own = a.rank() > 2 ? ProductOf(op, a, 0, a.rank() - 2) : Dim(1);
  const Dim depth =
      op.dims().FloorDiv(ElementsOf(op, a), a.rank() == out.rank() ? op.dims().Mul(own, m) : rows);
  return work::MatrixProduct{
      .batch = batch, .m = m, .n = out.dims->back(), .k = depth, .bias = op.has(2)};
}

Work PoolWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim points = dims.CeilDiv(PointsOf(op, op.in(0).shape), PointsOf(op, op.out(0).shape));
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, false};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Work SoftmaxWork(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank() || shape.rank() == 0) return work::Softmax{};
  return work::Softmax{ProductOf(op, shape, 0, shape.rank() - 1), shape.dims->back()};
}

Work QuantiseWork(const OpContext& op) { return work::Quantise{ElementsOf(op, op.out(0).shape)}; }

// What is fused into it is not in the file.
Work OpaqueWork(const OpContext&) {
  return work::Unknown{"an execution graph does not say what this layer computes"};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

constexpr OpEntry Layer(std::string_view op, WorkFn work, std::string_view rule,
                        std::string_view roles = "xw", std::string_view like = "") {
  return {
      .op = op, .infer = InferExecuted, .work = work, .rule = rule, .roles = roles, .like = like};
}
constexpr OpEntry Moved(std::string_view op) { return Layer(op, MovementWork, "movement", "xc"); }

constexpr OpEntry kOps[] = {
    Layer("Convolution", ConvolutionWork, "conv", "xw", "Conv"),
    Layer("Deconvolution", DeconvolutionWork, "conv-transpose", "xw", "ConvTranspose"),
    Layer("Eltwise", onnx::PointwiseWork, "elementwise", "x", "Add"),
    Layer("FakeQuantize", QuantiseWork, "quantise", "xc", "QuantizeLinear"),
    Layer("FullyConnected", ProductWork, "matmul", "xw", "MatMul"),
    Layer("Gather", GatherWork, "gather", "xc", "Gather"),
    Layer(
        "Interpolate",
        [](const OpContext& op) -> Work {
          return work::Resampling{ElementsOf(op, op.out(0).shape), "linear"};
        },
        "resampling", "xc", "Resize"),
    Layer("MatMul", ProductWork, "matmul", "xx", "MatMul"),
    Layer("Pooling", PoolWork, "pooling", "x", "AveragePool"),
    Layer("RNNCell", OpaqueWork, "unknown"),
    Layer("RNNSeq", OpaqueWork, "unknown"),
    Layer("Reduce", ReduceWork, "reduction", "xc", "ReduceSum"),
    Layer("Softmax", SoftmaxWork, "softmax", "x", "Softmax"),
    Layer("SoftMax", SoftmaxWork, "softmax", "x", "Softmax"),
    Layer("Subgraph", OpaqueWork, "unknown"),
    Moved("Broadcast"),
    Moved("Concatenation"),
    Moved("Convert"),
    Moved("DepthToSpace"),
    Moved("MemoryInput"),
    Moved("MemoryOutput"),
    Moved("Pad"),
    Moved("Reorder"),
    Moved("ScatterUpdate"),
    Moved("ShuffleChannels"),
    Moved("SpaceToDepth"),
    Moved("Split"),
    Moved("StridedSlice"),
    Moved("Tile"),
    Moved("Transpose"),
    {.op = "Reshape",
     .infer = InferExecuted,
     .work = onnx::ViewWork,
     .rule = "view",
     .roles = "xc",
     .like = "Reshape"},
    {.op = "ShapeOf", .infer = InferExecuted, .work = NoWork, .rule = "nothing", .like = "Shape"},
};

}  // namespace

std::span<const OpEntry> ExecutedOps() { return kOps; }

}  // namespace opscope::openvino
