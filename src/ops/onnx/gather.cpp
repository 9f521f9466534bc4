// Elements by index: Gather and Scatter, OneHot, and ops whose output size the data decide.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- Gather ---

// data[before, size, after] at indices; everything numeric and small.
void FoldGather(OpContext& op, std::size_t axis) {
  const TensorFact& data = op.in(0);
  const auto from = SmallShape(data.shape);
  const auto to = SmallShape(op.out(0).shape);
  const auto indices = KnownIntegers(op.in(1));
  if (!from || !to || !indices || !HasElements(data)) return;
  const std::int64_t size = (*from)[axis];
  std::int64_t before = 1;
  std::int64_t after = 1;
  for (std::size_t i = 0; i < axis; ++i) before *= (*from)[i];
  for (std::size_t i = axis + 1; i < from->size(); ++i) after *= (*from)[i];
  std::vector<std::size_t> source;
  for (std::int64_t b = 0; b < before; ++b) {
    for (const std::int64_t index : *indices) {
      if (index < -size || index >= size) return;
      const std::int64_t at = (b * size + (index < 0 ? index + size : index)) * after;
      for (std::int64_t a = 0; a < after; ++a) source.push_back(static_cast<std::size_t>(at + a));
    }
  }
  MoveElements(data, op.out(0), source);
}

Result<void> InferGather(OpContext& op) {
  const TensorFact& data = op.in(0);
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, data.dtype, {});
  if (!data.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), data.shape.rank()));
  if (!indices.known_rank()) return {};
  const auto at = data.shape.dims->begin() + static_cast<std::ptrdiff_t>(axis);
  Dims out(data.shape.dims->begin(), at);
  out.insert(out.end(), indices.dims->begin(), indices.dims->end());
  out.insert(out.end(), at + 1, data.shape.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  FoldGather(op, axis);
  return {};
}

Result<void> InferGatherElements(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(1).shape);
  return {};
}

// The last dim of the indices says how many dims of data, after the batch dims, one index names.
Result<void> InferGatherND(OpContext& op) {
  const Shape& data = op.in(0).shape;
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!data.known_rank() || !indices.known_rank()) return {};
  if (indices.rank() == 0) return op.Problem("indices are a scalar");
  const Dim tuple = indices.dims->back();
  if (!tuple.is_number()) return {};
  const std::int64_t batch = op.IntOr("batch_dims", 0);
  const auto rank = static_cast<std::int64_t>(data.rank());
  if (batch < 0 || batch > rank || tuple.number() < 0 || tuple.number() > rank - batch) {
    return op.Problem("indices name more dims than the data have");
  }
  Dims out(indices.dims->begin(), indices.dims->end() - 1);
  out.insert(out.end(), data.dims->begin() + batch + tuple.number(), data.dims->end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

Work ScatterWork(const OpContext&) { return work::GatherScatter{}; }

// --- OneHot ---

Result<void> InferOneHot(OpContext& op) {
  const Shape& indices = op.in(0).shape;
  SetOutput(op, 0, op.in(2).dtype, {});
  if (!indices.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", -1), indices.rank() + 1));
  Dims out = *indices.dims;
  Dim depth = SingleDim(op.in(1));
  if (const auto real = SingleFloat(op.in(1)); depth.is_unknown() && real && *real < 1e15) {
    depth = static_cast<std::int64_t>(*real);
  }
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// --- sizes that the data decide ---

// [rank, count]; known for small known tensors: exporters spell a range as NonZero of ones.
Result<void> InferNonZero(OpContext& op) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  SetOutput(op, 0, DType::kInt64, UnknownDims(2));
  if (!in.shape.known_rank()) return {};
  const auto rank = static_cast<std::int64_t>(in.shape.rank());
  const auto dims = SmallShape(in.shape);
  const auto values = KnownFloats(in);
  if (!dims || !values) {
    out.shape = ShapeOf({rank, op.DataDependent("count", ElementsOf(op, in.shape))});
    return {};
  }
  const std::vector<std::int64_t> strides = Strides(*dims);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < values->size(); ++i) {
    if ((*values)[i] != 0) found.push_back(static_cast<std::int64_t>(i));
  }
  out.shape = ShapeOf({rank, static_cast<std::int64_t>(found.size())});
  out.ints.emplace();
  for (std::size_t d = 0; d < dims->size(); ++d) {
    for (const std::int64_t i : found) out.ints->push_back(i / strides[d] % (*dims)[d]);
  }
  return {};
}

// Slices along the axis, or elements; conditions, where that is not known.
Dim MostChosen(const OpContext& op, std::optional<std::int64_t> axis) {
  const Shape& in = op.in(0).shape;
  const Dim conditions = DimAt(op.in(1).shape, 0);
  if (!in.known_rank()) return conditions;
  if (!axis.has_value()) return ElementsOf(op, in);
  const auto index = AxisOf(op, *axis, in.rank());
  return index.has_value() ? (*in.dims)[*index] : conditions;
}

Result<void> InferCompress(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const std::optional<std::int64_t> stated = op.Int("axis");
  Dim count;
  if (const auto chosen = KnownIntegers(op.in(1))) {
    count = static_cast<std::int64_t>(
        std::count_if(chosen->begin(), chosen->end(), [](std::int64_t c) { return c != 0; }));
  } else {
    count = op.DataDependent("count", MostChosen(op, stated));
  }
  if (!stated.has_value()) {
    op.out(0).shape = ShapeOf({count});
    return {};
  }
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.shape.rank()));
  op.out(0).shape = in.shape;
  (*op.out(0).shape.dims)[axis] = count;
  return {};
}

