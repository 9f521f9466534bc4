// Convolutions of one to three spatial dims; params of w stand for h and d where those are absent.
#include <string>

#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

constexpr std::int64_t kSameUpper = -233;
constexpr std::int64_t kSameLower = -234;

// Of one spatial dim.
struct Extent {
  std::int64_t kernel, dilation, stride, begin, end, extra, output;
};

// Ids of w, h, d; defaults lead from w on.
std::vector<Extent> Extents(const OpContext& op, std::size_t rank, bool transposed) {
  const Extent w{Param(op, "1"),
                 Param(op, "2", 1),
                 Param(op, "3", 1),
                 Param(op, "4"),
                 Param(op, "15", Param(op, "4")),
                 Param(op, "18"),
                 Param(op, rank == 3 ? "25" : "20")};
  if (!transposed && op.op().find("1D") != std::string_view::npos) return {w};
  if (rank == 1) return {w};
  const Extent h{Param(op, "11", w.kernel),
                 Param(op, "12", w.dilation),
                 Param(op, "13", w.stride),
                 Param(op, "14", w.begin),
                 Param(op, "16", Param(op, "14", w.begin)),
                 Param(op, "19", w.extra),
                 Param(op, rank == 3 ? "26" : "21", w.output)};
  if (rank == 2) return {h, w};
  const Extent d{Param(op, "21", w.kernel),
                 Param(op, "22", w.dilation),
                 Param(op, "23", w.stride),
                 Param(op, "24", w.begin),
                 Param(op, "17", Param(op, "24", w.begin)),
                 Param(op, "20", w.extra),
                 Param(op, "27", w.output)};
  return {d, h, w};
}

bool IsSame(const Extent& e) { return e.begin == kSameUpper || e.begin == kSameLower; }

Result<Dim> Places(const OpContext& op, const Extent& e, Dim in) {
  DimTable& dims = op.dims();
  if (e.stride < 1 || e.kernel < 1 || e.dilation < 1)
    return op.Problem("kernel, stride and dilation have to be at least 1");
  if (IsSame(e)) return dims.CeilDiv(in, e.stride);
  const std::int64_t reach = e.dilation * (e.kernel - 1) + 1;
  const Dim room = dims.Sub(dims.Add(in, e.begin + e.end), reach);
  if (room.is_number() && room.number() < 0)
    return op.Problem("a kernel of " + std::to_string(reach) + " does not fit into " +
                      dims.ToText(in) + " padded by " + std::to_string(e.begin + e.end));
  return dims.Add(dims.FloorDiv(room, e.stride), 1);
}

Result<Dim> TransposedPlaces(const OpContext& op, const Extent& e, Dim in) {
  DimTable& dims = op.dims();
  if (e.stride < 1 || e.kernel < 1 || e.dilation < 1)
    return op.Problem("kernel, stride and dilation have to be at least 1");
  if (IsSame(e) && e.output > 0) return Dim(e.output);
  const std::int64_t reach = e.dilation * (e.kernel - 1) + 1;
  const Dim whole = dims.Add(dims.Mul(dims.Sub(in, 1), e.stride), reach + e.extra);
  return IsSame(e) ? whole : dims.Sub(whole, e.begin + e.end);
}

bool IsDynamic(const OpContext& op) { return Param(op, "19") == 1 && Bottoms(op) > 1; }

// [num_output, num_input / group, k …]
Shape WeightShape(const OpContext& op) {
  return IsDynamic(op) ? op.in(1).shape : WeightOf(op, 0).shape;
}

// A layer whose scales say that it also rounds what it writes gives int8.
DType OutputType(const OpContext& op) { return Param(op, "8") > 100 ? DType::kInt8 : Floating(op); }

