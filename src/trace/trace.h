// Trace: what was recorded while a program ran, as columns: tracks (threads, device streams),
// events with int64 nanoseconds, and the arguments that something reads.
//
// Readers (trace/formats) only translate: they fill a TraceBuilder in any order, then call Finish
// once. After that events lie sorted by track and time, and every event knows the innermost one
// that holds it on its track. Nothing here judges or sums.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/id.h"
#include "base/import_log.h"
#include "base/string_pool.h"
#include "trace/runtime_profile.h"

namespace opscope {

using TrackId = Id<struct TrackTag>;
using EventId = Id<struct EventTag>;
using ArgsId = Id<struct ArgsTag>;

enum class TrackKind : std::uint8_t {
  kThread,
  kStream,
  kRanges  // beside a thread: what it began and that need not nest (start/end ranges, marks)
};

struct Track {
  TrackKind kind = TrackKind::kThread;
  std::int64_t pid = 0;
  std::int64_t tid =
      0;  // thread id; of a stream its number (two processes on one device: + n 2^32)
  Str name{0};
};

// What an event is, in the order in which one may hold another: a run holds executions, an
// execution holds ops, an op with bodies (If, Loop, Scan) holds the executions of its bodies.
enum class EventKind : std::uint8_t {
  kSetup,      // loading, initialisation: outside any run
  kRun,        // one inference as the caller saw it: model_run
  kExecute,    // one walk over a graph: SequentialExecutor::Execute, of the model or of a body
  kContainer,  // an op that is known to run bodies
  kOp,         // a node of the graph, or one that the runtime made
  kSync,       // waiting around an op: fences
  kApi,        // a call into a driver or plug-in
  kKernel,     // on a device
  kCopy,       // on a device, between memories
  kMemset,     // on a device
  // Of traces of whole programs:
  kAnnotation,        // a range the program named: record_function, NVTX, ProfilerStep#3
  kPython,            // a function or module of the interpreter
  kDeviceAnnotation,  // a range as far as its kernels reach, on a stream
  kDeviceSync,        // a stream that waits for an event, a context, another stream
  kOverhead,          // the profiler's own work
  kRecording,         // the window in which was recorded
  kSystem,            // a call into the operating system, which may wait there
};
constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::kSystem) + 1;

// What a device does: kernels, copies, memsets.
constexpr bool IsDeviceWork(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kMemset;
}

// Arguments of an op event; stored once however often the op ran with them.
struct OpArgs {
  Str op{0};        // "Conv"
  Str provider{0};  // "CPUExecutionProvider"; empty = the file does not say
  Str inputs{0};    // "float32[1,3,224,224] int64[2]"; empty = the file does not say
  Str outputs{0};
  Str parent_name{0};            // of a kernel: the op event that launched it
  std::int32_t node_index = -1;  // in the graph that ran; -1 = the file does not say
  std::int64_t output_bytes = -1;
  std::int64_t activation_bytes = -1;  // of the inputs that are not constants
  std::int64_t parameter_bytes = -1;

  friend bool operator==(const OpArgs&, const OpArgs&) = default;
};

// The number where DeviceArgs can hold it, else -1 (the file does not say).
constexpr std::int32_t Int32OrUnknown(std::int64_t value) {
  return value < 0 || value > std::numeric_limits<std::int32_t>::max()
             ? -1
             : static_cast<std::int32_t>(value);
}

// What the file says of one piece of device work, of the call that launched it, or of a wait;
// stored once however often it repeats. -1 = the file does not say.
struct DeviceArgs {
  std::int32_t device = -1, stream = -1, context = -1;
  std::int64_t bytes = -1;  // of copies and memsets
  std::array<std::int32_t, 3> grid = {-1, -1, -1}, block = {-1, -1, -1};
  std::int32_t registers = -1, shared_memory = -1;
  std::int32_t occupancy_percent = -1;  // estimated from the launch, no counter
  std::int64_t blocks_per_sm_millionths = -1;
  std::int64_t wait_stream = -1, wait_correlation = -1;  // of kDeviceSync
  Str sync_kind{0};

