// Moving elements: layouts, padding, blocks, gathering and scattering.
#include <algorithm>

#include "ops/onnx/entry.h"
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

// Input 1 holds the permutation.
Result<void> InferTranspose(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), in.known_rank() ? UnknownDims(in.rank()) : Shape{});
  const auto order = IntegersOf(op, 1);
  if (!in.known_rank() || !order) return {};
  TRY_ASSIGN(const std::vector<std::size_t> sorted, AxesOf(op, *order, in.rank()));
  if (sorted.size() != in.rank()) return op.Problem("the permutation does not fit the rank");
  Dims out;
  for (const std::int64_t axis : *order) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, in.rank()));
    out.push_back((*in.dims)[index]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Input 1 holds [before, after] for each axis.
Result<void> InferPad(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), in.known_rank() ? UnknownDims(in.rank()) : Shape{});
  const auto& pads = op.in(1).ints;
  if (!in.known_rank() || !pads.has_value()) return {};
  if (pads->size() != 2 * in.rank()) return op.Problem("paddings do not fit the rank");
  for (std::size_t i = 0; i < in.rank(); ++i)
    (*op.out(0).shape.dims)[i] =
        op.dims().Add((*in.dims)[i], op.dims().Add((*pads)[2 * i], (*pads)[2 * i + 1]));
  return {};
}

// [N, H, W, C]: blocks of the plane become channels, or the other way round.
template <bool kToDepth>
Result<void> InferBlocks(OpContext& op) {
  Shape out = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  const std::int64_t block = op.IntOr("block_size", 0);
  constexpr std::int64_t kMaxBlock = 1 << 15;
  if (block < 1 || block > kMaxBlock)
    return op.Problem("attribute \"block_size\" is " + std::to_string(block));
  if (!out.known_rank()) return {};
  if (out.rank() != 4)
    return op.Problem("an input of rank " + std::to_string(out.rank()) + ", needs 4");
  DimTable& dims = op.dims();
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    (*out.dims)[i] =
        kToDepth ? dims.FloorDiv((*out.dims)[i], block) : dims.Mul((*out.dims)[i], block);
  Dim& channels = out.dims->back();
  channels = kToDepth ? dims.Mul(channels, block * block) : dims.FloorDiv(channels, block * block);
  op.out(0).shape = std::move(out);
  return {};
}

// Inputs: data, block shape, [before, after] for each blocked axis (padding, or crops).
template <bool kToBatch>
Result<void> InferBatchBlocks(OpContext& op) {
  Shape out = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  const auto& blocks = op.in(1).ints;
  const auto& edges = op.in(2).ints;
  if (!out.known_rank() || !blocks.has_value() || !edges.has_value()) return {};
  if (blocks->size() + 1 > out.rank() || edges->size() != 2 * blocks->size())
    return op.Problem("block shape and edges do not fit the rank");
  DimTable& dims = op.dims();
  Dim& batch = out.dims->front();
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    const Dim block = (*blocks)[i];
    const Dim edge = dims.Add((*edges)[2 * i], (*edges)[2 * i + 1]);
    Dim& size = (*out.dims)[1 + i];
    if (kToBatch) {
      batch = dims.Mul(batch, block);
      size = dims.FloorDiv(dims.Add(size, edge), block);
    } else {
      batch = dims.FloorDiv(batch, block);
      size = dims.Sub(dims.Mul(size, block), edge);
    }
  }
  op.out(0).shape = std::move(out);
  return {};
}

Result<void> InferTile(OpContext& op) { return InferAs(op, "Tile"); }
Result<void> InferGatherNd(OpContext& op) { return InferAs(op, "GatherND"); }
Result<void> InferOneHot(OpContext& op) { return InferAs(op, "OneHot"); }

