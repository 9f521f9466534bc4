// FindFates: what stands in the place of layers without a partner, from the tensors that matched
// layers read on both sides.

#include <algorithm>

#include "compare/steps.h"

namespace opscope {

namespace {

// By TensorId of one model: the tensor of the other one that the same layers read at the same
// input, or that is the same output of the model.
std::vector<TensorId> Partners(const Side& own, const Side& other,
                               const std::vector<LayerId>& partner_of) {
  std::vector<TensorId> out(own.model->tensors.size());
  const auto join = [&out](const std::vector<TensorId>& from, const std::vector<TensorId>& to) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
      if (from[i].valid() && to[i].valid() && !out[from[i].index()].valid())
        out[from[i].index()] = to[i];
  };
  for (std::uint32_t i = 0; i < partner_of.size(); ++i)
    if (partner_of[i].valid()) join(own.node({i}).inputs, other.node(partner_of[i]).inputs);
  if (own.model->main().outputs.size() == other.model->main().outputs.size())
    join(own.model->main().outputs, other.model->main().outputs);
  return out;
}

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

// `other_of`: partners of the own layers; `own_of`: of the other model's.
std::vector<Fate> FatesOf(const SideIndex& own, const SideIndex& other,
                          const std::vector<LayerId>& other_of,
                          const std::vector<LayerId>& own_of) {
  const std::vector<TensorId> partners = Partners(own.side(), other.side(), other_of);
  std::vector<Fate> fates(own.layers());
  const std::vector<LayerId>& order = own.in_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    if (other_of[order[i].index()].valid()) continue;
    Fate& fate = fates[order[i].index()];
    for (const TensorId output : own.node(order[i]).outputs) {
      if (!output.valid() || fate.kind != Fate::Kind::kUnknown) continue;
      if (partners[output.index()].valid()) {
        fate = FateOf(other, own_of, partners[output.index()]);
        continue;
      }
      // Read by others that went as well: what became of them became of it.
      for (const Reader& reader : own.readers(output))
        if (fate.kind == Fate::Kind::kUnknown) fate = fates[reader.layer.index()];
    }
  }
  return fates;
}

}  // namespace

Fates FindFates(const SideIndex& a, const SideIndex& b, const LayerMatching& matching) {
  return {FatesOf(a, b, matching.b_of, matching.a_of), FatesOf(b, a, matching.a_of, matching.b_of)};
}

}  // namespace opscope
