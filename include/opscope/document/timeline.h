// What a trace of a whole program says: devices, threads, steps, ops, kernels, copies, gaps.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"

namespace opscope::doc {

struct LaunchDelay {
  static constexpr std::string_view kTitle = "LaunchDelay";

  std::optional<std::int64_t> median, p95;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("median", self.median, {"From the end of the launching call to the kernel", "ns"});
    v("p95", self.p95, {"", "ns"});
  }
};

// The same without orphans: device rows whose launch lies outside the file.
struct Linked {
  static constexpr std::string_view kTitle = "Linked";

  std::int64_t busy_ns = 0, idle_ns = 0, span_ns = 0, compute_ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("busy_ns", self.busy_ns, {"", "ns"});
    v("idle_ns", self.idle_ns, {"", "ns"});
    v("span_ns", self.span_ns, {"", "ns"});
    v("compute_ns", self.compute_ns, {"", "ns"});
  }
};

// busy + idle = span, exactly. All times are unions over the streams of the device.
struct DeviceTime {
  static constexpr std::string_view kTitle = "DeviceTime";

  std::int64_t device = 0;
  std::string kind = "gpu";
  std::optional<std::string> name;
  std::int64_t busy_ns = 0, idle_ns = 0, span_ns = 0;
  std::int64_t compute_ns = 0, communication_ns = 0, copy_ns = 0, memset_ns = 0;
  std::int64_t exposed_communication_ns = 0, exposed_copy_ns = 0;
  std::int64_t kernels = 0, communication_kernels = 0, work = 0, orphans = 0;
  std::optional<double> utilisation, sm_efficiency, occupancy;
  LaunchDelay launch_delay;
  std::int64_t queue_max = 0;
  Linked linked;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("device", self.device);
    v("kind", self.kind);
    v("name", self.name);
    v("busy_ns", self.busy_ns, {"Union of kernels, copies and memsets", "ns"});
    v("idle_ns", self.idle_ns, {"span - busy", "ns"});
    v("span_ns", self.span_ns, {"First begin to last end", "ns"});
    v("compute_ns", self.compute_ns, {"Union of kernels that do not communicate", "ns"});
    v("communication_ns", self.communication_ns, {"Union of kernels of collectives", "ns"});
    v("copy_ns", self.copy_ns, {"Union of copies", "ns"});
    v("memset_ns", self.memset_ns, {"Union of memsets", "ns"});
    v("exposed_communication_ns", self.exposed_communication_ns,
      {"Communication while no other kernel and no memset ran", "ns"});
    v("exposed_copy_ns", self.exposed_copy_ns, {"Copies while no kernel and no memset ran", "ns"});
    v("kernels", self.kernels, {"", "1"});
    v("communication_kernels", self.communication_kernels, {"Of the kernels", "1"});
    v("work", self.work, {"Kernels, copies and memsets", "1"});
    v("orphans", self.orphans, {"Work whose launch is not in the file", "1"});
    v("utilisation", self.utilisation,
      {"Kernels running, of the steps; of the span where there are none", "1"});
    v("sm_efficiency", self.sm_efficiency,
      {"min(1, blocks per multiprocessor of the kernels running), of the same window; an estimate",
       "1"});
    v("occupancy", self.occupancy, {"Estimated from the launches, weighted with time", "1"});
    v("launch_delay_ns", self.launch_delay);
    v("queue_max", self.queue_max, {"Launched and not yet begun, on one stream", "1"});
    v("linked", self.linked, {"The same without orphans"});
  }
};

struct ThreadTime {
  static constexpr std::string_view kTitle = "ThreadTime";

  std::int64_t pid = 0, tid = 0;
  std::optional<std::string> name;
  std::int64_t busy_ns = 0, span_ns = 0, events = 0;
  bool main = false;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("pid", self.pid);
    v("tid", self.tid);
    v("name", self.name);
    v("busy_ns", self.busy_ns, {"Union of ops, calls and functions", "ns"});
    v("span_ns", self.span_ns, {"First begin to last end", "ns"});
    v("events", self.events, {"", "1"});
    v("main", self.main, {"The thread whose rows are shown"});
  }
};

// The parts sum to `ns`: an instant belongs to the first of them that goes on.
struct StepTime {
  static constexpr std::string_view kTitle = "StepTime";

  std::string name;
  std::int64_t begin_ns = 0, ns = 0;
  std::int64_t kernel_ns = 0, copy_ns = 0, memset_ns = 0, communication_ns = 0, runtime_ns = 0,
               dataloader_ns = 0, cpu_ns = 0, other_ns = 0;
  std::optional<std::int64_t> host_ns, device_ns;
  std::optional<double> cpu_gpu_ratio;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("begin_ns", self.begin_ns, {"", "ns"});
    v("ns", self.ns, {"To the end of the last device work launched in it", "ns"});
    v("kernel_ns", self.kernel_ns, {"", "ns"});
    v("copy_ns", self.copy_ns, {"", "ns"});
    v("memset_ns", self.memset_ns, {"", "ns"});
    v("communication_ns", self.communication_ns, {"", "ns"});
    v("runtime_ns", self.runtime_ns, {"Calls into the driver", "ns"});
    v("dataloader_ns", self.dataloader_ns, {"", "ns"});
    v("cpu_ns", self.cpu_ns, {"Ops on the CPU", "ns"});
    v("other_ns", self.other_ns, {"", "ns"});
    v.Part("host_ns", self.host_ns,
           {"A thread worked: ops, functions, calls that do not wait", "ns"});
    v.Part("device_ns", self.device_ns, {"A device worked; both may at once", "ns"});
    v.Part("cpu_gpu_ratio", self.cpu_gpu_ratio,
           {"host_ns / device_ns; left out without a device", "1"});
  }
};

