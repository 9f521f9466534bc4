// [ { "count" : 6610 }
// , { "name" : "Conv_12 + PWN(Clip_16)", "timeMs" : 57.6562, "averageMs" : 0.0087, "medianMs" :
// 0.0086, "percentage" : 1.85433 }
// Layers stand in engine order; medianMs since 8.4. `count` is all iterations that were profiled,
// warm-up included.
#include <string>
#include <utility>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "trace/formats/damage.h"
#include "trace/formats/tensorrt_names.h"
#include "trace/formats/tensorrt_profile/format.h"

namespace opscope::tensorrt_profile {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

class Reader {
 public:
  Reader(Source& source, Trace& trace, ImportLog& log)
      : json_(source), trace_(&trace), log_(&log), builder_(*trace.profile) {}

  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginArray));
    return json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
      if (first.kind != JsonKind::kBeginObject) return {};
      return Entry(first.offset);
    });
  }
  bool has_count() const { return has_count_; }
  bool has_median() const { return has_median_; }

 private:
  Result<void> Entry(std::uint64_t offset) {
    RuntimeRow row;
    bool named = false, timed = false;
    TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string field(key);
      TRY_ASSIGN(const JsonToken value, json_.Next());
      if (value.kind == JsonKind::kBeginArray || value.kind == JsonKind::kBeginObject)
        return json_.Skip(value);
      if (field == "name" && value.kind == JsonKind::kString) {
        row.name = trace_->strings.Intern(value.text);
        row.origin = TensorrtOrigin(value.text);
        named = true;
      } else if (field == "count") {
        Count(value);
      } else if (const auto time = ParseDecimalTime(value.text, kMillisecond)) {
        if (field == "timeMs") row.total_ns = time->value, timed = true;
        if (field == "medianMs") row.typical_ns = time->value, has_median_ = true;
      }
      return {};
    }));
    if (!named && !timed) return {};
    row.calls = trace_->profile->runs;
    if (!named || !timed || !builder_.Add(std::move(row)))
      log_->Add("tensorrt-profile.bad-entry", Severity::kLoss, AtByte(offset),
                "an entry without a name or a time that can be is left out");
    return {};
  }

  void Count(const JsonToken& value) {
    const auto count = value.AsInt64();
    has_count_ = count && *count > 0;
    if (has_count_) trace_->profile->runs = *count;
  }

  JsonReader json_;
  Trace* trace_;
  ImportLog* log_;
  ProfileBuilder builder_;
  bool has_count_ = false, has_median_ = false;
};

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const std::size_t first = prefix.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || prefix[first] != '[') return TraceMatch::kNo;
  const auto has = [&](std::string_view key) { return prefix.find(key) != std::string_view::npos; };
  return has("\"averageMs\"") && has("\"timeMs\"") && has("\"name\"") ? TraceMatch::kYes
                                                                      : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kTensorrtProfile.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "device time of each layer, summed over all iterations";
  trace.profile.emplace().runs = 1;
  Reader reader(context.source, trace, context.log);
  Result<void> read = reader.Run();
  TRY(KeepRead(std::move(read), trace.profile->rows.empty(), "tensorrt-profile.damaged", context,
               trace));
  if (trace.profile->rows.empty())
    return Error{"tensorrt-profile.empty", "the profile names no layer", ""};
  trace.profile->runs_known = reader.has_count();
  trace.producer = {"tensorrt", reader.has_median() ? "8.4 or later" : "",
                    reader.has_median() ? "medianMs" : "no medianMs"};
  trace.notes.push_back("iterations of the profile include warm-up");
  return trace;
}

}  // namespace opscope::tensorrt_profile