template <std::size_t kRank, bool kTransposed>
Result<void> Infer(OpContext& op) {
  op.out(0).dtype = OutputType(op);
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  const Shape weight = WeightShape(op);
  const Dim outputs = IsDynamic(op) && weight.known_rank() ? DimAt(weight, 0) : Param(op, "0");
  if (in.rank() == 1 && kRank == 2 && !kTransposed) {  // an inner product in other words
    op.out(0).shape = ShapeOf({outputs});
    return {};
  }
  if (in.rank() != kRank + 1)
    return op.Problem("input of rank " + std::to_string(in.rank()) + ", needs " +
                      std::to_string(kRank + 1));
  const std::int64_t groups = Param(op, "7", 1);
  if (groups < 1) return op.Problem("group is " + std::to_string(groups));
  if (weight.known_rank()) {
    TRY(SameDim(op, DimAt(in, 0), op.dims().Mul(DimAt(weight, 1), groups),
                "input channels against those of the weight"));
  }
  Dims out = {outputs};
  const std::vector<Extent> extents = Extents(op, kRank, kTransposed);
  for (std::size_t i = 0; i < kRank; ++i) {
    TRY_ASSIGN(const Dim size,
               (kTransposed ? TransposedPlaces : Places)(op, extents[i], (*in.dims)[i + 1]));
    out.push_back(size);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// 1 relu, 2 leaky relu, 3 clip, 4 sigmoid, 5 mish, 6 hard swish
std::string Activation(const OpContext& op) {
  constexpr std::string_view kNames[] = {"",        "Relu", "LeakyRelu", "Clip",
                                         "Sigmoid", "Mish", "HardSwish"};
  const std::int64_t type = Param(op, "9");
  return type >= 0 && type <= 6 ? std::string(kNames[type]) : std::string();
}

Dim KernelPoints(const OpContext& op, std::size_t rank, bool transposed) {
  Dim points = 1;
  for (const Extent& e : Extents(op, rank, transposed)) points = op.dims().Mul(points, e.kernel);
  return points;
}

int WeightIndex(const OpContext& op) { return static_cast<int>(IsDynamic(op) ? 1 : Bottoms(op)); }

template <std::size_t kRank>
Work ConvWork(const OpContext& op) {
  const Shape& out = op.out(0).shape;
  const Shape weight = WeightShape(op);
  return work::Convolution{
      .batch = 1,
      .out_channels = DimAt(out, 0),
      .out_points = out.known_rank() ? ProductOf(op, out, 1, out.rank()) : Dim(),
      .in_per_group = DimAt(weight, 1),
      .kernel_points = KernelPoints(op, kRank, false),
      .bias = Param(op, "5") != 0,
      .operands = {0, WeightIndex(op)},
      .then = {.activation = Activation(op)}};
}

template <std::size_t kRank>
Work TransposedWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  return work::TransposedConvolution{
      .batch = 1,
      .in_channels = DimAt(in, 0),
      .in_points = in.known_rank() ? ProductOf(op, in, 1, in.rank()) : Dim(),
      .out_per_group = op.dims().FloorDiv(Param(op, "0"), Param(op, "7", 1)),
      .kernel_points = KernelPoints(op, kRank, true),
      .outputs = ElementsOf(op, op.out(0).shape),
      .bias = Param(op, "5") != 0,
      .operands = {0, WeightIndex(op)}};
}

template <std::size_t kRank>
constexpr OpEntry Conv(std::string_view op) {
  return {.op = op,
          .infer = Infer<kRank, false>,
          .work = ConvWork<kRank>,
          .rule = "conv",
          .roles = "xw",
          .like = "Conv"};
}

template <std::size_t kRank>
constexpr OpEntry Transposed(std::string_view op) {
  return {.op = op,
          .infer = Infer<kRank, true>,
          .work = TransposedWork<kRank>,
          .rule = "conv-transpose",
          .roles = "xw",
          .like = "ConvTranspose"};
}

// Inputs: x, offsets, and masks perhaps.
constexpr OpEntry kDeformable = {.op = "DeformableConv2D",
                                 .infer = Infer<2, false>,
                                 .work = ConvWork<2>,
                                 .rule = "conv",
                                 .roles = "xxxw",
                                 .like = "DeformConv"};

constexpr OpEntry kOps[] = {Conv<2>("Convolution"),
                            Conv<1>("Convolution1D"),
                            Conv<3>("Convolution3D"),
                            Conv<2>("ConvolutionDepthWise"),
                            Conv<1>("ConvolutionDepthWise1D"),
                            Conv<3>("ConvolutionDepthWise3D"),
                            Transposed<2>("Deconvolution"),
                            Transposed<1>("Deconvolution1D"),
                            Transposed<3>("Deconvolution3D"),
                            Transposed<2>("DeconvolutionDepthWise"),
                            Transposed<1>("DeconvolutionDepthWise1D"),
                            Transposed<3>("DeconvolutionDepthWise3D"),
                            kDeformable};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }

}  // namespace opscope::ncnn
