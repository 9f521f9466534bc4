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
  for (const std::string_view name : {"Kernel Name", "Name", "Operation", "Range", "NVTX Range"})
    if (has(name)) name_ = Find(name);
  const bool sum = has("Time") && has("Total Time");
  if (has("KAvg") && has("Kernel Name"))
    kind_ = ReportKind::kExecutions;
  else if (has("NVTX Range") && has("Kern Inst"))
    kind_ = ReportKind::kRangeKernels;
  else if (has("Start") && has("Duration") && has("Name"))
    kind_ = has("Strm") || has("Stream") || has("GrdX") ? ReportKind::kDeviceTrace
                                                        : ReportKind::kCallTrace;
  else if (has("Kernel Name") || has("NVTX Range") || has("Projected Start"))
    kind_ = ReportKind::kOther;
  else if (has("Total Proj Time") && has("Range"))
    kind_ = ReportKind::kProjected;
  else if (sum && has("Range") && has("Instances"))
    kind_ = ReportKind::kRanges;
  else if (sum && has("Operation"))
    kind_ = has("Category") ? ReportKind::kMixed : ReportKind::kCopyTimes;
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
                                           std::string_view title, std::int64_t parts) const {
  const std::size_t at = Find(title);
  if (at >= cells.size() || titles_[at].scale == 0) return std::nullopt;
  return Number(cells[at], titles_[at].scale * parts);
}

std::string_view Report::Text(const std::vector<std::string>& cells, std::string_view title) const {
  const std::size_t at = Find(title);
  return at < cells.size() ? std::string_view(cells[at]) : std::string_view();
}

}  // namespace opscope::nsys_stats
