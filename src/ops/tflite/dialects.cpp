#include <array>

#include "ops/tflite/families.h"

namespace opscope::tflite {

std::span<const Dialect> Dialects() {
  static const std::array kTflite = {
      BinaryOps(), ControlOps(), ConvOps(),  MatMulOps(), MoveOps(),      NamedOps(), PoolOps(),
      ReduceOps(), RnnOps(),     ShapeOps(), SliceOps(),  StableHloOps(), UnaryOps()};
  static const std::array kTfliteCustom = {CustomOps()};
  static const std::array kDialects = {Dialect{"tflite", kTflite},
                                       Dialect{"tflite.custom", kTfliteCustom}};
  return kDialects;
}

}  // namespace opscope::tflite
