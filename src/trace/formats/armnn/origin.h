// What of the model a workload of Arm NN is.
#pragma once

#include <string_view>

#include "trace/runtime_profile.h"

namespace opscope::armnn {

// "Convolution2d", "SoftmaxUint8"; empty: no workload.
RowOrigin OriginOf(std::string_view workload);

}  // namespace opscope::armnn
