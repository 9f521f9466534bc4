// What the user said of the inputs' shapes: --bind N=1 and --shape x=1x3x224x224.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ops/propagate.h"

namespace opscope {

// A dim that the file fixes and --shape gives another number.
struct ReplacedDim {
  std::string input;
  std::size_t axis = 0;
  std::int64_t in_file = 0, given = 0;
};

struct InputShapes {
  Bindings bindings;                                 // also those that follow from --shape
  std::vector<std::pair<TensorId, Shape>> by_input;  // of the model's own inputs, bound
  std::vector<ReplacedDim> replaced;
};

// Errors: usage.shape, usage.bind (a value below 0, or two values for one symbol).
Result<InputShapes> ReadInputShapes(Model& model, const PropagateOptions& options);

// usage.bind when a binding names a symbol that neither a declared type has nor is `computed`.
Result<void> CheckBindings(const Model& model, const Bindings& bindings,
                           std::span<const std::string> computed);

}  // namespace opscope
