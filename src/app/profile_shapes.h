// Input shapes that a profile shows: a model with free dims was run with some size, and the
// profile's first rows tell which.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "trace/trace.h"

namespace opscope {

// For every input with free dims: the dims of the first op in time one of whose inputs has the
// input's dtype and rank and agrees with its fixed dims. Inputs that no row shows are left out.
std::map<std::string, std::vector<std::int64_t>> ShapesFromProfile(const Model& model,
                                                                   const Trace& trace);

}  // namespace opscope
