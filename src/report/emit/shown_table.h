// A table as every output for people shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/emit/columns.h"

namespace opscope {

struct ShownTable {
  std::string_view heading;  // message id; empty = none
  std::vector<FittedColumn> columns;
  std::vector<std::vector<std::string>> rows;
  std::int64_t left_out = 0;  // rows beyond a limit
};

}  // namespace opscope