  friend bool operator==(const DeviceArgs&, const DeviceArgs&) = default;
};
using DeviceArgsId = Id<struct DeviceArgsTag>;

// Forward op -> backward op, in the file's own arrows.
struct Link {
  std::uint32_t from = 0, to = 0;  // EventId::value
};

// An allocation (> 0) or a release (< 0).
struct MemoryChange {
  std::int64_t at = 0;  // ns
  std::int64_t bytes = 0;
  std::int32_t device_type = 0, device = -1;               // 0 = CPU, 1 = CUDA
  std::int64_t total_allocated = -1, total_reserved = -1;  // after it; -1 = the file does not say
  std::int32_t category = -1;  // into Trace::memory_categories; -1 = the file does not say
  bool moved = false;          // from one category to another: neither allocated nor released
};

struct DeviceInfo {
  std::int64_t id = 0;
  std::string name;
  std::int64_t multiprocessors = -1, threads_per_multiprocessor = -1, memory_bytes = -1;
  std::int64_t compute_major = -1, compute_minor = -1;
};

// What the file says about the recording as a whole.
struct Recording {
  std::int64_t base_ns = 0;  // wall clock = base_ns + time of an event
  std::vector<DeviceInfo> devices;
  std::int64_t rank = -1, world_size = -1;
  std::string backend;
};

// One row of a file that holds sums and not the events they came from: a table that a profiler
// printed. Absent = the file does not say.
struct SumRow {
  EventKind kind = EventKind::kOp;
  Str name{0};
  Str inputs{0};  // shapes or types, as the file writes them; empty = it does not say
  std::int64_t calls = 0;
  // On threads; without what it calls (torch's own tables hold negative ones), and with it.
  std::optional<std::int64_t> self_cpu_ns, cpu_ns;
  // On devices: of the row itself, and with what it calls. Of a kernel or copy: self_device_ns.
  std::optional<std::int64_t> self_device_ns, device_ns;
  std::optional<std::int64_t> shortest_ns, longest_ns;
  std::optional<std::int64_t> bytes;  // of copies
  std::optional<std::int64_t> flops;  // of all calls, as the profiler counts them
  // Allocated less released, in the row itself and with what it calls.
  std::optional<std::int64_t> self_cpu_bytes, cpu_bytes, self_device_bytes, device_bytes;
};

// What an execution trace says of one op: `record` joins it to the event of the op.
struct OpRecord {
  std::int64_t record = -1;
  Str name{0};
  ArgsId args;
};

// Who wrote the file, as far as its features tell (versions are mostly not in the file).
struct Producer {
  std::string name;      // "onnxruntime"
  std::string version;   // "1.21 .. 1.28", "1.29 or later"; empty = unknown
  std::string evidence;  // "node_index, no fences, no mem_*"
};

struct Trace {
  std::string format;  // "ort-profile"
  std::string file;    // name alone, without its folder
  std::uint64_t bytes = 0;
  Producer producer;
  std::string clock;  // what time 0 is and how fine the clock ticks, in words
  StringPool strings;
  std::vector<Track> tracks;
  std::vector<OpArgs> args;

  // Columns, one element an event.
  std::vector<Str> name;
  std::vector<std::uint32_t> track;
  std::vector<EventKind> kind;
  std::vector<std::int64_t> begin, end;   // ns on the file's clock, end >= begin
  std::vector<std::uint32_t> event_args;  // ArgsId::value
  std::vector<std::uint32_t> parent;      // EventId::value, by Finish
  // Only of traces with devices (else empty): the number that joins a launch to its device work
  // (-1 = none), and DeviceArgsId::value.
  std::vector<std::int64_t> correlation;
  std::vector<std::uint32_t> event_device;

