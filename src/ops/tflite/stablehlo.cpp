// The operators of StableHLO that a TFLite file may carry. Shapes are those of the file where they
// do not follow from the operands' at once.
#include <algorithm>

#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

Result<void> InferReshape(OpContext& op) {
  TRY(InferStored(op));
  onnx::ShareInput(op);
  return {};
}

Dim ProductAt(const OpContext& op, const Shape& shape, std::span<const std::int64_t> axes) {
  if (!shape.known_rank()) return {};
  Dim product = 1;
  for (const std::int64_t axis : axes) {
    const bool inside = axis >= 0 && axis < static_cast<std::int64_t>(shape.rank());
    product =
        op.dims().Mul(product, inside ? (*shape.dims)[static_cast<std::size_t>(axis)] : Dim());
  }
  return product;
}

std::span<const std::int64_t> ListNamed(const OpContext& op, std::string_view name) {
  return op.Ints(name).value_or(std::span<const std::int64_t>());
}

Dim DimNamed(const OpContext& op, const Shape& shape, std::string_view name) {
  const std::int64_t axis = op.IntOr(name, 0);
  return axis < 0 ? Dim() : DimAt(shape, static_cast<std::size_t>(axis));
}

// Which axes are what is written down for data, weight and result each.
Work ConvWork(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  const Shape& out = op.out(0).shape;
  return work::Convolution{
      .batch = DimNamed(op, out, "output_batch_dimension"),
      .out_channels = DimNamed(op, out, "output_feature_dimension"),
      .out_points = ProductAt(op, out, ListNamed(op, "output_spatial_dimensions")),
      .in_per_group = DimNamed(op, weight, "kernel_input_feature_dimension"),
      .kernel_points = ProductAt(op, weight, ListNamed(op, "kernel_spatial_dimensions"))};
}

// What is neither batch nor contracted.
Dims FreeDims(const OpContext& op, std::size_t input, std::string_view side) {
  const Shape& shape = op.in(input).shape;
  const auto batch = ListNamed(op, std::string(side) + "_batching_dimensions");
  const auto contracted = ListNamed(op, std::string(side) + "_contracting_dimensions");
  Dims free;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const bool taken = std::find(batch.begin(), batch.end(), axis) != batch.end() ||
                       std::find(contracted.begin(), contracted.end(), axis) != contracted.end();
    if (!taken) free.push_back((*shape.dims)[i]);
  }
  return free;
}

