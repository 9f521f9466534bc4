// Internal to compare: the steps of CompareLayers, over what is worked out once of each side.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/side_index.h"

namespace opscope {

LayerMatching MatchLayers(const SideIndex& a, const SideIndex& b);
std::vector<LayerChange> FindChanges(const SideIndex& a, const SideIndex& b,
                                     const LayerMatching& matching);
Fates FindFates(const SideIndex& a, const SideIndex& b, const LayerMatching& matching);

}  // namespace opscope
