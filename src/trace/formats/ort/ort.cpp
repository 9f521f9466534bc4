#include <string>

#include "base/text.h"
#include "trace/formats/ort/builder.h"
#include "trace/formats/ort/event_texts.h"
#include "trace/formats/ort/format.h"

namespace opscope::ort {

namespace {

Parsed Parse(std::string_view text, Record& record) {
  const Parsed native = ParseNative(text, record);
  if (native.state != ParseState::kDamaged) return native;
  record = Record();
  return ParseJson(text, record);
}

void ReportCut(const EventText& event, std::uint64_t size, ImportLog& log, Trace& trace) {
  trace.cut_at = size;
  log.Add("trace.cut", Severity::kLoss, AtByte(size),
          "the file ends in the middle of the event that begins at byte " +
              std::to_string(event.offset) + "; the " + std::to_string(trace.size()) +
              " complete events before it are kept");
}

void ReportOpenEnd(std::uint64_t size, ImportLog& log, Trace& trace) {
  trace.cut_at = size;
  log.Add("trace.cut", Severity::kLoss, AtByte(size),
          "the list of events is not closed: the file was cut, or the program ended first; the " +
              std::to_string(trace.size()) + " complete events are kept");
}

// A comma before the closing bracket: other readers refuse the file.
void ReportTrailingComma(std::string_view tail, std::uint64_t offset, ImportLog& log) {
  const std::size_t comma = tail.find(',');
  const std::size_t bracket = tail.find(']');
  if (comma < bracket && tail.find_first_not_of(" \t\r\n", comma + 1) == bracket)
    log.Add("json-repaired", Severity::kNotice, AtByte(offset + comma),
            "a comma before the closing bracket");
}

// What stands after the last event: the end of the list, or of the file.
void CheckEnd(const EventText& event, std::size_t used, ImportLog& log, Trace& trace) {
  const std::string_view tail = event.text.substr(used);
  if (tail.find(']') == std::string_view::npos)
    ReportOpenEnd(trace.bytes, log, trace);
  else
    ReportTrailingComma(tail, event.offset + used, log);
}

}  // namespace

// A list of events, or an object around it: the first event has a category of the profiler.
TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const std::size_t first = FindEvent(prefix, 0);
  if (first == std::string_view::npos) return TraceMatch::kNo;
  Record record;
  const std::string_view text = prefix.substr(first, FindEvent(prefix, first + 1) - first);
  if (Parse(text, record).state == ParseState::kDamaged) return TraceMatch::kNo;
  for (const std::string_view category : {"Session", "Node", "Kernel", "Api"})
    if (record.category == category) return TraceMatch::kYes;
  return TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kOrtProfile.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "microseconds since profiling began";
  Builder builder(trace, context.log);
  EventTexts texts(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<EventText> event, texts.Next());
    if (!event) break;
    Record record;
    const Parsed parsed = Parse(event->text, record);
    if (event->last && parsed.state == ParseState::kTruncated) {
      ReportCut(*event, trace.bytes, context.log, trace);
      break;
    }
    if (parsed.state == ParseState::kOk)
      builder.Add(record, AtByte(event->offset));
    else
      context.log.Add("ort-profile.bad-event", Severity::kLoss, AtByte(event->offset),
                      "damaged event left out: " + Printable(event->text.substr(0, 80)));
    if (event->last) CheckEnd(*event, parsed.used, context.log, trace);
  }
  builder.Finish();
  return trace;
}

}  // namespace opscope::ort
