// torch.utils.flop_counter.FlopCounterMode: 2 * MAC of convolutions, products and fused attention,
// nothing else. The fused attention of a CPU is not registered and counts 0.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr Weights kFlops = {.mac = 2};
constexpr std::array kRules = {
    Rule{group::kConv, kFlops},
    Rule{group::kConvTranspose, kFlops},
    Rule{group::kLinear, kFlops},
    Rule{group::kMatMul, kFlops},
    Rule{group::kEinsum, kFlops},
    Rule{group::kAttentionMatMul, kFlops},
    Rule{group::kAttention, kFlops},
    Rule{group::kAttentionOnCpu, {}, "convention.fused-on-cpu-unseen"},
    // These fall apart into products; an LSTM is one fused kernel that has no rule.
    Rule{group::kGru, kFlops},
    Rule{group::kRnn, kFlops},
};

}  // namespace

const Convention kTorch = {.id = "torch",
                           .unit = ConventionUnit::kFlop,
                           .rules = kRules,
                           .prints_params = false,
                           .fused_attention = "convention.fused-on-cpu"};

}  // namespace opscope
