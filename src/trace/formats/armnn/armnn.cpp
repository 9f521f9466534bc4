// { "ArmNN": { "inference_measurements_#1": { "type": "Event",
//     "Wall clock time_#1": { "type": "Measurement", "raw": [ 276.471000, 229.291000 ], "unit":
//     "us" }, "Execute_#4": { "type": "Event", …,
//       "RefConvolution2dWorkload_Execute_#8": { "type": "Event", "GUID": "42",
//         "NeonKernelTimer/0: gemm_#8": { "type": "Measurement", "raw": [ … ], "unit": "us" } } } }
//         } }
// `raw` has one value an inference. "_#8" counts events in the file.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/json_reader.h"
#include "trace/formats/armnn/format.h"
#include "trace/formats/armnn/origin.h"
#include "trace/formats/damage.h"

namespace opscope::armnn {

namespace {

constexpr std::int64_t kMicrosecond = 1000;
constexpr int kMostDepth = 16;
constexpr std::size_t kMostRows = 1 << 18;
constexpr std::int64_t kMostNs = std::int64_t{1} << 50;

using Samples = std::vector<std::int64_t>;

// "Execute_#4" -> "Execute".
std::string_view WithoutNumber(std::string_view label) {
  const std::size_t digits = label.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == label.size() || digits == 0) return label;
  return label.substr(digits - 1, 2) == "_#" ? label.substr(0, digits - 1) : label;
}

// Kernels of a GPU run apart from the call that starts them; those of the CPU are part of it.
bool IsKernelTimer(std::string_view label) { return label.starts_with("OpenClKernelTimer"); }

struct Event {
  std::string label;  // as written: the number tells events of one name apart
  Samples wall, kernels;
  std::vector<Event> children;
};

void AddEach(const Samples& values, Samples& sums) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] = SaturatingAdd(sums[i], values[i]);
}

class Reader {
 public:
  Reader(Source& source, std::uint64_t offset) : json_(source, offset) {}

  // The object that holds "ArmNN".
  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginObject));
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key != "ArmNN") return {};
      TRY(json_.Expect(JsonKind::kBeginObject));
      return json_.ForEachField([&](std::string_view root) -> Result<void> {
        const bool inference = WithoutNumber(root) == "inference_measurements";
        const bool load = WithoutNumber(root) == "loaded_network_measurements";
        if (!inference && !load) return {};
        Event& event = inference ? inference_ : load_;
        event.label = root;
        TRY_ASSIGN(const JsonToken first, json_.Next());
        if (first.kind != JsonKind::kBeginObject) return json_.Skip(first);
        Samples unused;
        return Object(event, unused, 0);
      });
    });
  }
  const Event& inference() const { return inference_; }
  const Event& load() const { return load_; }

 private:
  // An event or a measurement: what it is shows in its fields.
  Result<void> Object(Event& event, Samples& raw, int depth) {
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string label(key);
      TRY_ASSIGN(const JsonToken first, json_.Next());
      if (label == "raw" && first.kind == JsonKind::kBeginArray) return Values(raw);
      if (first.kind == JsonKind::kBeginArray) return json_.Skip(first);
      if (first.kind != JsonKind::kBeginObject) return {};
      if (depth == kMostDepth || ++events_ > kMostRows) return json_.Skip(first);
      Event child;
      child.label = label;
      Samples inner;
      TRY(Object(child, inner, depth + 1));
      const std::string_view name = WithoutNumber(label);
      if (name == "Wall clock time")
        event.wall = std::move(inner);
      else if (IsKernelTimer(name))
        AddEach(inner, event.kernels);
      else if (!child.wall.empty())
        event.children.push_back(std::move(child));
      return {};
    });
  }

  Result<void> Values(Samples& raw) {
    return json_.ForEachElement([&](const JsonToken& value) -> Result<void> {
      const auto time = ParseDecimalTime(value.text, kMicrosecond);
      // Kernels that a run left out are padded with 0.
      raw.push_back(time ? std::clamp<std::int64_t>(time->value, 0, kMostNs) : 0);
      return {};
    });
  }

  JsonReader json_;
  Event inference_, load_;
  std::size_t events_ = 0;
};

// "RefConvolution2dWorkload_Execute" -> backend and op; later releases put the layer's name
// between.
struct Workload {
  std::string_view backend, op;
};
Workload WorkloadOf(std::string_view label) {
  for (const auto& [prefix, backend] :
       {std::pair<std::string_view, std::string_view>{"Ref", "CpuRef"},
        {"Neon", "CpuAcc"},
        {"Cl", "GpuAcc"}}) {
    const std::size_t end = label.find("Workload");
    if (label.starts_with(prefix) && end != std::string_view::npos && end > prefix.size())
      return {backend, label.substr(prefix.size(), end - prefix.size())};
  }
  return {};
}

