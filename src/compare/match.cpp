// The phases of MatchLayers, surest first. Each pairs only layers that no earlier one has paired.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compare/align.h"
#include "compare/steps.h"
#include "compare/structure.h"

namespace opscope {

namespace {

using Keys = std::vector<std::uint64_t>;  // by LayerId; 0 = none

// A name that an exporter took from the module tree ("/layers.3/attn/MatMul") stays when nodes are
// added; one that it numbered ("Conv_12", "n7") does not.
bool IsModuleName(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.find('.') != std::string_view::npos;
}

class Matcher {
 public:
  Matcher(const SideIndex& a, const SideIndex& b) : a_(a), b_(b) {
    matching_.b_of.resize(a_.layers());
    matching_.a_of.resize(b_.layers());
  }

  LayerMatching Run() {
    const bool foreign = a_.side().model->format != b_.side().model->format;
    if (foreign) Take(PairKeptNames(a_, b_, matching_, true));
    MatchKeys(NameKeys(a_, true), NameKeys(b_, true));
    MatchStructure(true);
    MatchKeys(OutputKeys(a_), OutputKeys(b_));
    MatchKeys(NameKeys(a_, false), NameKeys(b_, false));
    MatchStructure(false);
    MatchNeighbours();
    MatchBetween(&Matcher::KeyOfOpAndShape);
    if (foreign) {
      MatchBetween(&Matcher::KeyOfMacs);
      Take(PairEqualMacs(a_, b_, matching_));
    }
    MatchBetween(&Matcher::KeyOfOp);
    MatchWeights();
    MatchBetween(&Matcher::KeyOfMacs);
    if (foreign) {
      Take(PairKeptNames(a_, b_, matching_, false));
      // A layer that found its partner gives those before it their places.
      constexpr int kRounds = 4;
      for (int round = 0; round < kRounds; ++round) Take(PairPlaces(a_, b_, matching_));
    }
    return std::move(matching_);
  }

 private:
  bool Free(LayerId a, LayerId b) const {
    return !matching_.b_of[a.index()].valid() && !matching_.a_of[b.index()].valid();
  }
  void Pair(LayerId a, LayerId b) {
    matching_.b_of[a.index()] = b;
    matching_.a_of[b.index()] = a;
    open_.push_back({a, b});
  }

  void Take(const LayerPairs& pairs) {
    for (const auto& [a, b] : pairs) Pair(a, b);
    MatchNeighbours();
  }

  // Op, name and the tensor it writes first; bodies and functions that are called often repeat
  // names, so the nest counts too.
  static Keys NameKeys(const SideIndex& index, bool modules) {
    Keys keys(index.layers(), 0);
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      const std::string_view name = index.name({i});
      if (name.empty() || (modules && !IsModuleName(name))) continue;
      keys[i] = Mixed(index.op({i}), HashOf(name));
      for (const std::string& part : index.side().layer({i}).path)
        keys[i] = Mixed(keys[i], HashOf(part));
    }
    return keys;
  }
  static Keys OutputKeys(const SideIndex& index) {
    Keys keys(index.layers(), 0);
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      const std::vector<TensorId>& outputs = index.node({i}).outputs;
      if (outputs.empty() || !outputs[0].valid()) continue;
      const Model& model = *index.side().model;
      keys[i] = Mixed(index.op({i}), HashOf(model.text(model.tensor(outputs[0]).name)));
    }
    return keys;
  }

  void MatchStructure(bool exact) {
    const Structure a = HashStructure(a_, exact);
    const Structure b = HashStructure(b_, exact);
    const auto both = [](const Structure& structure) {
      Keys keys = structure.before;
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = Mixed(keys[i], structure.after[i]);
      return keys;
    };
    MatchKeys(both(a), both(b));
    MatchKeys(a.before, b.before);
    MatchKeys(a.after, b.after);
  }

