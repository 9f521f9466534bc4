// FindChanges: what is not the same in two matched layers.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "compare/steps.h"
#include "cost/totals.h"

namespace opscope {

namespace {

PropertyValue ValueOf(const DimTable& dims, Dim dim) {
  if (dim.is_unknown()) return {};
  if (dim.is_number()) return dim.number();
  return dims.ToText(dim);
}

// Long texts are cut; their hash tells them apart.
PropertyValue TextOrNone(std::string text) {
  constexpr std::size_t kLongest = 160;
  if (text.empty()) return {};
  if (text.size() <= kLongest) return text;
  return CutMiddle(ValidUtf8(text), kLongest) + " #" + std::to_string(HashOf(text) % 100'000'000);
}

class Differ {
 public:
  Differ(const SideIndex& a, const SideIndex& b, const LayerMatching& matching, const Fates& fates)
      : a_(a),
        b_(b),
        matching_(matching),
        with_a_(PartsOf(fates.of_a, b.layers())),
        with_b_(PartsOf(fates.of_b, a.layers())),
        one_format_(a_.side().model->format == b_.side().model->format) {}

  std::vector<PropertyDelta> Run(LayerId a, LayerId b) {
    deltas_.clear();
    const Node& node_a = a_.node(a);
    const Node& node_b = b_.node(b);
    // Formats spell the same op, its options and its layout differently: what is arithmetic stays.
    if (one_format_ || a_.op(a) != b_.op(b))
      Note("op", {}, OpName(*a_.side().model, node_a), OpName(*b_.side().model, node_b));
    if (one_format_) {
      if (a_.op_and_attributes(a) != b_.op_and_attributes(b)) CompareAttributes(node_a, node_b);
      CompareInputs(node_a, node_b);
    }
    CompareOutputs(node_a, node_b);
    CompareNumbers(a, b);
    return std::move(deltas_);
  }

 private:
  void Note(std::string_view what, std::string_view name, PropertyValue a, PropertyValue b) {
    if (a != b) deltas_.push_back({what, std::string(name), std::move(a), std::move(b)});
  }

  void CompareAttributes(const Node& a, const Node& b) {
    std::map<std::string_view, std::pair<std::string, std::string>> values;
    for (const Attribute& attribute : a.attributes)
      values[a_.side().model->text(attribute.name)].first =
          AttributeText(*a_.side().model, attribute.value);
    for (const Attribute& attribute : b.attributes)
      values[b_.side().model->text(attribute.name)].second =
          AttributeText(*b_.side().model, attribute.value);
    for (auto& [name, value] : values) {
      // Written out or left out, a default is the same.
      const std::string& either = value.first.empty() ? value.second : value.first;
      if ((value.first.empty() || value.second.empty()) && IsDefault(name, either)) continue;
      Note("attributes", name, TextOrNone(std::move(value.first)),
           TextOrNone(std::move(value.second)));
    }
  }

  // The type of a stored constant.
  static std::string StoredType(const SideIndex& index, TensorId tensor) {
    const TensorFact& fact = index.side().analysis->fact(tensor);
    return std::string(Name(fact.dtype)) +
           (fact.shape.known_rank() ? ShapeText(index, fact.shape) : "");
  }
  // Its elements, or their hash; empty where they were not kept.
  static std::string StoredValues(const SideIndex& index, TensorId tensor) {
    constexpr std::size_t kMaxShown = 8;
    const Model& model = *index.side().model;
    const TensorFact& fact = index.side().analysis->fact(tensor);
    std::string out;
    if (fact.ints && fact.ints->size() <= kMaxShown) {
      for (const Dim value : *fact.ints)
        out += (out.empty() ? " " : ",") + model.dims.ToText(value);
    } else if (fact.floats && fact.floats->size() <= kMaxShown) {
      for (const double value : *fact.floats) out += (out.empty() ? " " : ",") + NumberText(value);
    } else if (const PayloadId payload = model.tensor(tensor).payload;
               payload.valid() && model.payload(payload).small) {
      out = " #" + std::to_string(HashOf(*model.payload(payload).small) % 100'000'000);
    }
    return out;
  }
  void CompareStored(TensorId a, TensorId b) {
    const Model& model = *b_.side().model;
    const std::string type_a = StoredType(a_, a), type_b = StoredType(b_, b);
    const std::string values_a = StoredValues(a_, a), values_b = StoredValues(b_, b);
    const bool known = !values_a.empty() && !values_b.empty();
    if (type_a == type_b && (!known || values_a == values_b)) return;
    Note("weights", model.text(model.tensor(b).name), type_a + values_a, type_b + values_b);
  }
  static bool IsStored(const SideIndex& index, TensorId tensor) {
    if (!tensor.valid()) return false;
    if (index.side().model->tensor(tensor).payload.valid()) return true;
    const LayerId maker = index.maker(tensor);
    return maker.valid() && index.is_constant_node(maker);
  }

