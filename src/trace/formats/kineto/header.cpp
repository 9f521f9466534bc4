// {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "numSms": 132, …}],
//  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, "cuda_driver_version":
//  12040, "baseTimeNanoseconds": 1727743122000000000, "traceEvents": [ … ], "traceName": "…"}
#include "trace/formats/kineto/header.h"

#include <algorithm>
#include <string>

#include "base/json_reader.h"

namespace opscope::kineto {

namespace {

constexpr std::string_view kList = "\"traceEvents\"";

class Facts {
 public:
  Facts(JsonReader& reader, Trace& trace) : reader_(&reader), trace_(&trace) {}

  // The value of one key of the file.
  Result<void> Read(std::string_view key) {
    if (key == "deviceProperties") return Devices();
    if (key == "distributedInfo") return Distributed();
    if (key != "baseTimeNanoseconds") return {};
    TRY_ASSIGN(const JsonToken value, reader_->Next());
    trace_->recording.base_ns = value.AsInt64().value_or(0);
    return reader_->Skip(value);
  }

 private:
  Result<void> Integer(std::int64_t& out) {
    TRY_ASSIGN(const JsonToken value, reader_->Next());
    if (value.kind == JsonKind::kNumber) out = value.AsInt64().value_or(out);
    return reader_->Skip(value);
  }
  Result<void> String(std::string& out) {
    TRY_ASSIGN(const JsonToken value, reader_->Next());
    if (value.kind == JsonKind::kString) out = value.text;
    return reader_->Skip(value);
  }

  Result<void> Devices() {
    TRY_ASSIGN(const JsonToken first, reader_->Next());
    if (first.kind != JsonKind::kBeginArray) return reader_->Skip(first);
    trace_->recording.devices.clear();
    return reader_->ForEachElement([&](const JsonToken& element) -> Result<void> {
      if (element.kind != JsonKind::kBeginObject) return {};
      DeviceInfo device;
      TRY(reader_->ForEachField([&](std::string_view key) { return Device(key, device); }));
      constexpr std::size_t kMostDevices = 4096;
      if (trace_->recording.devices.size() < kMostDevices)
        trace_->recording.devices.push_back(std::move(device));
      return {};
    });
  }
  Result<void> Device(std::string_view key, DeviceInfo& device) {
    if (key == "name") return String(device.name);
    if (key == "id") return Integer(device.id);
    if (key == "numSms") return Integer(device.multiprocessors);
    if (key == "maxThreadsPerMultiprocessor") return Integer(device.threads_per_multiprocessor);
    if (key == "totalGlobalMem") return Integer(device.memory_bytes);
    if (key == "computeMajor") return Integer(device.compute_major);
    if (key == "computeMinor") return Integer(device.compute_minor);
    return {};
  }

  Result<void> Distributed() {
    TRY_ASSIGN(const JsonToken first, reader_->Next());
    if (first.kind != JsonKind::kBeginObject) return reader_->Skip(first);
    return reader_->ForEachField([&](std::string_view key) -> Result<void> {
      if (key == "rank") return Integer(trace_->recording.rank);
      if (key == "world_size") return Integer(trace_->recording.world_size);
      if (key == "backend") return String(trace_->recording.backend);
      return {};
    });
  }

  JsonReader* reader_;
  Trace* trace_;
};

void ReportDamage(const Error& error, ImportLog& log) {
  log.Add("trace.bad-header", Severity::kLoss, error.place,
          "what the file says about the recording as a whole is damaged: " + error.message);
}

// Walks the keys in front of the list. Nullopt: no list came.
Result<std::optional<Header>> WalkKeys(Source& source, Trace& trace) {
  JsonReader reader(source);
  TRY_ASSIGN(const JsonToken first, reader.Next());
  if (first.kind == JsonKind::kBeginArray) return std::optional(Header{reader.offset(), true});
  if (first.kind != JsonKind::kBeginObject) return std::optional<Header>();
  Facts facts(reader, trace);
  while (true) {
    TRY_ASSIGN(const JsonToken key, reader.Next());
    if (key.kind != JsonKind::kKey) return std::optional<Header>();
    if (key.text == "traceEvents") {
      TRY_ASSIGN(const JsonToken list, reader.Expect(JsonKind::kBeginArray));
      return std::optional(Header{list.offset + 1, false});
    }
    if (key.text == "deviceProperties" || key.text == "distributedInfo" ||
        key.text == "baseTimeNanoseconds") {
      TRY(facts.Read(key.text));
    } else {
      TRY_ASSIGN(const JsonToken value, reader.Next());
      TRY(reader.Skip(value));
    }
  }
}

// The way past a damaged head: the first list under the name.
Result<std::optional<Header>> FindList(Source& source) {
  constexpr std::size_t kWindow = 4 << 20, kOverlap = 64;
  for (std::uint64_t offset = 0; offset < source.size();) {
    TRY_ASSIGN(const std::string_view text, source.Window(offset, kWindow));
    const std::size_t at = text.find(kList);
    const std::size_t list =
        at == std::string_view::npos ? at : text.find_first_not_of(" \t\r\n:", at + kList.size());
    if (list != std::string_view::npos && text[list] == '[')
      return std::optional(Header{offset + list + 1, false});
    if (text.size() <= kOverlap) break;
    offset += text.size() - kOverlap;
  }
  return std::optional<Header>();
}

}  // namespace

Result<Header> ReadHeader(Source& source, Trace& trace, ImportLog& log) {
  auto header = WalkKeys(source, trace);
  if (!header.has_value()) {
    ReportDamage(header.error(), log);
    TRY_ASSIGN(header, FindList(source));
  }
  if (header.has_value() && header->has_value()) return **header;
  return Error{"trace.no-events", "the file holds no list of events (\"traceEvents\")", ""};
}

Result<void> ReadTrailer(Source& source, std::uint64_t offset, Trace& trace, ImportLog& log) {
  constexpr std::size_t kMostTrailer = 16 << 20;
  TRY_ASSIGN(std::string_view text, source.Window(offset, kMostTrailer));
  const std::size_t comma = text.find_first_not_of(" \t\r\n");
  if (comma == std::string_view::npos || text[comma] != ',') return {};
  const std::string object = "{" + std::string(text.substr(comma + 1));
  JsonReader reader(object);
  TRY(reader.Expect(JsonKind::kBeginObject));
  Facts facts(reader, trace);
  const Result<void> read =
      reader.ForEachField([&](std::string_view key) { return facts.Read(key); });
  if (!read.has_value() && read.error().code != "json.truncated") ReportDamage(read.error(), log);
  return {};
}

}  // namespace opscope::kineto
