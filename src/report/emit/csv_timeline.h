// The tables of a timeline as comma-separated text.
#pragma once

#include "base/sink.h"
#include "opscope/document.h"

namespace opscope {

// Each table behind an empty line, with a header of its own whose first cell is "table"; the first
// cell of its rows is the table's name. Nothing for a run without a timeline.
void TimelineCsv(const doc::Run& run, Sink& sink);

}  // namespace opscope
