#include "trace/export/chrome.h"

#include <string>
#include <string_view>

#include "base/json_writer.h"

namespace opscope {

namespace {

// The categories that the reader of PyTorch traces turns into these kinds.
std::string_view CategoryOf(EventKind kind) {
  switch (kind) {
    case EventKind::kKernel:
      return "kernel";
    case EventKind::kCopy:
      return "gpu_memcpy";
    case EventKind::kMemset:
      return "gpu_memset";
    case EventKind::kApi:
      return "cuda_runtime";
    case EventKind::kAnnotation:
      return "user_annotation";
    case EventKind::kPython:
      return "python_function";
    case EventKind::kDeviceAnnotation:
      return "gpu_user_annotation";
    case EventKind::kDeviceSync:
      return "cuda_sync";
    case EventKind::kSystem:
      return "os_runtime";
    case EventKind::kOverhead:
      return "overhead";
    case EventKind::kRecording:
      return "Trace";
    default:
      return "cpu_op";
  }
}

// value / unit with all decimals, without a double; `unit` is a power of ten.
std::string Decimal(std::int64_t value, std::uint64_t unit) {
  const bool negative = value < 0;
  const std::uint64_t size =
      negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  const std::string rest = std::to_string(unit + size % unit);
  return (negative ? "-" : "") + std::to_string(size / unit) + "." + rest.substr(1);
}

std::string Micros(std::int64_t ns) { return Decimal(ns, 1000); }

void Integer(JsonWriter& json, std::string_view key, std::int64_t value) {
  if (value < 0) return;
  json.Key(key);
  json.Integer(value);
}

void Extent(JsonWriter& json, std::string_view key, const std::array<std::int32_t, 3>& extent) {
  if (extent[0] < 0) return;
  json.Key(key);
  json.BeginArray();
  for (const std::int32_t size : extent) json.Integer(size);
  json.EndArray();
}

void Arguments(const Trace& trace, std::size_t event, JsonWriter& json) {
  const DeviceArgs* args = trace.device_of(event);
  const std::int64_t correlation = trace.correlation.empty() ? -1 : trace.correlation[event];
  if (args == nullptr && correlation < 0) return;
  json.Key("args");
  json.BeginObject();
  Integer(json, "correlation", correlation);
  if (args != nullptr) {
    Integer(json, "device", args->device);
    Integer(json, "context", args->context);
    Integer(json, "stream", args->stream);
    Integer(json, "bytes", args->bytes);
    Integer(json, "registers per thread", args->registers);
    Integer(json, "shared memory", args->shared_memory);
    Integer(json, "est. achieved occupancy %", args->occupancy_percent);
    if (args->blocks_per_sm_millionths >= 0) {
      json.Key("blocks per SM");
      json.Raw(Decimal(args->blocks_per_sm_millionths, 1'000'000));
    }
    Integer(json, "wait_on_stream", args->wait_stream);
    Integer(json, "wait_on_cuda_event_record_corr_id", args->wait_correlation);
    Extent(json, "grid", args->grid);
    Extent(json, "block", args->block);
    if (args->sync_kind.value != 0) {
      json.Key("cuda_sync_kind");
      json.String(trace.text(args->sync_kind));
    }
  }
  json.EndObject();
}

void Event(const Trace& trace, std::size_t event, JsonWriter& json) {
  const Track& track = trace.tracks[trace.track[event]];
  json.BeginObject();
  json.Key("ph");
  json.String("X");
  json.Key("cat");
  json.String(CategoryOf(trace.kind[event]));
  json.Key("name");
  json.String(trace.name_of(event));
  json.Key("pid");
  json.Integer(track.pid);
  json.Key("tid");
  json.Integer(track.tid);
  json.Key("ts");
  json.Raw(Micros(trace.begin[event]));
  json.Key("dur");
  json.Raw(Micros(trace.duration(event)));
  Arguments(trace, event, json);
  json.EndObject();
}

void ThreadName(const Trace& trace, const Track& track, JsonWriter& json) {
  if (track.name.value == 0) return;
  json.BeginObject();
  json.Key("ph");
  json.String("M");
  json.Key("name");
  json.String("thread_name");
  json.Key("pid");
  json.Integer(track.pid);
  json.Key("tid");
  json.Integer(track.tid);
  json.Key("args");
  json.BeginObject();
  json.Key("name");
  json.String(trace.text(track.name));
  json.EndObject();
  json.EndObject();
}

void Head(const Trace& trace, JsonWriter& json) {
  json.Key("schemaVersion");
  json.Integer(1);
  json.Key("deviceProperties");
  json.BeginArray();
  for (const DeviceInfo& device : trace.recording.devices) {
    json.BeginObject();
    json.Key("id");
    json.Integer(device.id);
    json.Key("name");
    json.String(device.name);
    Integer(json, "numSms", device.multiprocessors);
    json.EndObject();
  }
  json.EndArray();
  // As digits: beyond 2^53 the writer would put an integer in quotes.
  json.Key("baseTimeNanoseconds");
  json.Raw(std::to_string(trace.recording.base_ns));
}

}  // namespace

Result<void> WriteChromeTrace(const Trace& trace, Sink& sink) {
  JsonWriter json(sink, JsonStyle::kCompact);
  json.BeginObject();
  Head(trace, json);
  json.Key("traceEvents");
  json.BeginArray();
  for (const Track& track : trace.tracks) ThreadName(trace, track, json);
  for (std::size_t event = 0; event < trace.size(); ++event) Event(trace, event, json);
  json.EndArray();
  json.EndObject();
  return {};
}

}  // namespace opscope
