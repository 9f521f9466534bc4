#include "trace/op_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "trace/steps.h"

namespace opscope {

namespace {

bool OnThread(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kAnnotation || kind == EventKind::kPython ||
         kind == EventKind::kApi;
}

bool IsHidden(std::string_view name) {
  constexpr std::array<std::string_view, 5> kHidden = {
      "[memory]", "aten::is_leaf", "aten::output_nr", "aten::_version", "[OutOfMemory]"};
  return name.starts_with("profiler::_record_function_") ||
         std::find(kHidden.begin(), kHidden.end(), name) != kHidden.end();
}

// The tree as the table sees it.
class Tree {
 public:
  Tree(const Trace& trace, const std::vector<DeviceWork>& work)
      : trace_(&trace), parent_(trace.size()), nearest_(trace.size()) {
    FindVisible();
    Merge();
    AddDeviceTime(work);
  }

  std::vector<OpRow> Rows(const std::vector<DeviceWork>& work) const {
    std::vector<std::uint32_t> row_of(trace_->strings.size(), kNone);
    std::vector<OpRow> rows;
    Sum(work, [&](std::uint32_t event) -> OpRow* {
      std::uint32_t& place = row_of[trace_->name[event].index()];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(rows.size());
        rows.push_back({trace_->name[event], trace_->kind[event], 0, 0, 0, 0, 0});
      }
      return &rows[place];
    });
    return rows;
  }

