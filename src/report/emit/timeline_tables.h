// The tables of a timeline, for every output for people: devices, steps, gaps, copies, kernels,
// ops.
#pragma once

#include <vector>

#include "opscope/document.h"
#include "report/emit/shown_table.h"

namespace opscope {

// Tables without rows are left out. `most`: rows of the long ones. Names from the file stand as
// they are; each output escapes in its own way.
std::vector<ShownTable> TimelineTables(const doc::Timeline& timeline, std::size_t most,
                                       Language language);

}  // namespace opscope