struct CopyTime {
  static constexpr std::string_view kTitle = "CopyTime";

  std::string kind, memory;
  std::int64_t count = 0;
  std::optional<std::int64_t> bytes, ns;
  std::optional<double> gbytes_per_s;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("kind", self.kind, {"HtoD, DtoH, DtoD, HtoH, PtoP"});
    v("memory", self.memory, {"On the host's side: pageable, pinned"});
    v("count", self.count, {"", "1"});
    v("bytes", self.bytes, {"Of the copies that say so", "bytes"});
    v("ns", self.ns, {"Sum of durations", "ns"});
    v("gbytes_per_s", self.gbytes_per_s,
      {"bytes / ns; null where a copy does not say its size", "GB/s"});
  }
};

struct RepeatedUpload {
  static constexpr std::string_view kTitle = "RepeatedUpload";

  std::int64_t device = 0;
  std::optional<std::string> op;
  std::int64_t bytes = 0, count = 0, ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("device", self.device);
    v("op", self.op);
    v("bytes", self.bytes, {"Of one copy", "bytes"});
    v("count", self.count, {"", "1"});
    v("ns", self.ns, {"", "ns"});
  }
};

struct OpTime {
  static constexpr std::string_view kTitle = "OpTime";

  std::string name;
  std::optional<std::string> inputs, outputs;  // of op_shapes
  std::int64_t calls = 0;
  std::optional<std::int64_t> self_cpu_ns, cpu_ns, self_device_ns, device_ns;
  std::optional<std::int64_t> self_cpu_bytes, cpu_bytes, self_device_bytes, device_bytes;
  std::optional<std::int64_t> flops;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("calls", self.calls, {"", "1"});
    v.Part("inputs", self.inputs, {"Shapes or types as the file writes them"});
    v.Part("outputs", self.outputs);
    v("self_cpu_ns", self.self_cpu_ns,
      {"Without what it calls; null here and below: the file does not say", "ns"});
    v("cpu_ns", self.cpu_ns, {"With what it calls", "ns"});
    v("self_device_ns", self.self_device_ns, {"Device work it launched itself", "ns"});
    v("device_ns", self.device_ns, {"With what it calls", "ns"});
    v.Part("self_cpu_bytes", self.self_cpu_bytes, {"Allocated less released", "bytes"});
    v.Part("cpu_bytes", self.cpu_bytes, {"With what it calls", "bytes"});
    v.Part("self_device_bytes", self.self_device_bytes, {"", "bytes"});
    v.Part("device_bytes", self.device_bytes, {"", "bytes"});
    v.Part("flops", self.flops, {"Of all calls, as the profiler counted them", "FLOP"});
  }
};

// One name that the program gave to stretches of its run. Device work counts in the innermost.
struct RangeTime {
  static constexpr std::string_view kTitle = "RangeTime";

  std::optional<std::string> name;
  std::int64_t calls = 0;
  std::optional<std::int64_t> ns = 0, device_ns = 0, kernels = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name, {"Null: work launched outside every range, or outside the file"});
    v("calls", self.calls, {"", "1"});
    v("ns", self.ns,
      {"Sum of durations on the threads; null here and below: the file does not say", "ns"});
    v("device_ns", self.device_ns,
      {"Kernels, copies and memsets launched in it and in no range inside it", "ns"});
    v("kernels", self.kernels, {"", "1"});
  }
};

struct GapTime {
  static constexpr std::string_view kTitle = "GapTime";

  std::optional<std::int64_t> device, thread;
  std::int64_t begin_ns = 0, ns = 0;
  std::string kind;
  std::optional<std::string> before, after;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("device", self.device);
    v("thread", self.thread);
    v("begin_ns", self.begin_ns, {"", "ns"});
    v("ns", self.ns, {"", "ns"});
    v("kind", self.kind, {"", "", "launch|sync|data loading|host|unknown"});
    v("before", self.before, {"What ended"});
    v("after", self.after, {"What began"});
  }
};

struct GapSum {
  static constexpr std::string_view kTitle = "GapSum";

  std::string kind;
  std::int64_t count = 0, ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("kind", self.kind, {"", "", "launch|sync|data loading|host|unknown"});
    v("count", self.count, {"", "1"});
    v("ns", self.ns, {"", "ns"});
  }
};

struct KernelTime {
  static constexpr std::string_view kTitle = "KernelTime";