// With batch_dims the first axes of data and indices go together.
Result<void> InferGather(OpContext& op) {
  const std::int64_t together = op.IntOr("batch_dims", 0);
  if (together == 0) return InferAs(op, "Gather");
  const Shape& data = op.in(0).shape;
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  if (!data.known_rank() || !indices.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), data.rank()));
  const std::int64_t first =
      together < 0 ? together + static_cast<std::int64_t>(indices.rank()) : together;
  if (first < 0 || static_cast<std::size_t>(first) > std::min(indices.rank(), axis))
    return op.Problem("attribute \"batch_dims\" is " + std::to_string(together));
  Dims out(data.dims->begin(), data.dims->begin() + static_cast<std::ptrdiff_t>(axis));
  out.insert(out.end(), indices.dims->begin() + static_cast<std::ptrdiff_t>(first),
             indices.dims->end());
  out.insert(out.end(), data.dims->begin() + static_cast<std::ptrdiff_t>(axis) + 1,
             data.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

Work ScatterWork(const OpContext&) { return work::GatherScatter{}; }

// Rows of the table (input 1) by the ids of input 0.
Result<void> InferEmbedding(OpContext& op) {
  const Shape& ids = op.in(0).shape;
  const Shape& table = op.in(1).shape;
  SetOutput(op, 0, StoredDType(op, 0, 1), {});
  if (!ids.known_rank() || !table.known_rank()) return {};
  if (table.rank() == 0) return op.Problem("the table is a scalar");
  Dims out = *ids.dims;
  out.insert(out.end(), table.dims->begin() + 1, table.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// A row of the table for each id.
Work EmbeddingWork(const OpContext& op) { return work::Movement{BytesOf(op.dims(), op.out(0))}; }

// The shape is an input: number 2 of SCATTER_ND, 1 of SPARSE_TO_DENSE.
template <std::size_t kShape>
Result<void> InferScatter(OpContext& op) {
  const auto& wanted = op.in(kShape).ints;
  SetOutput(op, 0, StoredDType(op, 0, kShape == 2 ? 1 : 2),
            wanted.has_value() ? ShapeOf(*wanted) : Shape{});
  return {};
}

// Indices of what holds: how many decides the data.
Result<void> InferWhere(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, StoredDType(op, 0), {});
  const Dim count = op.DataDependent("count", ElementsOf(op, in));
  if (in.known_rank()) op.out(0).shape = ShapeOf({count, static_cast<std::int64_t>(in.rank())});
  return {};
}

Work WhereWork(const OpContext& op) { return work::Elementwise{ElementsOf(op, op.in(0).shape)}; }

using entry::Move;

constexpr OpEntry Gather(std::string_view op, std::string_view like, InferFn infer, WorkFn work,
                         std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "gather", .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Move("BATCH_TO_SPACE_ND", "", InferBatchBlocks<false>, "xcc"),
    Move("DENSIFY", "", InferSame, "w"),
    Move("DEPTH_TO_SPACE", "DepthToSpace", InferBlocks<false>, "x"),
    Move("DILATE", "", InferStored, "xcc"),
    Move("MATRIX_DIAG", "", InferStored, "x"),
    Move("MATRIX_SET_DIAG", "", InferSame, "x"),
    Move("MIRROR_PAD", "Pad", InferPad, "xc"),
    Move("ONE_HOT", "OneHot", InferOneHot, "xc"),
    Move("PAD", "Pad", InferPad, "xc"),
    Move("PADV2", "Pad", InferPad, "xcc"),
    Move("REVERSE_SEQUENCE", "ReverseSequence", InferSame, "xc"),
    Move("REVERSE_V2", "", InferSame, "xc"),
    Move("SPACE_TO_BATCH_ND", "", InferBatchBlocks<true>, "xcc"),
    Move("SPACE_TO_DEPTH", "SpaceToDepth", InferBlocks<true>, "x"),
    Move("TILE", "Tile", InferTile, "xc"),
    Move("TRANSPOSE", "Transpose", InferTranspose, "xc"),
    Gather("EMBEDDING_LOOKUP", "", InferEmbedding, EmbeddingWork, "xw"),
    Gather("GATHER", "Gather", InferGather, GatherWork, "xc"),
    Gather("GATHER_ND", "GatherND", InferGatherNd, GatherWork, "xc"),
    Gather("SCATTER_ND", "", InferScatter<2>, ScatterWork, "cxc"),
    Gather("SPARSE_TO_DENSE", "", InferScatter<1>, ScatterWork, "ccxx"),
    {.op = "WHERE",
     .infer = InferWhere,
     .work = WhereWork,
     .rule = "elementwise",
     .like = "NonZero"},
};

}  // namespace

std::span<const OpEntry> MoveOps() { return kOps; }

}  // namespace opscope::tflite
