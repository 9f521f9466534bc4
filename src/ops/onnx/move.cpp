// The same elements in another order: Transpose, Concat, DepthToSpace and kin.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- Transpose ---

// Without `perm` the dims are reversed.
Result<std::vector<std::size_t>> PermutationOf(const OpContext& op, std::size_t rank) {
  std::vector<std::size_t> out;
  const auto perm = op.Ints("perm");
  if (!perm.has_value()) {
    for (std::size_t i = rank; i-- > 0;) out.push_back(i);
    return out;
  }
  TRY_ASSIGN(const std::vector<std::size_t> sorted, AxesOf(op, *perm, rank));
  if (sorted.size() != rank) return op.Problem("\"perm\" is not a permutation of the axes");
  for (const std::int64_t axis : *perm) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, rank));
    out.push_back(index);
  }
  return out;
}

Result<void> InferTranspose(OpContext& op) {
  const TensorFact& in = op.in(0);
  TensorFact& out = op.out(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  TRY_ASSIGN(const std::vector<std::size_t> perm, PermutationOf(op, in.shape.rank()));
  Dims dims;
  for (const std::size_t axis : perm) dims.push_back((*in.shape.dims)[axis]);
  out.shape = ShapeOf(std::move(dims));
  const auto from = SmallShape(in.shape);
  const auto to = SmallShape(out.shape);
  if (!from || !to || !HasElements(in)) return {};
  const std::vector<std::int64_t> own = Strides(*from);
  std::vector<std::int64_t> strides;
  for (const std::size_t axis : perm) strides.push_back(own[axis]);
  MoveElements(in, out, StridedSource(*to, strides));
  return {};
}

// --- Concat ---

// The inputs' elements side by side. Integer inputs whose elements are not known leave unknown
// ones, so that the length of a shape that is put together stays known.
void FoldConcat(OpContext& op, std::size_t axis) {
  TensorFact& out = op.out(0);
  const auto to = SmallShape(out.shape);
  if (!to) return;
  std::vector<Dims> parts;
  std::vector<std::size_t> runs;  // elements of each input per step of the outer dims
  bool any = false;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    const TensorFact& in = op.in(i);
    const auto from = SmallShape(in.shape);
    if (!from || from->size() != to->size()) return;
    std::size_t elements = 1;
    for (const std::int64_t dim : *from) elements *= static_cast<std::size_t>(dim);
    const auto values = WholeElements(in);
    any = any || values.has_value();
    parts.push_back(values.value_or(Dims(elements)));
    std::size_t run = 1;
    for (std::size_t d = axis; d < from->size(); ++d) run *= static_cast<std::size_t>((*from)[d]);
    runs.push_back(run);
  }
  if (!any) return;
  std::size_t steps = 1;
  for (std::size_t d = 0; d < axis; ++d) steps *= static_cast<std::size_t>((*to)[d]);
  Dims joined;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto begin = parts[i].begin() + static_cast<std::ptrdiff_t>(step * runs[i]);
      joined.insert(joined.end(), begin, begin + static_cast<std::ptrdiff_t>(runs[i]));
    }
  }
  out.ints = std::move(joined);
}

// Resize scales are put together from floats of one dim each.
void FoldFloatConcat(OpContext& op) {
  std::vector<double> joined;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    const auto values = KnownFloats(op.in(i));
    if (!values.has_value() || op.in(i).shape.rank() != 1) return;
    joined.insert(joined.end(), values->begin(), values->end());
  }
  if (joined.size() <= kMaxPropagatedFloats) op.out(0).floats = std::move(joined);
}

Result<void> InferConcat(OpContext& op) {
  SetOutput(op, 0, CommonDType(op), {});
  if (op.inputs() == 0) return op.Problem("no inputs");
  std::optional<Dims> out;
  for (std::size_t i = 0; i < op.inputs() && !out; ++i) out = op.in(i).shape.dims;
  if (!out.has_value()) {
    Dim elements = 0;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      elements = op.dims().Add(elements, Elements(op.dims(), op.in(i)));
    op.out(0).elements = elements;
    return {};
  }
  const std::optional<std::int64_t> stated = op.Int("axis");
  if (!stated.has_value() && op.opset() >= 4) return op.Problem("attribute \"axis\" is missing");
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, stated.value_or(1), out->size()));
  Dim total = 0;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    const Shape& shape = op.in(i).shape;
    total = op.dims().Add(total, DimAt(shape, axis));
    if (!shape.known_rank()) continue;
    if (shape.rank() != out->size()) {
      return op.Problem("input " + std::to_string(i) + " has rank " + std::to_string(shape.rank()) +
                        ", another " + std::to_string(out->size()));
    }
    for (std::size_t d = 0; d < out->size(); ++d) {
      if (d == axis) continue;
      TRY_ASSIGN((*out)[d], SameDim(op, (*out)[d], (*shape.dims)[d], "sizes beside the axis"));
    }
  }
  (*out)[axis] = total;
  op.out(0).shape = ShapeOf(std::move(*out));
  if (IsFloating(op.out(0).dtype)) FoldFloatConcat(op);
  if (!op.out(0).floats.has_value()) FoldConcat(op, axis);
  return {};
}

// --- DepthToSpace, SpaceToDepth ---

template <bool kToSpace>
Result<void> InferDepthSpace(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  const std::int64_t block = op.IntOr("blocksize", 0);
  constexpr std::int64_t kMaxBlock = 1 << 20;
  if (block < 1 || block > kMaxBlock) return op.Problem("attribute \"blocksize\" is missing");
  if (!in.shape.known_rank()) return {};
  if (in.shape.rank() != 4) return op.Problem("input of rank " + std::to_string(in.shape.rank()));
  DimTable& dims = op.dims();
  const Dims& d = *in.shape.dims;
  const Dim area = block * block;
  op.out(0).shape =
      kToSpace
          ? ShapeOf({d[0], dims.FloorDiv(d[1], area), dims.Mul(d[2], block), dims.Mul(d[3], block)})
          : ShapeOf({d[0], dims.Mul(d[1], area), dims.FloorDiv(d[2], block),
                     dims.FloorDiv(d[3], block)});
  return {};
}

constexpr OpEntry Move(std::string_view op, InferFn infer, std::string_view roles = "x") {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Move("Concat", InferConcat),
    Move("DepthToSpace", InferDepthSpace<true>),
    Move("ReverseSequence", SameAsInput, "xc"),
    Move("SpaceToDepth", InferDepthSpace<false>),
    Move("Transpose", InferTranspose),
    Move("Trilu", SameAsInput, "xc"),
};

}  // namespace

std::span<const OpEntry> MoveOps() { return kOps; }

}  // namespace opscope::onnx
