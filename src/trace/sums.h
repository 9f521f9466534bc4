// Tables of a file that holds sums and no events, in the order in which they are shown.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace opscope {

struct SumTables {
  std::vector<SumRow> ops;        // ops, functions and calls of threads, a row a name
  std::vector<SumRow> op_shapes;  // the same by shapes, where the file tells them
  std::vector<SumRow> kernels;
  std::vector<SumRow> copies;  // and memsets
  std::vector<SumRow> ranges;
};

// Rows of one name become one; a number that one of them leaves out is left out of the sum's row.
// Each table by falling device time, then CPU time, then name.
SumTables SumByName(const Trace& trace);

}  // namespace opscope
