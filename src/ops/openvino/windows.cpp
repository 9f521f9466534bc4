#include "ops/openvino/windows.h"

#include <string>
#include <utility>

namespace opscope::openvino {

void SetWindow(const OpContext& op, AsOnnx& as) {
  constexpr std::pair<std::string_view, std::string_view> kPads[] = {
      {"same_upper", "SAME_UPPER"}, {"same_lower", "SAME_LOWER"}, {"valid", "VALID"}};
  std::string auto_pad = "NOTSET";
  const std::string_view stated = op.String("auto_pad").value_or("explicit");
  for (const auto& [name, standard] : kPads)
    if (name == stated) auto_pad = standard;
  if (auto_pad == "NOTSET") {
    auto pads = ListAttribute(op, "pads_begin");
    const auto ends = ListAttribute(op, "pads_end");
    if (pads && ends) {
      pads->insert(pads->end(), ends->begin(), ends->end());
      as.Set("pads", std::move(*pads));
    }
  }
  as.Set("auto_pad", std::move(auto_pad));
  as.RenameList("strides", "strides").RenameList("dilations", "dilations");
  as.RenameList("kernel", "kernel_shape");
}

}  // namespace opscope::openvino
