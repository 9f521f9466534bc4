// Layers that touch elements or only move them.
#include "ops/tensorrt/common.h"
#include "ops/tensorrt/families.h"

namespace opscope::tensorrt {

namespace {

std::string_view TextOf(const Model& model, const Node& node, std::string_view name) {
  const Attribute* attribute = FindAttribute(model, node, name);
  const auto* text = attribute == nullptr ? nullptr : std::get_if<std::string>(&attribute->value);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

bool IsAverage(std::string_view pooling) {
  return pooling.find("AVERAGE") != std::string_view::npos;
}

// "PoolingType": "MAX" or "AVERAGE".
std::string_view PoolingLike(const Model& model, const Node& node) {
  return IsAverage(TextOf(model, node, "PoolingType")) ? "AveragePool" : "MaxPool";
}

Work PoolingWork(const OpContext& op) {
  Dim window = ProductOfList(op, "WindowSize");
  if (window.is_unknown()) window = ProductOfList(op, "Kernel");
  return work::Pooling{.outputs = ElementsOf(op, op.out(0).shape),
                       .kernel_points = window,
                       .maximum = !IsAverage(op.String("PoolingType").value_or("MAX"))};
}

std::string_view OperationLike(const Model& model, const Node& node) {
  for (const std::string_view key : {"Operation", "ActivationType", "Activation"})
    if (const std::string_view like = StandardName(TextOf(model, node, key)); !like.empty())
      return like;
  return {};
}

// "NbOperations": 3, applied to every element one after the other.
Work PointWiseWork(const OpContext& op) {
  const auto operations = op.Int("NbOperations");
  if (!operations || *operations < 0 || *operations > 10'000) return work::Elementwise{Dim()};
  return work::Elementwise{ElementsOf(op, op.out(0).shape), static_cast<int>(*operations) + 1,
                           true};
}

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

// Along the axis of "Axes" or "Axis" (a mask of one bit in older versions is not told apart).
Work SoftMaxWork(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  const auto axis = op.Int("Axis");
  if (!in.known_rank() || !axis || *axis < 0 || static_cast<std::uint64_t>(*axis) >= in.rank())
    return work::Softmax{};
  const Dim n = DimAt(in, static_cast<std::size_t>(*axis));
  return work::Softmax{op.dims().FloorDiv(ElementsOf(op, in), n), n};
}

Result<void> InferView(OpContext& op) {
  TRY(InferDeclared(op));
  if (op.has(0) && op.has_output(0)) op.out(0).storage = op.in(0).storage;
  return {};
}

constexpr OpEntry Elements(std::string_view op, WorkFn work, std::string_view like = "") {
  return {.op = op,
          .infer = InferDeclared,
          .work = work,
          .rule = "elementwise",
          .roles = "w",
          .like = like,
          .like_of = OperationLike};
}
constexpr OpEntry Moves(std::string_view op, WorkFn work = onnx::MovementWork) {
  return {.op = op, .infer = InferDeclared, .work = work, .rule = "movement", .roles = "w"};
}

constexpr OpEntry kOps[] = {
    Elements("Activation", onnx::PointwiseWork),
    Elements("ElementWise", onnx::PointwiseWork),
    {.op = "PointWise",
     .infer = InferDeclared,
     .work = PointWiseWork,
     .rule = "elementwise",
     .roles = "w"},
    Elements("Scale", onnx::PointwiseWork),
    Elements("Unary", onnx::PointwiseWork),
    {.op = "Pooling",
     .infer = InferDeclared,
     .work = PoolingWork,
     .rule = "pooling",
     .roles = "w",
     .like = "MaxPool",
     .like_of = PoolingLike},
    {.op = "Reduce",
     .infer = InferDeclared,
     .work = ReduceWork,
     .rule = "reduction",
     .roles = "w",
     .like = "ReduceSum"},
    {.op = "SoftMax",
     .infer = InferDeclared,
     .work = SoftMaxWork,
     .rule = "softmax",
     .roles = "w",
     .like = "Softmax"},
    Moves("Concatenation"),
    Moves("Constant", onnx::NoWork),
    Moves("Gather", onnx::ReadOutputWork),
    Moves("Identity"),
    Moves("Padding"),
    Moves("Reformat"),
    Moves("ShapeCall", onnx::NoWork),
    Moves("Shuffle"),
    Moves("Signal", onnx::NoWork),
    Moves("Slice", onnx::ReadOutputWork),
    Moves("Wait", onnx::NoWork),
    {.op = "NoOp", .infer = InferView, .work = onnx::ViewWork, .rule = "view", .roles = "w"},
};

}  // namespace

std::span<const OpEntry> ElementOps() { return kOps; }

}  // namespace opscope::tensorrt
