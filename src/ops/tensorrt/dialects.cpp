#include <array>

#include "ops/tensorrt/families.h"

namespace opscope::tensorrt {

std::span<const Dialect> Dialects() {
  static const std::array kTensorRt = {ComputeOps(), ElementOps()};
  static const std::array kDialects = {Dialect{"tensorrt", kTensorRt}};
  return kDialects;
}

}  // namespace opscope::tensorrt
