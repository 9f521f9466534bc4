// What threads called: the CUDA runtime and driver, the operating system; what the profiler itself
// cost.
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

void ReadCudaCalls(Importer& importer, std::string_view table) {
  importer.database().ForEach(
      table, {"start", "end", "globalTid", "correlationId", "nameId"}, [&](const Row& row) {
        const std::int64_t thread = row.Integer(2);
        importer.Add(importer.names().OfCall(row.Integer(4)),
                     importer.Thread(TrackKind::kThread, thread), EventKind::kApi, row.Integer(0),
                     row.Integer(1), importer.JoinOfCall(row.Integer(3), thread));
      });
}

void ReadPlain(Importer& importer, std::string_view table, TrackKind track, EventKind kind) {
  importer.database().ForEach(table, {"start", "end", "globalTid", "nameId"}, [&](const Row& row) {
    importer.Add(importer.names().Of(row.Integer(3)), importer.Thread(track, row.Integer(2)), kind,
                 row.Integer(0), row.Integer(1));
  });
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