std::int64_t SumOf(const std::vector<RunSample>& samples) {
  std::int64_t sum = 0;
  for (const RunSample& sample : samples) sum = SaturatingAdd(sum, sample.ns);
  return sum;
}

class Rows {
 public:
  Rows(Trace& trace, ImportLog& log, const Event& inference)
      : trace_(&trace), log_(&log), builder_(*trace.profile), runs_(inference.wall.size()) {
    // The first inference warms up, unless it is the only one.
    skipped_ = runs_ > 1 ? 1 : 0;
  }

  std::size_t skipped() const { return skipped_; }
  // What a run beyond the inferences says is left out; runs that are missing took no time.
  std::vector<RunSample> Used(const Samples& values) const {
    std::vector<RunSample> samples;
    for (std::size_t i = skipped_; i < std::min(values.size(), runs_); ++i)
      samples.push_back({static_cast<std::uint32_t>(i - skipped_), values[i]});
    return samples;
  }

  // Workloads lie in Execute; what stands beside it prepares.
  void Add(const Event& event) {
    for (const Event& child : event.children) {
      if (WithoutNumber(child.label) == "Execute")
        Add(child);
      else
        AddRow(child);
    }
  }

 private:
  void AddRow(const Event& event) {
    const Workload workload = WorkloadOf(WithoutNumber(event.label));
    RuntimeRow row;
    row.name = trace_->strings.Intern(event.label);
    row.op = trace_->strings.Intern(workload.op.empty() ? WithoutNumber(event.label) : workload.op);
    row.provider = trace_->strings.Intern(workload.backend);
    row.origin = OriginOf(workload.op);
    row.samples = Used(event.wall);
    row.calls = static_cast<std::int64_t>(row.samples.size());
    row.total_ns = SumOf(row.samples);
    if (!event.kernels.empty()) row.device_ns = SumOf(Used(event.kernels));
    if (!builder_.Add(std::move(row)))
      log_->Add("armnn.bad-time", Severity::kLoss, event.label, "a time that cannot be");
  }

  Trace* trace_;
  ImportLog* log_;
  ProfileBuilder builder_;
  std::size_t runs_, skipped_;
};

// Where the object begins that holds the key "ArmNN"; the log around it may hold braces as well.
Result<std::optional<std::uint64_t>> FindObject(Source& source) {
  constexpr std::size_t kStep = 1 << 20, kOverlap = 256;
  for (std::uint64_t at = 0; at < source.size(); at += kStep - kOverlap) {
    TRY_ASSIGN(const std::string_view window, source.Window(at, kStep));
    const std::size_t key = window.find("\"ArmNN\"");
    if (key == std::string_view::npos) continue;
    const std::size_t brace = window.substr(0, key).rfind('{');
    if (brace != std::string_view::npos) return std::optional<std::uint64_t>(at + brace);
  }
  return std::optional<std::uint64_t>();
}

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const bool key = prefix.find("\"ArmNN\"") != std::string_view::npos;
  if (key && prefix.find("_measurements_#") != std::string_view::npos) return TraceMatch::kYes;
  return key ? TraceMatch::kMaybe : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kArmnnProfile.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "microseconds of a clock that never goes back";
  TRY_ASSIGN(const std::optional<std::uint64_t> at, FindObject(context.source));
  if (!at)
    return Error{"armnn.none", "no object with the key \"ArmNN\": run ExecuteNetwork with -e", ""};
  Reader reader(context.source, *at);
  Result<void> read = reader.Run();
  TRY(KeepRead(std::move(read), reader.inference().wall.empty(), "armnn.damaged", context, trace));
  const Event& inference = reader.inference();
  if (inference.wall.empty())
    return Error{"armnn.empty", "the profile holds no inference_measurements", ""};
  RuntimeProfile& profile = trace.profile.emplace();
  Rows rows(trace, context.log, inference);
  profile.warmup = static_cast<std::int64_t>(rows.skipped());
  const std::vector<RunSample> runs = rows.Used(inference.wall);
  profile.runs = static_cast<std::int64_t>(runs.size());
  profile.wall_ns = SumOf(runs);
  for (const RunSample& run : runs) profile.samples_ns.push_back(run.ns);
  if (const Samples& load = reader.load().wall; !load.empty()) profile.setup_ns = load.front();
  rows.Add(inference);
  const bool device = std::any_of(profile.rows.begin(), profile.rows.end(),
                                  [](const RuntimeRow& row) { return row.device_ns > 0; });
  if (device)
    trace.notes.push_back(
        "on a GPU a workload's time is that of its call: the kernels run later, and "
        "the copy that waits for them carries their time");
  trace.producer = {"armnn", "", "names of events"};
  return trace;
}

}  // namespace opscope::armnn
