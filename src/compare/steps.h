// Internal to compare: the steps of CompareLayers, over what is worked out once of each side.
#pragma once

#include <utility>
#include <vector>

#include "compare/compare.h"
#include "compare/side_index.h"

namespace opscope {

using LayerPairs = std::vector<std::pair<LayerId, LayerId>>;

LayerMatching MatchLayers(const SideIndex& a, const SideIndex& b);

// Between models of different formats (match_foreign.cpp): pairs of layers that have no partner
// yet. Names that a converter keeps in what it makes of a layer ("conv1" in "conv1/WithoutBiases",
// "conv1/Conv2D" in "relu1;conv1/BiasAdd;conv1/Conv2D"): of layers with MACs, and of as many
// where `same_work`.
LayerPairs PairKeptNames(const SideIndex& a, const SideIndex& b, const LayerMatching& matching,
                         bool same_work);
// The same kind of op with as many MACs, in file order, where both models have as many of them.
LayerPairs PairEqualMacs(const SideIndex& a, const SideIndex& b, const LayerMatching& matching);
// What stands in the same place between layers that are matched and makes the same sizes.
LayerPairs PairPlaces(const SideIndex& a, const SideIndex& b, const LayerMatching& matching);

// By TensorId of one model: the tensor of the other one that the same layers read at the same
// input, or that is the same output of the model.
std::vector<TensorId> PartnerTensors(const SideIndex& own, const SideIndex& other,
                                     const std::vector<LayerId>& partner_of);
// The numbers of a layer are those of the layers that are part of its partner as well.
std::vector<LayerChange> FindChanges(const SideIndex& a, const SideIndex& b,
                                     const LayerMatching& matching, const Fates& fates);
Fates FindFates(const SideIndex& a, const SideIndex& b, const LayerMatching& matching);

}  // namespace opscope
