#include "join/sum_profile.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace opscope {

namespace {

constexpr std::int64_t kMostNs = std::int64_t{1} << 61;

Row BuildRow(const Trace& trace, const RuntimeRow& source) {
  Row row;
  row.kind = RowKind::kLayer;
  row.name = trace.text(source.name);
  row.op = trace.text(source.op);
  row.provider = trace.text(source.provider);
  row.dtype = trace.text(source.dtype);
  row.inputs = trace.text(source.inputs);
  row.outputs = trace.text(source.outputs);
  row.because = trace.text(source.because);
  row.calls = source.calls;
  row.device_ns = source.device_ns;
  row.busy_ns = row.wall_ns = source.total_ns;
  if (source.origin.made.empty()) return row;
  row.kind = RowKind::kRuntime;
  row.method = MatchMethod::kRuntimeName;
  row.confidence = Confidence::kExact;
  row.because = source.origin.made;
  return row;
}

// The time of rows that lie inside another is taken off that one, which keeps what is left. Sums
// of one clock may still disagree by its ticks: then nothing is left of the outer row.
class Table {
 public:
  explicit Table(const Trace& trace) : trace_(&trace), profile_(&*trace.profile) {}

  RowTable Build() {
    for (const RuntimeRow& source : profile_->rows) Add(source);
    for (std::uint32_t row = 0; row < table_.rows.size(); ++row) TakeOff(row);
    return std::move(table_);
  }

 private:
  void Add(const RuntimeRow& source) {
    Row row = BuildRow(*trace_, source);
    RowKey key;
    key.name = source.name;
    key.op = source.op;
    key.provider = source.provider;
    key.node_index = source.origin.node_index;
    if (source.inside >= 0) {
      const auto outer = static_cast<std::uint32_t>(source.inside);
      CHECK(outer < table_.rows.size());
      row.container = key.container = outer;
      row.path = table_.rows[outer].path;
      row.path.push_back(table_.rows[outer].name);
      table_.rows[outer].kind = RowKind::kContainer;
    }
    table_.keys.push_back(key);
    table_.rows.push_back(std::move(row));
    table_.samples.emplace_back();
    for (const RunSample& sample : source.samples)
      table_.samples.back().push_back({sample.run, sample.ns});
    table_.typical_ns.push_back(
        source.typical_ns.value_or(source.total_ns / std::max<std::int64_t>(profile_->runs, 1)));
  }

  void TakeOff(std::uint32_t row) {
    const std::uint32_t outer = table_.rows[row].container;
    if (outer == kNoRow) return;
    const auto less = [](std::int64_t& from, std::int64_t by) {
      from = std::max<std::int64_t>(0, from - by);
    };
    less(table_.rows[outer].wall_ns, table_.rows[row].busy_ns);
    less(table_.typical_ns[outer], table_.typical_ns[row]);
    table_.samples[outer].clear();
  }

  const Trace* trace_;
  const RuntimeProfile* profile_;
  RowTable table_;
};

}  // namespace

Summary SumProfile(const Trace& trace) {
  const RuntimeProfile& profile = *trace.profile;
  Summary summary{{}, Table(trace).Build(), std::nullopt};
  RunAnalysis& run = summary.run;
  run.format = trace.format;
  run.file = trace.file;
  run.producer = trace.producer;
  run.notes = trace.notes;
  run.setup_ns = profile.setup_ns;
  run.samples_ns = profile.samples_ns;
  run.latency = profile.latency;
  run.iterations = {profile.runs + profile.warmup, profile.warmup, profile.runs, "run", 0, ""};
  if (profile.warmup > 0) run.iterations.why = "the first run warms up";
  if (!profile.runs_known)
    run.iterations.why = "the file holds means: of how many runs is not said";
  std::int64_t rows = 0;
  for (const Row& row : summary.table.rows) rows += row.wall_ns;
  CHECK(rows <= kMostNs);
  run.sums_only = !profile.wall_ns || *profile.wall_ns < rows;
  if (profile.wall_ns && run.sums_only)
    run.notes.push_back("the rows take longer than the runs (" + std::to_string(rows) +
                        " against " + std::to_string(*profile.wall_ns) +
                        " ns): they overlap, or profiling slowed them; no gap is given");
  const auto has_more = [](const RuntimeRow& row) {
    return row.typical_ns || !row.samples.empty();
  };
  if (rows > 0 && std::none_of(profile.rows.begin(), profile.rows.end(), has_more))
    run.notes.push_back("the file holds means: medians are means of one run");
  summary.wall_ns = run.sums_only ? rows : *profile.wall_ns;
  summary.table.gap_ns = *summary.wall_ns - rows;
  if (trace.cut_at)
    run.notes.push_back("the file ends early, at byte " + std::to_string(*trace.cut_at));
  return summary;
}

}  // namespace opscope