// Outputs: the unique values (or slices), where each is first, where each input went, how many.
Result<void> InferUnique(OpContext& op) {
  const TensorFact& in = op.in(0);
  const std::optional<std::int64_t> stated = op.Int("axis");
  Dim most = ElementsOf(op, in.shape);
  if (stated.has_value() && in.shape.known_rank()) {
    TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.shape.rank()));
    most = (*in.shape.dims)[axis];
  }
  const Dim count = op.DataDependent("count", stated && !in.shape.known_rank() ? Dim() : most);
  SetOutput(op, 0, in.dtype, stated ? Shape{} : ShapeOf({count}));
  SetOutput(op, 1, DType::kInt64, ShapeOf({count}));
  SetOutput(op, 2, DType::kInt64, stated ? UnknownDims(1) : ShapeOf({ElementsOf(op, in.shape)}));
  SetOutput(op, 3, DType::kInt64, ShapeOf({count}));
  if (!stated || !in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.shape.rank()));
  Dims out = *in.shape.dims;
  op.out(2).shape = ShapeOf({out[axis]});
  out[axis] = count;
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// --- TopK ---

// k is an attribute below opset 10, an input from there on.
Result<void> InferTopK(OpContext& op) {
  const TensorFact in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape);
  SetOutput(op, 1, DType::kInt64, in.shape);
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", -1), in.shape.rank()));
  const std::optional<std::int64_t> stated = op.Int("k");
  Dim k = stated.has_value() ? Dim(*stated) : SingleDim(op.in(1));
  if (k.is_unknown()) k = op.DataDependent("k", (*in.shape.dims)[axis]);
  for (const std::size_t output : {std::size_t{0}, std::size_t{1}}) {
    if (op.has_output(output)) (*op.out(output).shape.dims)[axis] = k;
  }
  return {};
}

Work TopKWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry Gathering(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = GatherWork, .rule = "gather", .roles = "xc"};
}

constexpr OpEntry Scattering(std::string_view op) {
  return {.op = op, .infer = SameAsInput, .work = ScatterWork, .rule = "gather", .roles = "xcx"};
}

constexpr OpEntry Searching(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ScatterWork, .rule = "gather", .roles = "xc"};
}

constexpr OpEntry kOps[] = {
    Gathering("Gather", InferGather),
    Gathering("GatherElements", InferGatherElements),
    Gathering("GatherND", InferGatherND),
    Scattering("Scatter"),
    Scattering("ScatterElements"),
    Scattering("ScatterND"),
    Searching("Compress", InferCompress),
    Searching("NonZero", InferNonZero),
    Searching("Unique", InferUnique),
    {.op = "OneHot",
     .infer = InferOneHot,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xcc"},
    {.op = "TensorScatter",
     .infer = SameAsInput,
     .work = ScatterWork,
     .rule = "gather",
     .roles = "xxc"},
    {.op = "TopK", .infer = InferTopK, .work = TopKWork, .rule = "reduction", .roles = "xc"},
};

}  // namespace

std::span<const OpEntry> GatherOps() { return kOps; }

}  // namespace opscope::onnx
