#include "cost/fusion_part.h"

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "ops/op.h"

namespace opscope {

namespace {

// Kinds of work that hold ops of several parts: these by name, the others kOther.
constexpr std::array<std::pair<std::string_view, Part>, 4> kByName = {{
    {"QuantizeLinear", Part::kQuantise},
    {"DequantizeLinear", Part::kDequantise},
    {"Transpose", Part::kTranspose},
    {"Pad", Part::kPad},
}};

struct PartOfWork {
  std::string_view op;

  Part operator()(const work::Convolution&) const { return Part::kProduct; }
  Part operator()(const work::TransposedConvolution&) const { return Part::kProduct; }
  Part operator()(const work::MatrixProduct&) const { return Part::kProduct; }
  Part operator()(const work::Elementwise& w) const {
    return w.pointwise ? Part::kPointwise : Part::kOther;
  }
  Part operator()(const work::Reduction&) const {
    return op.substr(0, 6) == "Reduce" ? Part::kReduction : Part::kOther;
  }
  Part operator()(const work::Normalisation& w) const {
    return w.folded ? Part::kPointwise : Part::kNormaliser;
  }
  Part operator()(const work::Softmax&) const { return Part::kNormaliser; }
  Part operator()(const work::Movement& w) const {
    return w.pointwise ? Part::kPointwise : Named();
  }
  Part operator()(const work::Quantise&) const { return Named(); }
  Part operator()(const work::View&) const { return Part::kView; }
  template <class W>
  Part operator()(const W&) const {
    return Part::kOther;
  }

  Part Named() const {
    for (const auto& [name, part] : kByName)
      if (name == op) return part;
    return Part::kOther;
  }
};

}  // namespace

Part PartOf(const Model& model, const StaticAnalysis& analysis, NodeId node) {
  return std::visit(PartOfWork{StandardOp(model, model.node(node))},
                    analysis.propagation.works[node.index()]);
}

bool TakesIn(const Work& work, Part part, Part head) {
  switch (head) {
    case Part::kDequantise:
      return part != Part::kView && part != Part::kDequantise;
    case Part::kTranspose:
      return std::holds_alternative<work::MatrixProduct>(work);
    case Part::kPad:
      return std::holds_alternative<work::Convolution>(work);
    case Part::kPointwise:
      return part == Part::kPointwise || part == Part::kReduction || part == Part::kNormaliser;
    default:
      return false;
  }
}

}  // namespace opscope
