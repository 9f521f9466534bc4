#include "trace/formats/nsys_stats/report.h"

#include <algorithm>
#include <array>

#include "base/decimal.h"
#include "base/text.h"

namespace opscope::nsys_stats {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t scale;
};
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"nsec", 1},
    Unit{"us", 1000},
    Unit{"usec", 1000},
    Unit{"ms", 1'000'000},
    Unit{"msec", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"sec", 1'000'000'000},
    Unit{"B", 1},
    Unit{"KB", 1000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"KiB", 1 << 10},
    Unit{"MiB", 1 << 20},
    Unit{"GiB", 1 << 30},
    Unit{"%", 1},
};

// Digits are grouped by locale, by threes or otherwise: "329,694,056".
std::optional<std::int64_t> Number(std::string_view cell, std::int64_t scale) {
  std::string digits;
  for (const char c : cell)
    if (c != ',' && c != '\'' && c != ' ') digits += c;
  const auto value = ParseDecimalTime(digits, scale);
  return value ? std::optional(value->value) : std::nullopt;
}

bool IsDriverCall(std::string_view name) {
  return name.starts_with("cu") || name.starts_with("hip") || name.starts_with("nvtx");
}

// "[CUDA memcpy HtoD]", since 2023 "[CUDA memcpy Host-to-Device]", and what the tables of a
// recording call the same: "Memcpy HtoD".
std::string CopyName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
      {{"Host-to-Device", "HtoD"},
       {"Device-to-Host", "DtoH"},
       {"Device-to-Device", "DtoD"},
       {"Host-to-Host", "HtoH"},
       {"Peer-to-Peer", "PtoP"},
       {"[CUDA memcpy ", "Memcpy "}}};
  std::string out(name);
  for (const auto& [from, to] : kWords)
    if (const std::size_t at = out.find(from); at != std::string::npos)
      out.replace(at, from.size(), to);
  if (out.starts_with("[CUDA memset")) return "Memset";
  if (out.ends_with(']')) out.pop_back();
  return out;
}

EventKind DeviceKind(std::string_view name) {
  if (name.starts_with("[CUDA memset")) return EventKind::kMemset;
  const bool copy = name.starts_with("[CUDA memcpy") || name.starts_with("[CUDA Unified Memory");
  return copy ? EventKind::kCopy : EventKind::kKernel;
}

}  // namespace

Title TitleOf(std::string_view text) {
  const std::size_t open = text.rfind('('), close = text.rfind(')');
  if (open == std::string_view::npos || close != text.size() - 1) return {std::string(text), 1};
  std::string_view name = text.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  Title out{std::string(name), 0};
  for (const Unit& unit : kUnits)
    if (text.substr(open + 1, close - open - 1) == unit.name) out.scale = unit.scale;
  return out;
}

Report::Report(const std::vector<std::string>& titles) {
  for (const std::string& title : titles) titles_.push_back(TitleOf(title));
  const auto has = [&](std::string_view title) { return Find(title) != titles_.size(); };
  for (const std::string_view name : {"Kernel Name", "Name", "Operation", "Range"})
    if (has(name)) name_ = Find(name);
  const bool sum = has("Time") && has("Total Time");
  if (has("Start") && has("Duration") && has("Name"))
    kind_ = has("Strm") || has("Stream") || has("GrdX") ? ReportKind::kDeviceTrace
                                                        : ReportKind::kCallTrace;
  else if (has("Kernel Name") || has("NVTX Range"))
    kind_ = ReportKind::kOther;
  else if (has("Total Proj Time") && has("Range"))
    kind_ = ReportKind::kProjected;
  else if (sum && has("Range") && has("Instances"))
    kind_ = ReportKind::kRanges;
  else if (sum && has("Operation"))
    kind_ = ReportKind::kCopyTimes;
  else if (has("Total") && has("Operation") && (has("Count") || has("Operations")))
    kind_ = ReportKind::kCopySizes;
  else if (sum && has("Name") && has("Num Calls"))
    kind_ = ReportKind::kCalls;
  else if (sum && has("Name") && has("Instances"))
    kind_ = ReportKind::kKernels;
  else if (sum)
    kind_ = ReportKind::kOther;
}

std::size_t Report::Find(std::string_view title) const {
  const auto at = std::find_if(titles_.begin(), titles_.end(),
                               [&](const Title& known) { return known.name == title; });
  return static_cast<std::size_t>(at - titles_.begin());
}

std::optional<std::int64_t> Report::Amount(const std::vector<std::string>& cells,
                                           std::string_view title) const {
  const std::size_t at = Find(title);
  if (at >= cells.size() || titles_[at].scale == 0) return std::nullopt;
  return Number(cells[at], titles_[at].scale);
}

std::string_view Report::Text(const std::vector<std::string>& cells, std::string_view title) const {
  const std::size_t at = Find(title);
  return at < cells.size() ? std::string_view(cells[at]) : std::string_view();
}

