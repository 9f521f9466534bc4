#include <array>

#include "ops/transformer/families.h"

namespace opscope::transformer {

std::span<const Dialect> Dialects() {
  static const std::array kTransformer = {AttentionOps(), LinearOps()};
  static const std::array kDialects = {Dialect{"transformer", kTransformer}};
  return kDialects;
}

}  // namespace opscope::transformer
