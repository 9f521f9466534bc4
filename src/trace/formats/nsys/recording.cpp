// What the file says about the recording: who exported it, when it began, which GPUs there were.
#include <algorithm>
#include <optional>
#include <string>

#include "base/decimal.h"
#include "base/text.h"
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

constexpr std::int64_t kTestedMajor = 3, kFirstTested = 20, kLastTested = 25;

bool IsTested(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return false;
  const auto major = ParseIntegral(version.substr(0, dot));
  const std::string_view rest = version.substr(dot + 1);
  const auto minor = ParseIntegral(rest.substr(0, rest.find('.')));
  return major && minor && *major == kTestedMajor && *minor >= kFirstTested &&
         *minor <= kLastTested;
}

void ReadProducer(Importer& importer) {
  Producer& producer = importer.trace().producer;
  producer.name = "nsight systems";
  importer.database().ForEach("META_DATA_EXPORT", {"name", "value"}, [&](const Row& row) {
    const std::string_view key = row.Text(0), value = row.Text(1).substr(0, 64);
    if (key == "EXPORT_PRODUCT_VERSION") producer.version = Printable(value);
    if (key != "EXPORT_SCHEMA_VERSION") return;
    producer.evidence = "schema " + Printable(value);
    if (!IsTested(value))
      importer.log().Add("nsys.schema", Severity::kNotice, producer.evidence,
                         "an export of a schema outside 3.20 to 3.25, which this build was tested "
                         "with; columns are found by their names");
  });
}

void ReadGpus(Importer& importer) {
  importer.database().ForEach("TARGET_INFO_GPU",
                              {"id", "name", "smCount", "totalMemory", "maxWarpsPerSm",
                               "threadsPerWarp", "computeMajor", "computeMinor"},
                              [&](const Row& row) {
                                const auto known = [&](std::size_t column) {
                                  return std::max<std::int64_t>(row.Integer(column), -1);
                                };
                                if (row.Integer(0) == kNone) return;
                                DeviceInfo gpu;
                                gpu.id = row.Integer(0);
                                gpu.name = Printable(row.Text(1).substr(0, 256));
                                gpu.multiprocessors = known(2);
                                gpu.memory_bytes = known(3);
                                constexpr std::int64_t kMost = 1 << 20;
                                const std::int64_t warps = known(4), threads = known(5);
                                if (warps > 0 && warps < kMost && threads > 0 && threads < kMost)
                                  gpu.threads_per_multiprocessor = warps * threads;
                                gpu.compute_major = known(6);
                                gpu.compute_minor = known(7);
                                constexpr std::size_t kMostDevices = 4096;
                                auto& devices = importer.trace().recording.devices;
                                if (devices.size() < kMostDevices)
                                  devices.push_back(std::move(gpu));
                              });
}

void ReadDeviceNumbers(Importer& importer) {
  importer.database().ForEach(
      "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "numMultiprocessors"},
      [&](const Row& row) {
        const std::int64_t gpu = row.Integer(0), device = row.Integer(1), pid = row.Integer(2);
        if (gpu == kNone || device == kNone) return;
        if (pid != kNone) importer.MapGpu(pid, device, gpu);
        for (DeviceInfo& info : importer.trace().recording.devices)
          if (info.id == gpu && info.multiprocessors < 0)
            info.multiprocessors = std::max<std::int64_t>(row.Integer(3), -1);
      });
}

}  // namespace

void ReadRecording(Importer& importer) {
  ReadProducer(importer);
  ReadGpus(importer);
  ReadDeviceNumbers(importer);
  importer.database().ForEach("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                              [&](const Row& row) {
                                if (row.Integer(0) > 0)
                                  importer.trace().recording.base_ns = row.Integer(0);
                              });
  importer.database().ForEach("ThreadNames", {"globalTid", "nameId"}, [&](const Row& row) {
    importer.NameThread(row.Integer(0), importer.names().Of(row.Integer(1)));
  });
}

}  // namespace opscope::nsys
