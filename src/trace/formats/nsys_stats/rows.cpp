// Rows of reports become sums and events.
#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/text.h"
#include "trace/formats/nsys_stats/report.h"

namespace opscope::nsys_stats {

namespace {

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

EventKind KindOf(const Report& report, const std::vector<std::string>& cells) {
  const std::string_view name = cells[report.name_column()];
  if (report.kind() == ReportKind::kKernels) return DeviceKind(name);
  if (report.kind() == ReportKind::kCalls)
    return IsDriverCall(name) ? EventKind::kApi : EventKind::kSystem;
  if (report.kind() != ReportKind::kMixed) return EventKind::kAnnotation;
  return report.Text(cells, "Category") == "CUDA_API" ? EventKind::kApi : DeviceKind(name);
}

}  // namespace

bool Rows::AddSum(const Report& report, const std::vector<std::string>& cells) {
  const auto either = [&](std::string_view now, std::string_view before) {
    const auto value = report.Amount(cells, now);
    return value ? value : report.Amount(cells, before);
  };
  const std::string_view name = cells[report.name_column()];
  SumRow row;
  row.kind = KindOf(report, cells);
  const bool device = IsDeviceWork(row.kind);
  row.name = trace_->strings.Intern(device && row.kind != EventKind::kKernel ? CopyName(name)
                                                                             : std::string(name));
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
  (device ? row.self_device_ns : row.cpu_ns) = total;
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
  // Waiting for what this report has: a row of the other one.
  std::vector<std::size_t>& waiting = halves_[{row.kind, row.name, row.calls, times}];
  if (!waiting.empty()) {
    SumRow& known = trace_->sums[waiting.back()];
    (times ? known.self_device_ns : known.bytes) = total;
    waiting.pop_back();
    return true;
  }
  halves_[{row.kind, row.name, row.calls, !times}].push_back(trace_->sums.size());
  trace_->sums.push_back(row);
  return true;
}

// A kernel by the call that launched it; times are averages, printed to a tenth of a nanosecond.
bool Rows::AddExecution(const Report& report, const std::vector<std::string>& cells) {
  const auto calls = report.Amount(cells, "Count");
  // In tenths, so that what the product loses is less than what the average lost.
  const auto average = [&](std::string_view title) { return report.Amount(cells, title, 10); };
  const auto kernel = average("KAvg"), call = average("AAvg");
  if (!calls || *calls < 0 || !kernel || *kernel < 0) return false;
  const auto total = [&](std::int64_t tenths) {
    const auto product = CheckedMul(tenths, *calls);
    return product ? std::optional((*product + 5) / 10) : std::nullopt;
  };
  SumRow row;
  row.kind = EventKind::kKernel;
  row.name = trace_->strings.Intern(report.Text(cells, "Kernel Name"));
  row.calls = *calls;
  row.shortest_ns = report.Amount(cells, "KMin");
  row.longest_ns = report.Amount(cells, "KMax");
  row.self_device_ns = total(*kernel);
  if (!row.self_device_ns) return false;
  kernels_by_average_.push_back(row);
  const std::string_view name = report.Text(cells, "API Name");
  if (name.empty() || !call || *call < 0) return true;
  SumRow api;
  api.kind = EventKind::kApi;
  api.name = trace_->strings.Intern(name);
  api.calls = *calls;
  api.shortest_ns = report.Amount(cells, "AMin");
  api.longest_ns = report.Amount(cells, "AMax");
  api.cpu_ns = total(*call);
  calls_by_average_.push_back(api);
  return true;
}

// A range has a row for each of its kernels, and says in each how often it ran.
bool Rows::AddRangeKernel(const Report& report, const std::vector<std::string>& cells) {
  const auto calls = report.Amount(cells, "NVTX Inst"), total = report.Amount(cells, "Total Time");
  if (!calls || *calls < 0 || !total || *total < 0) return false;
  const Str name = trace_->strings.Intern(report.Text(cells, "NVTX Range"));
  const auto [at, is_new] = ranges_.try_emplace(
      {name, report.Amount(cells, "PID").value_or(-1), report.Amount(cells, "TID").value_or(-1)},
      trace_->sums.size());
  if (is_new) {
    SumRow row;
    row.kind = EventKind::kAnnotation;
    row.name = name;
    row.calls = *calls;
    row.device_ns = 0;
    trace_->sums.push_back(row);
  }
  SumRow& range = trace_->sums[at->second];
  range.device_ns = SaturatingAdd(*range.device_ns, *total);
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
      case ReportKind::kExecutions:
        taken = AddExecution(report, cells);
        break;
      case ReportKind::kRangeKernels:
        taken = AddRangeKernel(report, cells);
        break;
      default:
        taken = AddSum(report, cells);
    }
  if (taken || report.kind() == ReportKind::kOther) return;
  log_->Add("nsys-stats.bad-row", Severity::kLoss, AtByte(offset),
            "a row that does not fit its header is left out");
}

// Averages count where no report has the sums themselves.
void Rows::AddAverages(EventKind kind, std::vector<SumRow>& rows) {
  if (rows.empty() || std::any_of(trace_->sums.begin(), trace_->sums.end(),
                                  [&](const SumRow& row) { return row.kind == kind; }))
    return;
  log_->Add("nsys-stats.averages", Severity::kNotice, "",
            "totals are averages times counts, as exact as the averages were printed",
            static_cast<std::int64_t>(rows.size()));
  trace_->sums.insert(trace_->sums.end(), rows.begin(), rows.end());
}

void Rows::Finish() {
  AddAverages(EventKind::kKernel, kernels_by_average_);
  AddAverages(EventKind::kApi, calls_by_average_);
  FinishScopes(*trace_);
  if (trace_->size() == 0 || trace_->sums.empty()) return;
  log_->Add("nsys-stats.sums-dropped", Severity::kNotice, "",
            "the file holds rows of runs: the sums beside them are not shown",
            static_cast<std::int64_t>(trace_->sums.size()));
  trace_->sums.clear();
}

}  // namespace opscope::nsys_stats
