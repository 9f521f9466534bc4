// Data-dependent addresses: embedding, indexing, gather and scatter, and what only the data size.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

Form EmbeddingForm(const OpContext& op) { return Form(op, "Gather", {0, 1}); }
Form SelectForm(const OpContext& op) {
  Form form(op, "Gather", {0, 1});
  return form.Set("axis", IntArg(op, "dim", 0));
}

Result<void> InferGather(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(1).shape);
  return {};
}
Result<void> InferSame(OpContext& op) { return SameAsInput(op); }

bool IsMask(const TensorFact& fact) {
  return fact.dtype == DType::kBool || fact.dtype == DType::kUInt8;
}

// index(self, indices): tensors that stand for axes broadcast to one shape, which comes to the
// place of the first of them, or to the front when axes between them are not indexed. A mask stands
// for as many axes as it has and gives as many places as are set.
Result<void> InferIndex(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const auto indices = TensorsArg(op, "indices");
  if (!in.shape.known_rank()) return {};
  Shape common = ShapeOf({});
  Dims out;
  std::size_t axis = 0, first = in.shape.rank(), groups = 0;
  bool inside = false;
  for (const auto& index : indices) {
    if (axis >= in.shape.rank() && index.has_value()) return op.Problem("too many indices");
    if (!index.has_value()) {
      if (axis < in.shape.rank()) out.push_back((*in.shape.dims)[axis++]);
      inside = false;
      continue;
    }
    const TensorFact& fact = op.in(*index);
    if (!fact.shape.known_rank()) return {};
    if (groups == 0) first = out.size();
    if (!inside) ++groups;
    inside = true;
    Shape shape = fact.shape;
    if (IsMask(fact)) {
      axis += fact.shape.rank();
      shape = ShapeOf({op.DataDependent("set", ElementsOf(op, fact.shape))});
    } else {
      ++axis;
    }
    TRY_ASSIGN(common, Broadcast(op, common, shape));
  }
  for (; axis < in.shape.rank(); ++axis) out.push_back((*in.shape.dims)[axis]);
  if (groups > 1) first = 0;
  const auto at = out.begin() + static_cast<std::ptrdiff_t>(std::min(first, out.size()));
  if (groups > 0 && common.known_rank()) out.insert(at, common.dims->begin(), common.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  const bool plain = indices.size() == 1 && indices[0].has_value() && in.shape.rank() == 1;
  if (plain && HasElements(in)) {
    const auto places = KnownIntegers(op.in(*indices[0]));
    std::vector<std::size_t> source;
    const Dim size = (*in.shape.dims)[0];
    for (const std::int64_t place : places.value_or(std::vector<std::int64_t>())) {
      const std::int64_t counted = place < 0 && size.is_number() ? place + size.number() : place;
      if (counted < 0 || !size.is_number() || counted >= size.number()) return {};
      source.push_back(static_cast<std::size_t>(counted));
    }
    if (places.has_value()) MoveElements(in, op.out(0), source);
  }
  return {};
}

Result<void> InferNonZero(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim rank = in.known_rank() ? Dim(static_cast<std::int64_t>(in.rank())) : Dim();
  SetOutput(op, 0, DType::kInt64, ShapeOf({op.DataDependent("count", ElementsOf(op, in)), rank}));
  return {};
}
Result<void> InferMaskedSelect(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({op.DataDependent("set", ElementsOf(op, op.in(1).shape))}));
  return {};
}
Result<void> InferUnique(OpContext& op) {
  const Dim most = ElementsOf(op, op.in(0).shape);
  const Dim count = op.DataDependent("unique", most);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({count}));
  SetOutput(op, 1, DType::kInt64, op.in(0).shape);
  SetOutput(op, 2, DType::kInt64, ShapeOf({count}));
  return {};
}
// one_hot(self, num_classes): -1 asks the data.
Result<void> InferOneHot(OpContext& op) {
  Shape shape = op.in(0).shape;
  const Dim classes = DimArg(op, "num_classes", -1);
  if (shape.known_rank())
    shape.dims->push_back(classes == Dim(-1) ? op.DataDependent("classes") : classes);
  SetOutput(op, 0, DType::kInt64, std::move(shape));
  return {};
}
// embedding_bag(weight, indices, offsets …): a row for each bag.
Result<void> InferBag(OpContext& op) {
  const Shape& indices = op.in(1).shape;
  const Dim width = DimAt(op.in(0).shape, 1);
  Dim bags = DimAt(op.in(2).shape, 0);
  if (indices.known_rank() && indices.rank() == 2) bags = DimAt(indices, 0);
  if (FlagArg(op, "include_last_offset")) bags = op.dims().Sub(bags, 1);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({bags, width}));
  for (std::size_t i = 1; i < op.outputs(); ++i) SetOutput(op, i, DType::kInt64, {});
  return {};
}
Work BagWork(const OpContext& op) {
  return work::Reduction{op.dims().Mul(ElementsOf(op, op.in(1).shape), DimAt(op.in(0).shape, 1)),
                         ElementsOf(op, op.out(0).shape)};
}
Result<void> InferBuckets(OpContext& op) {
  SetOutput(op, 0, FlagArg(op, "out_int32") ? DType::kInt32 : DType::kInt64, op.in(0).shape);
  return {};
}
Work ReadOutput(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }
Work AllWork(const OpContext&) { return work::GatherScatter{}; }

