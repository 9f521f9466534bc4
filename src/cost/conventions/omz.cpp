// OpenVINO's Open Model Zoo: GFLOPs = 2 * MAC of the converted network. BatchNorm is folded, so
// that a convolution keeps its weights and one bias a channel; constants of the graph count as
// parameters. ResNet-50: 25,557,032 - 53,120 + 26,560 = 25,530,472 parameters, printed as 25.53 M.
// The published GFLOPs lie 0.2 to 2.5 % above: element-wise work in a way that is not documented.
#include "cost/conventions/groups.h"
#include "cost/conventions/tables.h"

namespace opscope {

namespace {

constexpr std::array kParams = {
    ParamRule{group::kBatchNorm, {.folded = 1}, "convention.folded"},
};

}  // namespace

const Convention kOmz = {.id = "omz",
                         .unit = ConventionUnit::kFlop,
                         .rules = {},
                         .otherwise = {.mac = 2},
                         .param_rules = kParams,
                         .params_otherwise = {.parameters = 1, .constants = 1},
                         .params_because = "convention.constants",
                         .note = "convention.note-omz"};

}  // namespace opscope
