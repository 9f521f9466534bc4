// Layers that multiply: convolutions, products; regions of which only the name is known.
#include <algorithm>
#include <string>

#include "ops/tensorrt/common.h"
#include "ops/tensorrt/families.h"

namespace opscope::tensorrt {

namespace {

// Behind the activations stand the weights, then the bias.
std::size_t WeightOf(const OpContext& op) {
  return static_cast<std::size_t>(std::max<std::int64_t>(op.IntOr("activations", 1), 0));
}

std::int64_t Integer(const OpContext& op, std::string_view key, std::int64_t otherwise) {
  const auto value = op.Int(key);
  return value ? *value : op.IntOr("Conv" + std::string(key), otherwise);
}

// Along one axis: floor((in + before + after - d*(k - 1) - 1) / stride) + 1.
Dim Places(const OpContext& op, std::size_t axis, std::size_t rank) {
  DimTable& dims = op.dims();
  const auto at = [&](std::string_view key, std::int64_t otherwise) {
    auto list = op.Ints(key);
    if (!list) list = op.Ints("Conv" + std::string(key));
    return Dim(list && axis < list->size() ? (*list)[axis] : otherwise);
  };
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() < rank) return {};
  const Dim size = DimAt(in, in.rank() - rank + axis);
  const Dim reach = dims.Add(dims.Mul(at("Dilation", 1), dims.Sub(at("Kernel", 1), 1)), 1);
  const Dim padded = dims.Add(size, dims.Add(at("PrePadding", 0), at("PostPadding", 0)));
  const Dim span = dims.Sub(padded, reach);
  return dims.Add(dims.FloorDiv(span, at("Stride", 1)), 1);
}

std::size_t SpatialRank(const OpContext& op) {
  auto kernel = op.Ints("Kernel");
  if (!kernel) kernel = op.Ints("ConvKernel");
  return kernel ? kernel->size() : 0;
}

// The output of a layer that pools as well is smaller than what the convolution makes.
template <bool kPools>
Work ConvolutionWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const std::size_t rank = SpatialRank(op);
  if (rank == 0) return work::Unknown{"the size of the kernel is not in the file"};
  const Shape& in = op.in(0).shape;
  const Shape& out = op.out(0).shape;
  work::Convolution conv;
  conv.batch = DimAt(in, 0);
  const std::int64_t maps = Integer(op, "OutMaps", 0);
  conv.out_channels = maps > 0 ? Dim(maps) : DimAt(out, 1);
  conv.kernel_points = ProductOfList(op, "Kernel");
  conv.in_per_group = dims.FloorDiv(DimAt(in, 1), Integer(op, "Groups", 1));
  conv.out_points = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool shown = !kPools && out.known_rank() && out.rank() >= rank + 2;
    const Dim places = shown ? DimAt(out, out.rank() - rank + i) : Places(op, i, rank);
    conv.out_points = dims.Mul(conv.out_points, places);
  }
  const std::size_t weight = WeightOf(op);
  conv.bias = op.has(weight + 1);
  conv.operands = {0, static_cast<int>(weight)};
  conv.then = {std::string(StandardName(op.String("Activation").value_or(""))),
               op.IntOr("HasResidual", 0) != 0};
  return conv;
}

// By input size, as always: batch * Cin * points(in) * (Cout / groups) * points(kernel).
Work DeconvolutionWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const std::size_t rank = SpatialRank(op);
  const Shape& in = op.in(0).shape;
  const std::int64_t maps = Integer(op, "OutMaps", 0);
  if (rank == 0 || maps <= 0) return work::Unknown{"the size of the kernel is not in the file"};
  const std::size_t weight = WeightOf(op);
  return work::TransposedConvolution{.batch = DimAt(in, 0),
                                     .in_channels = DimAt(in, 1),
                                     .in_points = PointsOf(op, in),
                                     .out_per_group = dims.FloorDiv(maps, Integer(op, "Groups", 1)),
                                     .kernel_points = ProductOfList(op, "Kernel"),
                                     .outputs = ElementsOf(op, op.out(0).shape),
                                     .bias = op.has(weight + 1),
                                     .operands = {0, static_cast<int>(weight)}};
}

