// The order in which rows ran, from the order in which they were printed.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/formats/tflite_profile/op_row.h"

namespace opscope::tflite_profile {

// "Run Order" tables are sorted by k = rows - run_order as *text* of width 20, largest first, and
// run_order counts what runs inside delegates as well, so that k becomes negative. Printed are
// therefore: k <= -10 (last op first), k >= 10, -9 .. -1 (last first), 9 .. 0. `inner` is how many
// events ran inside delegates in one run; with none the order is right as printed.
//
// Of the ways to cut the list into these four parts, those that the counts allow, the one is taken
// in which indices of nodes fall least often; of several the one with most rows behind a delegate.
// Rows that carry a start time are sorted by it.
std::vector<OpRow> InRunOrder(std::vector<OpRow> printed, std::int64_t inner);

// The same for the rows inside delegates, whose indices count from 0 in each delegate.
std::vector<OpRow> InnerInRunOrder(std::vector<OpRow> printed);

}  // namespace opscope::tflite_profile
