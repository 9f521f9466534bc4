// Attributes of sliding windows, as ai.onnx spells them.
#pragma once

#include "ops/openvino/common.h"

namespace opscope::openvino {

// strides, dilations, pads_begin + pads_end, auto_pad, kernel -> those of ai.onnx.
void SetWindow(const OpContext& op, AsOnnx& as);

}  // namespace opscope::openvino
