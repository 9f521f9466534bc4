#include "trace/formats/tflite_profile/console.h"

#include <algorithm>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/text.h"
#include "base/trimmed.h"
#include "trace/formats/tflite_profile/origin.h"
#include "trace/formats/tflite_profile/run_order.h"

namespace opscope::tflite_profile {

namespace {

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::size_t kMostRows = 1 << 20;
constexpr std::size_t kMostLines = 8;  // of what delegates say

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The number behind `key` ("avg=" in "count=50 first=… avg=1234.5 std=6"), in units of `unit_ns`.
std::optional<std::int64_t> Field(std::string_view text, std::string_view key,
                                  std::int64_t unit_ns) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = Trimmed(text.substr(at + key.size()));
  const auto time = ParseDecimalTime(rest.substr(0, rest.find_first_of(" ,\t")), unit_ns);
  if (!time || time->value < 0) return std::nullopt;
  return time->value;
}

}  // namespace

void Console::Take(std::string_view line, std::uint64_t offset, ImportLog& log) {
  // Newer builds: "INFO: count=50 …"; logcat: "I tflite  : …".
  std::string_view text = line;
  if (text.starts_with("INFO: ")) text.remove_prefix(6);
  if (Heading(text)) return;
  if (Table(text, offset, log)) return;
  Timings(text);
  Inference(text);
  Delegates(text);
}

Console::Section* Console::Current() {
  if (part_ == Part::kOps) return &ops_;
  return part_ == Part::kInner ? &inner_ : nullptr;
}

bool Console::Heading(std::string_view text) {
  const std::string_view title = Trimmed(text);
  if (title.starts_with("===")) {
    run_order_ = Has(title, "Run Order");
    in_table_ = false;
    return true;
  }
  if (title.starts_with("Profiling Info for Benchmark Initialization")) part_ = Part::kInit;
  if (title.starts_with("Operator-wise Profiling Info") || title.starts_with("Primary graph"))
    part_ = Part::kOps;
  if (title.starts_with("Delegate internal")) part_ = Part::kInner;
  if (title.starts_with("Subgraph (")) part_ = Part::kBodies;
  // A second run in the same log: the last counts.
  if (title == "STARTING!") *this = Console();
  return false;
}

bool Console::Table(std::string_view text, std::uint64_t offset, ImportLog& log) {
  OpColumns columns;
  if (columns.Begin(text)) {
    columns_ = columns;
    in_table_ = run_order_ && !columns_.summary();
    csv_ |= text.find('\t') == std::string_view::npos;
    return true;
  }
  if (!in_table_) return false;
  if (Trimmed(text).empty()) {
    in_table_ = false;
    return true;
  }
  const auto row = columns_.Row(text);
  if (!row) {
    in_table_ = false;
    log.Add("tflite-profile.bad-row", Severity::kLoss, AtByte(offset),
            "a row that does not fit its header ends the table: " + Printable(text.substr(0, 80)));
    return true;
  }
  if (part_ == Part::kBodies) ++body_rows_;
  if (Section* section = Current(); section != nullptr && section->rows.size() < kMostRows)
    section->rows.push_back(*row);
  return true;
}

// Timings (microseconds): count=50 first=… curr=… min=… max=… avg=1234.5 std=6
// Timings (microseconds): count=1 curr=63013
void Console::Timings(std::string_view text) {
  const std::size_t at = text.find("Timings (microseconds): ");
  Section* section = Current();
  if (at == std::string_view::npos || section == nullptr) return;
  const auto count = Field(text, "count=", 1);
  const auto mean = Field(text, count && *count == 1 ? "curr=" : "avg=", kMicrosecond);
  if (!count || *count < 1 || *count > (std::int64_t{1} << 40)) return;
  section->runs = *count;
  section->run_ns = mean.value_or(0);
}

// Inference timings in us: Init: 4316, First inference: 37218, Warmup (avg): 36.9e3, Inference
// (avg): 36123.4
void Console::Inference(std::string_view text) {
  if (Trimmed(text).starts_with("count=")) {
    if (const auto count = Field(text, "count=", 1))
      measured_runs_ = *count;  // warm-up comes first
    return;
  }
  if (!Has(text, "nference timings in us: ")) return;
  setup_ns_ = Field(text, "Init: ", kMicrosecond);
  inference_ns_ = Field(text, "Inference (avg): ", kMicrosecond);
  if (!inference_ns_) inference_ns_ = Field(text, "no stats: ", kMicrosecond);
}

void Console::Delegates(std::string_view text) {
  dropped_ |= Has(text, "Dropping ProfileBuffer event");
  const bool says = Has(text, " will be completely executed by the delegate") ||
                    Has(text, " partially executed by the delegate") ||
                    Has(text, " will not be executed by the delegate") ||
                    (text.starts_with("Replacing ") && Has(text, " with delegate ")) ||
                    Has(text, " nodes delegated out of ");
  if (says && delegated_.size() < kMostLines)
    delegated_.push_back(Printable(Trimmed(text).substr(0, 300)));
}

