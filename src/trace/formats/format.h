// The interface of trace readers: one constexpr struct of functions a format, one line in
// registry.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/import_log.h"
#include "base/source.h"
#include "trace/trace.h"

namespace opscope {

struct TraceReadContext {
  Source& source;
  ImportLog& log;
  int threads = 0;       // for formats that are read on several; 0 = as many as there are cores
  bool records = false;  // Trace::record is wanted: an execution trace will be joined
};

enum class TraceMatch : std::uint8_t { kNo, kMaybe, kYes };

struct TraceFormatInfo {
  std::string_view id;       // "ort-profile"
  std::string_view title;    // "ONNX Runtime profile"
  std::string_view endings;  // ".json": a hint for people, never used to decide
  std::string_view what;     // what is read of it, one line
};

struct TraceFormat {
  TraceFormatInfo info;
  // prefix: the first 64 KiB at most; size: of the whole input. Looks at content: first keys.
  TraceMatch (*probe)(std::string_view prefix, std::uint64_t size);
  // The trace is finished: sorted and nested.
  Result<Trace> (*read)(const TraceReadContext& context);
};

// All formats, in order of precedence.
std::span<const TraceFormat> TraceFormats();

// Finds the format by content (or `as`, when not empty) and reads. Exactly one yes wins; without
// one the first maybe wins and the log says so. Errors: trace.empty (0 bytes: the session was not
// ended), trace.unknown-format (what it looks like, and the way out), trace.ambiguous (lists
// them), trace.format-name (unknown `as`), and those of the reader.
Result<Trace> ReadTrace(const TraceReadContext& context, std::string_view as = "");

}  // namespace opscope
