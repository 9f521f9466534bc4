// Layers of OpenVINO's execution graph: the names of the nodes they began as, with what its front
// ends put behind them ("conv1/WithoutBiases").
#include <array>

#include "join/origin_rules.h"

namespace opscope {

RowOrigin OpenvinoOrigin(const OriginContext& context, const RuntimeRow& row) {
  RowOrigin origin;
  if (context.text(row.op) == "Reorder") {
    origin.made = "changes the layout or type of a tensor";
    return origin;
  }
  const std::string_view name = context.text(row.name);
  origin.nodes = context.Listed(name);
  if (!origin.nodes.empty()) return origin;
  // A node without a name is called after the tensor it writes.
  origin.outputs.emplace_back(name);
  for (const std::string_view end : {"/WithoutBiases", "/DequantizationMultiply", "/Add"})
    if (name.ends_with(end)) {
      origin.nodes.emplace_back(name.substr(0, name.size() - end.size()));
      origin.outputs.push_back(origin.nodes.back());
    }
  return origin;
}

}  // namespace opscope
