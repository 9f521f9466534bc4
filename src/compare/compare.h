// Two models side by side: which layers are the same, what differs in them, what became of the
// others. Pure: two analysed models in, a value out; linear in nodes but for sorting and for short
// stretches that are aligned (align.h has the bound).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// One of the two models. Both must outlive what is made from them; formulas are evaluated in the
// model's own table.
struct Side {
  Model* model;
  const StaticAnalysis* analysis;

  const Layer& layer(LayerId id) const { return analysis->layer(id); }
  const Node& node(LayerId id) const { return model->node(layer(id).node); }
};

// Partners by LayerId; invalid = the layer is only in its own model.
struct LayerMatching {
  std::vector<LayerId> b_of;  // of each layer of a
  std::vector<LayerId> a_of;  // of each layer of b
};

// A property that is not the same on both sides; monostate = not there or unknown.
using PropertyValue = std::variant<std::monostate, std::int64_t, std::string>;
struct PropertyDelta {
  std::string_view what;  // op, attributes, inputs, weights, dtype, shape, times, …
  std::string name;       // the attribute, or the output of a dtype or shape; may be empty
  PropertyValue a, b;
};
struct LayerChange {
  LayerId a, b;
  std::vector<PropertyDelta> deltas;  // not empty
};
// What stands, in the other model, in the place of a layer without a partner. Only what follows
// from the matched layers around it.
struct Fate {
  enum class Kind : std::uint8_t {
    kUnknown,
    kReplaced,  // its place is taken by `layer`, which has no partner either
    kSkipped,   // what read its result reads that of `layer`, which both models have
    kPart,      // `layer` does what it does besides its own: a bias, an activation, attention
    kConstant,  // its result is a constant of the other model: `tensor`
    kInput,     // its result is an input of the other model: `tensor`
  };
  Kind kind = Kind::kUnknown;
  LayerId layer;    // of the other model
  TensorId tensor;  // of the other model
};
struct Fates {
  std::vector<Fate> of_a, of_b;  // by LayerId; kUnknown for layers with a partner
};

// Values of the free sizes of two models, any but the same where both have the same input: what
// formulas of different symbols give there is compared.
struct SamplePoint {
  Bindings a, b;
};
SamplePoint SampleSymbols(const Side& a, const Side& b);

struct LayerComparison {
  LayerMatching matching;
  // Matched layers that are not the same in both, in the file order of b. A new name is no change.
  std::vector<LayerChange> changes;
  Fates fates;
};

// Layers are the same: first those whose names say so and whose names are module paths, then those
// at the same place of the graph (hashes of all that lies before and after), then equal names and
// tensor names, then neighbours of matched layers, then what stands in the same order between
// matched ones; last, layers whose op was replaced (a fused op that reads the same weight).
// Between formats, names that converters keep come first, and what computes as many MACs or stands
// in the same place is the same whatever its op (match_foreign.cpp).
LayerComparison CompareLayers(const Side& a, const Side& b);

}  // namespace opscope
