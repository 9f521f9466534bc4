#include "trace/ranges.h"

#include <algorithm>
#include <tuple>

#include "trace/steps.h"

namespace opscope {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// The row of every name of a range; kNone for other names.
class RowsByName {
 public:
  explicit RowsByName(Trace& trace) : trace_(&trace), row_of_(trace.strings.size(), kNone) {}

  std::uint32_t RowOf(Str name) {
    if (name.index() < row_of_.size() && row_of_[name.index()] != kNone)
      return row_of_[name.index()];
    const bool step = IsStepMark(trace_->text(name));
    const Str shown = step ? trace_->strings.Intern(kAllSteps) : name;
    std::uint32_t row = kNone;
    if (step && steps_ != kNone) row = steps_;
    if (row == kNone) {
      row = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({shown, 0, 0, 0, 0});
    }
    if (step) steps_ = row;
    if (name.index() >= row_of_.size()) row_of_.resize(name.index() + 1, kNone);
    return row_of_[name.index()] = row;
  }
  std::vector<RangeRow>& rows() { return rows_; }

 private:
  Trace* trace_;
  std::vector<std::uint32_t> row_of_;
  std::uint32_t steps_ = kNone;
  std::vector<RangeRow> rows_;
};

void AddWork(const Trace& trace, std::uint32_t event, RangeRow& row) {
  row.kernels += trace.kind[event] == EventKind::kKernel ? 1 : 0;
  row.device_ns += trace.duration(event);
}

}  // namespace

Ranges FindRanges(Trace& trace, const std::vector<DeviceWork>& work) {
  RowsByName names(trace);
  // The row of the innermost range around each event; parents stand before what they hold.
  std::vector<std::uint32_t> around(trace.size(), kNone);
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const EventId parent = trace.parent_of(event);
    const bool nests = trace.tracks[trace.track[event]].kind == TrackKind::kThread;
    if (trace.kind[event] == EventKind::kAnnotation) {
      const std::uint32_t row = names.RowOf(trace.name[event]);
      ++names.rows()[row].calls;
      names.rows()[row].ns += trace.duration(event);
      if (nests) around[event] = row;
    } else if (nests && parent.valid()) {
      around[event] = around[parent.index()];
    }
  }
  Ranges out;
  for (const DeviceWork& item : work) {
    const std::uint32_t row = item.call.valid() ? around[item.call.index()] : kNone;
    AddWork(trace, item.event, row == kNone ? out.unattributed : names.rows()[row]);
  }
  out.rows = std::move(names.rows());
  std::sort(out.rows.begin(), out.rows.end(), [&](const RangeRow& a, const RangeRow& b) {
    return std::tuple(-a.device_ns, -a.ns, trace.text(a.name)) <
           std::tuple(-b.device_ns, -b.ns, trace.text(b.name));
  });
  return out;
}

}  // namespace opscope
