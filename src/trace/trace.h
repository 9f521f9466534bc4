// Trace: what was recorded while a program ran, as columns: tracks (threads, device streams),
// events with int64 nanoseconds, and the arguments that something reads.
//
// Readers (trace/formats) only translate: they fill a TraceBuilder in any order, then call Finish
// once. After that events lie sorted by track and time, and every event knows the innermost one
// that holds it on its track. Nothing here judges or sums.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/import_log.h"
#include "base/string_pool.h"

namespace opscope {

using TrackId = Id<struct TrackTag>;
using EventId = Id<struct EventTag>;
using ArgsId = Id<struct ArgsTag>;

enum class TrackKind : std::uint8_t { kThread, kStream };

struct Track {
  TrackKind kind = TrackKind::kThread;
  std::int64_t pid = 0;
  std::int64_t tid = 0;  // thread id; of a stream its number
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
  kCopy,       // on a device: Memcpy, Memset
};

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

  std::optional<std::uint64_t> cut_at;  // the file ends here in the middle of an event
  bool event_cap = false;               // the recorder stopped at its limit; the rest is missing
  bool run_level = false;               // holds runs only, no session (ORT: RunOptions profile)

  std::size_t size() const { return begin.size(); }
  std::string_view text(Str id) const { return strings.View(id); }
  std::string_view name_of(std::size_t event) const { return strings.View(name[event]); }
  EventId parent_of(std::size_t event) const { return {parent[event]}; }
  std::int64_t duration(std::size_t event) const { return end[event] - begin[event]; }
  // Nullptr when the event has none.
  const OpArgs* args_of(std::size_t event) const {
    return ArgsId{event_args[event]}.valid() ? &args[event_args[event]] : nullptr;
  }
};

// Fills a trace while a reader runs: finds or adds tracks and arguments, refuses what cannot be.
class TraceBuilder {
 public:
  explicit TraceBuilder(Trace& trace) : trace_(&trace) {}

  TrackId AddTrack(TrackKind kind, std::int64_t pid, std::int64_t tid);
  ArgsId AddArgs(const OpArgs& args);
  // False, and nothing added: the interval cannot be (a negative or absurd duration, beyond 2^61
  // ns), or all durations together would pass 2^62 ns. Sums of what was added never overflow.
  bool AddEvent(Str name, TrackId track, EventKind kind, std::int64_t begin_ns,
                std::int64_t duration_ns, ArgsId args);

 private:
  Trace* trace_;
  std::int64_t total_ns_ = 0;
  std::map<std::tuple<TrackKind, std::int64_t, std::int64_t>, TrackId> tracks_;
  std::unordered_map<std::size_t, std::vector<ArgsId>> args_;  // by hash
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

std::string_view Name(EventKind kind);

}  // namespace opscope