  std::vector<OpShapeRow> ShapeRows(const std::vector<DeviceWork>& work) const {
    std::map<std::pair<Str, std::uint32_t>, std::size_t> place;
    std::vector<OpShapeRow> rows;
    Sum(work, [&](std::uint32_t event) -> OpRow* {
      const OpArgs* args = trace_->args_of(event);
      if (args == nullptr) return nullptr;
      const auto [at, is_new] =
          place.try_emplace({trace_->name[event], trace_->event_args[event]}, rows.size());
      if (is_new)
        rows.push_back({args->inputs,
                        args->outputs,
                        {trace_->name[event], trace_->kind[event], 0, 0, 0, 0, 0}});
      return &rows[at->second].row;
    });
    return rows;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::uint32_t kGone = 0xfffffffeU;  // hidden, merged, or not on a thread

  // `row_of`: the row of an event, nullptr: none. Rows come in the order of their first events; a
  // parent stands before what it holds.
  template <class RowOf>
  void Sum(const std::vector<DeviceWork>& work, RowOf row_of) const {
    for (std::uint32_t event = 0; event < trace_->size(); ++event) {
      if (!Stands(event)) continue;
      const std::int64_t ns = trace_->duration(event);
      if (OpRow* row = row_of(event)) {
        ++row->calls;
        row->self_cpu_ns += ns;
        row->cpu_ns += ns;
        if (!device_.empty()) row->device_ns = SaturatingAdd(row->device_ns, device_[event]);
      }
      if (parent_[event] == kNone) continue;
      if (OpRow* row = row_of(parent_[event])) row->self_cpu_ns -= ns;
    }
    for (const DeviceWork& item : work) {
      const std::uint32_t event = ShownCause(item);
      if (event == kNone) continue;
      if (OpRow* row = row_of(event)) row->self_device_ns += trace_->duration(item.event);
    }
  }

  bool Stands(std::uint32_t event) const { return parent_[event] != kGone; }

  // Parents stand before their children.
  void FindVisible() {
    std::vector<std::uint8_t> hidden(trace_->strings.size(), 2);
    for (std::uint32_t event = 0; event < trace_->size(); ++event) {
      std::uint8_t& hide = hidden[trace_->name[event].index()];
      if (hide == 2) hide = IsHidden(trace_->name_of(event)) ? 1 : 0;
      const EventId parent = trace_->parent_of(event);
      const std::uint32_t above = parent.valid() ? nearest_[parent.index()] : kNone;
      const bool gone = hide == 1 || !OnThread(trace_->kind[event]);
      parent_[event] = gone ? kGone : above;
      nearest_[event] = gone ? above : event;
    }
  }

  void Merge() {
    std::vector<std::uint32_t> children(trace_->size());
    for (std::uint32_t event = 0; event < trace_->size(); ++event)
      if (Stands(event) && parent_[event] != kNone) ++children[parent_[event]];
    // By the parents as they were: a chain of equal names becomes one.
    std::vector<bool> merged(trace_->size());
    for (std::uint32_t event = 0; event < trace_->size(); ++event) {
      if (!Stands(event) || parent_[event] == kNone) continue;
      const std::uint32_t parent = parent_[event];
      merged[event] = children[parent] == 1 && trace_->name[parent] == trace_->name[event];
    }
    for (std::uint32_t event = 0; event < trace_->size(); ++event) {
      if (!Stands(event)) continue;
      while (parent_[event] != kNone && merged[parent_[event]])
        parent_[event] = into_.empty() ? kNone : into_[parent_[event]];
      if (!merged[event]) continue;
      if (into_.empty()) into_.assign(trace_->size(), kNone);
      into_[event] = parent_[event];
    }
    for (std::uint32_t event = 0; event < trace_->size(); ++event)
      if (merged[event]) parent_[event] = kGone;
  }

  // The event that stands for this one in the table.
  std::uint32_t Shown(std::uint32_t event) const {
    const std::uint32_t nearest = nearest_[event];
    const bool merged = !into_.empty() && nearest != kNone && into_[nearest] != kNone;
    return merged ? into_[nearest] : nearest;
  }

  // What shows the device time of this work; kNone: nothing.
  std::uint32_t ShownCause(const DeviceWork& item) const {
    const EventId cause = item.op.valid() ? item.op : item.call;
    return cause.valid() ? Shown(cause.value) : kNone;
  }

  void AddDeviceTime(const std::vector<DeviceWork>& work) {
    if (work.empty()) return;
    device_.assign(trace_->size(), 0);
    for (const DeviceWork& item : work) {
      const std::uint32_t event = ShownCause(item);
      if (event != kNone) device_[event] += trace_->duration(item.event);
    }
    for (std::size_t event = trace_->size(); event-- > 0;)
      if (parent_[event] < kGone) device_[parent_[event]] += device_[event];
  }

  const Trace* trace_;
  std::vector<std::uint32_t> parent_;   // in the table
  std::vector<std::uint32_t> nearest_;  // the event itself or the nearest above it that is visible
  std::vector<std::uint32_t> into_;     // of merged events; empty = none is
  std::vector<std::int64_t> device_;    // launched by it and by what it calls; empty = no work
};

// Steps are rows of one name.
void JoinSteps(Trace& trace, std::vector<OpRow>& rows) {
  const auto is_step = [&](const OpRow& row) { return IsStepMark(trace.text(row.name)); };
  const auto first = std::find_if(rows.begin(), rows.end(), is_step);
  if (first == rows.end()) return;
  OpRow all{trace.strings.Intern(kAllSteps), first->kind, 0, 0, 0, 0, 0};
  for (const OpRow& row : rows) {
    if (!is_step(row)) continue;
    all.calls += row.calls;
    all.self_cpu_ns += row.self_cpu_ns;
    all.cpu_ns += row.cpu_ns;
    all.self_device_ns += row.self_device_ns;
    all.device_ns = SaturatingAdd(all.device_ns, row.device_ns);
  }
  std::erase_if(rows, is_step);
  rows.push_back(all);
}

}  // namespace

std::vector<OpRow> OpTable(Trace& trace, const std::vector<DeviceWork>& work) {
  std::vector<OpRow> rows = Tree(trace, work).Rows(work);
  JoinSteps(trace, rows);
  std::sort(rows.begin(), rows.end(), [&](const OpRow& a, const OpRow& b) {
    return std::tuple(-a.self_device_ns, -a.self_cpu_ns, trace.text(a.name)) <
           std::tuple(-b.self_device_ns, -b.self_cpu_ns, trace.text(b.name));
  });
  return rows;
}

std::vector<OpShapeRow> OpShapeTable(const Trace& trace, const std::vector<DeviceWork>& work) {
  if (trace.args.empty()) return {};
  std::vector<OpShapeRow> rows = Tree(trace, work).ShapeRows(work);
  std::sort(rows.begin(), rows.end(), [&](const OpShapeRow& a, const OpShapeRow& b) {
    const auto key = [&](const OpShapeRow& row) {
      return std::tuple(-row.row.self_device_ns, -row.row.self_cpu_ns, trace.text(row.row.name),
                        trace.text(row.inputs), trace.text(row.outputs));
    };
    return key(a) < key(b);
  });
  return rows;
}

}  // namespace opscope
