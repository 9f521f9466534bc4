#include "cost/explain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cost/counts.h"
#include "cost/elementwise.h"
#include "cost/formula.h"

namespace opscope {

namespace {

constexpr std::string_view kSpecification = "ONNX operator specification";
constexpr std::string_view kTable = "data/elementwise.toml";

struct MacRule {
  std::string_view rule;  // RuleOf
  std::string_view words;
  std::string_view general;
};

constexpr std::array kMacRules = {
    MacRule{"conv",
            "each output element sums the kernel over the input channels of its group; padding is "
            "not subtracted",
            "N*Cout*out * Cin/g * kernel"},
    MacRule{"conv-transpose",
            "each input element is multiplied once with every kernel point and output channel of "
            "its group: counted by input size",
            "N*Cin*in * Cout/g * kernel"},
    MacRule{"matmul", "each output element sums K products", "batch*M*N * K"},
    MacRule{"einsum",
            "operands are contracted in pairs in the cheapest order; each pair costs the product "
            "of all its indices",
            "sum of the products of indices"},
    MacRule{"recurrence",
            "in each step and direction every gate multiplies the input and the state with its "
            "weights",
            "T*B*D * gates*H * (I + H)"},
    MacRule{"attention",
            "scores and weighted values of all pairs of query and key; the causal half is not "
            "taken out",
            "B*Hq*Sq*Skv * (d + dv)"},
    MacRule{"experts", "each token goes through its active experts alone, each a chain of products",
            "tokens*active * products * hidden*inner"},
};

std::string ShapeText(const DimTable& dims, const Shape& shape) {
  if (!shape.known_rank()) return "?";
  if (shape.dims->empty()) return "scalar";
  // "1x3x224x224", but "[N,3,H,W]": "Nx3" could be a name.
  const bool symbolic = std::any_of(shape.dims->begin(), shape.dims->end(),
                                    [](const Dim& dim) { return dim.is_expression(); });
  std::string text;
  for (const Dim& dim : *shape.dims) {
    if (!text.empty()) text += symbolic ? ',' : 'x';
    text += dims.ToText(dim);
  }
  return symbolic ? "[" + text + "]" : text;
}

class Explainer {
 public:
  Explainer(Model& model, const StaticAnalysis& analysis, LayerId id)
      : model_(model),
        analysis_(analysis),
        layer_(analysis.layer(id)),
        node_(model.node(layer_.node)),
        work_(analysis.propagation.works[layer_.node.index()]) {
    explanation_.layer = id;
  }

  Explanation Run() {
    AddTensors(node_.inputs, false);
    AddTensors(node_.outputs, true);
    if (layer_.status == LayerStatus::kCounted || layer_.status == LayerStatus::kUnknown)
      AddCounts();
    AddWeights();
    AddTraffic();
    return std::move(explanation_);
  }

 private:
  void AddTensors(const std::vector<TensorId>& tensors, bool output) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].valid()) continue;
      const TensorFact& fact = analysis_.fact(tensors[i]);
      explanation_.tensors.push_back(
          {tensors[i], i, output, !fact.runtime, std::string(Name(fact.dtype)),
           ShapeText(model_.dims, fact.shape), BytesOf(model_.dims, fact)});
    }
  }

  // Columns that are 0 by the kind of op are left out.
  void Add(ExplainedNumber number) {
    if (number.value != Dim(0)) explanation_.numbers.push_back(std::move(number));
  }

  void AddCounts() {
    AddMacs();
    Add({"bias_adds", "one addition for each output element, in a recurrence two for each gate", "",
         model_.dims.ToText(layer_.counts.bias_adds), layer_.counts.bias_adds, kSpecification});
    const Dim fused = FusedArithmetic(model_.dims, work_);
    const ElementwiseRule* rule = TableRow(model_, node_, work_);
    if (rule == nullptr) {
      Add({"elementwise",
           "arithmetic fused into the op",
           "",
           model_.dims.ToText(fused),
           fused,
           {}});
      return;
    }
    AddElementwise("elementwise", *rule, rule->elementwise, layer_.counts.elementwise);
    AddElementwise("transcendental", *rule, rule->transcendental, layer_.counts.transcendental);
    AddElementwise("comparisons", *rule, rule->comparisons, layer_.counts.comparisons);
  }

  void AddMacs() {
    for (const MacRule& rule : kMacRules)
      if (rule.rule == RuleOf(work_))
        Add({"macs", rule.words, std::string(rule.general),
             MacFormula(model_, analysis_, layer_.node), layer_.counts.macs, kSpecification});
  }

  void AddElementwise(std::string_view column, const ElementwiseRule& rule,
                      const Multiples& multiples, Dim value) {
    std::string text = SubstitutedText(model_.dims, multiples, AmountsOf(model_.dims, work_));
    const Dim fused = FusedArithmetic(model_.dims, work_);
    if (column == "elementwise" && fused != Dim(0)) {
      text += (text.empty() ? "" : " + ") + FactorText(model_.dims, fused);
    }
    Add({column, rule.definition, ToText(multiples), std::move(text), value, kTable});
  }

  void AddWeights() {
    const DimTable& dims = model_.dims;
    Add({"parameters",
         "elements of the weights this layer is the first to read",
         "",
         dims.ToText(layer_.parameters),
         layer_.parameters,
         {}});
    Add({"statistics",
         "elements of the running mean and variance",
         "",
         dims.ToText(layer_.statistics),
         layer_.statistics,
         {}});
    Add({"constants",
         "elements of masks, tables, single numbers and shape values",
         "",
         dims.ToText(layer_.constants),
         layer_.constants,
         {}});
  }

  void AddTraffic() {
    Add({"weight_bytes",
         "constants, each read once, by their own element type",
         "",
         SumOfTensors(false, true),
         layer_.weight_bytes,
         {}});
    Add({"read_bytes",
         "activations, each read once",
         "",
         SumOfTensors(false, false),
         layer_.read_bytes,
         {}});
    Add({"write_bytes",
         "outputs, each written once; unfused",
         "",
         SumOfTensors(true, false),
         layer_.write_bytes,
         {}});
  }

  // "elements * bits / 8" of each tensor: "1*64*56*56*4 + …" would be long, so bytes.
  std::string SumOfTensors(bool output, bool constant) const {
    std::string text;
    for (const ExplainedTensor& tensor : explanation_.tensors) {
      if (tensor.output != output || (!output && tensor.constant != constant)) continue;
      if (!text.empty()) text += " + ";
      text += model_.dims.ToText(tensor.bytes);
    }
    return text;
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  const Layer& layer_;
  const Node& node_;
  const Work& work_;
  Explanation explanation_;
};

}  // namespace

Explanation Explain(Model& model, const StaticAnalysis& analysis, LayerId layer) {
  return Explainer(model, analysis, layer).Run();
}

}  // namespace opscope
