// thop 0.1.1: MACs under the name of FLOPs, with the operations of normalisations, average pools,
// softmax and resizing added to them. It sees modules alone: products of activations count nothing,
// nor do the parameters of modules without a rule (embeddings, bare nn.Parameter).
// ResNet-50: 4,089,184,256 + 4 * 11,113,984 (BatchNorm) + 50 * 2,048 (average pool)
//   = 4,133,742,592, as it prints.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr Weights kMac = {.mac = 1};
constexpr Weights kNorm = {.in = 2, .affine = 2};
constexpr std::array kRules = {
    Rule{group::kConv, kMac},
    Rule{group::kConvTranspose, {.deconv_by_output = 1}, "convention.by-output"},
    Rule{group::kLinear, kMac},
    Rule{group::kLstm, {.mac = 1, .bias = 1, .cell = 8}},
    Rule{group::kGru, {.mac = 1, .bias = 1, .cell = 7}},
    Rule{group::kRnn, {.mac = 1, .bias = 1, .cell = 1}},
    Rule{group::kBatchNorm, kNorm},
    Rule{group::kLayerNorm, kNorm},
    Rule{group::kInstanceNorm, kNorm},
    Rule{group::kSoftmax, {.out = 3, .row = -1}},
    Rule{group::kPRelu, {.in = 1}},
    Rule{group::kAveragePool, {.out = 1}},
    Rule{group::kGlobalAveragePool, {.in = 1, .out = 1}},
    Rule{group::kResizeNearest, {.out = 1}},
    Rule{group::kResizeLinear1, {.out = 5}},
    Rule{group::kResizeLinear2, {.out = 11}},
    Rule{group::kResizeLinear3, {.out = 31}},
    Rule{group::kResizeCubic, {.out = 259}},
};

constexpr ParamWeights kSeen = {.parameters = 1};
constexpr std::array kParams = {
    ParamRule{group::kConv, kSeen},         ParamRule{group::kConvTranspose, kSeen},
    ParamRule{group::kLinear, kSeen},       ParamRule{group::kLstm, kSeen},
    ParamRule{group::kGru, kSeen},          ParamRule{group::kRnn, kSeen},
    ParamRule{group::kBatchNorm, kSeen},    ParamRule{group::kLayerNorm, kSeen},
    ParamRule{group::kInstanceNorm, kSeen}, ParamRule{group::kPRelu, kSeen},
};

}  // namespace

const Convention kThop = {.id = "thop",
                          .unit = ConventionUnit::kMac,
                          .rules = kRules,
                          .param_rules = kParams,
                          .params_otherwise = {},
                          .params_because = "convention.params-unseen",
                          .by_call = true,
                          .note = "convention.note-thop"};

}  // namespace opscope
