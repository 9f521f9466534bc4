#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "trace/formats/nsys/format.h"
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

// A table of events, any of them, makes a file one of Nsight Systems.
constexpr std::array<std::string_view, 8> kEventTables = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                                          "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                          "CUPTI_ACTIVITY_KIND_MEMSET",
                                                          "CUPTI_ACTIVITY_KIND_RUNTIME",
                                                          "CUPTI_ACTIVITY_KIND_DRIVER",
                                                          "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                          "NVTX_EVENTS",
                                                          "OSRT_API"};

constexpr std::string_view kExport = "nsys export --type sqlite --output run.sqlite run.nsys-rep";

Error NothingHere(const Database& database) {
  if (database.Has("StringTable"))
    return Error{"trace.unknown-format",
                 "a database of nvprof or the Visual Profiler, which this build does not read; "
                 "record again with `nsys profile --trace cuda,nvtx --output run COMMAND` and " +
                     std::string(kExport),
                 ""};
  if (database.Has("StringIds") || database.Has("META_DATA_EXPORT"))
    return Error{"nsys.no-activity",
                 "the export holds no CUDA work and no ranges: the program used no GPU, or the "
                 "recording was made without `--trace cuda,nvtx`",
                 ""};
  return Error{
      "trace.unknown-format",
      "a SQLite database without the tables of Nsight Systems; made with: " + std::string(kExport),
      ""};
}

Trace Begin(const TraceReadContext& context) {
  Trace trace;
  trace.format = kNsysExport.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "nanoseconds since the recording began; wall clock = recording base + time";
  trace.whole_program = true;
  return trace;
}

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  return prefix.starts_with(kMagic) ? TraceMatch::kYes : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  TRY_ASSIGN(const auto database, Database::Open(context.source, context.log));
  if (std::none_of(kEventTables.begin(), kEventTables.end(),
                   [&](std::string_view table) { return database->Has(table); }))
    return NothingHere(*database);
  Trace trace = Begin(context);
  if (database->claimed_size() > trace.bytes) trace.cut_at = trace.bytes;
  Importer importer(*database, trace, context.log);
  ReadRecording(importer);
  ReadCalls(importer);
  ReadDeviceWork(importer);
  ReadRanges(importer);
  importer.Finish();
  if (trace.size() == 0) return NothingHere(*database);
  FinishScopes(trace);
  return trace;
}

}  // namespace opscope::nsys
