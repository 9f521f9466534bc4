// The measured part: runs, and layers with their time.

#include "document/format.h"
#include "document/messages.h"
#include "report/build.h"
#include "report/dims.h"

namespace opscope {

namespace {

std::optional<std::string> NonEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

doc::Event BuildEvent(const Row& row) {
  doc::Event out;
  out.kind = Name(row.kind);
  out.name = row.name;
  out.op = NonEmpty(row.op);
  out.provider = NonEmpty(row.provider);
  out.dtype = NonEmpty(row.dtype);
  if (!row.because.empty()) out.because = doc::Text(row.because);
  out.path = row.path;
  out.calls = row.calls;
  out.busy_ns = row.busy_ns;
  out.wall_ns = row.wall_ns;
  out.share = row.share;
  if (!row.samples_ns.empty()) out.samples_ns = row.samples_ns;
  for (const LayerShare& share : row.layers)
    out.layers.push_back({static_cast<std::int64_t>(share.layer.value), share.weight});
  out.match = doc::Match{std::string(Name(row.method)), std::string(Name(row.confidence))};
  return out;
}

doc::Reconciliation BuildReconciliation(const Reconciliation& sums, bool sums_only) {
  doc::Reconciliation out;
  out.wall_ns = sums.wall_ns();
  out.layers_ns = sums.layers_ns();
  out.runtime_ns = sums.runtime_ns();
  out.unmatched_ns = sums.unmatched_ns();
  out.gap_ns = sums.gap_ns();
  if (sums_only) {
    out.wall_ns = out.gap_ns = std::nullopt;
    out.because = Say("reason.sums-only");
  }
  return out;
}

doc::Latency BuildLatency(const GivenLatency& given) {
  doc::Latency out;
  out.median = given.median_ns;
  out.mean = given.mean_ns;
  out.min = given.min_ns;
  out.max = given.max_ns;
  out.p90 = given.p90_ns;
  out.p95 = given.p95_ns;
  out.p99 = given.p99_ns;
  out.throughput_per_s = given.throughput_per_s;
  return out;
}

doc::Text WhyUnstable(const Instability& reason) {
  const std::string id = "reason." + std::string(ToString(reason.kind));
  const bool counts =
      reason.kind == InstabilityKind::kFewRuns || reason.kind == InstabilityKind::kFewSessions;
  if (counts)
    return Say(id, {{"n", static_cast<std::int64_t>(reason.value)},
                    {"m", static_cast<std::int64_t>(reason.limit)}});
  return Say(id, {{"value", FormatPercent(reason.value)}, {"limit", FormatPercent(reason.limit)}});
}

// Amount / time in units of 1e9 per second: n / ns.
std::optional<double> Rate(std::optional<Int128> amount, std::int64_t ns) {
  if (!amount || ns <= 0) return std::nullopt;
  return static_cast<double>(*amount) / static_cast<double>(ns);
}

void AddTime(Model& model, const Layer& layer, const LayerTime& time, doc::Joined& joined) {
  // One iteration runs the layer `times` times.
  const auto per_iteration = [&](Dim amount) {
    return model.dims.Value(model.dims.Mul(layer.times, amount));
  };
  joined.wall_ns = time.wall_ns;
  joined.median_ns = time.median_ns;
  joined.share = time.share;
  joined.gflops_per_s = Rate(per_iteration(layer.flops), time.median_ns);
  joined.gbytes_per_s = Rate(per_iteration(layer.moved_bytes), time.median_ns);
}

}  // namespace

doc::Latency BuildLatency(const LatencyStatistics& statistics, std::vector<std::int64_t> samples) {
  doc::Latency out;
  out.samples = std::move(samples);
  if (statistics.count == 0) return out;
  out.median = statistics.median.value;
  out.mean = statistics.mean.value;
  if (statistics.trimmed_mean) out.trimmed_mean = statistics.trimmed_mean->value;
  out.min = statistics.min.value;
  out.max = statistics.max.value;
  out.p90 = statistics.p90.value;
  out.p95 = statistics.p95.value;
  out.p99 = statistics.p99.value;
  if (statistics.count > 1) {
    out.cv = statistics.cv;
    out.ci95 = {statistics.ci95_low.value, statistics.ci95_high.value};
  }
  out.throughput_per_s = statistics.throughput_per_s;
  if (statistics.cpu_median) out.cpu_median = statistics.cpu_median->value;
  out.stable = statistics.stable;
  if (!statistics.why.empty()) out.why = WhyUnstable(statistics.why.front());
  return out;
}

// One session: that the spread between sessions is unknown says nothing against it.
doc::Latency BuildLatency(std::vector<std::int64_t> samples) {
  std::vector<Nanos> wall;
  wall.reserve(samples.size());
  for (const std::int64_t sample : samples) wall.push_back({sample});
  SessionSamples session;
  session.wall = wall;
  LatencyStatistics statistics = Summarize({&session, 1});
  std::erase_if(statistics.why, [](const Instability& reason) {
    return reason.kind == InstabilityKind::kFewSessions;
  });
  if (statistics.stable) statistics.stable = statistics.why.empty();
  return BuildLatency(statistics, std::move(samples));
}

doc::Run BuildRun(const RunAnalysis& run, std::int64_t id, const std::string& role) {
  doc::Run out;
  out.id = id;
  out.role = role;
  out.format = NonEmpty(run.format);
  out.file = NonEmpty(run.file);
  out.producer = doc::Producer{run.producer.name, NonEmpty(run.producer.version)};
  doc::Iterations iterations;
  iterations.found = run.iterations.found;
  iterations.warmup = run.iterations.warmup;
  iterations.used = run.iterations.used;
  iterations.unit = run.iterations.unit;
  if (!run.iterations.why.empty()) iterations.why = doc::Text(run.iterations.why);
  out.iterations = iterations;
  out.latency = BuildLatency(run.samples_ns);
  if (run.latency && run.samples_ns.empty()) out.latency = BuildLatency(*run.latency);
  out.reconciliation = BuildReconciliation(run.reconciliation, run.sums_only);
  out.events.reserve(run.rows.size());
  for (const Row& row : run.rows) {
    out.events.push_back(BuildEvent(row));
    // Sums of no run in particular, or nothing that ran: a row's part of a wall is not known.
    if (run.sums_only && run.iterations.used == 0) out.events.back().wall_ns = std::nullopt;
  }
  out.coverage = doc::Coverage{run.coverage.rows, run.coverage.placed, run.coverage.rows_ns,
                               run.coverage.placed_ns};
  out.setup_ns = run.setup_ns;
  for (const std::string& note : run.notes) out.notes.emplace_back(note);
  for (const ProviderPlacement& place : run.placement)
    out.placement.push_back(
        {place.provider, place.layers, place.macs_share, place.wall_share, std::nullopt});
  return out;
}

std::vector<doc::Joined> BuildJoined(Model& model, const StaticAnalysis& analysis,
                                     const RunAnalysis& run, std::int64_t id) {
  std::vector<doc::Joined> out;
  out.reserve(run.layers.size());
  for (const LayerTime& time : run.layers) {
    doc::Joined joined;
    joined.layer = time.layer.value;
    joined.run = id;
    joined.state = Name(time.state);
    if (!time.because.empty()) joined.because = doc::Text(time.because);
    for (const LayerId other : time.shared_with) joined.shared_with.push_back(other.value);
    if (time.state == LayerRun::kMeasured || time.state == LayerRun::kEstimated)
      AddTime(model, analysis.layer(time.layer), time, joined);
    out.push_back(std::move(joined));
  }
  return out;
}

void AddDataQuality(const ImportLog& log, std::vector<doc::DataQuality>& out) {
  constexpr const char* kSeverity[] = {"notice", "loss", "error"};
  for (const ImportIssue& issue : log.issues())
    out.push_back({issue.code, kSeverity[static_cast<int>(issue.severity)], issue.count,
                   issue.where.empty() ? std::nullopt : std::optional<std::string>(issue.where),
                   doc::Text(issue.message)});
}

}  // namespace opscope
