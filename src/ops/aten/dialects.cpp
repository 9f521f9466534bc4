#include <array>

#include "ops/aten/families.h"

namespace opscope::aten {

std::span<const Dialect> Dialects() {
  static const std::array kAten = {
      AttentionOps(), ConvOps(), CreateOps(), GatherOps(),   LinearOps(), MoveOps(),  NormOps(),
      PointwiseOps(), PoolOps(), ReduceOps(), ResampleOps(), RnnOps(),    SplitOps(), ViewOps()};
  static const std::array kHigherOrder = {ControlOps(), FlexOps()};
  static const std::array kOperator = {ScalarOps()};
  static const std::array kQuantisedDecomposed = {QuantisedOps()};
  static const std::array kTorchvision = {VisionOps()};
  static const std::array kDialects = {
      Dialect{"aten", kAten}, Dialect{"higher_order", kHigherOrder}, Dialect{"operator", kOperator},
      Dialect{"quantized_decomposed", kQuantisedDecomposed}, Dialect{"torchvision", kTorchvision}};
  return kDialects;
}

}  // namespace opscope::aten
