// The timeline part of a run.
#include <algorithm>

#include "document/format.h"
#include "report/build.h"

namespace opscope {

namespace {

std::optional<std::string> TextOf(const Trace& trace, Str id) {
  return id.value == 0 ? std::nullopt : std::optional(std::string(trace.text(id)));
}

std::optional<std::string> NameOf(const Trace& trace, std::int64_t device) {
  for (const DeviceInfo& info : trace.recording.devices)
    if (info.id == device && !info.name.empty()) return info.name;
  return std::nullopt;
}

doc::DeviceTime BuildDevice(const Trace& trace, const DeviceTime& time) {
  doc::DeviceTime out;
  out.device = time.device;
  out.name = NameOf(trace, time.device);
  out.busy_ns = time.all.busy_ns;
  out.idle_ns = time.all.idle_ns;
  out.span_ns = time.all.span_ns;
  out.compute_ns = time.all.compute_ns;
  out.communication_ns = time.communication_ns;
  out.copy_ns = time.copy_ns;
  out.memset_ns = time.memset_ns;
  out.exposed_communication_ns = time.exposed_communication_ns;
  out.exposed_copy_ns = time.exposed_copy_ns;
  out.kernels = time.kernels;
  out.communication_kernels = time.communication_kernels;
  out.work = time.work;
  out.orphans = time.orphans;
  out.utilisation = time.utilisation;
  out.sm_efficiency = time.sm_efficiency;
  out.occupancy = time.occupancy;
  out.launch_delay = {time.launch_delay_median_ns, time.launch_delay_p95_ns};
  out.queue_max = time.queue_max;
  out.linked = {time.linked.busy_ns, time.linked.idle_ns, time.linked.span_ns,
                time.linked.compute_ns};
  return out;
}

std::optional<double> RatioOf(std::int64_t host_ns, std::int64_t device_ns) {
  if (device_ns <= 0) return std::nullopt;
  return static_cast<double>(host_ns) / static_cast<double>(device_ns);
}

doc::StepTime BuildStep(const Trace& trace, const Step& step) {
  const auto part = [&](StepPart which) { return step.parts_ns[static_cast<std::size_t>(which)]; };
  doc::StepTime out;
  out.name = trace.text(step.name);
  out.begin_ns = step.begin;
  out.ns = step.end - step.begin;
  out.kernel_ns = part(StepPart::kKernel);
  out.copy_ns = part(StepPart::kCopy);
  out.memset_ns = part(StepPart::kMemset);
  out.communication_ns = part(StepPart::kCommunication);
  out.runtime_ns = part(StepPart::kRuntime);
  out.dataloader_ns = part(StepPart::kDataLoader);
  out.cpu_ns = part(StepPart::kCpu);
  out.other_ns = part(StepPart::kOther);
  out.host_ns = step.host_ns;
  out.device_ns = step.device_ns;
  out.cpu_gpu_ratio = RatioOf(step.host_ns, step.device_ns);
  return out;
}

doc::CopyTime BuildCopy(const CopyRow& row) {
  doc::CopyTime out{row.kind, row.memory, row.count, row.bytes, row.ns, std::nullopt};
  if (row.unsized == 0 && row.ns > 0)
    out.gbytes_per_s = static_cast<double>(row.bytes) / static_cast<double>(row.ns);
  return out;
}

doc::KernelTime BuildKernel(const Trace& trace, const KernelRow& row) {
  doc::KernelTime out;
  out.device = row.device;
  out.name = trace.text(row.name);
  out.calls = row.calls;
  out.ns = row.ns;
  out.min_ns = row.shortest_ns;
  out.max_ns = row.longest_ns;
  out.op = TextOf(trace, row.op);
  if (row.occupancy_percent >= 0) out.occupancy = row.occupancy_percent / 100.0;
  return out;
}

doc::OpTime BuildOp(const Trace& trace, const OpRow& row) {
  doc::OpTime out;
  out.name = trace.text(row.name);
  out.calls = row.calls;
  out.self_cpu_ns = row.self_cpu_ns;
  out.cpu_ns = row.cpu_ns;
  out.self_device_ns = row.self_device_ns;
  out.device_ns = row.device_ns;
  return out;
}

doc::OpTime BuildOp(const Trace& trace, const SumRow& row) {
  doc::OpTime out;
  out.name = trace.text(row.name);
  out.inputs = TextOf(trace, row.inputs);
  out.calls = row.calls;
  out.self_cpu_ns = row.self_cpu_ns;
  out.cpu_ns = row.cpu_ns;
  out.self_device_ns = row.self_device_ns;
  out.device_ns = row.device_ns;
  out.self_cpu_bytes = row.self_cpu_bytes;
  out.cpu_bytes = row.cpu_bytes;
  out.self_device_bytes = row.self_device_bytes;
  out.device_bytes = row.device_bytes;
  out.flops = row.flops;
  return out;
}

doc::KernelTime BuildKernel(const Trace& trace, const SumRow& row) {
  doc::KernelTime out;
  out.name = trace.text(row.name);
  out.calls = row.calls;
  out.ns = row.self_device_ns.value_or(0);
  out.min_ns = row.shortest_ns;
  out.max_ns = row.longest_ns;
  return out;
}

doc::CopyTime BuildCopy(const Trace& trace, const SumRow& row) {
  const CopyKind kind = KindOfCopy(trace.text(row.name));
  doc::CopyTime out;
  out.kind = kind.kind;
  out.memory = kind.memory;
  out.count = row.calls;
  out.bytes = row.bytes;
  out.ns = row.self_device_ns;
  if (row.bytes && row.self_device_ns && *row.self_device_ns > 0)
    out.gbytes_per_s = static_cast<double>(*row.bytes) / static_cast<double>(*row.self_device_ns);
  return out;
}

void AddSums(const Trace& trace, const SumTables& sums, doc::Timeline& out) {
  for (const SumRow& row : sums.ops) out.ops.push_back(BuildOp(trace, row));
  for (const SumRow& row : sums.op_shapes) out.op_shapes.push_back(BuildOp(trace, row));
  for (const SumRow& row : sums.kernels) out.kernels.push_back(BuildKernel(trace, row));
  for (const SumRow& row : sums.copies) out.copies.push_back(BuildCopy(trace, row));
  for (const SumRow& row : sums.ranges)
    out.ranges.push_back(
        {std::string(trace.text(row.name)), row.calls, row.cpu_ns, row.device_ns, std::nullopt});
}

void AddRanges(const Trace& trace, const Timeline& timeline, doc::Timeline& out) {
  const auto add = [&](const RangeRow& row, std::optional<std::string> name) {
    out.ranges.push_back({std::move(name), row.calls, row.ns, row.device_ns, row.kernels});
  };
  for (const RangeRow& row : timeline.ranges.rows) add(row, std::string(trace.text(row.name)));
  if (!out.ranges.empty()) add(timeline.ranges.unattributed, std::nullopt);
}

void AddGaps(const Trace& trace, const Timeline& timeline, doc::Timeline& out) {
  for (std::size_t kind = 0; kind < kGapKinds; ++kind)
    if (timeline.gap_sums[kind].count > 0)
      out.gap_sums.push_back({std::string(Name(static_cast<GapKind>(kind))),
                              timeline.gap_sums[kind].count, timeline.gap_sums[kind].ns});
  for (const Gap& gap : timeline.gaps)
    out.gaps.push_back({gap.device, std::nullopt, gap.begin, gap.end - gap.begin,
                        std::string(Name(gap.kind)), std::string(trace.name_of(gap.before)),
                        std::string(trace.name_of(gap.after))});
}

// The memory that fills most: of a device where there is one.
doc::RunMemory BuildMemory(const Trace& trace, const MemoryCurve& curve) {
  doc::RunMemory out;
  out.peak_bytes = curve.peak_bytes;
  out.peak_at_ns = curve.peak_at_ns;
  if (curve.allocations + curve.releases > 0) out.allocations = curve.allocations;
  for (const auto& [at, bytes] : curve.series) out.series.push_back({at, bytes});
  for (const CategoryCurve& category : curve.categories) {
    doc::MemoryCategory row{
        std::string(trace.text(category.name)), category.peak_bytes, category.at_peak_bytes, {}};
    for (const auto& [at, bytes] : category.series) row.series.push_back({at, bytes});
    out.categories.push_back(std::move(row));
  }
  return out;
}

// "memory peak 5.0 KiB: activation 4.0 KiB, parameter 1.0 KiB".
std::string PeakNote(const doc::RunMemory& memory) {
  std::vector<doc::MemoryCategory> rows = memory.categories;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const doc::MemoryCategory& a, const doc::MemoryCategory& b) {
                     return a.at_peak_bytes > b.at_peak_bytes;
                   });
  std::string out = "memory peak " + FormatBytes(memory.peak_bytes.value_or(0));
  std::string separator = ": ";
  for (const doc::MemoryCategory& row : rows) {
    if (row.at_peak_bytes == 0) continue;
    out += separator + row.name + " " + FormatBytes(row.at_peak_bytes);
    separator = ", ";
  }
  return out;
}

