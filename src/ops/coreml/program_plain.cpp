// ML programs: operations that go element by element, move elements, or only steer.
#include <algorithm>

#include "ops/coreml/args.h"
#include "ops/coreml/families.h"
#include "ops/onnx/entry.h"
#include "ops/onnx/read_as.h"

namespace opscope::coreml {

namespace {

Result<void> InferTranspose(OpContext& op) {
  const Shape& x = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> perm = Numbers(op, "perm");
  if (!x.known_rank() || perm.size() != x.rank()) return {};
  Dims out;
  for (const std::int64_t axis : perm) {
    TRY_ASSIGN(const std::size_t from, AxisOf(op, axis, x.rank()));
    out.push_back((*x.dims)[from]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferConcat(OpContext& op) {
  const Shape& first = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!first.known_rank() || Number(op, "interleave") != 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Number(op, "axis"), first.rank()));
  Dims out = *first.dims;
  for (std::size_t i = 1; i < op.inputs(); ++i) {
    const Shape& next = op.in(i).shape;
    if (!next.known_rank() || next.rank() != out.size()) return {};
    out[axis] = op.dims().Add(out[axis], (*next.dims)[axis]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferCompare(OpContext& op) {
  TRY(Broadcasted(op));
  op.out(0).dtype = DType::kBool;
  return {};
}

// cond, a, b
Result<void> InferSelect(OpContext& op) {
  TRY_ASSIGN(Shape shape, BroadcastInputs(op, 0, op.inputs() - 1));
  SetOutput(op, 0, DType::kUnknown, std::move(shape));
  return {};
}

Result<void> InferCast(OpContext& op) {
  SetOutput(op, 0, DType::kUnknown, op.in(0).shape);
  return {};
}

Result<void> InferView(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i)
    if (op.has_output(i)) op.out(i).storage = op.in(0).storage;
  return {};
}

// A state holds what was written last: one tensor for all of them.
Result<void> InferState(OpContext& op) { return InferView(op); }

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

Work OpenWork(const OpContext&) {
  return work::Unknown{"what it does depends on the data or on a body that is not followed"};
}

constexpr OpEntry Unary(std::string_view op, std::string_view like) {
  return entry::Pointwise(op, like, Like, "xw");
}
// Two operands, whose elements are followed where shapes or trips may hang on them.
constexpr OpEntry Binary(std::string_view op, std::string_view like) {
  return entry::Pointwise(op, like, onnx::InferAsLike);
}
constexpr OpEntry Compare(std::string_view op, std::string_view like) {
  return entry::Pointwise(op, like, onnx::InferAsLike);
}
constexpr OpEntry Move(std::string_view op, std::string_view like, InferFn infer = AsStated) {
  return entry::Part(op, like, infer);
}
constexpr OpEntry View(std::string_view op, std::string_view like) {
  return entry::View(op, like, InferView);
}
constexpr OpEntry Gather(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = AsStated,
          .work = GatherWork,
          .rule = "gather",
          .roles = "xc",
          .like = like};
}
constexpr OpEntry Open(std::string_view op) {
  return {.op = op, .infer = AsStated, .work = OpenWork, .rule = "unknown"};
}
constexpr OpEntry Nothing(std::string_view op, std::string_view like = "") {
  return {.op = op,
          .infer = AsStated,
          .work = onnx::NoWork,
          .rule = "constant",
          .roles = "c",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Unary("abs", "Abs"),
    Unary("acos", "Acos"),
    Unary("asin", "Asin"),
    Unary("atan", "Atan"),
    Unary("atanh", "Atanh"),
    Unary("ceil", "Ceil"),
    Unary("clamped_relu", "Clip"),
    Unary("clip", "Clip"),
    Unary("cos", "Cos"),
    Unary("cosh", "Cosh"),
    Unary("cumsum", "CumSum"),
    Unary("elu", "Elu"),
    Unary("erf", "Erf"),
    Unary("exp", "Exp"),
    Unary("exp2", "Exp"),
    Unary("floor", "Floor"),
    Unary("gelu", "Gelu"),
    Unary("inverse", "Reciprocal"),
    Unary("leaky_relu", "LeakyRelu"),
    Unary("linear_activation", "HardSigmoid"),
    Unary("log", "Log"),
    Unary("logical_not", "Not"),
    Unary("prelu", "PRelu"),
    Unary("relu", "Relu"),
    Unary("relu6", "Clip"),
    Unary("round", "Round"),
    Unary("rsqrt", "Sqrt"),
    Unary("scaled_tanh", "Tanh"),
    Unary("sigmoid", "Sigmoid"),
    Unary("sigmoid_hard", "HardSigmoid"),
    Unary("sign", "Sign"),
    Unary("silu", "Swish"),
    Unary("sin", "Sin"),
    Unary("sinh", "Sinh"),
    Unary("softplus", "Softplus"),
    Unary("softplus_parametric", "Softplus"),
    Unary("softsign", "Softsign"),
    Unary("sqrt", "Sqrt"),
    Unary("square", "Mul"),
    Unary("tan", "Tan"),
    Unary("tanh", "Tanh"),
    Unary("threshold", "Max"),
    Unary("thresholded_relu", "ThresholdedRelu"),
    Unary("band_part", "Trilu"),
    Binary("add", "Add"),
    entry::Pointwise("floor_div", "Div", Broadcasted),
    Binary("maximum", "Max"),
    Binary("minimum", "Min"),
    entry::Pointwise("mod", "Mod", Broadcasted),
    Binary("mul", "Mul"),
    Binary("pow", "Pow"),
    Binary("real_div", "Div"),
    Binary("sub", "Sub"),
    Compare("equal", "Equal"),
    Compare("greater", "Greater"),
    Compare("greater_equal", "GreaterOrEqual"),
    Compare("less", "Less"),
    Compare("less_equal", "LessOrEqual"),
    Compare("logical_and", "And"),
    Compare("logical_or", "Or"),
    Compare("logical_xor", "Xor"),
    entry::Pointwise("not_equal", "Equal", InferCompare),  // its opposite: elements not followed
    {.op = "select",
     .infer = InferSelect,
     .work = onnx::PointwiseWork,
     .rule = "elementwise",
     .roles = "c",
     .like = "Where"},
    {.op = "cast", .infer = InferCast, .work = onnx::CastWork, .rule = "movement", .like = "Cast"},
    Move("batch_to_space", "DepthToSpace"),
    Move("concat", "Concat", InferConcat),
    Move("crop", "Slice"),
    Move("depth_to_space", "DepthToSpace"),
    Move("pad", "Pad"),
    Move("pixel_shuffle", "DepthToSpace"),
    Move("pixel_unshuffle", "SpaceToDepth"),
    Move("reverse", "ReverseSequence"),
    Move("reverse_sequence", "ReverseSequence"),
    Move("slice_by_index", "Slice"),
    Move("slice_by_size", "Slice"),
    Move("slice_update", "ScatterND"),
    Move("sliding_windows", ""),
    Move("space_to_batch", "SpaceToDepth"),
    Move("space_to_depth", "SpaceToDepth"),
    Move("stack", "Concat"),
    Move("tile", "Tile"),
    Move("transpose", "Transpose", InferTranspose),
    View("expand_dims", "Unsqueeze"),
    View("flatten2d", "Flatten"),
    View("identity", "Identity"),
    View("reshape", "Reshape"),
    View("reshape_like", "Reshape"),
    View("split", "Split"),
    View("squeeze", "Squeeze"),
    {.op = "read_state", .infer = InferState, .work = onnx::ViewWork, .rule = "view"},
    {.op = "coreml_update_state",
     .infer = AsStated,
     .work = onnx::MovementWork,
     .rule = "movement"},
    {.op = "write_state", .infer = AsStated, .work = onnx::MovementWork, .rule = "movement"},
    Gather("gather", "Gather"),
    Gather("gather_along_axis", "GatherElements"),
    Gather("gather_nd", "GatherND"),
    Gather("list_gather", ""),
    Gather("list_read", ""),
    Gather("list_scatter", ""),
    Gather("list_write", ""),
    Gather("scatter", "ScatterElements"),
    Gather("scatter_along_axis", "ScatterElements"),
    Gather("scatter_nd", "ScatterND"),
    {.op = "argsort",
     .infer = AsStated,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "TopK"},
    {.op = "topk",
     .infer = AsStated,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "TopK"},
    Nothing("fill"),
    Nothing("fill_like"),
    Nothing("list_length"),
    Nothing("make_list"),
    Nothing("one_hot", ""),
    Nothing("random_bernoulli"),
    Nothing("random_categorical"),
    Nothing("random_normal"),
    Nothing("random_uniform"),
    Nothing("range_1d"),
    Nothing("shape", "Shape"),
    Open("classify"),
    Open("custom_layer"),
    Open("non_maximum_suppression"),
    Open("non_zero"),
};

}  // namespace

std::span<const OpEntry> ProgramPlainOps() { return kOps; }

}  // namespace opscope::coreml
