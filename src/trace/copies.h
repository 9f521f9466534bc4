// Copies by direction and kind of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

struct CopyRow {
  std::string kind;    // "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"; else the event's own name
  std::string memory;  // of the host's side: "pageable", "pinned"; "device", "managed", "unknown"
  std::int64_t count = 0, bytes = 0, ns = 0;
  std::int64_t unsized = 0;  // copies that do not say how much
};
// By falling time.
std::vector<CopyRow> CopyRows(const Trace& trace, const std::vector<DeviceWork>& work);

// The same number of bytes to the device by the same op, again and again: a constant that could
// stay there. Only those that came three times or more, largest sum of bytes first.
struct RepeatedUpload {
  std::int64_t device = 0, bytes = 0, count = 0, ns = 0;
  Str op{0};
};
std::vector<RepeatedUpload> RepeatedUploads(const Trace& trace,
                                            const std::vector<DeviceWork>& work);

// "Memcpy HtoD (Pageable -> Device)" -> {"HtoD", "pageable"}.
struct CopyKind {
  std::string kind, memory;
};
CopyKind KindOfCopy(std::string_view name);

}  // namespace opscope