// Weights [outputs, inputs] without their shape: their number and the rows tell the product.
Work FullyConnectedWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const std::size_t weight = WeightOf(op);
  if (!op.has(weight)) return work::Unknown{"the number of weights is not in the file"};
  const Dim rows = DimAt(op.in(0).shape, 0);
  const Dim n = dims.FloorDiv(ElementsOf(op, op.out(0).shape), rows);
  return work::MatrixProduct{.batch = 1,
                             .m = rows,
                             .n = n,
                             .k = dims.FloorDiv(ElementsOf(op, op.in(weight).shape), n),
                             .bias = op.has(weight + 1),
                             .operands = {0, static_cast<int>(weight)}};
}

// out [.., M, N], a [.., M, K] or [.., K, M], b with K in one of its last two axes.
Work ProductWork(const OpContext& op) {
  if (op.inputs() > WeightOf(op)) return FullyConnectedWork(op);
  const Shape& out = op.out(0).shape;
  const Shape& a = op.in(0).shape;
  const Shape& b = op.in(1).shape;
  if (WeightOf(op) < 2 || !op.has(1))
    return work::Unknown{"the second operand of the product is not in the file"};
  if (!out.known_rank() || !a.known_rank() || !b.known_rank() || out.rank() < 2 || a.rank() < 2 ||
      b.rank() < 2)
    return work::Unknown{"a shape of the product is not in the file"};
  const auto from_end = [](const Shape& shape, std::size_t back) {
    return DimAt(shape, shape.rank() - back);
  };
  const Dim m = from_end(out, 2);
  Dim k;
  if (from_end(a, 2) == m) k = from_end(a, 1);
  if (k.is_unknown() || (from_end(b, 1) != k && from_end(b, 2) != k))
    k = from_end(a, 1) == m ? from_end(a, 2) : Dim();
  if (k.is_unknown() || (from_end(b, 1) != k && from_end(b, 2) != k))
    return work::Unknown{"the shapes do not tell which axis of the operands is summed"};
  DimTable& dims = op.dims();
  return work::MatrixProduct{.batch = ProductOf(op, out, 0, out.rank() - 2),
                             .m = m,
                             .n = from_end(out, 1),
                             .k = dims.Mul(k, 1),
                             .bias = false,
                             .operands = {0, 1}};
}

Work RegionWork(const OpContext& op) {
  if (op.IntOr("names_only", 0) != 0) return work::Unknown{"the file holds the layer's name only"};
  return work::Unknown{"a region compiled as a whole; the file does not tell what runs inside"};
}
Work KernelWork(const OpContext& op) {
  if (op.IntOr("names_only", 0) != 0) return work::Unknown{"the file holds the layer's name only"};
  return work::Unknown{"a generated kernel; the file does not tell what it computes"};
}
Work NameWork(const OpContext&) { return work::Unknown{"the file holds the layer's name only"}; }
Work PluginWork(const OpContext&) { return work::Unknown{"what a plug-in computes is its own"}; }

constexpr OpEntry Compute(std::string_view op, WorkFn work, std::string_view rule,
                          std::string_view like = "") {
  return {.op = op, .infer = InferDeclared, .work = work, .rule = rule, .roles = "w", .like = like};
}

constexpr OpEntry kOps[] = {
    Compute("ConvActPool", ConvolutionWork<true>, "conv", "Conv"),
    Compute("Convolution", ConvolutionWork<false>, "conv", "Conv"),
    Compute("Deconvolution", DeconvolutionWork, "conv-transpose", "ConvTranspose"),
    Compute("ForeignNode", RegionWork, "unknown"),
    Compute("FullyConnected", FullyConnectedWork, "matmul", "Gemm"),
    Compute("Gemm", ProductWork, "matmul", "MatMul"),
    Compute("Kernel", KernelWork, "unknown"),
    Compute("Layer", NameWork, "unknown"),
    Compute("MatrixMultiply", ProductWork, "matmul", "MatMul"),
    Compute("Plugin", PluginWork, "unknown"),
};

}  // namespace

std::span<const OpEntry> ComputeOps() { return kOps; }

}  // namespace opscope::tensorrt
