// The walk over all events of a trace in the Chrome form: pieces of the file cut where events begin
// are read on all cores; what simdjson refuses is read leniently; events arrive in file order.
//
// A cut is a guess (an object inside arguments may look like an event). It is checked: a piece that
// does not read as whole events is read again from where it stopped, event by event, until a place
// is reached at which another piece began. So the result is that of one reader from the first byte
// to the last, whatever the number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "base/import_log.h"
#include "base/result.h"
#include "base/source.h"
#include "base/string_pool.h"
#include "trace/formats/chrome/raw_event.h"

namespace opscope::chrome {

struct WalkOptions {
  std::uint64_t offset = 0;  // behind the bracket that opens the list
  int threads = 0;           // 0 = as many as there are cores
  bool args_of_ops = false;  // "Record function id"; else nobody reads an argument of an op
};

struct WalkEnd {
  std::uint64_t offset = 0;  // behind the bracket that closes the list, or the end of the file
  bool list_ended = false;
};

// Calls `take` with the events in file order; their strings are those of `strings`.
Result<WalkEnd> WalkEvents(Source& source, const WalkOptions& options, StringPool& strings,
                           ImportLog& log, const std::function<void(RawEvents&)>& take);

}  // namespace opscope::chrome
