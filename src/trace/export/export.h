// Traces for other viewers. One constexpr struct a form, one line in registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "base/sink.h"
#include "trace/trace.h"

namespace opscope {

struct TraceExport {
  std::string_view ending;  // ".trace.json": what -o FILE takes
  std::string_view title;
  // The caller finishes the sink.
  Result<void> (*write)(const Trace& trace, Sink& sink);
};

std::span<const TraceExport> TraceExports();
// By the end of the name; nullptr: none.
const TraceExport* TraceExportForFile(std::string_view file_name);

}  // namespace opscope
