#include <array>

#include "trace/export/chrome.h"
#include "trace/export/export.h"
#include "trace/export/folded.h"
#include "trace/export/speedscope.h"

namespace opscope {

namespace {

constexpr std::array<TraceExport, 3> kExports = {{
    {".trace.json", "Chrome trace, for Perfetto and chrome://tracing", WriteChromeTrace},
    {".speedscope.json", "speedscope", WriteSpeedscope},
    {".folded", "folded stacks with self time in nanoseconds, for flame graphs", WriteFolded},
}};

}  // namespace

std::span<const TraceExport> TraceExports() { return kExports; }

const TraceExport* TraceExportForFile(std::string_view file_name) {
  for (const TraceExport& form : kExports)
    if (file_name.ends_with(form.ending)) return &form;
  return nullptr;
}

}  // namespace opscope
