// PartnerTensors: which tensors of two models are the same, from the layers that read them.

#include <algorithm>

#include "compare/steps.h"

namespace opscope {

namespace {

// How many of its inputs are no constants.
std::size_t DataInputs(const SideIndex& index, LayerId id) {
  const Model& model = *index.side().model;
  std::size_t count = 0;
  for (const TensorId input : index.node(id).inputs) {
    if (!input.valid() || model.tensor(input).payload.valid()) continue;
    const LayerId maker = index.maker(input);
    if (!maker.valid() || !index.is_constant_node(maker)) ++count;
  }
  return count;
}

// The op was replaced by one that reads other things: attention for the last of its products.
bool ReadOtherThings(const SideIndex& own, LayerId id, const SideIndex& other, LayerId partner) {
  return own.op(id) != other.op(partner) && DataInputs(own, id) != DataInputs(other, partner);
}

}  // namespace

std::vector<TensorId> PartnerTensors(const SideIndex& own, const SideIndex& other,
                                     const std::vector<LayerId>& partner_of) {
  std::vector<TensorId> out(own.side().model->tensors.size());
  const auto join = [&out](const std::vector<TensorId>& from, const std::vector<TensorId>& to) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
      if (from[i].valid() && to[i].valid() && !out[from[i].index()].valid())
        out[from[i].index()] = to[i];
  };
  for (std::uint32_t i = 0; i < partner_of.size(); ++i)
    if (partner_of[i].valid() && !ReadOtherThings(own, {i}, other, partner_of[i]))
      join(own.node({i}).inputs, other.node(partner_of[i]).inputs);
  const std::vector<TensorId>& outputs = own.side().model->main().outputs;
  const std::vector<TensorId>& others = other.side().model->main().outputs;
  if (outputs.size() == others.size()) join(outputs, others);
  return out;
}

}  // namespace opscope
