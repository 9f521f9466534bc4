#include <array>

#include "ops/coreml/families.h"

namespace opscope::coreml {

std::span<const Dialect> Dialects() {
  static const std::array kCoreMl = {ModelOps(), ProgramControlOps(), ProgramMathOps(),
                                     ProgramPlainOps()};
  static const std::array kCoreMlLayers = {LayerMathOps(), LayerMoveOps(), LayerPlainOps(),
                                           LayerSliceOps(), LayerWindowOps()};
  static const std::array kDialects = {Dialect{"coreml", kCoreMl},
                                       Dialect{"coreml.nn", kCoreMlLayers}};
  return kDialects;
}

}  // namespace opscope::coreml