constexpr OpEntry Gather(std::string_view op, InferFn infer, std::string_view like,
                         WorkFn work = ReadOutput) {
  return {.op = op, .infer = infer, .work = work, .rule = "gather", .roles = "xc", .like = like};
}
constexpr OpEntry Scatter(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferSame,
          .work = AllWork,
          .rule = "gather",
          .roles = "xcx",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Gather("embedding", InferForm<EmbeddingForm>, "Gather", FormWork<EmbeddingForm>),
    Gather("index_select", InferForm<SelectForm>, "Gather", FormWork<SelectForm>),
    Gather("index", InferIndex, "GatherND"),
    Gather("_unsafe_index", InferIndex, "GatherND"),
    Gather("gather", InferGather, "GatherElements"),
    Gather("take", InferGather, "Gather"),
    Gather("take_along_dim", InferGather, "GatherElements"),
    Scatter("scatter", "ScatterElements"),
    Scatter("scatter_add", "ScatterElements"),
    Scatter("scatter_reduce", "ScatterElements"),
    Scatter("index_put", "ScatterND"),
    Scatter("_unsafe_index_put", "ScatterND"),
    Scatter("_index_put_impl", "ScatterND"),
    Scatter("index_add", "ScatterElements"),
    Scatter("index_copy", "ScatterElements"),
    Scatter("index_fill", "ScatterElements"),
    Scatter("masked_scatter", "ScatterElements"),
    Scatter("slice_scatter", "ScatterElements"),
    Scatter("select_scatter", "ScatterElements"),
    Scatter("diagonal_scatter", "ScatterElements"),
    Scatter("put", "ScatterElements"),
    Gather("nonzero", InferNonZero, "NonZero", AllWork),
    Gather("argwhere", InferNonZero, "NonZero", AllWork),
    Gather("masked_select", InferMaskedSelect, "Compress", AllWork),
    Gather("_unique2", InferUnique, "Unique", AllWork),
    Gather("unique_dim", InferUnique, "Unique", AllWork),
    Gather("unique_consecutive", InferUnique, "Unique", AllWork),
    Gather("one_hot", InferOneHot, "OneHot", AllWork),
    Gather("bucketize", InferBuckets, "Less", AllWork),
    {.op = "embedding_bag",
     .infer = InferBag,
     .work = BagWork,
     .rule = "reduction",
     .roles = "xc",
     .like = "ReduceSum"},
    {.op = "_embedding_bag",
     .infer = InferBag,
     .work = BagWork,
     .rule = "reduction",
     .roles = "xc",
     .like = "ReduceSum"},
    {.op = "_embedding_bag_forward_only",
     .infer = InferBag,
     .work = BagWork,
     .rule = "reduction",
     .roles = "xc",
     .like = "ReduceSum"},
};

}  // namespace

std::span<const OpEntry> GatherOps() { return kOps; }

}  // namespace opscope::aten
