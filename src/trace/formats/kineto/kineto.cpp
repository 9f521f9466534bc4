#include <array>
#include <string>
#include <string_view>

#include "trace/formats/chrome/walk.h"
#include "trace/formats/kineto/builder.h"
#include "trace/formats/kineto/format.h"
#include "trace/formats/kineto/header.h"

namespace opscope::kineto {

namespace {

// What only this profiler writes: keys of the head, or categories of events.
constexpr std::array<std::string_view, 15> kSigns = {
    "\"baseTimeNanoseconds\"", "\"deviceProperties\"",   "\"cpu_op\"",         "\"Operator\"",
    "\"user_annotation\"",     "\"python_function\"",    "\"cuda_runtime\"",   "\"gpu_memcpy\"",
    "\"ProfilerStep#",         "\"Record function id\"", "\"PyTorch Profiler", "\"cpu_to_cuda\"",
    "\"CPU functions\"",       "\"cpu_instant_event\"",  "\"torch_version\""};

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const std::size_t first = prefix.find_first_of("{[");
  if (first == std::string_view::npos) return TraceMatch::kNo;
  for (const std::string_view sign : kSigns)
    if (prefix.find(sign) != std::string_view::npos) return TraceMatch::kYes;
  return prefix.find("\"traceEvents\"") != std::string_view::npos ? TraceMatch::kMaybe
                                                                  : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kKinetoTrace.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "nanoseconds; wall clock = recording base + time";
  trace.producer.name = "pytorch";
  trace.whole_program = true;
  TRY_ASSIGN(const Header header, ReadHeader(context.source, trace, context.log));
  Builder builder(trace, context.log, context.records);
  TRY_ASSIGN(
      const chrome::WalkEnd end,
      chrome::WalkEvents(context.source, {header.events_at, context.threads, context.records},
                         trace.strings, context.log,
                         [&](chrome::RawEvents& batch) { builder.Add(batch); }));
  if (!end.list_ended) trace.cut_at = trace.bytes;
  if (end.list_ended && !header.bare)
    TRY(ReadTrailer(context.source, end.offset, trace, context.log));
  builder.Finish();
  return trace;
}

}  // namespace opscope::kineto
