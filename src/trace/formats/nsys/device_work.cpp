// Kernels, copies, memsets, waits and graph launches.
#include <array>
#include <limits>
#include <string>

#include "base/checked.h"
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

// Where the columns stand that all these tables have; a table's own follow.
enum Common : std::size_t { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kPid, kOwn };

struct Place {
  TrackId track;
  DeviceArgs args;
  std::int64_t gpu = 0;
};

Place PlaceOf(Importer& importer, const Row& row) {
  const std::int64_t pid = row.Integer(kPid);
  const std::int64_t device = row.Integer(kDevice), stream = row.Integer(kStream);
  Place place;
  place.gpu = importer.Gpu(device == kNone ? 0 : device, pid);
  place.track = importer.Stream(place.gpu, stream == kNone ? 0 : stream, pid);
  place.args.device = Int32OrUnknown(place.gpu);
  place.args.stream = Int32OrUnknown(stream);
  place.args.context = Int32OrUnknown(row.Integer(kContext));
  return place;
}

void Add(Importer& importer, const Row& row, Str name, EventKind kind, const Place& place) {
  importer.Add(name, place.track, kind, row.Integer(kStart), row.Integer(kEnd),
               importer.JoinOfWork(row.Integer(kCorrelation), row.Integer(kPid)),
               importer.AddDeviceArgs(place.args));
}

// -1 where the file does not say how many multiprocessors the GPU has.
std::int64_t BlocksPerMultiprocessor(const Trace& trace, const Place& place) {
  constexpr std::int64_t kMillionths = 1'000'000;
  for (const DeviceInfo& gpu : trace.recording.devices) {
    if (gpu.id != place.gpu || gpu.multiprocessors <= 0) continue;
    auto blocks = std::optional(kMillionths);
    for (const std::int32_t extent : place.args.grid)
      blocks = blocks && extent >= 0 ? CheckedMul(*blocks, std::int64_t{extent}) : std::nullopt;
    return blocks ? *blocks / gpu.multiprocessors : -1;
  }
  return -1;
}

void ReadKernels(Importer& importer) {
  importer.database().ForEach(
      "CUPTI_ACTIVITY_KIND_KERNEL",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
       "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"},
      [&](const Row& row) {
        Place place = PlaceOf(importer, row);
        Str name{0};
        for (std::size_t i = 0; i < 3 && name.value == 0; ++i)
          name = importer.names().Of(row.Integer(kOwn + i));
        for (std::size_t i = 0; i < 3; ++i) {
          place.args.grid[i] = Int32OrUnknown(row.Integer(kOwn + 3 + i));
          place.args.block[i] = Int32OrUnknown(row.Integer(kOwn + 6 + i));
        }
        place.args.registers = Int32OrUnknown(row.Integer(kOwn + 9));
        const std::int32_t fixed = Int32OrUnknown(row.Integer(kOwn + 10));
        const std::int32_t asked = Int32OrUnknown(row.Integer(kOwn + 11));
        if (fixed >= 0 && asked >= 0)
          place.args.shared_memory = Int32OrUnknown(std::int64_t{fixed} + std::int64_t{asked});
        place.args.blocks_per_sm_millionths = BlocksPerMultiprocessor(importer.trace(), place);
        Add(importer, row, name, EventKind::kKernel, place);
      });
}

constexpr std::array<std::string_view, 14> kDirections = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                          "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                          "PtoP",    "HtoD", "DtoH", "DtoD"};
constexpr std::int64_t kFirstUnified = 11;
constexpr std::array<std::string_view, 8> kMemories = {"Pageable",       "Pinned",  "Device",
                                                       "Array",          "Managed", "Device Static",
                                                       "Managed Static", "Unknown"};

template <std::size_t kSize>
std::string_view WordOf(const std::array<std::string_view, kSize>& words, std::int64_t index) {
  return index < 0 || index >= static_cast<std::int64_t>(kSize)
             ? std::string_view("Unknown")
             : words[static_cast<std::size_t>(index)];
}

// As PyTorch writes it: "Memcpy HtoD (Pageable -> Device)". Pages that unified memory moves have
// managed memory on both sides, whatever the columns say.
std::string CopyName(std::int64_t kind, std::int64_t from, std::int64_t to) {
  std::string name = "Memcpy " + std::string(WordOf(kDirections, kind));
  if (kind >= kFirstUnified && kind < static_cast<std::int64_t>(kDirections.size()))
    return name + " (Managed, unified memory)";
  if (from == kNone && to == kNone) return name;
  return name + " (" + std::string(WordOf(kMemories, from)) + " -> " +
         std::string(WordOf(kMemories, to)) + ")";
}

void ReadCopies(Importer& importer) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Str> names;
  importer.database().ForEach(
      "CUPTI_ACTIVITY_KIND_MEMCPY",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
       "copyKind", "srcKind", "dstKind"},
      [&](const Row& row) {
        const std::tuple kind(row.Integer(kOwn + 1), row.Integer(kOwn + 2), row.Integer(kOwn + 3));
        const auto [name, is_new] = names.try_emplace(kind, Str{0});
        if (is_new) name->second = importer.trace().strings.Intern(std::apply(CopyName, kind));
        Place place = PlaceOf(importer, row);
        const std::int64_t bytes = row.Integer(kOwn);
        place.args.bytes = bytes < 0 ? -1 : bytes;
        Add(importer, row, name->second, EventKind::kCopy, place);
      });
}

void ReadMemsets(Importer& importer) {
  importer.database().ForEach(
      "CUPTI_ACTIVITY_KIND_MEMSET",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
       "memKind"},
      [&](const Row& row) {
        const std::int64_t memory = row.Integer(kOwn + 1);
        const std::string name =
            memory == kNone ? "Memset" : "Memset (" + std::string(WordOf(kMemories, memory)) + ")";
        Place place = PlaceOf(importer, row);
        const std::int64_t bytes = row.Integer(kOwn);
        place.args.bytes = bytes < 0 ? -1 : bytes;
        Add(importer, row, importer.trace().strings.Intern(name), EventKind::kMemset, place);
      });
}

void ReadWaits(Importer& importer) {
  constexpr std::array<std::string_view, 5> kKinds = {
      "Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
  importer.database().ForEach(
      "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "syncType"},
      [&](const Row& row) {
        const std::int64_t kind = row.Integer(kOwn);
        const Str name = importer.trace().strings.Intern(
            kKinds[kind < 0 || kind >= static_cast<std::int64_t>(kKinds.size())
                       ? 0
                       : static_cast<std::size_t>(kind)]);
        Place place = PlaceOf(importer, row);
        place.args.sync_kind = name;
        Add(importer, row, name, EventKind::kDeviceSync, place);
      });
}

void ReadGraphs(Importer& importer) {
  importer.database().ForEach(
      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "graphId"},
      [&](const Row& row) {
        const std::int64_t graph = row.Integer(kOwn);
        const std::string name = "CUDA graph" + (graph == kNone ? "" : " " + std::to_string(graph));
        Add(importer, row, importer.trace().strings.Intern(name), EventKind::kKernel,
            PlaceOf(importer, row));
        importer.log().Add("nsys.whole-graphs", Severity::kNotice, name,
                           "a launch of a CUDA graph is one row without its kernels; record with "
                           "--cuda-graph-trace=node to see them");
      });
}

}  // namespace

void ReadDeviceWork(Importer& importer) {
  ReadKernels(importer);
  ReadGraphs(importer);
  ReadCopies(importer);
  ReadMemsets(importer);
  ReadWaits(importer);
}

}  // namespace opscope::nsys
