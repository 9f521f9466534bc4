// What a model with attention asks for, as labelled values.
#pragma once

#include <vector>

#include "report/emit/facts.h"

namespace opscope {

// Empty for a model without attention.
std::vector<Fact> LlmFacts(const doc::Static& part, Language language);

}  // namespace opscope
