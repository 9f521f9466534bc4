#include <array>

#include "ops/ncnn/families.h"

namespace opscope::ncnn {

std::span<const Dialect> Dialects() {
  static const std::array kNcnn = {ConvOps(), ElementwiseOps(), MatMulOps(), NormOps(),
                                   PoolOps(), ReshapeOps(),     ShapeOps(),  VisionOps()};
  static const std::array kPnnx = {PlainOps(), TracedOps()};
  static const std::array kDialects = {Dialect{"ncnn", kNcnn}, Dialect{"pnnx", kPnnx}};
  return kDialects;
}

}  // namespace opscope::ncnn
