#include <array>

#include "ops/contrib/families.h"

namespace opscope::contrib {

std::span<const Dialect> Dialects() {
  static const std::array kMicrosoft = {
      AttentionOps(), CacheAttentionOps(), ConvOps(),     DecodeOps(), ElementwiseOps(),
      ExpertOps(),    MatMulOps(),         MoveOps(),     NBitsOps(),  NamedOps(),
      NormOps(),      PoolOps(),           QuantiseOps(), StateOps()};
  static const std::array kNchwc = {NchwcOps()};
  static const std::array kNhwc = {NhwcOps()};
  static const std::array kDialects = {Dialect{"com.microsoft", kMicrosoft},
                                       Dialect{"com.microsoft.nchwc", kNchwc},
                                       Dialect{"com.ms.internal.nhwc", kNhwc}};
  return kDialects;
}

}  // namespace opscope::contrib
