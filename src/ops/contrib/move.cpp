// Elements moved, picked or made anew; distances; regions; Fourier transforms of the last dims.
#include <algorithm>

#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

Result<void> InferExpandDims(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const std::optional<std::int64_t> stated = SingleInteger(op.in(1));
  if (!in.shape.known_rank()) return {};
  if (!stated.has_value()) {
    op.out(0).shape = UnknownDims(in.shape.rank() + 1);
    return {};
  }
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, *stated, in.shape.rank() + 1));
  Dims out = *in.shape.dims;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  op.out(0).shape = ShapeOf(std::move(out));
  onnx::ShareInput(op);
  return {};
}

// Windows of `size` along a dim, `step` apart, become a new last dim.
Result<void> InferUnfold(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("dim", -1), in.shape.rank()));
  const std::int64_t size = op.IntOr("size", 0);
  const std::int64_t step = op.IntOr("step", 1);
  if (size < 1 || step < 1) return op.Problem("\"size\" and \"step\" need to be positive");
  DimTable& dims = op.dims();
  Dims out = *in.shape.dims;
  out[axis] = dims.Add(dims.FloorDiv(dims.Sub(out[axis], size), step), 1);
  out.push_back(size);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// [batch, length, hidden] to [tokens, hidden] and back.
Result<void> InferRemovePadding(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const Dim batch = DimAt(in, 0);
  SetOutput(
      op, 0, op.in(0).dtype,
      ShapeOf({op.DataDependent("tokens", op.dims().Mul(batch, DimAt(in, 1))), DimAt(in, 2)}));
  SetOutput(op, 1, DType::kInt32, ShapeOf({batch, DimAt(in, 1)}));
  SetOutput(op, 2, DType::kInt32, ShapeOf({op.dims().Add(batch, 1)}));
  SetOutput(op, 3, DType::kInt32, ShapeOf({1}));
  return {};
}

Result<void> InferRestorePadding(OpContext& op) {
  const Shape& offsets = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({DimAt(offsets, 0), DimAt(offsets, 1), DimAt(op.in(0).shape, 1)}));
  return {};
}

// The unique values of a vector, where each input went, how many of each.
Result<void> InferUnique(OpContext& op) {
  const Dim count = op.DataDependent("count", ElementsOf(op, op.in(0).shape));
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({count}));
  SetOutput(op, 1, DType::kInt64, op.in(0).shape);
  SetOutput(op, 2, DType::kInt64, ShapeOf({count}));
  return {};
}

// --- tables whose rows are picked ---

// indices.shape with the table's other dims behind.
Result<void> InferRows(OpContext& op) {
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!indices.known_rank()) return {};
  Dims out = *indices.dims;
  out.push_back(DimAt(op.in(0).shape, 1));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work RowsWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

// Numbers of a few bits, dequantised on the way; in uint8 several lie in one element of the last
// dim.
Result<void> InferBlockQuantised(OpContext& op) {
  const TensorFact& data = op.in(0);
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, op.in(2).dtype, {});
  if (!data.shape.known_rank() || !indices.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("gather_axis", 0), data.shape.rank()));
  Dims rest = *data.shape.dims;
  const std::int64_t bits = op.IntOr("bits", 4);
  if (data.dtype == DType::kUInt8 && (bits == 2 || bits == 4)) {
    rest.back() = op.dims().Mul(rest.back(), 8 / bits);
  }
  const auto at = rest.begin() + static_cast<std::ptrdiff_t>(axis);
  Dims out(rest.begin(), at);
  out.insert(out.end(), indices.dims->begin(), indices.dims->end());
  out.insert(out.end(), at + 1, rest.end());
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work BlockQuantisedWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const std::int64_t width = op.IntOr("bits", 4);
  const Dim bits = dims.Mul(ElementsOf(op, op.out(0).shape), width);
  return work::GatherScatter{dims.CeilDiv(bits, 8), PackedType(width)};
}

