// One object an inference, in ms:
// [ { "startEnqMs" : 0.01, "endEnqMs" : 0.02, "startH2dMs" : 0, "endH2dMs" : 0, "startComputeMs" :
// 0.03, "endComputeMs" : 0.38, …, "h2dMs" : 0, "computeMs" : 0.35, "d2hMs" : 0, "latencyMs" : 0.35
// } 7.x calls the copies inMs and outMs, and up to 8.2 there is endToEndMs, which overlaps with the
// inference before and is left out. Up to 8.5.0 warm-up is among the inferences, unmarked.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "trace/formats/damage.h"
#include "trace/formats/trtexec_times/format.h"

namespace opscope::trtexec_times {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::array<std::string_view, 3> kParts = {"copies to the device", "compute",
                                                    "copies to the host"};

class Reader {
 public:
  Reader(Source& source, ImportLog& log) : json_(source), log_(&log) {}

  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginArray));
    return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
      if (first.kind != JsonKind::kBeginObject) return {};
      return Entry(first.offset);
    });
  }

  void Fill(Trace& trace) const {
    RuntimeProfile& profile = *trace.profile;
    profile.runs = static_cast<std::int64_t>(latency_.size());
    profile.samples_ns = latency_;
    ProfileBuilder builder(profile);
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      RuntimeRow row;
      row.name = trace.strings.Intern(kParts[part]);
      row.op = trace.strings.Intern(part == 1 ? "Compute" : "Copy");
      row.calls = profile.runs;
      for (std::size_t run = 0; run < latency_.size(); ++run) {
        row.samples.push_back({static_cast<std::uint32_t>(run), parts_[part][run]});
        row.total_ns += parts_[part][run];
      }
      row.origin.generated = part == 1;  // all of the model
      if (part != 1) row.origin.made = "moves inputs or outputs between host and device";
      builder.Add(std::move(row));
    }
    std::int64_t wall = 0;
    for (const std::int64_t sample : latency_) wall += sample;
    profile.wall_ns = wall;
  }
  bool empty() const { return latency_.empty(); }
  bool old_names() const { return old_names_; }
  bool end_to_end() const { return end_to_end_; }

 private:
  Result<void> Entry(std::uint64_t offset) {
    std::array<std::int64_t, kParts.size()> parts{};
    std::int64_t latency = -1;
    TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string field(key);
      TRY_ASSIGN(const JsonToken value, json_.Next());
      if (value.kind != JsonKind::kNumber) return json_.Skip(value);
      const auto time = ParseDecimalTime(value.text, kMillisecond);
      const std::int64_t ns = time ? time->value : -1;
      if (field == "latencyMs") latency = ns;
      if (field == "inMs" || field == "h2dMs") parts[0] = ns;
      if (field == "computeMs") parts[1] = ns;
      if (field == "outMs" || field == "d2hMs") parts[2] = ns;
      old_names_ |= field == "inMs";
      end_to_end_ |= field == "endToEndMs";
      return {};
    }));
    if (!CanBe(latency) || !CanBe(parts[0]) || !CanBe(parts[1]) || !CanBe(parts[2]) ||
        latency_.size() >= kMostRuns) {
      log_->Add("trtexec-times.bad-entry", Severity::kLoss, AtByte(offset),
                "an inference without a time that can be is left out");
      return {};
    }
    // Each is rounded on its own: what that adds belongs to the whole.
    latency_.push_back(std::max(latency, parts[0] + parts[1] + parts[2]));
    for (std::size_t part = 0; part < kParts.size(); ++part) parts_[part].push_back(parts[part]);
    return {};
  }

  // An hour at most: sums over all inferences stay far from the end of the type.
  static constexpr std::int64_t kMostNs = 3'600'000'000'000;
  static constexpr std::size_t kMostRuns = 1 << 16;
  static bool CanBe(std::int64_t ns) { return ns >= 0 && ns <= kMostNs; }

  JsonReader json_;
  ImportLog* log_;
  std::vector<std::int64_t> latency_;
  std::array<std::vector<std::int64_t>, kParts.size()> parts_;
  bool old_names_ = false, end_to_end_ = false;
};

std::string VersionOf(const Reader& reader) {
  if (reader.old_names()) return "7.x";
  return reader.end_to_end() ? "8.0 .. 8.2" : "8.4 or later";
}

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const auto has = [&](std::string_view key) { return prefix.find(key) != std::string_view::npos; };
  return has("\"latencyMs\"") && has("\"computeMs\"") ? TraceMatch::kYes : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kTrtexecTimes.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "milliseconds since the first inference";
  trace.profile.emplace();
  Reader reader(context.source, context.log);
  Result<void> read = reader.Run();
  TRY(KeepRead(std::move(read), reader.empty(), "trtexec-times.damaged", context, trace));
  if (reader.empty()) return Error{"trtexec-times.empty", "the file holds no inference", ""};
  reader.Fill(trace);
  trace.producer = {"tensorrt", VersionOf(reader), "names of the fields"};
  return trace;
}

}  // namespace opscope::trtexec_times
