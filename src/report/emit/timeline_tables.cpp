#include "report/emit/timeline_tables.h"

#include <algorithm>

#include "document/format.h"
#include "document/messages.h"

namespace opscope {

namespace {

constexpr int kKept = FittedColumn::kKept;

double Ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Tables {
 public:
  Tables(const doc::Timeline& timeline, std::size_t most, Language language)
      : timeline_(&timeline), most_(most), language_(language) {}

  std::vector<ShownTable> Make() {
    Devices();
    Steps();
    GapCauses();
    Gaps();
    Copies();
    Uploads();
    Kernels();
    Ranges();
    Ops();
    OpShapes();
    CriticalPath();
    PathRows();
    Ranks();
    return std::move(tables_);
  }

 private:
  FittedColumn Name(std::string_view id) const {
    return {std::string(Word(id, language_)), Align::kLeft, kKept, true};
  }
  FittedColumn Number(std::string_view id, int importance = kKept) const {
    return {std::string(Word(id, language_)), Align::kRight, importance};
  }
  // Empty where the file does not say.
  static std::string Time(const std::optional<std::int64_t>& ns) {
    return ns ? FormatTime(*ns) : "";
  }
  std::string Text(std::string_view id) const { return std::string(Word(id, language_)); }

  // A table of `rows`, of which the first `most_` are shown; `cells(row)` makes one.
  template <class Rows, class Cells>
  void Add(std::string_view heading, std::vector<FittedColumn> columns, const Rows& rows,
           Cells cells) {
    if (rows.empty()) return;
    ShownTable table{heading, std::move(columns), {}, 0};
    for (const auto& row : rows) {
      if (table.rows.size() == most_) break;
      table.rows.push_back(cells(row));
    }
    table.left_out = static_cast<std::int64_t>(rows.size() - table.rows.size());
    tables_.push_back(std::move(table));
  }

  void Devices() {
    Add("head.devices",
        {Name("col.device"), Number("col.busy"), Number("col.idle"), Number("col.span"),
         Number("col.compute", 50), Number("col.communication", 20), Number("col.copies", 40),
         Number("col.utilisation", 45), Number("col.kernels", 30), Number("col.orphans", 60)},
        timeline_->devices, [&](const doc::DeviceTime& device) -> std::vector<std::string> {
          return {std::to_string(device.device) + (device.name ? " " + *device.name : ""),
                  FormatTime(device.busy_ns),
                  FormatTime(device.idle_ns) + " " +
                      FormatPercent(Ratio(device.idle_ns, device.span_ns)),
                  FormatTime(device.span_ns),
                  FormatTime(device.compute_ns),
                  FormatTime(device.communication_ns),
                  FormatTime(device.copy_ns),
                  device.utilisation ? FormatPercent(*device.utilisation) : "",
                  FormatInteger(device.kernels),
                  FormatInteger(device.orphans)};
        });
  }

  void Steps() {
    Add("head.steps",
        {Name("col.step"), Number("col.time"), Number("col.kernels", 60), Number("col.copies", 50),
         Number("col.communication", 40), Number("col.runtime", 30), Number("col.loading", 55),
         Number("col.cpu", 45), Number("col.other", 20)},
        timeline_->steps, [&](const doc::StepTime& step) -> std::vector<std::string> {
          return {step.name,
                  FormatTime(step.ns),
                  FormatPercent(Ratio(step.kernel_ns, step.ns)),
                  FormatPercent(Ratio(step.copy_ns + step.memset_ns, step.ns)),
                  FormatPercent(Ratio(step.communication_ns, step.ns)),
                  FormatPercent(Ratio(step.runtime_ns, step.ns)),
                  FormatPercent(Ratio(step.dataloader_ns, step.ns)),
                  FormatPercent(Ratio(step.cpu_ns, step.ns)),
                  FormatPercent(Ratio(step.other_ns, step.ns))};
        });
  }

  std::string Cause(std::string_view kind) const {
    if (kind == "data loading") return Text("gap.loading");
    return Text("gap." + std::string(kind));
  }

  void GapCauses() {
    std::int64_t idle = 0;
    for (const doc::GapSum& sum : timeline_->gap_sums) idle += sum.ns;
    Add("head.gap-causes",
        {Name("col.cause"), Number("col.number"), Number("col.time"), Number("col.of-idle")},
        timeline_->gap_sums, [&](const doc::GapSum& sum) -> std::vector<std::string> {
          return {Cause(sum.kind), FormatInteger(sum.count), FormatTime(sum.ns),
                  FormatPercent(Ratio(sum.ns, idle))};
        });
  }

  void Gaps() {
    Add("head.gaps", {Number("col.time"), Name("col.cause"), Name("col.before"), Name("col.after")},
        timeline_->gaps, [&](const doc::GapTime& gap) -> std::vector<std::string> {
          return {FormatTime(gap.ns), Cause(gap.kind), gap.before.value_or(""),
                  gap.after.value_or("")};
        });
  }

  void Copies() {
    Add("head.copies",
        {Name("col.direction"), Name("col.memory"), Number("col.number"), Number("col.bytes"),
         Number("col.time"), Number("col.rate")},
        timeline_->copies, [&](const doc::CopyTime& copy) -> std::vector<std::string> {
          return {copy.kind,
                  copy.memory,
                  FormatInteger(copy.count),
                  copy.bytes ? FormatBytes(*copy.bytes) : "",
                  Time(copy.ns),
                  copy.gbytes_per_s ? FormatNumber(*copy.gbytes_per_s) + " GB/s" : ""};
        });
  }

  void Uploads() {
    Add("head.uploads",
        {Name("col.op"), Number("col.number"), Number("col.bytes"), Number("col.time")},
        timeline_->repeated_uploads,
        [&](const doc::RepeatedUpload& upload) -> std::vector<std::string> {
          return {upload.op.value_or("?"), FormatInteger(upload.count), FormatBytes(upload.bytes),
                  FormatTime(upload.ns)};
        });
  }

  void Kernels() {
    std::int64_t all = 0;
    for (const doc::KernelTime& kernel : timeline_->kernels) all += kernel.ns;
    Add("head.kernels",
        {Name("col.kernel"), Name("col.op"), Number("col.calls", 50), Number("col.time"),
         Number("col.share", 60)},
        timeline_->kernels, [&](const doc::KernelTime& kernel) -> std::vector<std::string> {
          return {kernel.name, kernel.op.value_or(""), FormatInteger(kernel.calls),
                  FormatTime(kernel.ns), FormatPercent(Ratio(kernel.ns, all))};
        });
  }

  // Of programs with devices; the unattributed stand at the end and are shown whatever is cut.
  void Ranges() {
    std::vector<doc::RangeTime> ranges = timeline_->ranges;
    const bool sums = !timeline_->span_ns;
    if (ranges.empty() || (timeline_->devices.empty() && !sums)) return;
    const doc::RangeTime rest = ranges.back();
    if (!sums) ranges.pop_back();
    const auto cells = [&](const doc::RangeTime& range) -> std::vector<std::string> {
      return {range.name ? *range.name : Text("word.unattributed"), FormatInteger(range.calls),
              Time(range.ns), Time(range.device_ns),
              range.kernels ? FormatInteger(*range.kernels) : ""};
    };
    Add("head.ranges",
        {Name("col.range"), Number("col.calls", 50), Number("col.time", 60),
         Number("col.device-time"), Number("col.kernels", 40)},
        ranges, cells);
    if (!sums) tables_.back().rows.push_back(cells(rest));
  }

  // Only where a device shows more than the rows of the thread do.
  void Ops() {
    std::vector<doc::OpTime> ops;
    for (const doc::OpTime& op : timeline_->ops)
      if (op.self_device_ns > 0) ops.push_back(op);
    Add("head.device-ops",
        {Name("col.op"), Number("col.calls", 50), Number("col.self-device"),
         Number("col.with-children", 40), Number("col.self-cpu", 60)},
        ops, [&](const doc::OpTime& op) -> std::vector<std::string> {
          return {op.name, FormatInteger(op.calls), Time(op.self_device_ns), Time(op.device_ns),
                  Time(op.self_cpu_ns)};
        });
  }

  void OpShapes() {
    Add("head.op-shapes",
        {Name("col.op"), Name("col.inputs"), Number("col.calls", 50), Number("col.self-cpu"),
         Number("col.self-device", 40)},
        timeline_->op_shapes, [&](const doc::OpTime& op) -> std::vector<std::string> {
          return {op.name, op.inputs.value_or(""), FormatInteger(op.calls), Time(op.self_cpu_ns),
                  op.self_device_ns > 0 ? Time(op.self_device_ns) : ""};
        });
  }

  // One row: how long the path is and what it is made of.
  void CriticalPath() {
    std::vector<doc::CriticalPath> paths;
    if (timeline_->critical_path) paths.push_back(*timeline_->critical_path);
    Add("head.critical-path",
        {Name("col.window"), Number("col.time"), Number("path.cpu"), Number("path.kernel"),
         Number("path.copy", 50), Number("path.launch"), Number("path.wait"),
         Number("col.path-events", 40), Number("col.graph", 20)},
        paths, [&](const doc::CriticalPath& path) {
          std::vector<std::string> cells = {path.window, FormatTime(path.ns)};
          for (const doc::PathPart& part : path.parts)
            cells.push_back(FormatPercent(Ratio(part.ns, path.ns)));
          cells.resize(7);
          cells.push_back(FormatInteger(path.path_events));
          cells.push_back(FormatInteger(path.graph_nodes));
          return cells;
        });
  }

  void PathRows() {
    if (!timeline_->critical_path) return;
    const doc::CriticalPath& path = *timeline_->critical_path;
    Add("head.path-rows",
        {Name("col.row"), Name("col.kind"), Number("col.calls", 50), Number("col.time"),
         Number("col.of-path")},
        path.rows, [&](const doc::PathRow& row) -> std::vector<std::string> {
          return {row.name, Text("path." + row.kind), FormatInteger(row.calls), FormatTime(row.ns),
                  FormatPercent(Ratio(row.ns, path.ns))};
        });
  }

  void Ranks() {
    Add("head.ranks",
        {Number("col.rank"), Name("col.file"), Number("col.busy"), Number("col.rank-wait"),
         Number("col.collectives", 50), Number("col.begin", 40), Name("col.straggler")},
        timeline_->ranks, [&](const doc::RankTime& rank) -> std::vector<std::string> {
          return {std::to_string(rank.rank),
                  rank.file,
                  FormatTime(rank.busy_ns),
                  FormatTime(rank.wait_ns),
                  FormatInteger(rank.collectives),
                  rank.begin_ns ? FormatTime(*rank.begin_ns) : "?",
                  rank.straggler ? Text("word.straggler") : ""};
        });
  }

  const doc::Timeline* timeline_;
  std::size_t most_;
  Language language_;
  std::vector<ShownTable> tables_;
};

}  // namespace

std::vector<ShownTable> TimelineTables(const doc::Timeline& timeline, std::size_t most,
                                       Language language) {
  return Tables(timeline, most, language).Make();
}

}  // namespace opscope