// Of all runs. "times called" is calls by runs, rounded down: 0 leaves only the share to tell.
std::int64_t Console::TotalOf(const OpRow& row, const Section& section) const {
  const auto by_calls = CheckedMul<std::int64_t>(row.mean_ns, row.calls);
  std::int64_t of_run = by_calls.value_or(-1);
  if (row.calls == 0)
    of_run = static_cast<std::int64_t>(Int128{section.run_ns} * row.share_millionths / 1'000'000);
  return CheckedMul<std::int64_t>(of_run, section.runs).value_or(-1);
}

RuntimeRow Console::RowOf(const OpRow& row, const Section& section, Trace& trace) const {
  RuntimeRow out;
  out.name = trace.strings.Intern(row.name);
  out.op = trace.strings.Intern(row.type);
  if (row.is_delegate()) out.provider = out.op;
  out.origin = OriginOf(row);
  out.total_ns = TotalOf(row, section);
  out.calls = CheckedMul<std::int64_t>(row.calls, section.runs).value_or(section.runs);
  // Not in every run: as often as its time holds the mean of a call.
  if (row.calls == 0)
    out.calls = std::max<std::int64_t>(1, row.mean_ns > 0 ? out.total_ns / row.mean_ns : 1);
  return out;
}

// Operators inside delegates. Of several delegates the profiler adds up those of one name and
// index, so that they cannot be told apart: then they stay out of the sums.
void Console::AddInner(std::int32_t delegate, ProfileBuilder& builder, Trace& trace,
                       ImportLog& log) {
  const RuntimeRow& outer = trace.profile->rows[static_cast<std::size_t>(delegate)];
  std::int64_t sum = 0;
  std::vector<RuntimeRow> rows;
  for (const OpRow& row : InnerInRunOrder(std::move(inner_.rows))) {
    RuntimeRow out = RowOf(row, inner_, trace);
    out.op = trace.strings.Intern(row.name.substr(0, row.name.rfind(':')));
    out.provider = outer.provider;
    out.origin = InnerOrigin(row.name);
    out.inside = delegate;
    sum = SaturatingAdd(sum, std::max<std::int64_t>(out.total_ns, 0));
    rows.push_back(std::move(out));
  }
  if (inner_.runs != ops_.runs || sum > outer.total_ns) {
    trace.notes.push_back(
        "the operators inside the delegate do not fit into its time: they are left out of the "
        "sums");
    return;
  }
  for (RuntimeRow& row : rows)
    if (!builder.Add(std::move(row)))
      log.Add("tflite-profile.bad-time", Severity::kLoss, trace.file, "a time that cannot be");
}

void Console::Notes(Trace& trace) const {
  for (const std::string& line : delegated_) trace.notes.push_back(line);
  if (dropped_)
    trace.notes.push_back(
        "events were dropped: run again with a larger "
        "--max_profiling_buffer_entries");
  if (body_rows_ > 0)
    trace.notes.push_back(std::to_string(body_rows_) +
                          " rows of other subgraphs lie inside the ops that run them and are left "
                          "out of the sums");
}

void Console::Fill(Trace& trace, ImportLog& log) {
  RuntimeProfile& profile = trace.profile.emplace();
  profile.runs = ops_.runs;
  profile.setup_ns = setup_ns_;
  std::int64_t inner = 0, runs_called = 1;
  for (const OpRow& row : ops_.rows)
    if (row.is_delegate()) runs_called = std::max(runs_called, row.calls);
  for (const OpRow& row : inner_.rows) inner = SaturatingAdd(inner, row.calls / runs_called);
  ProfileBuilder builder(profile);
  std::int32_t delegates = 0, delegate = -1;
  for (const OpRow& row : InRunOrder(std::move(ops_.rows), inner)) {
    if (!builder.Add(RowOf(row, ops_, trace))) {
      log.Add("tflite-profile.bad-time", Severity::kLoss, Printable(row.name),
              "a row with a time that cannot be is left out");
      continue;
    }
    if (!row.is_delegate()) continue;
    ++delegates;
    delegate = static_cast<std::int32_t>(profile.rows.size()) - 1;
  }
  if (!inner_.rows.empty() && delegates == 1) AddInner(delegate, builder, trace, log);
  if (!inner_.rows.empty() && delegates > 1)
    trace.notes.push_back(std::to_string(inner_.rows.size()) + " rows of " +
                          std::to_string(delegates) +
                          " delegates: the profiler adds up those of one name and index, so that "
                          "they are left out of the sums");
  if (inference_ns_ && measured_runs_ == profile.runs)
    profile.wall_ns = CheckedMul<std::int64_t>(*inference_ns_, profile.runs);
  trace.producer = {"tflite", "", csv_ ? "CSV" : "tables"};
  Notes(trace);
}

}  // namespace opscope::tflite_profile
