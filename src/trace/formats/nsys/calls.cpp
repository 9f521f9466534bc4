// What threads called: the CUDA runtime and driver, the operating system; what the profiler itself
// cost.
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

void ReadCudaCalls(Importer& importer, std::string_view table) {
  Rows rows =
      importer.database().Select(table, {"start", "end", "globalTid", "correlationId", "nameId"});
  while (rows.Next()) {
    const std::int64_t thread = rows.Integer(2);
    importer.Add(importer.names().OfCall(rows.Integer(4)),
                 importer.Thread(TrackKind::kThread, thread), EventKind::kApi, rows.Integer(0),
                 rows.Integer(1), importer.JoinOfCall(rows.Integer(3), thread));
  }
}

void ReadPlain(Importer& importer, std::string_view table, TrackKind track, EventKind kind) {
  Rows rows = importer.database().Select(table, {"start", "end", "globalTid", "nameId"});
  while (rows.Next())
    importer.Add(importer.names().Of(rows.Integer(3)), importer.Thread(track, rows.Integer(2)),
                 kind, rows.Integer(0), rows.Integer(1));
}

}  // namespace

void ReadCalls(Importer& importer) {
  ReadCudaCalls(importer, "CUPTI_ACTIVITY_KIND_RUNTIME");
  ReadCudaCalls(importer, "CUPTI_ACTIVITY_KIND_DRIVER");
  ReadPlain(importer, "OSRT_API", TrackKind::kRanges, EventKind::kSystem);
  ReadPlain(importer, "PROFILER_OVERHEAD", TrackKind::kRanges, EventKind::kOverhead);
  ReadPlain(importer, "CUPTI_ACTIVITY_KIND_OVERHEAD", TrackKind::kRanges, EventKind::kOverhead);
}

}  // namespace opscope::nsys
