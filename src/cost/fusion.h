// The usual fusions: which layers an engine runs as one kernel, so that what they hand to each
// other never reaches memory. docs/fusions.md has the table that this follows.
#pragma once

#include <vector>

#include "cost/schedule.h"
#include "cost/traffic.h"

namespace opscope {

// Fills Layer::group. One pass in the order in which the layers run: a layer joins the group that
// made an operand, and takes in the groups that only it reads. Every runtime layer but containers,
// calls and free ones is in exactly one group, of layers of one graph that run equally often.
//
// A group is convex: no path of tensors leaves it and comes back. `leaves_from` of a group is the
// first step from which anything may leave it. Whatever comes from outside is made before that
// step, and whatever left it is made after; groups that are taken in leave only through the layer
// that takes them in. Elements that are followed (shapes) tie nothing: they are computed beside.
void FuseLayers(Model& model, const std::vector<std::vector<GraphId>>& bodies,
                const Schedule& schedule, StaticAnalysis& analysis);

// What crosses the borders of the groups, times their `times`: a tensor that is made in a group and
// read nowhere else is neither written nor read; one from outside is read once by a group. So no
// column is larger than that of the layers.
FusedTraffic SumGroups(Model& model, const MovedBytes& bytes, const StaticAnalysis& analysis);

// By TensorId: the tensor that a call's output is inside the expanded function; else none.
std::vector<TensorId> CallOutputs(const Model& model,
                                  const std::vector<std::vector<GraphId>>& bodies,
                                  const StaticAnalysis& analysis);

}  // namespace opscope
