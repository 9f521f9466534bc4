// calflops 0.3.2: FLOPs and MACs. FLOPs are 2 * MAC, the bias of convolutions, and a number an
// element for normalisations, activations, softmax and pools. A transposed convolution's product
// is divided by the groups twice; recurrent layers and einsum have FLOPs but no MACs.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr Weights kProduct = {.mac = 2};
constexpr Weights kOnce = {.in = 1};
constexpr Weights kNorm = {.in = 4, .affine = 1};
constexpr std::array kRules = {
    Rule{group::kConv, {.mac = 2, .bias = 1}},
    Rule{group::kConvTranspose, {.bias = 1, .deconv_grouped = 2}},
    Rule{group::kLinear, kProduct},
    Rule{group::kMatMul, kProduct},
    Rule{group::kAttentionMatMul, kProduct},
    Rule{group::kEinsum, kProduct},
    // 2 * (I + H) - 2 a gate and step for each product, both biases, the gates' own arithmetic:
    // 10 elements of the state for an LSTM, 7 for a GRU, 1 for an RNN.
    Rule{group::kLstm, {.mac = 2, .bias = 1, .cell = 2}},
    Rule{group::kGru, {.mac = 2, .bias = 1, .cell = 1}},
    Rule{group::kRnn, {.mac = 2, .bias = 1, .cell = -1}},
    Rule{group::kBatchNorm, {.in = 1, .affine = 1}},
    Rule{group::kLayerNorm, kNorm},
    Rule{group::kGroupNorm, kNorm},
    Rule{group::kInstanceNorm, kNorm},
    Rule{group::kRelu, kOnce},
    Rule{group::kLeakyRelu, kOnce},
    Rule{group::kPRelu, kOnce},
    Rule{group::kElu, kOnce},
    Rule{group::kGelu, kOnce},
    Rule{group::kSilu, kOnce},
    Rule{group::kSoftmax, kOnce},
    Rule{group::kAttentionSoftmax, kOnce},
    Rule{group::kMaxPool, kOnce},
    Rule{group::kAveragePool, kOnce},
    Rule{group::kGlobalAveragePool, kOnce},
    Rule{group::kResizeNearest, kOnce},
    Rule{group::kResizeLinear1, kOnce},
    Rule{group::kResizeLinear2, kOnce},
    Rule{group::kResizeLinear3, kOnce},
    Rule{group::kResizeCubic, kOnce},
};
constexpr Weights kMac = {.mac = 1};
constexpr std::array kMacs = {
    Rule{group::kConv, kMac},
    Rule{group::kConvTranspose, {.deconv_grouped = 1}},
    Rule{group::kLinear, kMac},
    Rule{group::kMatMul, kMac},
    Rule{group::kAttentionMatMul, kMac},
};

}  // namespace

const Convention kCalflops = {.id = "calflops",
                              .unit = ConventionUnit::kFlop,
                              .rules = kRules,
                              .mac_rules = kMacs,
                              .fused_attention = "convention.fused-unseen",
                              .note = "convention.note-calflops"};

}  // namespace opscope
