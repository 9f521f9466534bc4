// What the families of TensorRT share.
#pragma once

#include <string>
#include <string_view>

#include "ops/onnx/common.h"

namespace opscope::tensorrt {

// Outputs own their bytes and are what the file declares.
Result<void> InferDeclared(OpContext& op);

// The product of a list ("Kernel": [3,3]), of `key` or of "Conv" + key; unknown when it is absent.
Dim ProductOfList(const OpContext& op, std::string_view key);

// The op of ai.onnx for TensorRT's name of an activation or operation ("RELU", "kSUM"); empty for
// none and for what is not known.
std::string_view StandardName(std::string_view name);

}  // namespace opscope::tensorrt
