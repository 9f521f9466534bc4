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
// Inside of nn.MultiheadAttention: its products are torch.bmm, which is not replaced.
constexpr std::array kInAttention = {
    Rule{group::kLinear, kProduct},
    Rule{group::kSoftmax, kOnce},
    Rule{group::kAttentionSoftmax, kOnce},
};
constexpr Weights kConvolved = {.mac = 2, .bias = 1};
constexpr Weights kDeconvolved = {.bias = 1, .deconv_grouped = 2};
constexpr Weights kElementwise = {.out = 1};
constexpr Weights kAddedProduct = {.mac = 2, .in = 1};
constexpr std::array kFunctions = {
    FunctionRule{"torch.linear", {}, kProduct},
    FunctionRule{"torch.conv1d", {}, kConvolved},
    FunctionRule{"torch.conv2d", {}, kConvolved},
    FunctionRule{"torch.conv3d", {}, kConvolved},
    FunctionRule{"torch.conv_transpose1d", {}, kDeconvolved},
    FunctionRule{"torch.conv_transpose2d", {}, kDeconvolved},
    FunctionRule{"torch.conv_transpose3d", {}, kDeconvolved},
    FunctionRule{"torch.nn.functional.batch_norm", group::kBatchNorm, {.in = 1, .affine = 1}},
    FunctionRule{"torch.nn.functional.layer_norm", group::kLayerNorm, kNorm},
    FunctionRule{"torch.nn.functional.group_norm", group::kGroupNorm, kNorm},
    FunctionRule{"torch.nn.functional.instance_norm", group::kInstanceNorm, kNorm},
    FunctionRule{"torch.nn.functional.relu", group::kRelu, kOnce},
    FunctionRule{"torch.nn.functional.relu6", group::kRelu6, kOnce},
    FunctionRule{"torch.nn.functional.leaky_relu", group::kLeakyRelu, kOnce},
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
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeNearest, kOnce},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear1, kOnce},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear2, kOnce},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeLinear3, kOnce},
    FunctionRule{"torch.nn.functional.interpolate", group::kResizeCubic, kOnce},
    FunctionRule{"torch.matmul", {}, kProduct},
    FunctionRule{"torch.Tensor.matmul", {}, kProduct},
    FunctionRule{"torch.addmm", {}, kAddedProduct},
    FunctionRule{"torch.Tensor.addmm", {}, kAddedProduct},
    FunctionRule{"torch.baddbmm", {}, kAddedProduct},
    FunctionRule{"torch.functional.einsum", group::kEinsum, kProduct},
    FunctionRule{"torch.mul", {}, kElementwise},
    FunctionRule{"torch.Tensor.mul", {}, kElementwise},
    FunctionRule{"torch.add", {}, kElementwise},
    FunctionRule{"torch.Tensor.add", {}, kElementwise},
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
                              .by_call = true,
                              .in_attention = kInAttention,
                              .functions = kFunctions,
                              .mac_rules = kMacs,
                              .fused_attention = "convention.fused-unseen",
                              .note = "convention.note-calflops"};

}  // namespace opscope
