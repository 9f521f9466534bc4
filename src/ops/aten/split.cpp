// One tensor as several: their pieces are views.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

Result<void> SetPieces(OpContext& op, std::size_t axis, const Dims& sizes) {
  const TensorFact in = op.in(0);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    Shape shape = in.shape;
    if (shape.known_rank()) (*shape.dims)[axis] = i < sizes.size() ? sizes[i] : Dim();
    SetOutput(op, i, in.dtype, std::move(shape));
    op.out(i).storage = in.storage;
  }
  return {};
}

// Pieces of `each`, the last one smaller where the numbers say so. Of formulas every piece is taken
// to be whole.
Dims Even(const OpContext& op, Dim size, Dim each) {
  Dims sizes(op.outputs(), each);
  if (!size.is_number() || !each.is_number()) return sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Dim before = op.dims().Mul(each, static_cast<std::int64_t>(i));
    sizes[i] = op.dims().Max(op.dims().Min(each, op.dims().Sub(size, before)), 0);
  }
  return sizes;
}

Result<void> SetUnknown(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(0).dtype, {});
  return {};
}

// split(self, split_size, dim) or a list of sizes; split_with_sizes.
Result<void> InferSplit(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(SetUnknown(op));
  if (!in.known_rank() || in.rank() == 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  const std::string_view list = Given(op, "split_sizes") ? "split_sizes" : "split_size";
  const auto sizes = DimsArg(op, list);
  if (!sizes.has_value()) return {};
  if (sizes->size() != 1 || op.outputs() == 1) return SetPieces(op, axis, *sizes);
  return SetPieces(op, axis, Even(op, (*in.dims)[axis], sizes->front()));
}

// chunk(self, chunks, dim): pieces of ceil(size / chunks), the last one smaller.
Result<void> InferChunk(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(SetUnknown(op));
  if (!in.known_rank() || in.rank() == 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  DimTable& dims = op.dims();
  const Dim size = (*in.dims)[axis];
  const Dim each = dims.CeilDiv(size, DimArg(op, "chunks", Dim()));
  return SetPieces(op, axis, Even(op, size, each));
}

Result<void> InferUnbind(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(SetUnknown(op));
  if (!in.known_rank() || in.rank() == 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
  const TensorFact whole = op.in(0);
  Dims out = *whole.shape.dims;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    SetOutput(op, i, whole.dtype, ShapeOf(out));
    op.out(i).storage = whole.storage;
    const std::size_t source[] = {i};
    if (whole.shape.rank() == 1 && whole.ints.has_value() && i < whole.ints->size())
      MoveElements(whole, op.out(i), source);
  }
  return {};
}

constexpr OpEntry Split(std::string_view op, InferFn infer) {
  return {.op = op,
          .infer = infer,
          .work = onnx::ViewWork,
          .rule = "view",
          .roles = "xc",
          .like = "Split"};
}

constexpr OpEntry kOps[] = {
    Split("split", InferSplit),        Split("split_with_sizes", InferSplit),
    Split("unsafe_split", InferSplit), Split("unsafe_split_with_sizes", InferSplit),
    Split("chunk", InferChunk),        Split("unsafe_chunk", InferChunk),
    Split("unbind", InferUnbind),
};

}  // namespace

std::span<const OpEntry> SplitOps() { return kOps; }

}  // namespace opscope::aten
