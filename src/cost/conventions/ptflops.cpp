// ptflops 0.7.5, both backends: MACs with one more for each addition of a bias.
//
// "pytorch" counts modules and adds a number an element for normalisations, activations and pools.
// nn.ReLU, nn.GELU and pools are counted twice: once as modules, once in the patched function that
// the module calls. ResNet-18: 1,814,073,344 + 1,000 (bias) + 2 * 2,483,712 (BatchNorm)
//   + 2 * 2,308,096 (ReLU) + 2 * 802,816 + 2 * 25,088 (pools) = 1,825,313,768.
// "aten" counts products alone. ResNet-18: 1,814,073,344 + 1,000.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr Weights kProduct = {.mac = 1};
constexpr Weights kWithBias = {.mac = 1, .bias = 1};
constexpr Weights kOnce = {.in = 1};
constexpr Weights kTwice = {.in = 2};
constexpr Weights kNorm = {.in = 1, .affine = 1};
constexpr std::array kModules = {
    Rule{group::kConv, kWithBias},
    Rule{group::kConvTranspose, kWithBias},
    Rule{group::kLinear, kWithBias},
    Rule{group::kMatMul, kProduct},
    Rule{group::kAttentionMatMul, kProduct},
    Rule{group::kLstm, {.mac = 1, .bias = 1, .cell = 10}},
    Rule{group::kGru, {.mac = 1, .bias = 1, .cell = 7}},
    Rule{group::kRnn, {.mac = 1, .bias = 1, .cell = 1}},
    Rule{group::kBatchNorm, kNorm},
    Rule{group::kInstanceNorm, kNorm},
    Rule{group::kGroupNorm, kNorm},
    Rule{group::kLayerNorm, kOnce},
    Rule{group::kRelu, kTwice, "convention.counted-twice"},
    Rule{group::kRelu6, kOnce},
    Rule{group::kLeakyRelu, kOnce},
    Rule{group::kPRelu, kTwice, "convention.counted-twice"},
    Rule{group::kElu, kTwice, "convention.counted-twice"},
    Rule{group::kGelu, kTwice, "convention.counted-twice"},
    Rule{group::kSilu, kOnce},
    Rule{group::kSoftmax, kOnce},
    Rule{group::kAttentionSoftmax, kOnce},
    Rule{group::kMaxPool, kTwice, "convention.counted-twice"},
    Rule{group::kAveragePool, kTwice, "convention.counted-twice"},
    Rule{group::kGlobalAveragePool, kTwice, "convention.counted-twice"},
    Rule{group::kResizeNearest, {.out = 1}},
    Rule{group::kResizeLinear1, {.out = 1}},
    Rule{group::kResizeLinear2, {.out = 1}},
    Rule{group::kResizeLinear3, {.out = 1}},
    Rule{group::kResizeCubic, {.out = 1}},
};
// The formula of the module is that of its parts, plus the scaling of the queries. Where it returns
// the weights of attention, its products and its softmax are functions that are counted again.
constexpr std::array kInAttention = {
    Rule{group::kLinear, kWithBias},
    Rule{group::kAttention, {.mac = 1, .bias = 1, .in = 1, .score = 1}},
    Rule{group::kAttentionOnCpu, {.mac = 1, .bias = 1, .in = 1, .score = 1}},
    Rule{group::kMatMul, {.mac = 2}, "convention.counted-twice"},
    Rule{group::kAttentionMatMul, {.mac = 2}, "convention.counted-twice"},
    Rule{group::kSoftmax, kTwice, "convention.counted-twice"},
    Rule{group::kAttentionSoftmax, kTwice, "convention.counted-twice"},
    Rule{"Mul", kOnce},
};
constexpr Weights kResized = {.out = 1};
constexpr std::array kFunctions = {
    FunctionRule{"torch.nn.functional.relu", group::kRelu, kOnce},
    FunctionRule{"torch.nn.functional.relu6", group::kRelu6, kOnce},
    FunctionRule{"torch.nn.functional.elu", group::kElu, kOnce},
    FunctionRule{"torch.nn.functional.silu", group::kSilu, kOnce},
    FunctionRule{"torch.prelu", group::kPRelu, kOnce},
    FunctionRule{"torch.gelu", group::kGelu, kOnce},
    FunctionRule{"torch.nn.functional.softmax", group::kSoftmax, kOnce},
    FunctionRule{"torch.nn.functional.softmax", group::kAttentionSoftmax, kOnce},
    FunctionRule{"torch.avg_pool1d", group::kAveragePool, kOnce},
    FunctionRule{"torch.avg_pool2d", group::kAveragePool, kOnce},
    FunctionRule{"torch.avg_pool3d", group::kAveragePool, kOnce},
    FunctionRule{"torch.nn.functional.max_pool1d", group::kMaxPool, kOnce},
    FunctionRule{"torch.nn.functional.max_pool2d", group::kMaxPool, kOnce},
    FunctionRule{"torch.nn.functional.max_pool3d", group::kMaxPool, kOnce},
    FunctionRule{"torch.adaptive_avg_pool1d", {}, kOnce},
    FunctionRule{"torch.nn.functional.adaptive_avg_pool2d", {}, kOnce},
    FunctionRule{"torch.nn.functional.adaptive_avg_pool3d", {}, kOnce},
    FunctionRule{"torch.nn.functional.adaptive_max_pool1d", {}, kOnce},
    FunctionRule{"torch.nn.functional.adaptive_max_pool2d", {}, kOnce},
    FunctionRule{"torch.nn.functional.adaptive_max_pool3d", {}, kOnce},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeNearest, kResized},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear1, kResized},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear2, kResized},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear3, kResized},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeCubic, kResized},
    FunctionRule{"torch.matmul", {}, kProduct},
    FunctionRule{"torch.Tensor.matmul", {}, kProduct},
    FunctionRule{"torch.mm", {}, kProduct},
    FunctionRule{"torch.Tensor.mm", {}, kProduct},
    FunctionRule{"torch.bmm", {}, kProduct},
    FunctionRule{"torch.Tensor.bmm", {}, kProduct},
    FunctionRule{"torch.addmm", {}, {.mac = 1, .in = 1}},
    FunctionRule{"torch.Tensor.addmm", {}, {.mac = 1, .in = 1}},
    FunctionRule{"torch.baddbmm", {}, {.mac = 1, .in = 1}},
    FunctionRule{"torch.mul", {}, {.out = 1}},
    FunctionRule{"torch.Tensor.mul", {}, {.out = 1}},
    FunctionRule{"torch.add", {}, {.out = 1}},
    FunctionRule{"torch.Tensor.add", {}, {.out = 1}},
};
constexpr std::array kAten = {
    Rule{group::kConv, kWithBias},
    Rule{group::kConvTranspose, kWithBias},
    Rule{group::kLinear, kWithBias},
    Rule{group::kMatMul, kProduct},
    Rule{group::kAttentionMatMul, kProduct},
    Rule{group::kEinsum, kProduct},
    // These fall apart into products; an LSTM is one fused kernel that has no rule.
    Rule{group::kGru, kWithBias},
    Rule{group::kRnn, kWithBias},
};

}  // namespace

const Convention kPtflops = {.id = "ptflops",
                             .unit = ConventionUnit::kMac,
                             .rules = kModules,
                             .by_call = true,
                             .in_attention = kInAttention,
                             .functions = kFunctions,
                             .fused_attention = "convention.fused-unseen",
                             .note = "convention.note-ptflops"};
const Convention kPtflopsAten = {.id = "ptflops-aten",
                                 .unit = ConventionUnit::kMac,
                                 .rules = kAten,
                                 .fused_attention = "convention.fused-unseen"};

}  // namespace opscope
