// Anchors of rows whose format says outright what of the model they are (origin.h).
#pragma once

#include <vector>

#include "join/match.h"
#include "join/origin.h"

namespace opscope {

// Sets kind, method, confidence and because of the rows; `origins` are of the same index.
Matches MatchOrigins(const ModelIndex& index, const std::vector<RowOrigin>& origins,
                     RowTable& table);

}  // namespace opscope
