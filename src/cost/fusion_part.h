// What a layer can be in a group of the usual fusions.
#pragma once

#include <cstdint>

#include "cost/static_analysis.h"

namespace opscope {

enum class Part : std::uint8_t {
  kOther,       // alone, but for QuantizeLinear and DequantizeLinear around it
  kView,        // moves nothing; goes with what it shows
  kPointwise,   // element by element
  kProduct,     // a convolution or matrix product, head of a group
  kReduction,   // over rows, part of a decomposed normalisation or softmax
  kNormaliser,  // Softmax, LayerNormalization …: a whole one
  kQuantise,
  kDequantise,
  kTranspose,  // into a matrix product
  kPad,        // into a convolution
};

Part PartOf(const Model& model, const StaticAnalysis& analysis, NodeId node);

// Whether the inputs of a layer that is `part` may be made by a group of which only `head` is
// known, so that both run as one: Pad before a convolution, Transpose before a matrix product.
bool TakesIn(const Work& work, Part part, Part head);

}  // namespace opscope
