// Steps of matching between models of different formats, whose ops, names and layouts differ.

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compare/steps.h"

namespace opscope {

namespace {

using NameKeys = std::vector<std::uint64_t>;

void AddName(std::string_view name, NameKeys& keys) {
  if (!name.empty()) keys.push_back(HashOf(name));
  // A converter puts its own parts below the name of the layer that it replaces.
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos && slash > 0)
    keys.push_back(HashOf(name.substr(0, slash)));
}

// Under which names a layer may be known: its own and that of what it writes, or what they list.
NameKeys NamesOf(const SideIndex& index, LayerId id) {
  const Model& model = *index.side().model;
  NameKeys keys;
  const auto add_list = [&keys](std::string_view names) {
    for (std::size_t from = 0; from <= names.size();) {
      const std::size_t to = std::min(names.find(';', from), names.size());
      AddName(names.substr(from, to - from), keys);
      from = to + 1;
    }
  };
  add_list(index.name(id));
  const std::vector<TensorId>& outputs = index.node(id).outputs;
  if (!outputs.empty() && outputs[0].valid()) add_list(model.text(model.tensor(outputs[0]).name));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::uint64_t WorkKey(const SideIndex& index, LayerId id) {
  return Mixed(index.op(id), index.MacsKey(id));
}

// Layers by key, of both models.
class Meeting {
 public:
  void AddA(std::uint64_t key, LayerId layer) { groups_[key].a.push_back(layer); }
  void AddB(std::uint64_t key, LayerId layer) {
    const auto found = groups_.find(key);
    if (found == groups_.end()) return;
    if (found->second.b.empty()) order_.push_back(key);
    found->second.b.push_back(layer);
  }
  // In the order of b. `most`: of how many layers a group may be.
  LayerPairs Pairs(std::size_t most, std::size_t layers_a, std::size_t layers_b) const {
    LayerPairs out;
    std::vector<bool> taken_a(layers_a), taken_b(layers_b);
    for (const std::uint64_t key : order_) {
      const Group& group = groups_.at(key);
      if (group.a.size() != group.b.size() || group.a.size() > most) continue;
      for (std::size_t i = 0; i < group.a.size(); ++i) {
        if (taken_a[group.a[i].index()] || taken_b[group.b[i].index()]) continue;
        taken_a[group.a[i].index()] = taken_b[group.b[i].index()] = true;
        out.emplace_back(group.a[i], group.b[i]);
      }
    }
    return out;
  }

 private:
  struct Group {
    std::vector<LayerId> a, b;
  };
  std::unordered_map<std::uint64_t, Group> groups_;
  std::vector<std::uint64_t> order_;
};

template <class Each>
void ForEachFreeWithMacs(const SideIndex& index, const std::vector<LayerId>& partners, Each each) {
  for (std::uint32_t i = 0; i < partners.size(); ++i)
    if (!partners[i].valid() && index.HasMacs({i})) each(LayerId{i});
}

}  // namespace

LayerPairs PairKeptNames(const SideIndex& a, const SideIndex& b, const LayerMatching& matching,
                         bool same_work) {
  Meeting meeting;
  const auto key_of = [same_work](const SideIndex& index, LayerId layer, std::uint64_t name) {
    return same_work ? Mixed(name, index.MacsKey(layer)) : name;
  };
  ForEachFreeWithMacs(a, matching.b_of, [&](LayerId layer) {
    for (const std::uint64_t name : NamesOf(a, layer)) meeting.AddA(key_of(a, layer, name), layer);
  });
  ForEachFreeWithMacs(b, matching.a_of, [&](LayerId layer) {
    for (const std::uint64_t name : NamesOf(b, layer)) meeting.AddB(key_of(b, layer, name), layer);
  });
  return meeting.Pairs(1, a.layers(), b.layers());
}

LayerPairs PairEqualMacs(const SideIndex& a, const SideIndex& b, const LayerMatching& matching) {
  Meeting meeting;
  ForEachFreeWithMacs(a, matching.b_of,
                      [&](LayerId layer) { meeting.AddA(WorkKey(a, layer), layer); });
  ForEachFreeWithMacs(b, matching.a_of,
                      [&](LayerId layer) { meeting.AddB(WorkKey(b, layer), layer); });
  return meeting.Pairs(a.layers(), a.layers(), b.layers());
}

LayerPairs PairPlaces(const SideIndex& a, const SideIndex& b, const LayerMatching& matching) {
  const std::vector<TensorId> partners_a = PartnerTensors(a, b, matching.b_of);
  const std::vector<TensorId> partners_b = PartnerTensors(b, a, matching.a_of);
  LayerPairs out;
  for (std::uint32_t i = 0; i < a.layers(); ++i) {
    const std::vector<TensorId>& outputs = a.node({i}).outputs;
    if (matching.b_of[i].valid() || a.is_constant_node({i}) || outputs.empty()) continue;
    const TensorId own = outputs[0];
    if (!own.valid() || !partners_a[own.index()].valid()) continue;
    const TensorId other = partners_a[own.index()];
    const LayerId layer = b.maker(other);
    const bool mutual = layer.valid() && partners_b[other.index()] == own;
    if (!mutual || matching.a_of[layer.index()].valid() || b.is_constant_node(layer)) continue;
    if (a.HasMacs({i}) == b.HasMacs(layer) && b.node(layer).outputs[0] == other &&
        SameSizes(a, a.side().analysis->fact(own).shape, b, b.side().analysis->fact(other).shape))
      out.emplace_back(LayerId{i}, layer);
  }
  return out;
}

}  // namespace opscope
