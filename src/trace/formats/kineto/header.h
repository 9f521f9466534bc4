// What stands around the list of events: the recording's facts, before the list and behind it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/import_log.h"
#include "base/result.h"
#include "base/source.h"
#include "trace/trace.h"

namespace opscope::kineto {

struct Header {
  std::uint64_t events_at = 0;  // behind the bracket that opens the list
  bool bare = false;            // the file is the list
};

// Errors: trace.no-events when the file has no list of events.
Result<Header> ReadHeader(Source& source, Trace& trace, ImportLog& log);
// The keys behind the list, whose bracket ends at `offset`.
Result<void> ReadTrailer(Source& source, std::uint64_t offset, Trace& trace, ImportLog& log);

}  // namespace opscope::kineto
