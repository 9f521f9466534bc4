// Functions of torch that go element by element or move elements, and the types that all share.
#include <algorithm>

#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"
#include "ops/ncnn/traced.h"
#include "ops/onnx/entry.h"

namespace opscope::ncnn {

namespace {

const std::vector<TypeInfo>* TypesOf(const OpContext& op, std::string_view name) {
  const Attribute* found = FindAttribute(op.model(), op.node(), name);
  return found == nullptr ? nullptr : std::get_if<std::vector<TypeInfo>>(&found->value);
}

bool Agree(const Shape& own, const Shape& traced) {
  if (!own.known_rank() || !traced.known_rank()) return !traced.known_rank();
  if (own.rank() != traced.rank()) return false;
  for (std::size_t i = 0; i < own.rank(); ++i) {
    const Dim size = (*traced.dims)[i];
    if (!size.is_unknown() && (*own.dims)[i] != size) return false;
  }
  return true;
}

bool AsTraced(const OpContext& op) {
  const auto* traced = TypesOf(op, "traced_inputs");
  if (traced == nullptr) return false;
  for (std::size_t i = 0; i < std::min(traced->size(), Bottoms(op)); ++i)
    if (!Agree(op.in(i).shape, (*traced)[i].shape)) return false;
  return true;
}

}  // namespace

Result<void> InferTraced(OpContext& op) {
  const auto* traced = TypesOf(op, "traced_outputs");
  if (traced == nullptr) return {};
  const bool same = AsTraced(op);
  for (std::size_t i = 0; i < std::min(traced->size(), op.outputs()); ++i) {
    const TypeInfo& type = (*traced)[i];
    Shape shape = type.shape;
    if (!same && shape.known_rank()) shape = UnknownDims(shape.rank());
    SetOutput(op, i, type.dtype, std::move(shape));
  }
  return {};
}

namespace {

Result<void> InferElementwise(OpContext& op) {
  TRY(InferTraced(op));
  if (AsTraced(op)) return {};
  TRY_ASSIGN(op.out(0).shape, BroadcastInputs(op, 0, std::max<std::size_t>(Bottoms(op), 1) - 1));
  return {};
}

Result<void> InferView(OpContext& op) {
  TRY(InferTraced(op));
  for (std::size_t i = 0; i < op.outputs(); ++i)
    if (op.has_output(i)) op.out(i).storage = op.in(0).storage;
  return {};
}

constexpr OpEntry Pointwise(std::string_view op, std::string_view like) {
  return entry::Pointwise(op, like, InferElementwise, "xw");
}
constexpr OpEntry Move(std::string_view op, std::string_view like) {
  return entry::Part(op, like, InferTraced, "x");
}
constexpr OpEntry View(std::string_view op, std::string_view like) {
  return entry::View(op, like, InferView, "x");
}
constexpr OpEntry kOps[] = {
    Pointwise("F.relu", "Relu"),
    Pointwise("nn.ReLU", "Relu"),
    Pointwise("F.relu6", "Clip"),
    Pointwise("nn.ReLU6", "Clip"),
    Pointwise("F.hardtanh", "Clip"),
    Pointwise("nn.Hardtanh", "Clip"),
    Pointwise("torch.clamp", "Clip"),
    Pointwise("F.leaky_relu", "LeakyRelu"),
    Pointwise("nn.LeakyReLU", "LeakyRelu"),
    Pointwise("F.elu", "Elu"),
    Pointwise("nn.ELU", "Elu"),
    Pointwise("F.selu", "Selu"),
    Pointwise("nn.SELU", "Selu"),
    Pointwise("F.celu", "Celu"),
    Pointwise("nn.CELU", "Celu"),
    Pointwise("F.gelu", "Gelu"),
    Pointwise("nn.GELU", "Gelu"),
    Pointwise("F.silu", "Swish"),
    Pointwise("nn.SiLU", "Swish"),
    Pointwise("F.mish", "Mish"),
    Pointwise("nn.Mish", "Mish"),
    Pointwise("F.hardswish", "HardSwish"),
    Pointwise("nn.Hardswish", "HardSwish"),
    Pointwise("F.hardsigmoid", "HardSigmoid"),
    Pointwise("nn.Hardsigmoid", "HardSigmoid"),
    Pointwise("F.sigmoid", "Sigmoid"),
    Pointwise("nn.Sigmoid", "Sigmoid"),
    Pointwise("F.tanh", "Tanh"),
    Pointwise("nn.Tanh", "Tanh"),
    Pointwise("F.softplus", "Softplus"),
    Pointwise("nn.Softplus", "Softplus"),
    Pointwise("F.softsign", "Softsign"),
    Pointwise("F.logsigmoid", "Softplus"),
    Pointwise("F.prelu", "PRelu"),
    Pointwise("nn.PReLU", "PRelu"),
    Pointwise("torch.cumsum", "CumSum"),
    Pointwise("torch.where", "Where"),
    Move("torch.cat", "Concat"),
    Move("torch.stack", "Concat"),
    Move("torch.flip", "Slice"),
    Move("torch.roll", "Slice"),
    Move("F.pad", "Pad"),
    Move("F.glu", "Split"),
    Move("F.unfold", ""),
    Move("F.fold", ""),
    Move("nn.PixelShuffle", "DepthToSpace"),
    Move("F.pixel_shuffle", "DepthToSpace"),
    Move("nn.PixelUnshuffle", "SpaceToDepth"),
    Move("F.pixel_unshuffle", "SpaceToDepth"),
    Move("nn.ChannelShuffle", "Transpose"),
    Move("Tensor.repeat", "Tile"),
    Move("torch.tile", "Tile"),
    Move("Tensor.to", "Cast"),
    Move("Tensor.type_as", "Cast"),
    Move("torch.clone", "Identity"),
    Move("torch.permute", "Transpose"),
    Move("torch.transpose", "Transpose"),
    Move("Tensor.permute", "Transpose"),
    Move("Tensor.slice", "Slice"),
    Move("Tensor.index", "Gather"),
    Move("Tensor.select", "Slice"),
    View("torch.chunk", "Split"),
    View("torch.split", "Split"),
    View("torch.tensor_split", "Split"),
    View("torch.unbind", "Split"),
    View("torch.flatten", "Flatten"),
    View("torch.squeeze", "Squeeze"),
    View("torch.unsqueeze", "Unsqueeze"),
    View("Tensor.view", "Reshape"),
    View("Tensor.reshape", "Reshape"),
    View("Tensor.reshape_as", "Reshape"),
    View("Tensor.expand", "Expand"),
    View("Tensor.unflatten", "Reshape"),
    View("nn.Dropout", "Identity"),
    View("F.dropout", "Identity"),
    View("nn.Identity", "Identity"),
    View("nn.Flatten", "Flatten"),
    {.op = "pnnx.Attribute",
     .infer = InferView,
     .work = onnx::NoWork,
     .rule = "constant",
     .roles = "x",
     .like = "Constant"},
    {.op = "prim::Constant", .infer = InferTraced, .work = onnx::NoWork, .rule = "constant"},
    {.op = "prim::TupleConstruct", .infer = InferTraced, .work = onnx::NoWork, .rule = "view"},
    {.op = "prim::ListConstruct", .infer = InferTraced, .work = onnx::NoWork, .rule = "view"},
    {.op = "prim::TupleUnpack", .infer = InferTraced, .work = onnx::NoWork, .rule = "view"},
    {.op = "prim::ListUnpack", .infer = InferTraced, .work = onnx::NoWork, .rule = "view"},
};

}  // namespace

std::span<const OpEntry> PlainOps() { return kOps; }

}  // namespace opscope::ncnn
