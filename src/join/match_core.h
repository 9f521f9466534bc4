// Nodes that belong to a fused row for what they are: the one that tells its kind, and the sum in
// front of it that its op takes in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "join/model_index.h"

namespace opscope {

// The nearest node of one of these ops before or behind a fused op's named node, over nodes that no
// row has: of a layer normalisation the Sqrt, whichever of its nodes gave the name. Invalid when
// there is none near, or the node is one itself.
NodeId CoreNear(const ModelIndex& index, const std::vector<bool>& taken, NodeId named,
                const std::vector<std::string>& ops);

// The Add in front of the core that ops like SkipLayerNormalization (of two tensors) and BiasGelu
// (of a constant) include; invalid when the op includes none or none is near.
NodeId SumBefore(const ModelIndex& index, const std::vector<bool>& taken, NodeId core,
                 std::string_view op);

}  // namespace opscope
