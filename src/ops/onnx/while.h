// Loops of a condition and a body that hand on all their values, and bodies that take an operator's
// inputs one by one: TFLite's and Core ML's way of control flow.
#pragma once

#include <cstddef>
#include <string_view>

#include "ops/op.h"

namespace opscope::onnx {

Result<GraphId> BodyOf(const OpContext& op, std::string_view attribute);
// Hands inputs `first` … to a body.
Result<void> Enter(OpContext& op, GraphId body, std::size_t first);
// Bodies "cond" and "body". A condition that is known each time is followed trip by trip; else the
// trips are a symbol.
Result<void> InferWhile(OpContext& op);

}  // namespace opscope::onnx
