// A file that ends early, or is damaged on the way, keeps what was read before.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "trace/formats/format.h"

namespace opscope {

// The error itself when nothing was read; else a loss in the log under `code`, and `cut_at` where
// the file ends in the middle.
inline Result<void> KeepRead(Result<void> read, bool nothing_read, const char* code,
                             const TraceReadContext& context, Trace& trace) {
  if (read.has_value()) return {};
  if (nothing_read) return read;
  if (read.error().code == "json.truncated") trace.cut_at = context.source.size();
  context.log.Add(code, Severity::kLoss, read.error().place,
                  "what follows is not read: " + read.error().message);
  return {};
}

}  // namespace opscope
