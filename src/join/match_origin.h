// Anchors of rows whose format says outright what of the model they are (RowOrigin).
#pragma once

#include "join/match.h"
#include "trace/runtime_profile.h"

namespace opscope {

// Sets kind, method, confidence and because of the rows, which are those of `profile`. `engine`:
// the layers that ran, where the engine's own list is at hand (TensorRT's layer information): what
// it names goes before what a row's own name says. May be null.
Matches MatchOrigins(const ModelIndex& index, const RuntimeProfile& profile, const Model* engine,
                     RowTable& table);

}  // namespace opscope
