#include "cost/weights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cost/counts.h"
#include "ops/op.h"

namespace opscope {

namespace {

// As in OpEntry::roles: x data, w weight slot, s statistic, c control.
using Role = char;

// The role of a stored constant behind a folded node: that of the reader where the node hands data
// on, that of the node's own slot (the scale of a DequantizeLinear) where it has a say.
Role Through(Role reader, Role slot) {
  return reader == 'c' || reader == 's' || slot == 'x' ? reader : slot;
}

Role SlotRole(const OpEntry* entry, std::size_t input) {
  if (entry == nullptr || entry->roles.empty()) return 'x';
  return entry->roles[std::min(input, entry->roles.size() - 1)];
}

struct Stored {
  TensorId tensor;
  Role role;
};

class WeightAssigner {
 public:
  WeightAssigner(Model& model, StaticAnalysis& analysis, const std::vector<Dim>& tensor_bytes)
      : model_(model),
        analysis_(analysis),
        bytes_(tensor_bytes),
        owner_(model.tensors.size()),
        expanded_(model.tensors.size(), false),
        seen_(model.tensors.size(), 0),
        moved_(model.tensors.size()),
        feeds_softmax_(FeedsSoftmax()) {}

  std::vector<Dim> Run() {
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i) {
      const Layer& layer = analysis_.layers[i];
      if (!layer.runtime || layer.status == LayerStatus::kContainer) continue;
      const Node& node = model_.node(layer.node);
      for (std::size_t input = 0; input < node.inputs.size(); ++input) {
        const TensorId tensor = node.inputs[input];
        if (tensor.valid() && !analysis_.fact(tensor).runtime)
          Read(LayerId{static_cast<std::uint32_t>(i)}, tensor, RoleOf(layer.node, input));
      }
    }
    return std::move(moved_);
  }

 private:
  // Tensors that a Softmax reads.
  std::vector<bool> FeedsSoftmax() const {
    std::vector<bool> feeds(model_.tensors.size(), false);
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      const std::vector<TensorId>& inputs = model_.nodes[i].inputs;
      if (std::holds_alternative<work::Softmax>(analysis_.propagation.works[i]) &&
          !inputs.empty() && inputs[0].valid())
        feeds[inputs[0].index()] = true;
    }
    return feeds;
  }

  Role RoleOf(NodeId id, std::size_t input) const {
    const Node& node = model_.node(id);
    const Role role = SlotRole(analysis_.propagation.entries[id.index()], input);
    return role == 'x' && IsMask(node, node.inputs[input]) ? 'c' : role;
  }

  // What Where picks from, and what is added just before a Softmax, masks. A vector there is the
  // bias of a classifier's last layer (MatMul, Add, Softmax).
  bool IsMask(const Node& node, TensorId tensor) const {
    const std::string_view op = StandardOp(model_, node);
    if (op == "Where") return true;
    if (op != "Add" || node.outputs.empty() || !node.outputs[0].valid()) return false;
    const Shape& shape = analysis_.fact(tensor).shape;
    return feeds_softmax_[node.outputs[0].index()] && shape.known_rank() && shape.rank() > 1;
  }

  bool IsStored(TensorId id) const {
    const Tensor& tensor = model_.tensor(id);
    if (tensor.payload.valid() || !tensor.producer.valid()) return true;
    const Node& producer = model_.node(tensor.producer);
    const std::string_view op = StandardOp(model_, producer);
    return (op == "Constant" || op == "ConstantOfShape") &&
           StandardDomain(model_, producer) == "ai.onnx";
  }

  void Read(LayerId reader, TensorId tensor, Role role) {
    Claim(reader, tensor, role);
    const std::vector<Stored> stored = Behind(tensor, role);
    for (const Stored& constant : stored) NoteSharing(reader, constant);
    moved_[tensor.index()] = BytesMoved(tensor, stored);
  }

  // Gives `reader` every stored constant behind `tensor` that nobody has read yet. Each folded node
  // is walked through once for the whole model.
  void Claim(LayerId reader, TensorId tensor, Role role) {
    std::vector<Stored> open = {{tensor, role}};
    while (!open.empty()) {
      const Stored at = open.back();
      open.pop_back();
      if (expanded_[at.tensor.index()]) continue;
      expanded_[at.tensor.index()] = true;
      if (IsStored(at.tensor)) {
        owner_[at.tensor.index()] = reader;
        Book(analysis_.layers[reader.index()], at);
      } else {
        PushSources(at, open);
      }
    }
  }

