// Ops of other dialects that are ops of ai.onnx under another name, with inputs in the same order.
#pragma once

#include <string_view>

#include "ops/op.h"

namespace opscope::onnx {

// The rules of the newest version of an op.
Result<void> InferAs(OpContext& op, std::string_view name);
Work WorkAs(const OpContext& op, std::string_view name);
// Of the op that the entry is like.
Result<void> InferAsLike(OpContext& op);

}  // namespace opscope::onnx
