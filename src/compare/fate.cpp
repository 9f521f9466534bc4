// FindFates: what stands in the place of layers without a partner, from the tensors that matched
// layers read on both sides.

#include <algorithm>
#include <array>
#include <utility>

#include "compare/steps.h"

namespace opscope {

namespace {

Fate FateOf(const SideIndex& other, const std::vector<LayerId>& partner_of, TensorId tensor) {
  const LayerId maker = other.maker(tensor);
  if (maker.valid() && !other.is_constant_node(maker)) {
    const bool has_partner = partner_of[maker.index()].valid();
    return {has_partner ? Fate::Kind::kSkipped : Fate::Kind::kReplaced, maker, tensor};
  }
  const bool stored = maker.valid() || other.side().model->tensor(tensor).payload.valid();
  if (stored) return {Fate::Kind::kConstant, {}, tensor};
  const bool input = other.side().model->tensor(tensor).graph_input;
  return {input ? Fate::Kind::kInput : Fate::Kind::kUnknown, {}, tensor};
}

class Fortune {
 public:
  // `other_of`: partners of the own layers; `own_of`: of the other model's.
  Fortune(const SideIndex& own, const SideIndex& other, const std::vector<LayerId>& other_of,
          const std::vector<LayerId>& own_of)
      : own_(own), other_(other), other_of_(other_of), own_of_(own_of), fates_(own.layers()) {}

  std::vector<Fate> Run() {
    const std::vector<TensorId> partners = PartnerTensors(own_, other_, other_of_);
    const std::vector<LayerId>& order = own_.in_order();
    for (std::size_t i = order.size(); i-- > 0;)
      if (!other_of_[order[i].index()].valid()) FromReaders(order[i], partners);
    for (const LayerId layer : order) FindWhatDoesIt(layer);
    return std::move(fates_);
  }

 private:
  Fate& fate(LayerId id) { return fates_[id.index()]; }

  void FromReaders(LayerId id, const std::vector<TensorId>& partners) {
    for (const TensorId output : own_.node(id).outputs) {
      if (!output.valid() || fate(id).kind != Fate::Kind::kUnknown) continue;
      if (partners[output.index()].valid()) {
        fate(id) = FateOf(other_, own_of_, partners[output.index()]);
        continue;
      }
      // Read by others that went as well: what became of them became of it.
      for (const Reader& reader : own_.readers(output))
        if (fate(id).kind == Fate::Kind::kUnknown) fate(id) = fate(reader.layer);
    }
    const bool unknown = fate(id).kind == Fate::Kind::kUnknown;
    // What a layer of another op reads instead says less than that it does what was done here.
    if (!unknown && (fate(id).kind != Fate::Kind::kSkipped || !DoesSomething(id))) return;
    if (const Fate part = PartOfReaders(id, !unknown); part.layer.valid()) fate(id) = part;
  }

  // All that reads it became one layer of another op, which reads other things: attention has taken
  // in what makes its scores, a folded batch normalisation its statistics. `does_more`: only of a
  // layer that does more than the one whose place it took.
  Fate PartOfReaders(LayerId id, bool does_more) {
    LayerId part_of;
    for (const TensorId output : own_.node(id).outputs) {
      if (!output.valid()) continue;
      for (const Reader& reader : own_.readers(output)) {
        const LayerId partner = other_of_[reader.layer.index()];
        const bool other_op = partner.valid() && own_.op(reader.layer) != other_.op(partner) &&
                              (!does_more || DoesMore(partner, reader.layer));
        const bool part = fate(reader.layer).kind == Fate::Kind::kPart;
        const LayerId owner = other_op ? partner : part ? fate(reader.layer).layer : LayerId{};
        if (!owner.valid() || (part_of.valid() && part_of != owner)) return {};
        part_of = owner;
      }
    }
    if (!part_of.valid()) return {};
    return {Fate::Kind::kPart, part_of, {}};
  }

  // Behind a layer whose partner does more than itself: a bias, an activation that is fused there.
  void FindWhatDoesIt(LayerId id) {
    if (fate(id).kind != Fate::Kind::kSkipped || own_.HasMacs(id)) return;
    const LayerId doer = own_of_[fate(id).layer.index()];
    if (doer.valid() && Follows(id, doer) && DoesMore(fate(id).layer, doer) && DoesSomething(id))
      fate(id).kind = Fate::Kind::kPart;
  }
  // It reads the layer, or what is part of the same.
  bool Follows(LayerId id, LayerId doer) {
    for (const TensorId input : own_.node(id).inputs) {
      const LayerId maker = input.valid() ? own_.maker(input) : LayerId{};
      if (!maker.valid()) continue;
      const bool part =
          fate(maker).kind == Fate::Kind::kPart && fate(maker).layer == fate(id).layer;
      if (maker == doer || part) return true;
    }
    return false;
  }
  // What a layer does besides its MACs, by kind.
  static std::array<std::uint64_t, 4> Besides(const SideIndex& index, LayerId id) {
    const Counts& counts = index.side().layer(id).counts;
    return {index.DimKey(counts.bias_adds), index.DimKey(counts.elementwise),
            index.DimKey(counts.transcendental), index.DimKey(counts.comparisons)};
  }
  static bool DoesNothing(const std::array<std::uint64_t, 4>& besides, std::uint64_t zero) {
    return std::all_of(besides.begin(), besides.end(),
                       [zero](std::uint64_t key) { return key == zero; });
  }
  bool DoesMore(LayerId of_other, LayerId of_own) const {
    const auto besides = Besides(other_, of_other);
    return besides != Besides(own_, of_own) && !DoesNothing(besides, other_.DimKey(0));
  }
  bool DoesSomething(LayerId id) const { return !DoesNothing(Besides(own_, id), own_.DimKey(0)); }

  const SideIndex &own_, &other_;
  const std::vector<LayerId>&other_of_, &own_of_;
  std::vector<Fate> fates_;
};

std::vector<Fate> FatesOf(const SideIndex& own, const SideIndex& other,
                          const std::vector<LayerId>& other_of,
                          const std::vector<LayerId>& own_of) {
  return Fortune(own, other, other_of, own_of).Run();
}

}  // namespace

Fates FindFates(const SideIndex& a, const SideIndex& b, const LayerMatching& matching) {
  return {FatesOf(a, b, matching.b_of, matching.a_of), FatesOf(b, a, matching.a_of, matching.b_of)};
}

}  // namespace opscope