  std::optional<std::int64_t> device;
  std::string name;
  std::int64_t calls = 0, ns = 0;
  std::optional<std::int64_t> min_ns, max_ns;
  std::optional<std::string> op;
  std::optional<double> occupancy;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("device", self.device);
    v("name", self.name);
    v("calls", self.calls, {"", "1"});
    v("ns", self.ns, {"Sum of durations", "ns"});
    v("min_ns", self.min_ns, {"", "ns"});
    v("max_ns", self.max_ns, {"", "ns"});
    v("op", self.op, {"That launched most of it"});
    v("occupancy", self.occupancy, {"Estimated from the first launch", "1"});
  }
};

struct PathPart {
  static constexpr std::string_view kTitle = "PathPart";

  std::string kind;
  std::int64_t ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("kind", self.kind, {"", "", "kernel|launch|wait|cpu|copy"});
    v("ns", self.ns, {"", "ns"});
  }
};

struct PathRow {
  static constexpr std::string_view kTitle = "PathRow";

  std::string name, kind;
  std::int64_t calls = 0, ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("kind", self.kind, {"", "", "kernel|wait|cpu|copy"});
    v("calls", self.calls, {"Events of this name on the path", "1"});
    v("ns", self.ns, {"Of the path", "ns"});
  }
};

struct CriticalPath {
  static constexpr std::string_view kTitle = "CriticalPath";

  std::string window;
  std::int64_t ns = 0, graph_nodes = 0, graph_edges = 0, path_nodes = 0, path_edges = 0,
               path_events = 0;
  std::vector<PathPart> parts;
  std::vector<PathRow> rows;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("window", self.window, {"The step or range it was found in"});
    v("ns", self.ns, {"", "ns"});
    v("graph_nodes", self.graph_nodes, {"", "1"});
    v("graph_edges", self.graph_edges, {"", "1"});
    v("path_nodes", self.path_nodes, {"", "1"});
    v("path_edges", self.path_edges, {"", "1"});
    v("path_events", self.path_events, {"", "1"});
    v("parts", self.parts, {"They sum to ns"});
    v("rows", self.rows, {"The hundred largest"});
  }
};

struct RankTime {
  static constexpr std::string_view kTitle = "RankTime";

  std::int64_t rank = 0;
  std::string file;
  std::int64_t busy_ns = 0, wait_ns = 0, collectives = 0;
  std::optional<std::int64_t> begin_ns;
  bool straggler = false;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("rank", self.rank);
    v("file", self.file);
    v("busy_ns", self.busy_ns,
      {"Sum over the devices of the file; without any, of its main thread", "ns"});
    v("wait_ns", self.wait_ns, {"In collectives that the fastest rank did not need", "ns"});
    v("collectives", self.collectives, {"Found on every rank; matched by name and order", "1"});
    v("begin_ns", self.begin_ns,
      {"First event, after the first of all ranks; null when the files have no common clock",
       "ns"});
    v("straggler", self.straggler, {"The others wait for it"});
  }
};

struct Timeline {
  static constexpr std::string_view kTitle = "Timeline";

  std::optional<std::int64_t> span_ns;
  std::optional<std::int64_t> base_ns;
  std::vector<DeviceTime> devices;
  std::vector<ThreadTime> threads;
  std::int64_t steps_found = 0;
  std::vector<StepTime> steps;
  std::optional<double> cpu_gpu_ratio;
  std::vector<CopyTime> copies;
  std::vector<RepeatedUpload> repeated_uploads;
  std::vector<OpTime> ops, op_shapes;
  std::vector<RangeTime> ranges;
  std::vector<GapSum> gap_sums;
  std::vector<GapTime> gaps;
  std::vector<KernelTime> kernels;
  std::optional<CriticalPath> critical_path;
  std::vector<RankTime> ranks;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("span_ns", self.span_ns,
      {"First event to last, of the program; null where the file holds sums only", "ns"});
    v("base_ns", self.base_ns, {"Wall clock of time 0, since 1970", "ns"});
    v("devices", self.devices);
    v("threads", self.threads);
    v("steps_found", self.steps_found,
      {"Marks in the file; a last step that is cut is left out", "1"});
    v("steps", self.steps);
    v.Part("cpu_gpu_ratio", self.cpu_gpu_ratio, {"Over all steps: host_ns / device_ns", "1"});
    v("copies", self.copies);
    v("repeated_uploads", self.repeated_uploads, {"Three times or more; largest first"});
    v("ops", self.ops, {"By falling device time, then CPU time"});
    v.Part("op_shapes", self.op_shapes, {"The same by shapes, where they are known"});
    v("ranges", self.ranges,
      {"By falling device time; last the unattributed, so that device_ns sums to that of all "
       "work; empty where the program named none"});
    v("gap_sums", self.gap_sums, {"All gaps of all devices by cause"});
    v("gaps", self.gaps, {"The hundred largest"});
    v("kernels", self.kernels, {"By falling time"});
    v("critical_path", self.critical_path);
    v("ranks", self.ranks, {"The files of one run that were read together"});
  }
};

}  // namespace opscope::doc
