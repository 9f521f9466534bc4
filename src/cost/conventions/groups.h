// Groups: what a layer is to a tool that looks at modules rather than at nodes. Several nodes may
// make one module: MatMul + Add are a linear layer, Sub .. Sqrt, Div, Mul, Add a normalisation.
#pragma once

#include <string_view>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// The names of groups, which rules and reports use.
namespace group {
constexpr std::string_view kConv = "conv", kConvTranspose = "conv-transpose", kLinear = "linear",
                           kMatMul = "matmul", kEinsum = "einsum", kLstm = "lstm", kGru = "gru",
                           kRnn = "rnn";
// Attention as one op; its two products and its softmax where they are written out.
constexpr std::string_view kAttention = "attention", kAttentionOnCpu = "attention-on-cpu",
                           kAttentionMatMul = "attention-matmul",
                           kAttentionSoftmax = "attention-softmax";
constexpr std::string_view kBatchNorm = "batch-norm", kLayerNorm = "layer-norm",
                           kGroupNorm = "group-norm", kInstanceNorm = "instance-norm",
                           kRmsNorm = "rms-norm", kOtherNorm = "other-norm";
constexpr std::string_view kRelu = "relu", kRelu6 = "relu6", kLeakyRelu = "leaky-relu",
                           kPRelu = "prelu", kElu = "elu", kGelu = "gelu", kSilu = "silu",
                           kSoftmax = "softmax";
constexpr std::string_view kMaxPool = "max-pool", kAveragePool = "average-pool",
                           kGlobalAveragePool = "global-average-pool";
constexpr std::string_view kResizeNearest = "resize-nearest", kResizeCubic = "resize-cubic",
                           kResizeLinear1 = "resize-linear-1d", kResizeLinear2 = "resize-linear-2d",
                           kResizeLinear3 = "resize-linear-3d";
constexpr std::string_view kEmbedding = "embedding", kReduction = "reduction", kOther = "other";
}  // namespace group

// By layer.
std::vector<std::string_view> GroupLayers(const Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
