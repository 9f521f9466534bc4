// From the inputs a model declares to the arrays it is run with.
#pragma once

#include <vector>

#include "base/result.h"
#include "engines/common/engine.h"
#include "engines/common/inputs.h"

namespace opscope::child {

// Arrays in the order of `inputs`, whose run_shape and fill are set: from request.inputs (an .npz)
// when it is given, else made by type. Errors: "refused" (an input that is no tensor), "shape"
// (names every dim without a value), "option" (a shape or values for an input that is not there, or
// a shape that does not fit), "input" (an array that does not fit, or is missing).
Result<std::vector<Array>> BindInputs(std::vector<Value>& inputs, const LoadRequest& request);

}  // namespace opscope::child
