// Pooling of one to three spatial dims, and statistics over all of them.
#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

struct Extent {
  std::int64_t kernel, stride, begin, end, output;
};

std::vector<Extent> Extents(const OpContext& op, std::size_t rank) {
  const Extent w{Param(op, "1"), Param(op, "2", 1), Param(op, "3"), Param(op, "14", Param(op, "3")),
                 Param(op, "8")};
  const Extent h{Param(op, "11", w.kernel), Param(op, "12", w.stride), Param(op, "13", w.begin),
                 Param(op, "15", Param(op, "13", w.begin)), Param(op, "18", w.output)};
  const Extent d{Param(op, "21", w.kernel), Param(op, "22", w.stride), Param(op, "23", w.begin),
                 Param(op, "16", Param(op, "23", w.begin)), Param(op, "28", w.output)};
  if (rank == 1) return {w};
  if (rank == 2) return {h, w};
  return {d, h, w};
}

bool IsGlobal(const OpContext& op) { return Param(op, "4") != 0; }
bool IsAdaptive(const OpContext& op) { return Param(op, "7") != 0; }

// Mode 0 rounds up, 1 down, 2 and 3 pad so that every stride has a place.
Result<Dim> Places(const OpContext& op, const Extent& e, Dim in) {
  constexpr std::int64_t kKeep = -233;
  DimTable& dims = op.dims();
  if (IsAdaptive(op)) return e.output == kKeep ? in : Dim(e.output);
  if (e.stride < 1 || e.kernel < 1) return op.Problem("kernel and stride have to be at least 1");
  const std::int64_t mode = Param(op, "5");
  if (mode >= 2) return dims.CeilDiv(in, e.stride);
  const Dim room = dims.Sub(dims.Add(in, e.begin + e.end), e.kernel);
  if (room.is_number() && room.number() < 0 && mode == 1)
    return op.Problem("a kernel of " + std::to_string(e.kernel) + " does not fit into " +
                      dims.ToText(in));
  return dims.Add(mode == 0 ? dims.CeilDiv(room, e.stride) : dims.FloorDiv(room, e.stride), 1);
}

template <std::size_t kRank>
Result<void> Infer(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  const Shape& in = op.in(0).shape;
  if (IsGlobal(op)) {
    op.out(0).shape = ShapeOf({DimAt(in, 0)});
    return {};
  }
  if (!in.known_rank()) return {};
  if (in.rank() != kRank + 1)
    return op.Problem("input of rank " + std::to_string(in.rank()) + ", needs " +
                      std::to_string(kRank + 1));
  Dims out = {DimAt(in, 0)};
  const std::vector<Extent> extents = Extents(op, kRank);
  for (std::size_t i = 0; i < kRank; ++i) {
    TRY_ASSIGN(const Dim size, Places(op, extents[i], (*in.dims)[i + 1]));
    out.push_back(size);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

template <std::size_t kRank>
Work PoolWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& in = op.in(0).shape;
  Dim points = 1;
  for (std::size_t i = 0; i < kRank; ++i) {
    const Extent e = Extents(op, kRank)[i];
    const Dim size = DimAt(in, i + 1);
    const Dim one = IsGlobal(op)     ? size
                    : IsAdaptive(op) ? dims.CeilDiv(size, DimAt(op.out(0).shape, i + 1))
                                     : Dim(e.kernel);
    points = dims.Mul(points, one);
  }
  return work::Pooling{ElementsOf(op, op.out(0).shape), points, Param(op, "0") == 0};
}

std::string_view Counterpart(const Model& model, const Node& node) {
  const auto is = [&](std::string_view id, std::int64_t value) {
    const Attribute* found = FindAttribute(model, node, id);
    const auto* integer = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
    return integer != nullptr && *integer == value;
  };
  if (is("4", 1)) return is("0", 1) ? "GlobalAveragePool" : "GlobalMaxPool";
  return is("0", 1) ? "AveragePool" : "MaxPool";
}

template <std::size_t kRank>
constexpr OpEntry Pool(std::string_view op) {
  return {.op = op,
          .infer = Infer<kRank>,
          .work = PoolWork<kRank>,
          .rule = "pooling",
          .like = "MaxPool",
          .like_of = Counterpart};
}

// Pyramid: level i has 4^i cells a channel.
Result<void> InferPyramid(OpContext& op) {
  const std::int64_t height = Param(op, "1", 1);
  if (height < 1 || height > 12) return op.Problem("pyramid of " + std::to_string(height));
  const std::int64_t cells = ((std::int64_t{1} << (2 * height)) - 1) / 3;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({op.dims().Mul(DimAt(op.in(0).shape, 0), cells)}));
  return {};
}

// Means, and deviations behind them.
Result<void> InferStatistics(OpContext& op) {
  const std::int64_t each = Param(op, "0") != 0 ? 2 : 1;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({op.dims().Mul(DimAt(op.in(0).shape, 0), each)}));
  return {};
}

Work StatisticsWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry kOps[] = {Pool<2>("Pooling"),
                            Pool<1>("Pooling1D"),
                            Pool<3>("Pooling3D"),
                            {.op = "SPP",
                             .infer = InferPyramid,
                             .work = StatisticsWork,
                             .rule = "reduction",
                             .like = "ReduceMax"},
                            {.op = "StatisticsPooling",
                             .infer = InferStatistics,
                             .work = StatisticsWork,
                             .rule = "reduction",
                             .like = "ReduceMean"}};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }

}  // namespace opscope::ncnn