Result<void> InferGatherPacked(OpContext& op) {
  const Shape& indices = op.in(1).shape;
  SetOutput(op, 0, DTypeAttribute(op, "output_dtype", DType::kBFloat16), {});
  if (!indices.known_rank()) return {};
  Dims out = *indices.dims;
  out.push_back(op.IntOr("K", 0));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// One row of the blob for each index.
Work GatherPackedWork(const OpContext& op) {
  return work::GatherScatter{
      op.dims().Mul(ElementsOf(op, op.in(1).shape), DimAt(op.in(0).shape, 1))};
}

// --- QLinearConcat: scale and zero point of the output, then three inputs a tensor ---

Result<void> InferQLinearConcat(OpContext& op) {
  SetOutput(op, 0, op.in(1).dtype, {});
  Shape out;
  for (std::size_t i = 2; i < op.inputs(); i += 3) {
    const Shape& shape = op.in(i).shape;
    if (!shape.known_rank()) return {};
    TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), shape.rank()));
    if (!out.known_rank()) {
      out = shape;
      continue;
    }
    if (out.rank() != shape.rank()) return op.Problem("inputs have different ranks");
    (*out.dims)[axis] = op.dims().Add((*out.dims)[axis], (*shape.dims)[axis]);
  }
  op.out(0).shape = std::move(out);
  return {};
}

// --- QLinearReduceMean, ReduceSumInteger: axes and keepdims are attributes ---

Result<void> InferReduce(OpContext& op, DType dtype) {
  SetOutput(op, 0, dtype, {});
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  const auto stated = op.Ints("axes").value_or(std::span<const std::int64_t>());
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, stated, in.rank()));
  const bool keep = op.IntOr("keepdims", 1) != 0;
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool reduced = stated.empty() || std::binary_search(axes.begin(), axes.end(), i);
    if (!reduced) out.push_back((*in.dims)[i]);
    if (reduced && keep) out.push_back(1);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

// --- regions ---

// crop_size holds height and width.
Result<void> InferCrop(OpContext& op) {
  const auto& size = op.in(3).ints;
  const bool known = size.has_value() && size->size() == 2;
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({DimAt(op.in(1).shape, 0), DimAt(op.in(0).shape, 1), known ? (*size)[0] : Dim(),
                     known ? (*size)[1] : Dim()}));
  return {};
}

Work CropWork(const OpContext& op) {
  const bool nearest = op.String("mode").value_or("bilinear") == "nearest";
  return work::Resampling{ElementsOf(op, op.out(0).shape), nearest ? "nearest" : "linear"};
}

// --- linear algebra ---

// Every row of A against every row of B.
Result<void> InferDistance(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(op.in(0).shape, 0), DimAt(op.in(1).shape, 0)}));
  return {};
}

Work DistanceWork(const OpContext& op) {
  const Dim pairs = ElementsOf(op, op.out(0).shape);
  return work::Reduction{op.dims().Mul(pairs, DimAt(op.in(0).shape, 1)), pairs};
}

// Elimination takes n * n * n multiply-adds for a matrix of n rows.
Work InverseWork(const OpContext& op) {
  const Dim rows = LastOf(op.in(0).shape);
  return work::Contraction{op.dims().Mul(ElementsOf(op, op.in(0).shape), rows),
                           "elimination, n * n * n for each matrix"};
}

// --- transforms of the last signal_ndim dims, one sided; complex numbers are a last dim of 2 ---

Result<void> InferRfft(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  const Shape& in = op.in(0).shape;
  if (!in.known_rank() || in.rank() == 0) return {};
  Dims out = *in.dims;
  out.back() = op.dims().Add(op.dims().FloorDiv(out.back(), 2), 1);
  out.push_back(2);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferIrfft(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  if (in.rank() < 2) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 2");
  Dims out(in.dims->begin(), in.dims->end() - 1);
  out.back() = op.dims().Mul(op.dims().Sub(out.back(), 1), 2);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// As ai.onnx.DFT: a product with the matrix of the transform. Of several dims one after the other;
// only the last is halved, so that each of the others costs its own size for every output.
Work FourierWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const bool forward = op.op() == "Rfft";
  const Shape& real = forward ? op.in(0).shape : op.out(0).shape;
  const Shape& bins = forward ? op.out(0).shape : op.in(0).shape;
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(op.IntOr("signal_ndim", 1), 1, 3));
  if (!real.known_rank() || !bins.known_rank() || real.rank() < count) return work::Contraction{};
  const Dim values = ElementsOf(op, bins);  // real and imaginary parts
  Dim macs = dims.Mul(values, real.dims->back());
  for (std::size_t i = 1; i < count; ++i) {
    const Dim size = (*real.dims)[real.rank() - 1 - i];
    macs = dims.Add(macs, dims.Mul(dims.Mul(values, 2), size));
  }
  return work::Contraction{macs, "product with the matrix of the transform"};
}

