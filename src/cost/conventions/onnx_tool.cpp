// onnx-tool 1.0.1: "MACs" are multiply-accumulates and any other instruction alike, with a weight
// each: add, multiply, compare 1; divide 4; exp and pow 32; log 43; sin and cos 39; sqrt 24;
// tanh 38. It reads nodes, so the rules are by op; an op it does not know ends it with an error.
// ResNet-50: 4,089,184,256 + 31 * 11,113,984 (BatchNorm) + 9,608,704 (Relu) + 5,519,360 (Add)
//   + 9 * 200,704 (MaxPool) + 53 * 2,048 (average pool) + 1,000 (bias) = 4,450,761,704, as it
//   prints.
#include <algorithm>

#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"
#include "ops/op.h"

namespace opscope {

namespace {

constexpr Weights kProduct = {.mac = 1, .bias = 1};
constexpr Weights kNothing = {};
constexpr Weights kOne = {.out = 1};
constexpr Weights kTwo = {.out = 2};
constexpr Weights kFour = {.out = 4};
constexpr Weights kDivide = kFour;
// By op, sorted: what is not here stops the tool.
constexpr std::array kRules = {
    Rule{"Abs", kOne},
    Rule{"Add", kOne},
    Rule{"And", kOne},
    Rule{"ArgMax", kNothing},
    Rule{"ArrayFeatureExtractor", kNothing},
    Rule{"Atan", {.out = 64}},
    Rule{"AveragePool", {.tap = 1}},
    Rule{"BatchNormalization", {.out = 31}},
    Rule{"Cast", kNothing},
    Rule{"CategoryMapper", kNothing},
    Rule{"Ceil", kOne},
    Rule{"Clip", kTwo},
    Rule{"Compress", kNothing},
    Rule{"Concat", kNothing},
    Rule{"Constant", kNothing},
    Rule{"ConstantOfShape", kNothing},
    Rule{"Conv", kProduct},
    Rule{"ConvInteger", {.mac = 1}},
    Rule{"ConvTranspose", {.bias = 1, .deconv_reduced = 1}, "convention.by-output"},
    Rule{"Cos", {.out = 39}},
    Rule{"CumSum", kOne},
    Rule{"DepthToSpace", kNothing},
    Rule{"DequantizeLinear", kTwo},
    Rule{"Div", kDivide},
    Rule{"Dropout", kNothing},
    Rule{"Einsum", {.mac = 1}},
    Rule{"Elu", {.out = 35}},
    Rule{"Equal", kOne},
    Rule{"Erf", kNothing},
    Rule{"Exp", {.out = 32}},
    Rule{"Expand", kNothing},
    Rule{"Flatten", kNothing},
    Rule{"Floor", kOne},
    Rule{"GRU", {.mac = 1, .bias = 1, .cell_one_way = 110}},
    Rule{"Gather", kNothing},
    Rule{"GatherElements", kNothing},
    Rule{"GatherND", kNothing},
    Rule{"Gelu", {.out = 34}},
    Rule{"Gemm", kProduct},
    Rule{"GlobalAveragePool", {.in = 1, .out = 4}},
    Rule{"Greater", kOne},
    Rule{"GreaterOrEqual", kOne},
    Rule{"GridSample", kNothing},
    Rule{"HardSigmoid", kFour},
    Rule{"HardSwish", {.out = 5}},
    Rule{"Hardmax", kOne},
    Rule{"Identity", kNothing},
    Rule{"InstanceNormalization", {.out = 14}},
    Rule{"LRN", {.out = 37, .tap = 1}},
    Rule{"LSTM", {.mac = 1, .bias = 1, .cell_one_way = 180}},
    Rule{"LayerNormalization", {.in = 7, .row = 29}},
    Rule{"LeakyRelu", kTwo},
    Rule{"Less", kOne},
    Rule{"LessOrEqual", kOne},
    Rule{"Log", {.out = 43}},
    Rule{"LogSoftmax", {.out = 80}},
    Rule{"LpNormalization", {.out = 33}},
    Rule{"MatMul", {.mac = 1}},
    Rule{"MatMulInteger", {.mac = 1}},
    Rule{"Max", {.pair = 1}},
    Rule{"MaxPool", {.tap = 1}},
    Rule{"Min", {.pair = 1}},
    Rule{"Mod", kOne},
    Rule{"Mul", kOne},
    Rule{"Neg", kOne},
    Rule{"NonMaxSuppression", kNothing},
    Rule{"NonZero", kOne},
    Rule{"Not", kOne},
    Rule{"OneHot", kNothing},
    Rule{"Or", kOne},
    Rule{"PRelu", kTwo},
    Rule{"Pad", kNothing},
    Rule{"Pow", {.out = 32}},
    Rule{"QLinearConv", kProduct},
    Rule{"QLinearMatMul", {.mac = 1}},
    Rule{"QuantizeLinear", kTwo},
    Rule{"RandomNormalLike", kNothing},
    Rule{"RandomUniformLike", kNothing},
    Rule{"Range", kNothing},
    Rule{"Reciprocal", kDivide},
    Rule{"ReduceL2", {.in = 25}},
    Rule{"ReduceMax", {.in = 1}},
    Rule{"ReduceMean", {.in = 1}},
    Rule{"ReduceMin", {.in = 1}},
    Rule{"ReduceProd", {.in = 1}},
    Rule{"ReduceSum", {.in = 1}},
    Rule{"Relu", kOne},
    Rule{"Reshape", kNothing},
    Rule{"RoiAlign", kNothing},
    Rule{"Round", kOne},
    Rule{"ScatterElements", kNothing},
    Rule{"ScatterND", kNothing},
    Rule{"Shape", kNothing},
    Rule{"Sigmoid", {.out = 32}},
    Rule{"Sign", kOne},
    Rule{"Sin", {.out = 39}},
    Rule{"Slice", kNothing},
    Rule{"Softmax", {.out = 36}},
    Rule{"Softplus", {.out = 76}},
    Rule{"Split", kNothing},
    Rule{"Sqrt", {.out = 24}},
    Rule{"Squeeze", kNothing},
    Rule{"Sub", kOne},
    Rule{"Sum", {.pair = 1}},
    Rule{"Tanh", {.out = 76}},
    Rule{"Tile", kNothing},
    Rule{"TopK", kNothing},
    Rule{"Transpose", kNothing},
    Rule{"Trilu", kNothing},
    Rule{"Unsqueeze", kNothing},
    Rule{"Where", kNothing},
    Rule{"Xor", kOne},
    Rule{"ZipMap", kNothing},
    Rule{group::kResizeCubic, {.out = 8}},
    Rule{group::kResizeLinear1, kFour},
    Rule{group::kResizeLinear2, kFour},
    Rule{group::kResizeLinear3, kFour},
    Rule{group::kResizeNearest, kNothing}};

// The recurrent rules read the optional bias without asking whether it is there.
std::string_view StopsAt(const Model& model, const Node& node) {
  const std::string_view op = StandardOp(model, node);
  const bool known = op == "Resize" || op == "Upsample" ||
                     std::binary_search(kRules.begin(), kRules.end(), Rule{op, {}},
                                        [](const Rule& a, const Rule& b) { return a.key < b.key; });
  if (!known) return op;
  const bool bias = node.inputs.size() > 3 && node.inputs[3].valid();
  return (op == "LSTM" || op == "GRU") && !bias ? op : std::string_view();
}

}  // namespace

const Convention kOnnxTool = {.id = "onnx-tool",
                              .unit = ConventionUnit::kMac,
                              .rules = kRules,
                              .params_otherwise = {.initializers = 1},
                              .params_because = "convention.initializers",
                              .note = "convention.note-onnx-tool",
                              .stops_at = StopsAt};

}  // namespace opscope
