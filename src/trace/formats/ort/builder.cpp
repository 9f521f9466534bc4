#include "trace/formats/ort/builder.h"

#include <algorithm>
#include <array>

namespace opscope::ort {

namespace {

constexpr std::string_view kKernelTime = "_kernel_time";
constexpr std::string_view kFenceBefore = "_fence_before";
constexpr std::string_view kFenceAfter = "_fence_after";

// The profiler stops here with one line in the log of the program (global_max_num_events_).
constexpr std::int64_t kEventCap = 1'000'000;

// One tick of the file's clock; floor(begin) + floor(duration) loses up to one.
constexpr std::int64_t kTick = 1000;

// Ops that run bodies. Any other op that holds an execution is seen as one as well.
constexpr std::array<std::string_view, 8> kContainers = {
    "If",         "Loop",         "Scan",     "SequenceMap",
    "BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"};

// Longer names and lists of types are cut: what is stored is bounded by the events, not by one.
constexpr std::size_t kMaxText = 4096;

std::string_view Bounded(std::string_view text) { return text.substr(0, kMaxText); }

std::string_view Without(std::string_view text, std::string_view ending) {
  return text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : text;
}

bool IsCopy(std::string_view kernel) {
  return kernel.starts_with("Memcpy") || kernel.starts_with("Memset");
}

bool MayHold(EventKind outer, EventKind inner) {
  switch (outer) {
    case EventKind::kRun:
    case EventKind::kExecute:
      return inner > outer && inner <= EventKind::kApi;
    case EventKind::kContainer:
    case EventKind::kOp:
      return inner == EventKind::kExecute || inner == EventKind::kApi;
    default:
      return false;
  }
}

}  // namespace

EventKind Builder::KindOf(const Record& record) const {
  const std::string_view name = record.name;
  if (record.category == "Session") {
    if (name == "model_run") return EventKind::kRun;
    // SequentialExecutor::Execute; ParallelExecutor::Execute in old builds.
    return name.ends_with("Executor::Execute") ? EventKind::kExecute : EventKind::kSetup;
  }
  if (record.category == "Kernel") return IsCopy(name) ? EventKind::kCopy : EventKind::kKernel;
  if (record.category == "Api") return EventKind::kApi;
  if (name.ends_with(kFenceBefore) || name.ends_with(kFenceAfter)) return EventKind::kSync;
  const bool container =
      std::find(kContainers.begin(), kContainers.end(), record.op) != kContainers.end();
  return container ? EventKind::kContainer : EventKind::kOp;
}

// Device rows have pid = tid = -1 and name their stream; -1 there = the file does not say.
TrackId Builder::TrackOf(const Record& record) {
  if (record.category == "Kernel")
    return builder_.AddTrack(TrackKind::kStream, record.pid, record.stream);
  return builder_.AddTrack(TrackKind::kThread, record.pid, record.tid);
}

Str Builder::Types(std::string_view array) {
  const std::size_t known = arrays_.size();
  const Str id = arrays_.Intern(array);
  if (types_.empty()) types_.push_back(Str{0});  // of the empty text
  if (arrays_.size() > known)
    types_.push_back(trace_->strings.Intern(Bounded(TypesAndShapes(array))));
  return types_[id.index()];
}

ArgsId Builder::ArgsOf(const Record& record) {
  OpArgs args;
  args.op = trace_->strings.Intern(Bounded(record.op));
  args.provider = trace_->strings.Intern(Bounded(record.provider));
  args.inputs = Types(record.inputs);
  args.outputs = Types(record.outputs);
  args.parent_name = trace_->strings.Intern(Bounded(Without(record.parent_name, kKernelTime)));
  args.node_index = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(record.node_index, -1, std::int64_t{0x7fffffff}));
  args.output_bytes = record.output_bytes;
  args.activation_bytes = record.activation_bytes;
  args.parameter_bytes = record.parameter_bytes;
  return builder_.AddArgs(args);
}

void Builder::Note(const Record& record, EventKind kind) {
  has_run_ |= kind == EventKind::kRun;
  has_session_ |= kind == EventKind::kSetup;
  has_fences_ |= kind == EventKind::kSync;
  has_node_ |= record.category == "Node";
  has_graph_index_ |= record.has_graph_index;
  has_node_index_ |= record.node_index >= 0 && !record.has_graph_index;
  has_types_ |= !record.outputs.empty();
  has_memory_ |= record.has_memory;
}

void Builder::Add(const Record& record, const std::string& place) {
  ++events_;
  if (record.phase != "X") {
    log_->Add("ort-profile.other-phase", Severity::kNotice, place,
              "event of phase \"" + record.phase + "\": only complete events (X) carry time");
    return;
  }
  const EventKind kind = KindOf(record);
  Note(record, kind);
  const bool plain = kind == EventKind::kOp || kind == EventKind::kContainer;
  const std::string_view whole = plain ? Without(record.name, kKernelTime) : record.name;
  const std::string_view name = Bounded(whole);
  if (name.size() < whole.size())
    log_->Add("ort-profile.long-name", Severity::kNotice, place,
              "a name of " + std::to_string(whole.size()) + " bytes is cut to " +
                  std::to_string(kMaxText));
  const bool added = !record.bad_time &&
                     builder_.AddEvent(trace_->strings.Intern(name), TrackOf(record), kind,
                                       record.begin_ns, record.duration_ns,
                                       record.category == "Session" ? ArgsId{} : ArgsOf(record));
  if (!added)
    log_->Add("trace.bad-duration", Severity::kLoss, place,
              "event \"" + std::string(Bounded(record.name)) + "\" begins at " +
                  std::to_string(record.begin_ns) + " ns and takes " +
                  std::to_string(record.duration_ns) +
                  " ns: not a possible time, left out of all sums");
  if (record.odd_name)
    log_->Add("json-repaired", Severity::kNotice, place,
              "a name holds quotes, backslashes or line breaks that were written unescaped");
}

// Versions are not in the file; what each release writes is.
Producer Builder::Sniff() const {
  Producer producer{"onnxruntime", "", ""};
  if (!has_node_) return producer;
  if (has_memory_) {
    producer.version = "1.29 or later";
    producer.evidence = "mem_* arguments";
  } else if (has_node_index_) {
    producer.version = has_fences_ ? "1.14 .. 1.20" : "1.21 .. 1.28";
    producer.evidence = has_fences_ ? "node_index and fence events" : "node_index, no fence events";
  } else if (has_graph_index_) {
    producer.version = has_types_ ? "1.11 .. 1.13" : "1.10 or earlier";
    producer.evidence = has_types_ ? "graph_index and type shapes" : "graph_index, no type shapes";
  }
  return producer;
}

void Builder::Finish() {
  trace_->producer = Sniff();
  trace_->run_level = has_run_ && !has_session_;
  if (events_ == kEventCap) {
    trace_->event_cap = true;
    log_->Add("ort-profile.event-cap", Severity::kLoss, "event 1000000",
              "the profiler stops after 1,000,000 events; what ran later is not in the file. Run "
              "less often while profiling");
  }
  opscope::Finish(*trace_, {&MayHold, kTick});
}

}  // namespace opscope::ort
