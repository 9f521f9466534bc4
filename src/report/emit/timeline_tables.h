// The tables of a timeline, for every output for people: devices, steps, gaps, copies, kernels,
// ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opscope/document.h"
#include "report/emit/columns.h"

namespace opscope {

struct ShownTable {
  std::string_view heading;  // message id
  std::vector<FittedColumn> columns;
  std::vector<std::vector<std::string>> rows;
  std::int64_t left_out = 0;  // rows beyond `most`
};

// Tables without rows are left out. `most`: rows of the long ones. Names from the file stand as
// they are; each output escapes in its own way.
std::vector<ShownTable> TimelineTables(const doc::Timeline& timeline, std::size_t most,
                                       Language language);

}  // namespace opscope