  // The stored constants behind a tensor; empty where it takes more than kMaxFolded steps to find
  // them, so that long chains read at every link stay linear.
  std::vector<Stored> Behind(TensorId tensor, Role role) {
    constexpr int kMaxFolded = 64;
    ++stamp_;
    std::vector<Stored> found;
    std::vector<Stored> open = {{tensor, role}};
    for (int steps = 0; !open.empty(); ++steps) {
      if (steps > kMaxFolded) return {};
      const Stored at = open.back();
      open.pop_back();
      if (std::exchange(seen_[at.tensor.index()], stamp_) == stamp_) continue;
      if (IsStored(at.tensor))
        found.push_back(at);
      else
        PushSources(at, open);
    }
    return found;
  }

  void PushSources(const Stored& at, std::vector<Stored>& open) const {
    const TensorId storage = analysis_.fact(at.tensor).storage;
    if (storage.valid() && storage != at.tensor) {
      open.push_back({storage, at.role});
      return;
    }
    const NodeId producer = model_.tensor(at.tensor).producer;
    const std::vector<TensorId>& inputs = model_.node(producer).inputs;
    const OpEntry* entry = analysis_.propagation.entries[producer.index()];
    for (std::size_t i = inputs.size(); i-- > 0;)
      if (inputs[i].valid()) open.push_back({inputs[i], Through(at.role, SlotRole(entry, i))});
  }

  enum class Kind { kParameter, kStatistic, kConstant };
  Kind KindOf(const Stored& stored, Dim elements) const {
    const DType dtype = analysis_.fact(stored.tensor).dtype;
    const bool number =
        IsFloating(dtype) || dtype == DType::kComplex64 || dtype == DType::kComplex128;
    if (stored.role == 's') return Kind::kStatistic;
    if (stored.role == 'w' && (number || IsInteger(dtype))) return Kind::kParameter;
    const bool single = elements.is_number() && elements.number() <= 1;
    return stored.role == 'x' && number && !single ? Kind::kParameter : Kind::kConstant;
  }

  // A byte of a packed weight holds several parameters: 1,048,576 bytes of 4 bits are 2,097,152.
  Dim NumbersIn(const Layer& layer, const Stored& stored, Dim elements) const {
    const DType packed = PackedTypeOf(analysis_.propagation.works[layer.node.index()]);
    const std::int64_t bits = Bits(packed).value_or(8);
    if (analysis_.fact(stored.tensor).dtype != DType::kUInt8 || bits >= 8) return elements;
    return model_.dims.Mul(elements, 8 / bits);
  }

  void Book(Layer& layer, const Stored& stored) {
    DimTable& dims = model_.dims;
    const Dim elements = Elements(dims, analysis_.fact(stored.tensor).shape);
    switch (KindOf(stored, elements)) {
      case Kind::kParameter:
        layer.parameters = dims.Add(layer.parameters, NumbersIn(layer, stored, elements));
        layer.parameter_bytes = dims.Add(layer.parameter_bytes, bytes_[stored.tensor.index()]);
        break;
      case Kind::kStatistic:
        layer.statistics = dims.Add(layer.statistics, elements);
        break;
      case Kind::kConstant:
        layer.constants = dims.Add(layer.constants, elements);
        break;
    }
  }

  void NoteSharing(LayerId reader, const Stored& stored) {
    Layer& layer = analysis_.layers[reader.index()];
    const LayerId owner = owner_[stored.tensor.index()];
    if (layer.shared_with.valid() || owner == reader) return;
    const Dim elements = Elements(model_.dims, analysis_.fact(stored.tensor).shape);
    if (KindOf(stored, elements) != Kind::kConstant) layer.shared_with = owner;
  }

  Dim BytesMoved(TensorId tensor, const std::vector<Stored>& stored) {
    const Dim own = bytes_[tensor.index()];
    if (IsStored(tensor)) return own;
    const Dim elements = Elements(model_.dims, analysis_.fact(tensor).shape);
    const auto same = [&](const Stored& constant) {
      return Elements(model_.dims, analysis_.fact(constant.tensor).shape) == elements;
    };
    if (elements.is_unknown() || std::none_of(stored.begin(), stored.end(), same)) return own;
    Dim sum = 0;
    for (const Stored& constant : stored)
      if (constant.role != 'c') sum = model_.dims.Add(sum, bytes_[constant.tensor.index()]);
    return sum == Dim(0) ? own : sum;
  }

  Model& model_;
  StaticAnalysis& analysis_;
  const std::vector<Dim>& bytes_;
  std::vector<LayerId> owner_;       // by TensorId
  std::vector<bool> expanded_;       // by TensorId: claimed
  std::vector<std::uint32_t> seen_;  // by TensorId: the last walk that met it
  std::vector<Dim> moved_;           // by TensorId
  const std::vector<bool> feeds_softmax_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

std::vector<Dim> AssignWeights(Model& model, StaticAnalysis& analysis,
                               const std::vector<Dim>& tensor_bytes) {
  return WeightAssigner(model, analysis, tensor_bytes).Run();
}

}  // namespace opscope
