#include "cost/formula.h"

#include <initializer_list>
#include <span>

namespace opscope {

namespace {

std::string Join(const DimTable& dims, std::span<const Dim> factors) {
  std::string text;
  for (const Dim& factor : factors) {
    if (!text.empty()) text += '*';
    text += FactorText(dims, factor);
  }
  return text;
}

std::string Join(const DimTable& dims, std::initializer_list<Dim> factors) {
  return Join(dims, std::span<const Dim>(factors.begin(), factors.size()));
}

// Writes factors as the dimensions of the tensors they come from, where those are known and make
// the same product: 1*64*112*112 says more than 802816.
class FormulaWriter {
 public:
  FormulaWriter(Model& model, const StaticAnalysis& analysis, const Node& node)
      : dims_(model.dims), analysis_(analysis), node_(node) {}

  std::string operator()(const work::Convolution& w) {
    return Shaped(node_.outputs, 0, 0, {w.batch, w.out_channels, w.out_points}) + " * " +
           FactorText(dims_, w.in_per_group) + " * " +
           Shaped(node_.inputs, w.operands.weight, 2, {w.kernel_points});
  }
  std::string operator()(const work::TransposedConvolution& w) {
    return Shaped(node_.inputs, w.operands.activation, 0, {w.batch, w.in_channels, w.in_points}) +
           " * " + FactorText(dims_, w.out_per_group) + " * " +
           Shaped(node_.inputs, w.operands.weight, 2, {w.kernel_points});
  }
  std::string operator()(const work::MatrixProduct& w) {
    return Shaped(node_.outputs, 0, 0, {w.batch, w.m, w.n}) + " * " + FactorText(dims_, w.k);
  }
  std::string operator()(const work::Contraction& w) { return w.order; }
  std::string operator()(const work::Recurrence& w) {
    return Join(dims_, {w.steps, w.batch, w.directions}) + " * " +
           Join(dims_, {w.gates, w.hidden}) + " * (" + dims_.ToText(w.input) + " + " +
           dims_.ToText(w.hidden) + ")";
  }
  std::string operator()(const work::Attention& w) {
    std::string text = Join(dims_, {w.batch, w.query_heads, w.q_length, w.kv_length}) + " * (" +
                       dims_.ToText(w.head) + " + " + dims_.ToText(w.value_head) + ")";
    if (w.projection != Dim(0)) text += " + " + FactorText(dims_, w.projection);
    return text;
  }
  std::string operator()(const work::Experts& w) {
    return Join(dims_, {w.tokens, w.active}) + " * " + std::to_string(w.products) + " * " +
           Join(dims_, {w.hidden, w.inner});
  }
  template <class T>
  std::string operator()(const T&) {
    return {};
  }

 private:
  // The dims of a tensor from axis `first` on, or the factors where their product is another.
  std::string Shaped(const std::vector<TensorId>& tensors, int which, std::size_t first,
                     std::initializer_list<Dim> factors) {
    const auto at = static_cast<std::size_t>(which);
    const std::span<const Dim> plain(factors.begin(), factors.size());
    if (at < tensors.size() && tensors[at].valid()) {
      const Shape& shape = analysis_.fact(tensors[at]).shape;
      if (shape.known_rank() && shape.rank() > first) {
        const auto dims = std::span<const Dim>(*shape.dims).subspan(first);
        if (dims_.Product(dims) == dims_.Product(plain)) return Join(dims_, dims);
      }
    }
    return Join(dims_, plain);
  }

  DimTable& dims_;
  const StaticAnalysis& analysis_;
  const Node& node_;
};

}  // namespace

std::string FactorText(const DimTable& dims, Dim dim) {
  std::string text = dims.ToText(dim);
  // A negative number or anything with an operator of its own but a product.
  const bool compound = text.find(' ') != std::string::npos || text.front() == '-';
  return compound ? "(" + text + ")" : text;
}

std::string MacFormula(Model& model, const StaticAnalysis& analysis, NodeId node) {
  return std::visit(FormulaWriter(model, analysis, model.node(node)),
                    analysis.propagation.works[node.index()]);
}

std::string SubstitutedText(const DimTable& dims, const Multiples& multiples,
                            const Amounts& amounts) {
  std::array<std::string, kBases.size()> texts;
  for (std::size_t i = 0; i < kBases.size(); ++i)
    if (multiples[i] != 0) texts[i] = FactorText(dims, amounts[i]);
  return ToText(multiples, texts);
}

std::string FormulaOf(Model& model, const StaticAnalysis& analysis, NodeId node,
                      const ElementwiseRule* rule) {
  std::string text = MacFormula(model, analysis, node);
  if (!text.empty() || rule == nullptr) return text;
  const Amounts amounts = AmountsOf(model.dims, analysis.propagation.works[node.index()]);
  const std::pair<std::string_view, const Multiples*> columns[] = {
      {"elementwise", &rule->elementwise},
      {"transcendental", &rule->transcendental},
      {"comparisons", &rule->comparisons}};
  for (const auto& [column, multiples] : columns) {
    const std::string sum = SubstitutedText(model.dims, *multiples, amounts);
    if (sum.empty()) continue;
    if (!text.empty()) text += "; ";
    text.append(column).append(": ").append(sum);
  }
  return text;
}

}  // namespace opscope
