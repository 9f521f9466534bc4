#include "model/formats/pt2/state_dict.h"

namespace opscope::pt2 {

Result<void> ReadStateDicts(Source&, const aten::Archive&, ImportLog&,
                            std::unordered_map<std::string, Payload>&) {
  return {};
}

}  // namespace opscope::pt2
