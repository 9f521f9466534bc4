// Turns records into the events of a trace and keeps what tells the recorder's version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "base/string_pool.h"
#include "trace/formats/ort/record.h"
#include "trace/trace.h"

namespace opscope::ort {

class Builder {
 public:
  Builder(Trace& trace, ImportLog& log) : trace_(&trace), builder_(trace), log_(&log) {}

  // `place` names the event for messages: "byte 10233".
  void Add(const Record& record, const std::string& place);
  // Producer, flags, sorting and nesting. Call once, after the last event.
  void Finish();

 private:
  EventKind KindOf(const Record& record) const;
  TrackId TrackOf(const Record& record);
  ArgsId ArgsOf(const Record& record);
  Str Types(std::string_view array);
  void Note(const Record& record, EventKind kind);
  Producer Sniff() const;

  Trace* trace_;
  TraceBuilder builder_;
  ImportLog* log_;
  StringPool arrays_;        // type-and-shape arrays as they stand in the file …
  std::vector<Str> types_;   // … and what they were translated to, by their Str
  std::int64_t events_ = 0;  // in the file, the bad ones too
  bool has_session_ = false, has_run_ = false, has_node_ = false;
  bool has_fences_ = false, has_graph_index_ = false, has_node_index_ = false;
  bool has_types_ = false, has_memory_ = false;
};

}  // namespace opscope::ort