// [batch …, free of the left …, free of the right …]
Result<void> InferDot(OpContext& op) {
  TRY(InferStored(op));
  const Shape& left = op.in(0).shape;
  if (!left.known_rank() || !op.in(1).shape.known_rank()) return {};
  Dims out;
  for (const std::int64_t axis : ListNamed(op, "lhs_batching_dimensions")) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, left.rank()));
    out.push_back((*left.dims)[index]);
  }
  for (const auto& [input, side] : {std::pair(0, "lhs"), std::pair(1, "rhs")}) {
    const Dims free = FreeDims(op, static_cast<std::size_t>(input), side);
    out.insert(out.end(), free.begin(), free.end());
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work DotWork(const OpContext& op) {
  const Shape& left = op.in(0).shape;
  if (!left.known_rank() || !op.in(1).shape.known_rank()) return work::MatrixProduct{};
  return work::MatrixProduct{.batch = ProductAt(op, left, ListNamed(op, "lhs_batching_dimensions")),
                             .m = op.dims().Product(FreeDims(op, 0, "lhs")),
                             .n = op.dims().Product(FreeDims(op, 1, "rhs")),
                             .k = ProductAt(op, left, ListNamed(op, "lhs_contracting_dimensions"))};
}

Result<void> InferTranspose(OpContext& op) {
  TRY(InferStored(op));
  const Shape& in = op.in(0).shape;
  const auto order = ListNamed(op, "permutation");
  if (!in.known_rank()) return {};
  if (order.size() != in.rank()) return op.Problem("the permutation does not fit the rank");
  Dims out;
  for (const std::int64_t axis : order) {
    TRY_ASSIGN(const std::size_t index, AxisOf(op, axis, in.rank()));
    out.push_back((*in.dims)[index]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Both operands are the size of the result: no broadcasting.
Work VariadicWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.out(0).shape), static_cast<int>(op.inputs()), true};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

Work UnknownWork(const OpContext& op) {
  return work::Unknown{"what " + std::string(op.op()) + " computes depends on a region"};
}

constexpr OpEntry Pointwise(std::string_view op, std::string_view like, InferFn infer = InferSame) {
  return {.op = op, .infer = infer, .work = VariadicWork, .rule = "elementwise", .like = like};
}

constexpr OpEntry Stored(std::string_view op, WorkFn work, std::string_view rule,
                         std::string_view roles = "x", std::string_view like = "") {
  return {.op = op, .infer = InferStored, .work = work, .rule = rule, .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Pointwise("STABLEHLO_ABS", "Abs"),
    Pointwise("STABLEHLO_ADD", "Add"),
    Pointwise("STABLEHLO_AND", "And"),
    Pointwise("STABLEHLO_CBRT", "Pow"),
    Pointwise("STABLEHLO_CLAMP", "Clip", InferStored),
    Pointwise("STABLEHLO_COMPARE", "Equal"),
    Pointwise("STABLEHLO_COSINE", "Cos"),
    Pointwise("STABLEHLO_DIVIDE", "Div"),
    Pointwise("STABLEHLO_EXPONENTIAL", "Exp"),
    Pointwise("STABLEHLO_FLOOR", "Floor"),
    Pointwise("STABLEHLO_LOG", "Log"),
    Pointwise("STABLEHLO_LOGISTIC", "Sigmoid"),
    Pointwise("STABLEHLO_MAXIMUM", "Max"),
    Pointwise("STABLEHLO_MINIMUM", "Min"),
    Pointwise("STABLEHLO_MULTIPLY", "Mul"),
    Pointwise("STABLEHLO_NEGATE", "Neg"),
    Pointwise("STABLEHLO_OR", "Or"),
    Pointwise("STABLEHLO_POWER", "Pow"),
    Pointwise("STABLEHLO_REMAINDER", "Mod"),
    Pointwise("STABLEHLO_RSQRT", ""),
    Pointwise("STABLEHLO_SELECT", "Where", InferStored),
    Pointwise("STABLEHLO_SHIFT_LEFT", "BitShift"),
    Pointwise("STABLEHLO_SUBTRACT", "Sub"),
    Pointwise("STABLEHLO_TANH", "Tanh"),
    Stored("STABLEHLO_BROADCAST_IN_DIM", MovementWork, "movement", "x", "Expand"),
    Stored("STABLEHLO_CASE", UnknownWork, "unknown", "cx"),
    Stored("STABLEHLO_CONCATENATE", MovementWork, "movement", "x", "Concat"),
    {.op = "STABLEHLO_CONVERT",
     .infer = InferSame,
     .work = onnx::CastWork,
     .rule = "movement",
     .like = "Cast"},
    Stored("STABLEHLO_CONVOLUTION", ConvWork, "conv", "xw", "Conv"),
    Stored("STABLEHLO_CUSTOM_CALL", UnknownWork, "unknown"),
    {.op = "STABLEHLO_DOT_GENERAL",
     .infer = InferDot,
     .work = DotWork,
     .rule = "matmul",
     .like = "MatMul"},
    Stored("STABLEHLO_DYNAMIC_SLICE", ReadOutputWork, "movement", "xc", "Slice"),
    {.op = "STABLEHLO_DYNAMIC_UPDATE_SLICE",
     .infer = InferSame,
     .work = MovementWork,
     .rule = "movement",
     .roles = "xxc"},
    Stored("STABLEHLO_GATHER", GatherWork, "gather", "xc", "Gather"),
    Stored("STABLEHLO_IOTA", NoWork, "nothing"),
    Stored("STABLEHLO_PAD", MovementWork, "movement", "xc", "Pad"),
    Stored("STABLEHLO_REDUCE", ReduceWork, "reduction", "xc", "ReduceSum"),
    Stored("STABLEHLO_REDUCE_WINDOW", UnknownWork, "unknown", "xc"),
    {.op = "STABLEHLO_RESHAPE",
     .infer = InferReshape,
     .work = ViewWork,
     .rule = "view",
     .like = "Reshape"},
    Stored("STABLEHLO_RNG_BIT_GENERATOR", UnknownWork, "unknown", "c"),
    {.op = "STABLEHLO_SCATTER",
     .infer = InferSame,
     .work = [](const OpContext&) -> Work { return work::GatherScatter{}; },
     .rule = "gather",
     .roles = "xcx"},
    Stored("STABLEHLO_SLICE", ReadOutputWork, "movement", "x", "Slice"),
    Stored("STABLEHLO_SORT", UnknownWork, "unknown"),
    {.op = "STABLEHLO_TRANSPOSE",
     .infer = InferTranspose,
     .work = MovementWork,
     .rule = "movement",
     .like = "Transpose"},
};

}  // namespace

std::span<const OpEntry> StableHloOps() { return kOps; }

}  // namespace opscope::tflite