doc::CriticalPath BuildPath(const Trace& trace, const CriticalPath& path) {
  constexpr std::size_t kRows = 100;
  doc::CriticalPath out;
  out.window = path.window.name;
  out.ns = path.ns;
  out.graph_nodes = path.graph_nodes;
  out.graph_edges = path.graph_edges;
  out.path_nodes = path.path_nodes;
  out.path_edges = path.path_edges;
  out.path_events = path.path_events;
  for (std::size_t part = 0; part < kPathParts; ++part)
    out.parts.push_back({std::string(Name(static_cast<PathPart>(part))), path.parts[part]});
  for (const PathRow& row : path.rows) {
    if (out.rows.size() == kRows) break;
    out.rows.push_back(
        {std::string(trace.text(row.name)), std::string(Name(row.part)), row.calls, row.ns});
  }
  return out;
}

}  // namespace

void AddTimeline(const Trace& trace, const Timeline& timeline, doc::Run& run) {
  doc::Timeline out;
  if (trace.size() > 0) out.span_ns = timeline.last_ns - timeline.first_ns;
  if (trace.recording.base_ns != 0) out.base_ns = trace.recording.base_ns;
  for (const DeviceTime& time : timeline.devices) out.devices.push_back(BuildDevice(trace, time));
  for (const HostThreadTime& time : timeline.threads) {
    const Track& track = trace.tracks[time.track.index()];
    out.threads.push_back({track.pid, track.tid, TextOf(trace, track.name), time.busy_ns,
                           time.span_ns, time.events, time.track == timeline.main_thread});
  }
  out.steps_found = timeline.steps.found;
  for (const Step& step : timeline.steps.steps) out.steps.push_back(BuildStep(trace, step));
  std::int64_t host_ns = 0, device_ns = 0;
  for (const Step& step : timeline.steps.steps) {
    host_ns += step.host_ns;
    device_ns += step.device_ns;
  }
  out.cpu_gpu_ratio = RatioOf(host_ns, device_ns);
  for (const CopyRow& row : timeline.copies) out.copies.push_back(BuildCopy(row));
  for (const RepeatedUpload& upload : timeline.uploads)
    out.repeated_uploads.push_back(
        {upload.device, TextOf(trace, upload.op), upload.bytes, upload.count, upload.ns});
  for (const OpRow& row : timeline.ops) out.ops.push_back(BuildOp(trace, row));
  for (const OpShapeRow& row : timeline.op_shapes) {
    out.op_shapes.push_back(BuildOp(trace, row.row));
    out.op_shapes.back().inputs = TextOf(trace, row.inputs);
    out.op_shapes.back().outputs = TextOf(trace, row.outputs);
  }
  AddRanges(trace, timeline, out);
  AddGaps(trace, timeline, out);
  for (const KernelRow& row : timeline.kernels) out.kernels.push_back(BuildKernel(trace, row));
  AddSums(trace, timeline.sums, out);
  if (timeline.critical_path) out.critical_path = BuildPath(trace, *timeline.critical_path);
  run.timeline = std::move(out);
  if (timeline.memory.empty()) return;
  run.memory = BuildMemory(trace, timeline.memory.front());
  if (!run.memory->categories.empty()) run.notes.emplace_back(PeakNote(*run.memory));
}

}  // namespace opscope