  std::vector<DeviceArgs> device_args;
  std::vector<Link> links;
  std::vector<MemoryChange> memory;
  std::vector<Str> memory_categories;     // "parameter", "activation" …
  std::vector<SumRow> sums;               // of files without events
  std::vector<OpRecord> op_records;       // of an execution trace
  std::optional<RuntimeProfile> profile;  // of a model runtime that sums over runs: no events
  // Of each event the number that an OpRecord has as well, -1 = none; only where it was asked for.
  std::vector<std::int64_t> record;
  std::vector<std::string> notes;  // what the file says of itself, for the reader of the report
  Recording recording;

  std::optional<std::uint64_t> cut_at;  // the file ends here in the middle of an event
  bool event_cap = false;               // the recorder stopped at its limit; the rest is missing
  bool laid_out = false;       // stacks without an order in time, laid one behind the other
  bool whole_program = false;  // threads and devices of a program, not the rows of one runtime
  bool run_level = false;      // holds runs only, no session (ORT: RunOptions profile)

  std::size_t size() const { return begin.size(); }
  std::string_view text(Str id) const { return strings.View(id); }
  std::string_view name_of(std::size_t event) const { return strings.View(name[event]); }
  EventId parent_of(std::size_t event) const { return {parent[event]}; }
  std::int64_t duration(std::size_t event) const { return end[event] - begin[event]; }
  // Nullptr when the event has none.
  const OpArgs* args_of(std::size_t event) const {
    return ArgsId{event_args[event]}.valid() ? &args[event_args[event]] : nullptr;
  }
  const DeviceArgs* device_of(std::size_t event) const {
    if (event_device.empty() || !DeviceArgsId{event_device[event]}.valid()) return nullptr;
    return &device_args[event_device[event]];
  }
};

// Fills a trace while a reader runs: finds or adds tracks and arguments, refuses what cannot be.
class TraceBuilder {
 public:
  explicit TraceBuilder(Trace& trace) : trace_(&trace) {}

  // Room for so many events with devices, so that columns are not copied while they grow.
  void Reserve(std::size_t events);

  TrackId AddTrack(TrackKind kind, std::int64_t pid, std::int64_t tid);
  ArgsId AddArgs(const OpArgs& args);
  // False, and nothing added: the interval cannot be (a negative or absurd duration, beyond 2^61
  // ns), or all durations together would pass 2^62 ns. Sums of what was added never overflow.
  bool AddEvent(Str name, TrackId track, EventKind kind, std::int64_t begin_ns,
                std::int64_t duration_ns, ArgsId args);
  DeviceArgsId AddDeviceArgs(const DeviceArgs& args);
  // The same with what a trace with devices knows beside. All events of a trace or none.
  bool AddEvent(Str name, TrackId track, EventKind kind, std::int64_t begin_ns,
                std::int64_t duration_ns, std::int64_t correlation, DeviceArgsId device);

 private:
  Trace* trace_;
  std::int64_t total_ns_ = 0;
  std::map<std::tuple<TrackKind, std::int64_t, std::int64_t>, TrackId> tracks_;
  std::vector<std::uint32_t> args_, device_args_;  // by hash
};

// Which events may hold which, and how far a held one may stick out because the clock is coarse
// (floor(begin) + floor(duration) loses up to one tick at the holder's end).
struct NestingRule {
  bool (*may_hold)(EventKind outer, EventKind inner);
  std::int64_t tolerance_ns = 0;
};

// Sorts the columns by (track, begin, end descending, kind, node index, name) and sets `parent`:
// the innermost event that may hold this one. Parents come before what they hold, and nest 64 deep
// at most. The result does not depend on the order of the file.
void Finish(Trace& trace, const NestingRule& rule);

// For traces of whole programs: sorts the columns by (track, begin, end descending, name) and sets
// `parent` to the innermost event on the track that holds this one whole. An event that sticks out
// of another is not held by it, and from there on nothing else is (this is the nesting that torch's
// own tables rest on). Nests may be of any depth. Linear but for the sort, which is linear where
// the file is sorted.
void FinishScopes(Trace& trace);

// Where the events of each track begin in the columns of a finished trace, by TrackId; one more at
// the end.
std::vector<std::uint32_t> FirstOfTracks(const Trace& trace);

std::string_view Name(EventKind kind);

}  // namespace opscope
