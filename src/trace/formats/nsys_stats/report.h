// Internal to nsys_stats: which report a header belongs to, and its rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/import_log.h"
#include "trace/trace.h"

namespace opscope::nsys_stats {

// "Total Time (ns)" -> {"Total Time", 1}; a unit that is not known: scale 0.
struct Title {
  std::string name;
  std::int64_t scale = 1;  // ns of a time, bytes of a size
};
Title TitleOf(std::string_view text);

enum class ReportKind : std::uint8_t {
  kNone,   // not a header
  kOther,  // a report that is not read
  kKernels,
  kCalls,
  kCopyTimes,
  kCopySizes,
  kRanges,
  kProjected,
  kDeviceTrace,
  kCallTrace,
  kMixed,        // kernels, copies and calls in one, told by "Category"
  kExecutions,   // cuda_kern_exec_sum: how long kernels were called, queued, run
  kRangeKernels  // nvtx_kern_sum: kernels by range
};

class Report {
 public:
  Report() = default;
  explicit Report(const std::vector<std::string>& titles);
  ReportKind kind() const { return kind_; }
  std::size_t columns() const { return titles_.size(); }
  std::size_t name_column() const { return name_; }

  // `parts`: in tenths of a nanosecond or byte, where it is 10.
  std::optional<std::int64_t> Amount(const std::vector<std::string>& cells, std::string_view title,
                                     std::int64_t parts = 1) const;
  std::string_view Text(const std::vector<std::string>& cells, std::string_view title) const;

 private:
  std::size_t Find(std::string_view title) const;

  std::vector<Title> titles_;
  ReportKind kind_ = ReportKind::kNone;
  std::size_t name_ = 0;
};

// Collects the rows of all reports of a file.
class Rows {
 public:
  Rows(Trace& trace, ImportLog& log) : trace_(&trace), builder_(trace), log_(&log) {}
  void Add(const Report& report, const std::vector<std::string>& cells, std::uint64_t offset);
  void Finish();

 private:
  bool AddSum(const Report& report, const std::vector<std::string>& cells);
  bool AddCopy(const Report& report, const std::vector<std::string>& cells);
  bool AddEvent(const Report& report, const std::vector<std::string>& cells);
  bool AddExecution(const Report& report, const std::vector<std::string>& cells);
  bool AddRangeKernel(const Report& report, const std::vector<std::string>& cells);
  void AddAverages(EventKind kind, std::vector<SumRow>& rows);

  Trace* trace_;
  TraceBuilder builder_;
  ImportLog* log_;
  // Of copies (kind, name, calls): the rows that have no time (true) or no size (false) yet.
  std::map<std::tuple<EventKind, Str, std::int64_t, bool>, std::vector<std::size_t>> halves_;
  std::map<std::tuple<Str, std::int64_t, std::int64_t>, std::size_t> ranges_;  // name, pid, tid
  std::vector<SumRow> kernels_by_average_, calls_by_average_;
};

}  // namespace opscope::nsys_stats