// --- text ---

// One more dim, as long as the longest list of tokens.
Result<void> InferTokens(OpContext& op) {
  SetOutput(op, 0, DType::kString, op.in(0).shape);
  Shape& shape = op.out(0).shape;
  if (shape.known_rank()) shape.dims->push_back(op.DataDependent("tokens"));
  return {};
}

constexpr OpEntry Moving(std::string_view op, InferFn infer, std::string_view roles) {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Moving(
        "Pad", [](OpContext& op) { return InferAs(op, "Pad"); }, "xcc"),
    Moving("QLinearConcat", InferQLinearConcat, "wwx"),
    Moving("RemovePadding", InferRemovePadding, "xc"),
    Moving("RestorePadding", InferRestorePadding, "xc"),
    Moving("Tokenizer", InferTokens, "x"),
    Moving(
        "Trilu", [](OpContext& op) { return InferAs(op, "Trilu"); }, "xc"),
    Moving("UnfoldTensor", InferUnfold, "x"),
    {.op = "CDist",
     .infer = InferDistance,
     .work = DistanceWork,
     .rule = "reduction",
     .roles = "xx"},
    {.op = "CropAndResize",
     .infer = InferCrop,
     .work = CropWork,
     .rule = "resampling",
     .roles = "xxc"},
    {.op = "ExpandDims",
     .infer = InferExpandDims,
     .work = onnx::ViewWork,
     .rule = "view",
     .roles = "xc"},
    {.op = "GatherBlockQuantized",
     .infer = InferBlockQuantised,
     .work = BlockQuantisedWork,
     .rule = "gather",
     .roles = "wcww"},
    {.op = "GatherND",
     .infer = [](OpContext& op) { return InferAs(op, "GatherND"); },
     .work = RowsWork,
     .rule = "gather",
     .roles = "xc"},
    {.op = "GatherPacked",
     .infer = InferGatherPacked,
     .work = GatherPackedWork,
     .rule = "gather",
     .roles = "wc"},
    {.op = "GridSample",
     .infer = [](OpContext& op) { return InferAs(op, "GridSample"); },
     .work = [](const OpContext& op) { return WorkAs(op, "GridSample"); },
     .rule = "resampling"},
    {.op = "Inverse", .infer = SameAsInput, .work = InverseWork, .rule = "einsum"},
    {.op = "Irfft", .infer = InferIrfft, .work = FourierWork, .rule = "transform"},
    {.op = "QLinearReduceMean",
     .infer = [](OpContext& op) { return InferReduce(op, op.in(0).dtype); },
     .work = ReduceWork,
     .rule = "reduction",
     .roles = "xw"},
    {.op = "Range",
     .infer = [](OpContext& op) { return InferAs(op, "Range"); },
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "c"},
    {.op = "ReduceSumInteger",
     .infer = [](OpContext& op) { return InferReduce(op, DType::kInt32); },
     .work = ReduceWork,
     .rule = "reduction"},
    {.op = "Rfft", .infer = InferRfft, .work = FourierWork, .rule = "transform"},
    {.op = "TorchEmbedding",
     .infer = InferRows,
     .work = RowsWork,
     .rule = "gather",
     .roles = "wcc"},
    {.op = "Unique",
     .infer = InferUnique,
     .work = [](const OpContext&) -> Work { return work::GatherScatter{}; },
     .rule = "gather"},
};

}  // namespace

std::span<const OpEntry> MoveOps() { return kOps; }

}  // namespace opscope::contrib
