// The bytes that cross the borders of groups.
#include <algorithm>

#include "cost/dim_sum.h"
#include "cost/fusion.h"
#include "cost/layers.h"

namespace opscope {

namespace {

class GroupSummer {
 public:
  GroupSummer(Model& model, const MovedBytes& bytes, const StaticAnalysis& analysis)
      : model_(model),
        bytes_(bytes),
        analysis_(analysis),
        readers_(model.tensors.size(), Readers::kNone),
        read_in_(model.tensors.size()) {}

  FusedTraffic Run() {
    for (const Layer& layer : analysis_.layers) MarkReads(layer);
    for (const Graph& graph : model_.graphs) MarkOutputs(graph);
    FusedTraffic out;
    LayerId group;
    for (const LayerId id : LayersByGroup()) {
      AddLayer(id);
      const LayerId of = analysis_.layer(id).group;
      if (of != group) ++out.groups;
      group = of;
    }
    out.read_bytes = read_.Total(model_.dims);
    out.write_bytes = write_.Total(model_.dims);
    out.weight_bytes = weight_.Total(model_.dims);
    return out;
  }

 private:
  // Who reads the bytes of a tensor: nobody, the group that makes them, somebody else.
  enum class Readers : std::uint8_t { kNone, kOwnGroup, kOthers };

  TensorId Storage(TensorId tensor) const { return StorageOf(analysis_, tensor); }

  // The group of the layer that makes the bytes; none for a graph input or constant.
  LayerId GroupThatMakes(TensorId storage) const {
    const NodeId producer = model_.tensor(storage).producer;
    if (!producer.valid()) return {};
    const LayerId layer = analysis_.layer_of[producer.index()];
    return layer.valid() ? analysis_.layer(layer).group : LayerId{};
  }

  void MarkReads(const Layer& layer) {
    // What a container is given is read by its bodies; what a call is given by those inside.
    const bool container =
        layer.status == LayerStatus::kContainer && !IsCall(analysis_, layer.node);
    if (!container && !MovesBytes(layer)) return;
    for (const TensorId input : model_.node(layer.node).inputs) {
      if (!input.valid()) continue;
      const TensorId storage = Storage(input);
      const bool own = layer.group.valid() && GroupThatMakes(storage) == layer.group;
      Readers& readers = readers_[storage.index()];
      readers = std::max(readers, own ? Readers::kOwnGroup : Readers::kOthers);
    }
  }

  void MarkOutputs(const Graph& graph) {
    if (graph.owner.valid() && IsCall(analysis_, graph.owner)) return;
    for (const TensorId output : graph.outputs)
      if (output.valid()) readers_[Storage(output).index()] = Readers::kOthers;
  }

  // The layers that move bytes, those of a group together, groups by their first layer.
  std::vector<LayerId> LayersByGroup() const {
    std::vector<std::size_t> begin(analysis_.layers.size() + 1, 0);
    const auto counts = [](const Layer& layer) { return layer.group.valid() && MovesBytes(layer); };
    for (const Layer& layer : analysis_.layers)
      if (counts(layer)) ++begin[layer.group.index() + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<LayerId> layers(begin.back());
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i) {
      const Layer& layer = analysis_.layers[i];
      if (counts(layer))
        layers[begin[layer.group.index()]++] = LayerId{static_cast<std::uint32_t>(i)};
    }
    return layers;
  }

  // A column that is not known of a layer is left out as a whole, as the totals leave it out: what
  // crosses borders is never more than what is moved as written.
  void AddLayer(LayerId id) {
    const Layer& layer = analysis_.layer(id);
    for (const TensorRead& read : ReadsOf(model_, analysis_, bytes_, layer)) AddRead(id, read);
    if (layer.write_bytes.is_unknown()) return;
    for (const TensorId output : model_.node(layer.node).outputs)
      if (output.valid() && readers_[Storage(output).index()] != Readers::kOwnGroup)
        write_.Add(model_.dims.Mul(bytes_.activations[output.index()], layer.times));
  }

  void AddRead(LayerId id, const TensorRead& read) {
    const Layer& layer = analysis_.layer(id);
    const TensorId storage = Storage(read.tensor);
    if (GroupThatMakes(storage) == layer.group) return;
    // An earlier layer of the group has read it. (What a layer itself reads twice, it does.)
    LayerId& reader = read_in_[storage.index()];
    if (reader.valid() && reader != id && analysis_.layer(reader).group == layer.group) return;
    reader = id;
    const bool runtime = analysis_.fact(read.tensor).runtime;
    if ((runtime ? layer.read_bytes : layer.weight_bytes).is_unknown()) return;
    (runtime ? read_ : weight_).Add(model_.dims.Mul(read.bytes, layer.times));
  }

  Model& model_;
  const MovedBytes& bytes_;
  const StaticAnalysis& analysis_;
  std::vector<Readers> readers_;  // by TensorId, of its storage
  std::vector<LayerId> read_in_;  // by TensorId, of its storage: the last layer that read it
  DimSum read_, write_, weight_;
};

}  // namespace

FusedTraffic SumGroups(Model& model, const MovedBytes& bytes, const StaticAnalysis& analysis) {
  return GroupSummer(model, bytes, analysis).Run();
}

}  // namespace opscope