  // Pairs layers of equal keys: those of the same name first, the others in file order where both
  // models have as many of them.
  void MatchKeys(const Keys& a, const Keys& b) {
    struct Group {
      std::vector<LayerId> a, b;
    };
    std::unordered_map<std::uint64_t, Group> groups;
    std::vector<std::uint64_t> order;
    for (std::uint32_t i = 0; i < a.size(); ++i)
      if (a[i] != 0 && !matching_.b_of[i].valid()) groups[a[i]].a.push_back({i});
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      if (b[i] == 0 || matching_.a_of[i].valid()) continue;
      const auto group = groups.find(b[i]);
      if (group == groups.end()) continue;
      if (group->second.b.empty()) order.push_back(b[i]);
      group->second.b.push_back({i});
    }
    for (const std::uint64_t key : order) {
      Group& group = groups[key];
      if (group.a.size() != group.b.size()) continue;
      if (group.a.size() > 1) MatchNames(group.a, group.b);
      for (std::size_t i = 0; i < group.a.size(); ++i) Pair(group.a[i], group.b[i]);
    }
  }

  // Pairs equal names and takes them out of both lists.
  void MatchNames(std::vector<LayerId>& a, std::vector<LayerId>& b) {
    std::unordered_map<std::string_view, LayerId> by_name;
    for (const LayerId layer : a)
      if (!a_.name(layer).empty()) by_name.emplace(a_.name(layer), layer);
    for (const LayerId layer : b) {
      const auto found = by_name.find(b_.name(layer));
      if (found != by_name.end() && Free(found->second, layer)) Pair(found->second, layer);
    }
    const auto paired = [](const std::vector<LayerId>& partners) {
      return [&partners](LayerId layer) { return partners[layer.index()].valid(); };
    };
    a.erase(std::remove_if(a.begin(), a.end(), paired(matching_.b_of)), a.end());
    b.erase(std::remove_if(b.begin(), b.end(), paired(matching_.a_of)), b.end());
  }

  // What matched layers read and what reads them, where only one layer on each side fits.
  void MatchNeighbours() {
    while (!open_.empty()) {
      const auto [a, b] = open_.back();
      open_.pop_back();
      MatchMakers(a, b);
      MatchReaders(a, b);
    }
  }
  void MatchMakers(LayerId a, LayerId b) {
    const std::vector<TensorId>& inputs_a = a_.node(a).inputs;
    const std::vector<TensorId>& inputs_b = b_.node(b).inputs;
    for (std::size_t i = 0; i < std::min(inputs_a.size(), inputs_b.size()); ++i) {
      if (!inputs_a[i].valid() || !inputs_b[i].valid()) continue;
      const LayerId maker_a = a_.maker(inputs_a[i]);
      const LayerId maker_b = b_.maker(inputs_b[i]);
      if (maker_a.valid() && maker_b.valid() && Free(maker_a, maker_b) &&
          a_.op(maker_a) == b_.op(maker_b))
        Pair(maker_a, maker_b);
    }
  }
  void MatchReaders(LayerId a, LayerId b) {
    const std::vector<TensorId>& outputs_a = a_.node(a).outputs;
    const std::vector<TensorId>& outputs_b = b_.node(b).outputs;
    for (std::size_t i = 0; i < std::min(outputs_a.size(), outputs_b.size()); ++i)
      if (outputs_a[i].valid() && outputs_b[i].valid()) MatchReadersOf(outputs_a[i], outputs_b[i]);
  }
  void MatchReadersOf(TensorId a, TensorId b) {
    using OpReader = std::pair<std::uint64_t, LayerId>;
    const auto free_readers = [](const SideIndex& index, const std::vector<LayerId>& partners,
                                 TensorId tensor) {
      std::vector<OpReader> out;
      for (const Reader& reader : index.readers(tensor))
        if (!partners[reader.layer.index()].valid())
          out.emplace_back(Mixed(index.op(reader.layer), reader.slot), reader.layer);
      std::sort(out.begin(), out.end());
      return out;
    };
    const std::vector<OpReader> of_a = free_readers(a_, matching_.b_of, a);
    const std::vector<OpReader> of_b = free_readers(b_, matching_.a_of, b);
    const auto only = [](const std::vector<OpReader>& list, std::size_t i) {
      return (i == 0 || list[i - 1].first != list[i].first) &&
             (i + 1 == list.size() || list[i + 1].first != list[i].first);
    };
    for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
      if (of_a[i].first < of_b[j].first) {
        ++i;
      } else if (of_b[j].first < of_a[i].first) {
        ++j;
      } else {
        if (only(of_a, i) && only(of_b, j) && Free(of_a[i].second, of_b[j].second))
          Pair(of_a[i].second, of_b[j].second);
        ++i, ++j;
      }
    }
  }

  // Keys of layers that stand in the same order between matched ones. Constants are left to their
  // readers.
  using KeyOf = std::uint64_t (Matcher::*)(const SideIndex&, LayerId) const;
  std::uint64_t KeyOfOp(const SideIndex& index, LayerId id) const { return index.op(id); }
  std::uint64_t KeyOfOpAndShape(const SideIndex& index, LayerId id) const {
    const std::vector<TensorId>& outputs = index.node(id).outputs;
    if (outputs.empty() || !outputs[0].valid()) return 0;
    const Shape& shape = index.side().analysis->fact(outputs[0]).shape;
    if (!shape.known_rank()) return 0;
    std::uint64_t key = index.op(id);
    for (const Dim dim : *shape.dims) key = Mixed(key, index.DimKey(dim));
    return key;
  }
  std::uint64_t KeyOfMacs(const SideIndex& index, LayerId id) const { return index.MacsKey(id); }
  void MatchBetween(KeyOf key_of) {
    std::vector<LayerId> anchors;  // of b, in file order
    std::vector<std::uint32_t> partners;
    for (std::uint32_t i = 0; i < b_.layers(); ++i)
      if (matching_.a_of[i].valid()) {
        anchors.push_back({i});
        partners.push_back(matching_.a_of[i].value);
      }
    std::uint32_t a_from = 0, b_from = 0;
    LayerPairs found;
    const auto gap = [&](std::uint32_t a_to, std::uint32_t b_to) {
      MatchGap(FreeOf(a_, matching_.b_of, a_from, a_to), FreeOf(b_, matching_.a_of, b_from, b_to),
               key_of, found);
      a_from = a_to + 1;
      b_from = b_to + 1;
    };
    for (const std::size_t k : LongestRising(partners)) gap(partners[k], anchors[k].value);
    gap(static_cast<std::uint32_t>(a_.layers()), static_cast<std::uint32_t>(b_.layers()));
    for (const auto& [a, b] : found) Pair(a, b);
    MatchNeighbours();
  }
  static std::vector<LayerId> FreeOf(const SideIndex& index, const std::vector<LayerId>& partners,
                                     std::uint32_t from, std::uint32_t to) {
    std::vector<LayerId> out;
    for (std::uint32_t i = from; i < to; ++i)
      if (!partners[i].valid() && !index.is_constant_node({i})) out.push_back({i});
    return out;
  }
  void MatchGap(const std::vector<LayerId>& a, const std::vector<LayerId>& b, KeyOf key_of,
                LayerPairs& found) const {
    if (a.empty() || b.empty()) return;
    Keys keys_a, keys_b;
    for (const LayerId layer : a) keys_a.push_back((this->*key_of)(a_, layer));
    for (const LayerId layer : b) keys_b.push_back((this->*key_of)(b_, layer));
    for (const auto& [i, j] : Align(keys_a, keys_b)) found.emplace_back(a[i], b[j]);
  }

  // A weight of the same name is read by one layer of each model: the op was replaced.
  void MatchWeights() {
    const Keys a = WeightKeys(a_, matching_.b_of);
    const Keys b = WeightKeys(b_, matching_.a_of);
    MatchKeys(a, b);
    MatchNeighbours();
  }
  static Keys WeightKeys(const SideIndex& index, const std::vector<LayerId>& partners) {
    const Model& model = *index.side().model;
    Keys keys(index.layers(), 0);
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      const Dim macs = index.side().layer({i}).counts.macs;
      if (partners[i].valid() || macs == Dim(0)) continue;
      for (const TensorId input : index.node({i}).inputs)
        if (keys[i] == 0 && input.valid() && model.tensor(input).payload.valid())
          keys[i] = HashOf(model.text(model.tensor(input).name)) | 1;
    }
    return keys;
  }

  const SideIndex &a_, &b_;
  LayerMatching matching_;
  LayerPairs open_;  // pairs whose neighbours were not looked at
};

}  // namespace

LayerMatching MatchLayers(const SideIndex& a, const SideIndex& b) { return Matcher(a, b).Run(); }

}  // namespace opscope
