// fvcore 0.1.5: MACs, called flops, of products and convolutions; 2 for each element of an affine
// BatchNorm, 5 of an affine LayerNorm, 1 of an adaptive average pool.
// ResNet-50: 4,089,184,256 + 2 * 11,113,984 + 49 * 2,048 = 4,111,512,576.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr Weights kMac = {.mac = 1};
constexpr Weights kNorm = {.in = 4, .affine = 1};
constexpr std::array kRules = {
    Rule{group::kConv, kMac},
    Rule{group::kConvTranspose, kMac},
    Rule{group::kLinear, kMac},
    Rule{group::kMatMul, kMac},
    Rule{group::kAttentionMatMul, kMac},
    Rule{group::kEinsum, kMac},
    Rule{group::kBatchNorm, {.in = 1, .affine = 1}},
    Rule{group::kLayerNorm, kNorm},
    Rule{group::kGroupNorm, kNorm},
    Rule{group::kInstanceNorm, kNorm},
    Rule{group::kGlobalAveragePool, {.in = 1}},
    Rule{group::kResizeNearest, {.out = 1}},
    Rule{group::kResizeLinear2, {.out = 4}},
};

}  // namespace

const Convention kFvcore = {.id = "fvcore",
                            .unit = ConventionUnit::kMac,
                            .rules = kRules,
                            .fused_attention = "convention.fused-unseen"};

}  // namespace opscope
