// Traces as readable text: one event a line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"
#include "trace/formats/format.h"
#include "trace/trace.h"

namespace opscope::test {

// "op    aten::add          1 [1000, 3500) corr 7", children indented below what holds them, then a
// line for every issue of the log.
inline std::string TraceText(const Trace& trace, const ImportLog& log) {
  std::string out;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    for (EventId up = trace.parent_of(event); up.valid(); up = trace.parent_of(up.index()))
      out += "  ";
    const Track& track = trace.tracks[trace.track[event]];
    out += std::string(Name(trace.kind[event])) + " " + std::string(trace.name_of(event)) + " " +
           std::to_string(track.pid) + "/" + std::to_string(track.tid) + " [" +
           std::to_string(trace.begin[event]) + ", " + std::to_string(trace.end[event]) + ")";
    if (!trace.correlation.empty() && trace.correlation[event] >= 0)
      out += " corr " + std::to_string(trace.correlation[event]);
    out += "\n";
  }
  for (const ImportIssue& issue : log.issues())
    out += "! " + issue.code + " x" + std::to_string(issue.count) + " " + issue.where + "\n";
  return out;
}

inline std::string ReadTraceText(std::string_view text, int threads = 1) {
  Source source = Source::FromBytes("t.json", std::string(text));
  ImportLog log;
  const auto trace = ReadTrace({source, log, threads});
  return trace.has_value() ? TraceText(*trace, log) : trace.error().code + "\n";
}

}  // namespace opscope::test