bool Rows::AddSum(const Report& report, const std::vector<std::string>& cells) {
  const auto either = [&](std::string_view now, std::string_view before) {
    const auto value = report.Amount(cells, now);
    return value ? value : report.Amount(cells, before);
  };
  const std::string_view name = cells[report.name_column()];
  SumRow row;
  row.name = trace_->strings.Intern(name);
  row.shortest_ns = either("Min", "Minimum");
  row.longest_ns = either("Max", "Maximum");
  auto calls = either("Instances", "Num Calls");
  std::optional<std::int64_t> total = report.Amount(cells, "Total Time");
  if (report.kind() == ReportKind::kProjected) {
    calls = either("Range Instances", "Range Insts");
    total = report.Amount(cells, "Total Range Time");
    row.device_ns = report.Amount(cells, "Total Proj Time");
  }
  if (!calls || !total || *calls < 0 || *total < 0) return false;
  row.calls = *calls;
  if (report.kind() == ReportKind::kKernels) {
    row.kind = DeviceKind(name);
    if (row.kind != EventKind::kKernel) row.name = trace_->strings.Intern(CopyName(name));
    row.self_device_ns = total;
  } else if (report.kind() == ReportKind::kCalls) {
    row.kind = IsDriverCall(name) ? EventKind::kApi : EventKind::kSystem;
    row.cpu_ns = total;
  } else {
    row.kind = EventKind::kAnnotation;
    row.cpu_ns = total;
  }
  trace_->sums.push_back(row);
  return true;
}

// The report of times and that of sizes speak of the same copies.
bool Rows::AddCopy(const Report& report, const std::vector<std::string>& cells) {
  const std::string_view operation = cells[report.name_column()];
  SumRow row;
  row.kind = DeviceKind(operation) == EventKind::kMemset ? EventKind::kMemset : EventKind::kCopy;
  row.name = trace_->strings.Intern(CopyName(operation));
  auto calls = report.Amount(cells, "Count");
  if (!calls) calls = report.Amount(cells, "Operations");
  if (!calls) calls = report.Amount(cells, "Instances");
  const bool times = report.kind() == ReportKind::kCopyTimes;
  const auto total = report.Amount(cells, times ? "Total Time" : "Total");
  if (!calls || *calls < 0 || !total) return false;
  row.calls = *calls;
  (times ? row.self_device_ns : row.bytes) = total;
  for (SumRow& known : trace_->sums) {
    std::optional<std::int64_t>& free = times ? known.self_device_ns : known.bytes;
    if (known.kind != row.kind || known.name != row.name || known.calls != row.calls || free)
      continue;
    free = total;
    return true;
  }
  trace_->sums.push_back(row);
  return true;
}

bool Rows::AddEvent(const Report& report, const std::vector<std::string>& cells) {
  const auto begin = report.Amount(cells, "Start"), duration = report.Amount(cells, "Duration");
  const std::string_view name = cells[report.name_column()];
  if (!begin || !duration) return false;
  auto correlation = report.Amount(cells, "CorrId");
  if (!correlation) correlation = report.Amount(cells, "CorrID");
  if (report.kind() == ReportKind::kCallTrace) {
    const TrackId track =
        builder_.AddTrack(TrackKind::kThread, report.Amount(cells, "Pid").value_or(0),
                          report.Amount(cells, "Tid").value_or(0));
    return builder_.AddEvent(trace_->strings.Intern(name), track,
                             IsDriverCall(name) ? EventKind::kApi : EventKind::kSystem, *begin,
                             *duration, correlation.value_or(-1), DeviceArgsId{});
  }
  // "NVIDIA H100 80GB HBM3 (0)": the number of the device stands last.
  const std::string_view text = report.Text(cells, "Device");
  const std::size_t open = text.rfind('(');
  const std::string_view inside = open == std::string_view::npos
                                      ? text
                                      : text.substr(open + 1, text.find(')', open) - open - 1);
  const std::int64_t number = ParseIntegral(inside).value_or(0);
  const auto stream = report.Amount(cells, "Strm");
  DeviceArgs args;
  args.device = Int32OrUnknown(number);
  args.stream = Int32OrUnknown(stream.value_or(-1));
  args.bytes = report.Amount(cells, "Bytes").value_or(-1);
  const EventKind kind = DeviceKind(name);
  const std::string shown = kind == EventKind::kKernel ? std::string(name) : CopyName(name);
  return builder_.AddEvent(trace_->strings.Intern(shown),
                           builder_.AddTrack(TrackKind::kStream, number, stream.value_or(0)), kind,
                           *begin, *duration, correlation.value_or(-1),
                           builder_.AddDeviceArgs(args));
}

void Rows::Add(const Report& report, const std::vector<std::string>& cells, std::uint64_t offset) {
  bool taken = false;
  if (cells.size() == report.columns()) switch (report.kind()) {
      case ReportKind::kNone:
      case ReportKind::kOther:
        return;
      case ReportKind::kCopyTimes:
      case ReportKind::kCopySizes:
        taken = AddCopy(report, cells);
        break;
      case ReportKind::kDeviceTrace:
      case ReportKind::kCallTrace:
        taken = AddEvent(report, cells);
        break;
      default:
        taken = AddSum(report, cells);
    }
  if (taken || report.kind() == ReportKind::kOther) return;
  log_->Add("nsys-stats.bad-row", Severity::kLoss, AtByte(offset),
            "a row that does not fit its header is left out");
}

void Rows::Finish() {
  FinishScopes(*trace_);
  if (trace_->size() == 0 || trace_->sums.empty()) return;
  log_->Add("nsys-stats.sums-dropped", Severity::kNotice, "",
            "the file holds rows of runs: the sums beside them are not shown",
            static_cast<std::int64_t>(trace_->sums.size()));
  trace_->sums.clear();
}

}  // namespace opscope::nsys_stats
