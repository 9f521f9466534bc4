#include "compare/structure.h"

namespace opscope {

namespace {

class StructureHasher {
 public:
  StructureHasher(const SideIndex& index, bool exact)
      : index_(index), model_(*index.side().model), exact_(exact) {
    hashes_.before.resize(index.layers());
    hashes_.after.resize(index.layers());
    leaf_.resize(model_.tensors.size());
    HashLeaves();
  }

  Structure Run() {
    const std::vector<LayerId>& order = index_.in_order();
    for (const LayerId layer : order) hashes_.before[layer.index()] = Before(layer);
    for (std::size_t i = order.size(); i-- > 0;) hashes_.after[order[i].index()] = After(order[i]);
    return std::move(hashes_);
  }

 private:
  std::uint64_t Own(LayerId id) const {
    return exact_ ? index_.op_and_attributes(id) : index_.op(id);
  }

  // Inputs and outputs by their position, in bodies by the attribute that holds the body.
  void HashLeaves() {
    output_.assign(model_.tensors.size(), 0);
    for (const Graph& graph : model_.graphs) {
      const std::uint64_t seed = HashOf(model_.text(graph.owner_attribute));
      std::uint64_t position = 0;
      for (const TensorId input : graph.inputs)
        if (input.valid() && !model_.tensor(input).payload.valid())
          leaf_[input.index()] = Mixed(seed, ++position);
      position = 0;
      for (const TensorId output : graph.outputs)
        if (output.valid()) output_[output.index()] += Mixed(seed + 1, ++position);
    }
  }

  // A constant is the same whether it is an initializer or a Constant node.
  bool IsStored(TensorId tensor) const {
    if (model_.tensor(tensor).payload.valid()) return true;
    const LayerId maker = index_.maker(tensor);
    return maker.valid() && index_.is_constant_node(maker);
  }

  std::uint64_t StoredHash(TensorId tensor) const {
    if (!exact_) return 2;
    const TensorFact& fact = index_.side().analysis->fact(tensor);
    std::uint64_t hash = static_cast<std::uint64_t>(fact.dtype) + 3;
    if (!fact.shape.known_rank()) return hash;
    for (const Dim dim : *fact.shape.dims)
      hash = Mixed(hash, dim.is_number() ? static_cast<std::uint64_t>(dim.number()) : 0);
    return hash;
  }

  std::uint64_t TensorBefore(TensorId tensor) const {
    if (!tensor.valid()) return 1;
    if (IsStored(tensor)) return StoredHash(tensor);
    const LayerId maker = index_.maker(tensor);
    if (!maker.valid()) return leaf_[tensor.index()];
    return Mixed(hashes_.before[maker.index()], SlotOf(index_.node(maker).outputs, tensor));
  }

  static std::uint64_t SlotOf(const std::vector<TensorId>& tensors, TensorId tensor) {
    constexpr std::size_t kMaxSearched = 64;  // Split with thousands of outputs stays linear
    for (std::size_t i = 0; i < tensors.size() && i < kMaxSearched; ++i)
      if (tensors[i] == tensor) return i;
    return kMaxSearched;
  }

  std::uint64_t Before(LayerId layer) const {
    std::uint64_t hash = Own(layer);
    for (const TensorId input : index_.node(layer).inputs) hash = Mixed(hash, TensorBefore(input));
    return hash;
  }

  std::uint64_t After(LayerId layer) const {
    std::uint64_t hash = Own(layer);
    for (const TensorId input : index_.node(layer).inputs)
      if (!input.valid() || IsStored(input) || !index_.maker(input).valid())
        hash = Mixed(hash, TensorBefore(input));
    for (const TensorId output : index_.node(layer).outputs) {
      if (!output.valid()) continue;
      std::uint64_t readers = output_[output.index()];  // a sum: their order means nothing
      for (const Reader& reader : index_.readers(output))
        readers += Mixed(hashes_.after[reader.layer.index()], reader.slot);
      hash = Mixed(hash, readers);
    }
    return hash;
  }

  const SideIndex& index_;
  const Model& model_;
  bool exact_;
  Structure hashes_;
  std::vector<std::uint64_t> leaf_;    // by TensorId: of graph inputs
  std::vector<std::uint64_t> output_;  // by TensorId: of graph outputs
};

}  // namespace

Structure HashStructure(const SideIndex& index, bool exact) {
  return StructureHasher(index, exact).Run();
}

}  // namespace opscope