  void CompareStoredOrAbsent(TensorId a, TensorId b) {
    if (a.valid() && b.valid()) return CompareStored(a, b);
    const auto note = [&](const SideIndex& index, TensorId tensor, bool is_a) {
      const Model& model = *index.side().model;
      const PropertyValue type = StoredType(index, tensor);
      Note("weights", model.text(model.tensor(tensor).name), is_a ? type : PropertyValue(),
           is_a ? PropertyValue() : type);
    };
    if (a.valid()) note(a_, a, true);
    if (b.valid()) note(b_, b, false);
  }

  void CompareInputs(const Node& a, const Node& b) {
    const auto at = [](const Node& node, std::size_t i) {
      return i < node.inputs.size() ? node.inputs[i] : TensorId{};
    };
    std::vector<LayerId> makers_a, makers_b;  // as layers of b
    bool comparable = a.inputs.size() == b.inputs.size();
    for (std::size_t i = 0; i < std::max(a.inputs.size(), b.inputs.size()); ++i) {
      const TensorId input_a = at(a, i);
      const TensorId input_b = at(b, i);
      const bool stored_a = IsStored(a_, input_a);
      const bool stored_b = IsStored(b_, input_b);
      if ((stored_a || !input_a.valid()) && (stored_b || !input_b.valid())) {
        CompareStoredOrAbsent(stored_a ? input_a : TensorId{}, stored_b ? input_b : TensorId{});
        continue;
      }
      const LayerId maker_a = input_a.valid() ? a_.maker(input_a) : LayerId{};
      const LayerId maker_b = input_b.valid() ? b_.maker(input_b) : LayerId{};
      if (maker_a.valid()) makers_a.push_back(matching_.b_of[maker_a.index()]);
      if (maker_b.valid())
        makers_b.push_back(matching_.a_of[maker_b.index()].valid() ? maker_b : LayerId{});
      comparable = comparable && (!maker_a.valid() || makers_a.back().valid()) &&
                   (!maker_b.valid() || makers_b.back().valid());
    }
    if (comparable) CompareMakers(std::move(makers_a), std::move(makers_b));
  }

  // Read from other layers than before, all of which both models have. What follows from an added
  // or removed layer is said there; the order of operands is not looked at.
  void CompareMakers(std::vector<LayerId> a, std::vector<LayerId> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const auto names = [&](const std::vector<LayerId>& layers, bool of_a) {
      std::string out;
      for (const LayerId layer : layers) {
        const std::string_view name =
            of_a ? a_.name(matching_.a_of[layer.index()]) : b_.name(layer);
        if (!out.empty()) out += ", ";
        out += name.empty() ? "#" + std::to_string(layer.value) : std::string(name);
      }
      return out;
    };
    if (a != b) Note("inputs", {}, TextOrNone(names(a, true)), TextOrNone(names(b, false)));
  }

