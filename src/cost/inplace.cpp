#include "cost/inplace.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <variant>

namespace opscope {

namespace {

// How many of the inputs, from the first on, the output may be written over.
std::size_t OperandsInPlace(const Work& work, std::size_t inputs) {
  if (const auto* w = std::get_if<work::Elementwise>(&work)) return w->pointwise ? inputs : 0;
  if (const auto* w = std::get_if<work::Movement>(&work)) return w->pointwise ? 1 : 0;
  if (const auto* w = std::get_if<work::Normalisation>(&work)) return w->folded ? 1 : 0;
  return 0;
}

class InPlace {
 public:
  InPlace(Model& model, const StaticAnalysis& analysis, const std::vector<Dim>& tensor_bytes,
          const GraphRun& run)
      : model_(model), analysis_(analysis), bytes_(tensor_bytes), run_(run) {}

  std::vector<std::size_t> Run() {
    std::vector<std::size_t> from(run_.lifetimes.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    lifetime_of_.reserve(run_.lifetimes.size());
    for (std::size_t i = 0; i < run_.lifetimes.size(); ++i) {
      lifetime_of_.emplace(run_.lifetimes[i].tensor, i);
      if (!run_.lifetimes[i].from_start) from[i] = Operand(i);
    }
    return from;
  }

 private:
  // The lifetime that number `index` takes over.
  std::size_t Operand(std::size_t index) const {
    const Lifetime& made = run_.lifetimes[index];
    const NodeId id = run_.steps[made.first];
    const Node& node = model_.node(id);
    if (node.outputs[0] != made.tensor) return index;
    const std::size_t candidates =
        OperandsInPlace(analysis_.propagation.works[id.index()], node.inputs.size());
    for (std::size_t i = 0; i < std::min(candidates, node.inputs.size()); ++i) {
      const TensorId input = node.inputs[i];
      if (!input.valid()) continue;
      const auto found = lifetime_of_.find(StorageOf(analysis_, input));
      if (found != lifetime_of_.end() && MayTakeOver(node, made, run_.lifetimes[found->second]))
        return found->second;
    }
    return index;
  }

  bool MayTakeOver(const Node& node, const Lifetime& made, const Lifetime& operand) const {
    if (operand.from_start || operand.to_end || operand.last != made.first) return false;
    const Dim bytes = bytes_[made.tensor.index()];
    if (!bytes.is_number() || bytes_[operand.tensor.index()] != bytes) return false;
    const Dim elements = ElementsOf(made.tensor);
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId input) {
      return !input.valid() || StorageOf(analysis_, input) != operand.tensor ||
             (ElementsOf(input) == elements && bytes_[input.index()] == bytes);
    });
  }

  Dim ElementsOf(TensorId tensor) const {
    return Elements(model_.dims, analysis_.fact(tensor).shape);
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  const std::vector<Dim>& bytes_;
  const GraphRun& run_;
  std::unordered_map<TensorId, std::size_t, IdHash> lifetime_of_;
};

}  // namespace

std::vector<std::size_t> ReuseInPlace(Model& model, const StaticAnalysis& analysis,
                                      const std::vector<Dim>& tensor_bytes, const GraphRun& run) {
  return InPlace(model, analysis, tensor_bytes, run).Run();
}

}  // namespace opscope
