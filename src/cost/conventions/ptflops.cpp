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
                             .fused_attention = "convention.fused-unseen",
                             .note = "convention.note-ptflops"};
const Convention kPtflopsAten = {.id = "ptflops-aten",
                                 .unit = ConventionUnit::kMac,
                                 .rules = kAten,
                                 .fused_attention = "convention.fused-unseen"};

}  // namespace opscope