  void CompareOutputs(const Node& a, const Node& b) {
    constexpr std::size_t kMaxOutputs = 16;
    for (std::size_t i = 0; i < std::min({a.outputs.size(), b.outputs.size(), kMaxOutputs}); ++i) {
      if (!a.outputs[i].valid() || !b.outputs[i].valid()) continue;
      const TensorFact& fact_a = a_.side().analysis->fact(a.outputs[i]);
      const TensorFact& fact_b = b_.side().analysis->fact(b.outputs[i]);
      const Model& model_b = *b_.side().model;
      const std::string_view name = model_b.text(model_b.tensor(b.outputs[i]).name);
      if (fact_a.dtype != fact_b.dtype)
        Note("dtype", name, std::string(Name(fact_a.dtype)), std::string(Name(fact_b.dtype)));
      if (!SameShape(fact_a.shape, fact_b.shape) &&
          (one_format_ || !SameSizes(a_, fact_a.shape, b_, fact_b.shape)))
        Note("shape", name, ShapeValue(a_, fact_a.shape), ShapeValue(b_, fact_b.shape));
    }
  }
  // True only where it is plain without text.
  bool SameShape(const Shape& a, const Shape& b) const {
    if (!a.known_rank() || !b.known_rank()) return a.known_rank() == b.known_rank();
    return std::equal(a.dims->begin(), a.dims->end(), b.dims->begin(), b.dims->end(),
                      [](Dim x, Dim y) { return x == y && !x.is_expression(); });
  }
  static PropertyValue ShapeValue(const SideIndex& index, const Shape& shape) {
    if (!shape.known_rank()) return {};
    return ShapeText(index, shape);
  }
  static std::string ShapeText(const SideIndex& index, const Shape& shape) {
    std::string out = "[";
    for (const Dim dim : *shape.dims)
      out += (out.size() > 1 ? "," : "") + index.side().model->dims.ToText(dim);
    return out + "]";
  }

  // Layers by the layer of the other model that they are part of.
  using Parts = std::vector<std::vector<LayerId>>;
  static Parts PartsOf(const std::vector<Fate>& fates, std::size_t others) {
    Parts out(others);
    for (std::uint32_t i = 0; i < fates.size(); ++i)
      if (fates[i].kind == Fate::Kind::kPart) out[fates[i].layer.index()].push_back({i});
    return out;
  }
  static Dim SumOf(const SideIndex& index, LayerId id, const std::vector<LayerId>& parts,
                   Dim (*number)(const Layer&)) {
    Dim sum = number(index.side().layer(id));
    for (const LayerId part : parts)
      sum = index.side().model->dims.Add(sum, number(index.side().layer(part)));
    return sum;
  }

  void CompareNumbers(LayerId id_a, LayerId id_b) {
    const Layer &a = a_.side().layer(id_a), &b = b_.side().layer(id_b);
    const std::vector<LayerId>&with_a = with_a_[id_b.index()], &with_b = with_b_[id_a.index()];
    const auto compare = [&](std::string_view what, std::string_view name, Dim x, Dim y) {
      if (x == y && !x.is_expression()) return;
      if (!one_format_ && !x.is_unknown() && a_.NeutralText(x) == b_.NeutralText(y)) return;
      Note(what, name, ValueOf(a_.side().model->dims, x), ValueOf(b_.side().model->dims, y));
    };
    const auto compare_sums = [&](std::string_view what, std::string_view name,
                                  Dim (*number)(const Layer&)) {
      compare(what, name, SumOf(a_, id_a, with_a, number), SumOf(b_, id_b, with_b, number));
    };
    if (a.status != b.status)
      Note("status", {}, std::string(Name(a.status)), std::string(Name(b.status)));
    compare("times", {}, a.times, b.times);
    compare_sums("macs", {}, [](const Layer& layer) { return layer.counts.macs; });
    // What lies between the parts of one is not written by the other.
    if (with_a.empty() && with_b.empty()) {
      compare("bytes", "read_bytes", a.read_bytes, b.read_bytes);
      compare("bytes", "write_bytes", a.write_bytes, b.write_bytes);
    }
    compare_sums("bytes", "weight_bytes", [](const Layer& layer) { return layer.weight_bytes; });
    compare_sums("parameters", {}, [](const Layer& layer) { return layer.parameters; });
  }

  const SideIndex &a_, &b_;
  const LayerMatching& matching_;
  Parts with_a_, with_b_;  // of a by LayerId of b, and the other way round
  bool one_format_;
  std::vector<PropertyDelta> deltas_;
};

}  // namespace

std::vector<LayerChange> FindChanges(const SideIndex& a, const SideIndex& b,
                                     const LayerMatching& matching, const Fates& fates) {
  Differ differ(a, b, matching, fates);
  std::vector<LayerChange> out;
  for (std::uint32_t i = 0; i < matching.a_of.size(); ++i) {
    if (!matching.a_of[i].valid()) continue;
    std::vector<PropertyDelta> deltas = differ.Run(matching.a_of[i], {i});
    if (!deltas.empty()) out.push_back({matching.a_of[i], {i}, std::move(deltas)});
  }
  return out;
}

}  // namespace opscope
