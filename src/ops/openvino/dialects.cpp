#include <array>

#include "ops/openvino/families.h"

namespace opscope::openvino {

std::span<const Dialect> Dialects() {
  static const std::array kOpenVino = {
      AttentionOps(), ControlOps(), ConvOps(),  DetectionOps(),     ElementwiseOps(),
      GatherOps(),    MatMulOps(),  MoveOps(),  NormalisationOps(), PoolOps(),
      ReduceOps(),    RnnOps(),     ShapeOps(), SignalOps()};
  static const std::array kOpenVinoExecuted = {ExecutedOps()};
  static const std::array kDialects = {Dialect{"openvino", kOpenVino},
                                       Dialect{"openvino.executed", kOpenVinoExecuted}};
  return kDialects;
}

}  // namespace opscope::openvino
