// Tensors made from nothing, and what is asked of a tensor: its sizes, its single element.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"
#include "ops/onnx/common.h"

namespace opscope::aten {

namespace {

constexpr std::int64_t kMaxFilled = 64;

// All elements are `value`, where they are few.
void Fill(OpContext& op, Dim value) {
  TensorFact& out = op.out(0);
  const Dim elements = ElementsOf(op, out.shape);
  if (!IsInteger(out.dtype) && out.dtype != DType::kBool) return;
  if (!elements.is_number() || elements.number() > kMaxFilled || elements.number() < 0) return;
  out.ints = Dims(static_cast<std::size_t>(elements.number()), value);
}

Dim ValueOf(const OpContext& op) {
  const std::string_view name = op.op();
  if (name.find("zeros") != std::string_view::npos) return 0;
  if (name.find("ones") != std::string_view::npos) return 1;
  return name.find("full") != std::string_view::npos ? DimArg(op, "fill_value", Dim()) : Dim();
}

// zeros(size), full(size, fill_value), empty, rand …: float32 unless said otherwise, and full like
// its value.
Result<void> InferSized(OpContext& op) {
  DType dtype = DType::kFloat32;
  if (op.op() == "full" && IntArg(op, "fill_value").has_value()) dtype = DType::kInt64;
  if (op.op() == "randint" || op.op() == "randperm") dtype = DType::kInt64;
  if (op.op().starts_with("new_")) dtype = op.in(0).dtype;
  const auto sizes = DimsArg(op, "size");
  SetOutput(op, 0, DTypeArg(op, "dtype", dtype), sizes.has_value() ? ShapeOf(*sizes) : Shape{});
  Fill(op, ValueOf(op));
  return {};
}
Result<void> InferLike(OpContext& op) {
  SetOutput(op, 0, DTypeArg(op, "dtype", op.in(0).dtype), op.in(0).shape);
  Fill(op, ValueOf(op));
  return {};
}
// fill(self, value), zero(self), bernoulli …
Result<void> InferFilled(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  return {};
}
Result<void> InferScalarTensor(OpContext& op) {
  const char* name = Given(op, "s") ? "s" : "t";
  const DType own = FloatsArg(op, name).has_value() ? DType::kFloat32 : DType::kInt64;
  SetOutput(op, 0, DTypeArg(op, "dtype", own), ShapeOf({}));
  Fill(op, DimArg(op, name, Dim()));
  return {};
}

// arange(end), arange(start, end), arange(start, end, step).
Result<void> InferArange(OpContext& op) {
  DimTable& dims = op.dims();
  bool real = false;
  for (const std::string_view name : {"start", "end", "step"})
    real = real || FloatsArg(op, name).has_value();
  SetOutput(op, 0, DTypeArg(op, "dtype", real ? DType::kFloat32 : DType::kInt64), UnknownDims(1));
  const auto number = [&](std::string_view name, Dim otherwise) -> Dim {
    const auto values = FloatsArg(op, name);
    if (!values.has_value()) return DimArg(op, name, otherwise);
    const double value = values->front();
    const bool whole =
        value == static_cast<double>(static_cast<std::int32_t>(std::clamp(value, -2e9, 2e9)));
    return whole ? Dim(static_cast<std::int64_t>(value)) : Dim();
  };
  const Dim start = number("start", 0);
  const Dim step = number("step", 1);
  const Dim length = dims.Sub(number("end", Dim()), start);
  if (step == Dim(0)) return op.Problem("a step of 0");
  Dim count = dims.CeilDiv(length, step);
  if (step.is_number() && step.number() < 0)
    count = dims.CeilDiv(dims.Sub(0, length), -step.number());
  if (!dims.AtLeast(count, 0)) count = dims.Max(count, 0);
  op.out(0).shape = ShapeOf({count});
  const bool few = count.is_number() && count.number() <= static_cast<std::int64_t>(kMaxPropagated);
  if (few && IsInteger(op.out(0).dtype)) {
    Dims values;
    for (std::int64_t i = 0; i < count.number(); ++i)
      values.push_back(dims.Add(start, dims.Mul(step, i)));
    op.out(0).ints = std::move(values);
  }
  return {};
}
Result<void> InferLinspace(OpContext& op) {
  SetOutput(op, 0, DTypeArg(op, "dtype", DType::kFloat32), ShapeOf({DimArg(op, "steps", Dim())}));
  return {};
}
Result<void> InferEye(OpContext& op) {
  const Dim rows = DimArg(op, "n", Dim());
  SetOutput(op, 0, DTypeArg(op, "dtype", DType::kFloat32), ShapeOf({rows, DimArg(op, "m", rows)}));
  return {};
}
Result<void> InferPermutation(OpContext& op) {
  SetOutput(op, 0, DTypeArg(op, "dtype", DType::kInt64), ShapeOf({DimArg(op, "n", Dim())}));
  return {};
}

// --- questions ---

void SetNumber(OpContext& op, DType dtype, Dim value) {
  SetOutput(op, 0, dtype, ShapeOf({}));
  op.out(0).ints = Dims{value};
}

// sym_size(self, dim); size(self) gives all of them as a list.
Result<void> InferSize(OpContext& op) {
  const Shape& in = op.in(0).shape;
  if (Given(op, "dim")) {
    if (!in.known_rank()) {
      SetOutput(op, 0, DType::kInt64, ShapeOf({}));
      return {};
    }
    TRY_ASSIGN(const std::size_t axis, AxisArg(op, "dim", 0, in.rank()));
    SetNumber(op, DType::kInt64, DimAt(in, axis));
    return {};
  }
  SetOutput(op, 0, DType::kInt64, UnknownDims(1));
  if (!in.known_rank()) return {};
  op.out(0).shape = ShapeOf({static_cast<std::int64_t>(in.rank())});
  op.out(0).ints = *in.dims;
  return {};
}
Result<void> InferCount(OpContext& op) {
  SetNumber(op, DType::kInt64, ElementsOf(op, op.in(0).shape));
  return {};
}
Result<void> InferRank(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetNumber(op, DType::kInt64, in.known_rank() ? Dim(static_cast<std::int64_t>(in.rank())) : Dim());
  return {};
}
Result<void> InferShapeTensor(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, DType::kInt64, UnknownDims(1));
  if (!in.known_rank()) return {};
  op.out(0).shape = ShapeOf({static_cast<std::int64_t>(in.rank())});
  op.out(0).ints = *in.dims;
  return {};
}

// The single element; PyTorch names those that only the data decide (u0).
Result<void> InferItem(OpContext& op) {
  Dim value = SingleDim(op.in(0));
  const std::string_view symbol = TextArg(op, "symbol", "");
  const bool plain = !symbol.empty() && symbol.find_first_of(" +-*/(") == std::string_view::npos;
  if (value.is_unknown() && plain && (symbol[0] < '0' || symbol[0] > '9'))
    value = op.dims().Symbol(symbol);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({}));
  if (!IsFloating(op.in(0).dtype)) op.out(0).ints = Dims{value};
  return {};
}
Result<void> InferNothing(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, DType::kUnknown, {});
  return {};
}

