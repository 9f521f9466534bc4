// Elements by index, and embedding tables.
#include <algorithm>

#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// data, indices, axis; with batch_dims both share their first axes.
Result<void> InferGather(OpContext& op) {
  const Shape& data = op.in(0).shape;
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  const auto stated = SingleInteger(op.in(2));
  std::int64_t batch = op.IntOr("batch_dims", 0);
  if (!stated.has_value()) return {};
  if (batch == 0) return AsOnnx(op, "Gather", {0, 1}).Set("axis", *stated).Infer();
  if (!data.known_rank() || !indices.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, data.rank()));
  if (batch < 0) batch += static_cast<std::int64_t>(indices.rank());
  if (batch < 0 || batch > static_cast<std::int64_t>(std::min(axis, indices.rank())))
    return op.Problem("batch_dims of " + std::to_string(batch));
  const auto at = data.dims->begin() + static_cast<std::ptrdiff_t>(axis);
  Dims out(data.dims->begin(), at);
  out.insert(out.end(), indices.dims->begin() + batch, indices.dims->end());
  out.insert(out.end(), at + 1, data.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Version 5 joins the batch axes into one; it is as declared where there are several.
Result<void> InferGatherND(OpContext& op) {
  if (op.IntOr("version", 8) < 8 && op.IntOr("batch_dims", 0) > 1) return {};
  return AsOnnx(op, "GatherND").Infer();
}

Result<void> InferGatherElements(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(1).shape);
  return {};
}

// indices, depth, on, off
Result<void> InferOneHot(OpContext& op) {
  return AsOnnx(op, "OneHot", {0, 1, 2}).Set("axis", op.IntOr("axis", -1)).Infer();
}

Result<void> InferNonZero(OpContext& op) {
  TRY(AsOnnx(op, "NonZero").Infer());
  op.out(0).dtype = TypeAttribute(op, "output_type", DType::kInt64);
  return {};
}

// Where each value belongs among sorted ones: the shape of the values.
Result<void> InferSearch(OpContext& op) {
  const std::size_t values = op.op() == "SearchSorted" ? 1 : 0;
  SetOutput(op, 0, TypeAttribute(op, "output_type", DType::kInt64), op.in(values).shape);
  return {};
}

// Rows of the table, added up in bags; as many as the file declares.
Result<void> InferBags(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  const Shape& table = op.in(0).shape;
  if (!table.known_rank() || table.rank() == 0) return {};
  const Dim bags = op.op().find("Packed") != std::string_view::npos     ? DimAt(op.in(1).shape, 0)
                   : op.op().find("Segments") != std::string_view::npos ? SingleDim(op.in(3))
                                                                        : DimAt(op.in(2).shape, 0);
  if (bags.is_unknown()) return {};
  op.out(0).shape = table;
  op.out(0).shape.dims->front() = bags;
  return {};
}

// Every index adds a row.
Work BagsWork(const OpContext& op) {
  const Dim rows = ElementsOf(op, op.in(1).shape);
  const Shape& table = op.in(0).shape;
  const Dim row = table.known_rank() ? ProductOf(op, table, 1, table.rank()) : Dim();
  return work::Reduction{op.dims().Mul(rows, row), ElementsOf(op, op.out(0).shape)};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }
Work ScatterWork(const OpContext&) { return work::GatherScatter{}; }

constexpr OpEntry Gathering(std::string_view op, InferFn infer, std::string_view like = "") {
  return {
      .op = op, .infer = infer, .work = GatherWork, .rule = "gather", .roles = "xc", .like = like};
}
constexpr OpEntry Scattering(std::string_view op, std::string_view like,
                             std::string_view roles = "xcxc", InferFn infer = SameAsInput) {
  return {.op = op,
          .infer = infer,
          .work = ScatterWork,
          .rule = "gather",
          .roles = roles,
          .like = like};
}
constexpr OpEntry Bags(std::string_view op) {
  return {.op = op,
          .infer = InferBags,
          .work = BagsWork,
          .rule = "reduction",
          .roles = "xcccx",
          .like = "ReduceSum"};
}

constexpr OpEntry kOps[] = {
    Bags("EmbeddingBagOffsets"),
    Bags("EmbeddingBagOffsetsSum"),
    Bags("EmbeddingBagPacked"),
    Bags("EmbeddingBagPackedSum"),
    Bags("EmbeddingSegmentsSum"),
    Gathering("Gather", InferGather, "Gather"),
    Gathering("GatherElements", InferGatherElements, "GatherElements"),
    Gathering("GatherND", InferGatherND, "GatherND"),
    Gathering("GatherTree", SameAsInput),
    Scattering("NonZero", "NonZero", "xc", InferNonZero),
    Scattering("ScatterElementsUpdate", "ScatterElements"),
    Scattering("ScatterNDUpdate", "ScatterND"),
    Scattering("ScatterUpdate", "ScatterElements"),
    Scattering("SliceScatter", "", "xxc"),
    Scattering("SparseFillEmptyRows", "", "xc", InferDeclared),
    Scattering("Unique", "Unique", "xc", InferDeclared),
    {.op = "Bucketize",
     .infer = InferSearch,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc"},
    {.op = "OneHot",
     .infer = InferOneHot,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xccc",
     .like = "OneHot"},
    {.op = "SearchSorted",
     .infer = InferSearch,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "cx"},
    {.op = "SegmentMax",
     .infer = InferDeclared,
     .work = [](const OpContext& op) -> Work {
       return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
     },
     .rule = "reduction",
     .roles = "xc",
     .like = "ReduceMax"},
};

}  // namespace

std::span<const OpEntry> GatherOps() { return kOps; }

}  // namespace opscope::openvino
