// Sizes that a layer computes from those of its inputs.
#pragma once

#include <optional>
#include <string_view>

#include "ops/ncnn/params.h"

namespace opscope::ncnn {

// 6="1,1,//(8,0n),0n": sizes with the innermost first, each in front notation over numbers and the
// sizes of inputs ("0w" width of input 0; h, d, c; n = batch, which is 1). Outermost first here.
// Unknown sizes where a function is not followed; nullopt when the text is no such list.
std::optional<Dims> SizesOf(const OpContext& op, std::string_view list);

}  // namespace opscope::ncnn