constexpr OpEntry Make(std::string_view op, InferFn infer, std::string_view like) {
  return {.op = op,
          .infer = infer,
          .work = onnx::NoWork,
          .rule = "nothing",
          .roles = "c",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Make("zeros", InferSized, "ConstantOfShape"),
    Make("ones", InferSized, "ConstantOfShape"),
    Make("full", InferSized, "ConstantOfShape"),
    Make("empty", InferSized, "ConstantOfShape"),
    Make("empty_permuted", InferSized, "ConstantOfShape"),
    Make("empty_strided", InferSized, "ConstantOfShape"),
    Make("rand", InferSized, "RandomUniform"),
    Make("randn", InferSized, "RandomNormal"),
    Make("randint", InferSized, "RandomUniform"),
    Make("new_zeros", InferSized, "ConstantOfShape"),
    Make("new_ones", InferSized, "ConstantOfShape"),
    Make("new_full", InferSized, "ConstantOfShape"),
    Make("new_empty", InferSized, "ConstantOfShape"),
    Make("new_empty_strided", InferSized, "ConstantOfShape"),
    Make("zeros_like", InferLike, "ConstantOfShape"),
    Make("ones_like", InferLike, "ConstantOfShape"),
    Make("full_like", InferLike, "ConstantOfShape"),
    Make("empty_like", InferLike, "ConstantOfShape"),
    Make("rand_like", InferLike, "RandomUniformLike"),
    Make("randn_like", InferLike, "RandomNormalLike"),
    Make("randint_like", InferLike, "RandomUniformLike"),
    Make("bernoulli", InferFilled, "Bernoulli"),
    Make("fill", InferFilled, "ConstantOfShape"),
    Make("zero", InferFilled, "ConstantOfShape"),
    Make("scalar_tensor", InferScalarTensor, "Constant"),
    Make("tensor", InferScalarTensor, "Constant"),
    Make("arange", InferArange, "Range"),
    Make("range", InferArange, "Range"),
    Make("linspace", InferLinspace, "Range"),
    Make("eye", InferEye, "EyeLike"),
    Make("randperm", InferPermutation, "Range"),
    Make("sym_size", InferSize, "Shape"),
    Make("size", InferSize, "Shape"),
    Make("sym_numel", InferCount, "Size"),
    Make("numel", InferCount, "Size"),
    Make("dim", InferRank, "Shape"),
    Make("_shape_as_tensor", InferShapeTensor, "Shape"),
    Make("item", InferItem, "Identity"),
    Make("_local_scalar_dense", InferItem, "Identity"),
    Make("_assert_scalar", InferNothing, ""),
    Make("_assert_async", InferNothing, ""),
    Make("_assert_tensor_metadata", InferNothing, ""),
    Make("sym_constrain_range", InferNothing, ""),
    Make("sym_constrain_range_for_size", InferNothing, ""),
};

}  // namespace

std::span<const OpEntry> CreateOps() { return kOps; }

}  // namespace opscope::aten
