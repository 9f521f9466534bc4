#include "trace/formats/kineto/builder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <tuple>

#include "base/decimal.h"
#include "base/text.h"
#include "trace/steps.h"

namespace opscope::kineto {

namespace {

using chrome::kAbsent;
using chrome::RawArgs;
using chrome::RawEvent;

struct KnownCategory {
  std::string_view name;
  EventKind kind;
};

// 2021 wrote Operator, Runtime, Kernel, Memcpy, Memset; other devices have their own prefix
// (xpu_runtime, mtia_ccp_events, privateuse1_driver), which is not looked at.
constexpr std::array kOnThreads = {
    KnownCategory{"cpu_op", EventKind::kOp},
    KnownCategory{"Operator", EventKind::kOp},
    KnownCategory{"hpu_op", EventKind::kOp},
    KnownCategory{"user_annotation", EventKind::kAnnotation},
    KnownCategory{"python_function", EventKind::kPython},
    KnownCategory{"Runtime", EventKind::kApi},
    KnownCategory{"os_runtime", EventKind::kSystem},  // of our own export
    KnownCategory{"overhead", EventKind::kOverhead},
    KnownCategory{"Trace", EventKind::kRecording},
};
constexpr std::array kOnStreams = {
    KnownCategory{"kernel", EventKind::kKernel},
    KnownCategory{"Kernel", EventKind::kKernel},
    KnownCategory{"gpu_memcpy", EventKind::kCopy},
    KnownCategory{"Memcpy", EventKind::kCopy},
    KnownCategory{"gpu_memset", EventKind::kMemset},
    KnownCategory{"Memset", EventKind::kMemset},
    KnownCategory{"cuda_sync", EventKind::kDeviceSync},
    KnownCategory{"gpu_user_annotation", EventKind::kDeviceAnnotation},
};

bool IsCall(std::string_view category) {
  return category.ends_with("_runtime") || category.ends_with("_driver");
}

std::int64_t Known(std::int64_t value) { return value == kAbsent ? -1 : value; }

// "stream 7" (2021) -> 7.
std::int64_t NumberBehind(std::string_view text) {
  const std::size_t blank = text.find_last_of(' ');
  const auto number =
      blank == std::string_view::npos ? std::nullopt : ParseIntegral(text.substr(blank + 1));
  return number.value_or(kAbsent);
}

}  // namespace

Builder::Builder(Trace& trace, ImportLog& log, bool records)
    : trace_(&trace), builder_(trace), log_(&log), records_(records) {
  // A short event takes some 150 bytes of a file; memory is used as it fills.
  constexpr std::uint64_t kBytesAnEvent = 150, kMost = 4 << 20;
  builder_.Reserve(static_cast<std::size_t>(std::min(trace.bytes / kBytesAnEvent, kMost)));
}

const Builder::Category& Builder::CategoryOf(Str category) {
  if (categories_.size() <= category.index()) categories_.resize(category.index() + 1);
  Category& known = categories_[category.index()];
  if (known.role != Role::kUnknown) return known;
  const std::string_view text = trace_->text(category);
  known = {Role::kHost, IsCall(text) ? EventKind::kApi : EventKind::kOp};
  for (const KnownCategory& entry : kOnThreads)
    if (entry.name == text) known = {Role::kHost, entry.kind};
  for (const KnownCategory& entry : kOnStreams)
    if (entry.name == text) known = {Role::kDevice, entry.kind};
  return known;
}

TrackId Builder::Track(TrackKind kind, std::int64_t pid, std::int64_t tid) {
  if (last_track_.valid() && kind == last_kind_ && pid == last_pid_ && tid == last_tid_)
    return last_track_;
  last_kind_ = kind;
  last_pid_ = pid;
  last_tid_ = tid;
  last_track_ = builder_.AddTrack(kind, pid, tid);
  return last_track_;
}

// Names in place of numbers get numbers below those that occur.
std::int64_t Builder::Number(std::int64_t number, Str text) const {
  return text.value == 0 ? number : -1'000'000 - static_cast<std::int64_t>(text.value);
}

TrackId Builder::TrackOf(const RawEvent& event, const RawArgs* args, Role role) {
  const std::int64_t pid = Number(event.pid, event.pid_text);
  const std::int64_t tid = Number(event.tid, event.tid_text);
  if (role != Role::kDevice) return Track(TrackKind::kThread, pid, tid);
  if (IsOldKernel(event)) return Track(TrackKind::kStream, tid, 0);
  const std::int64_t stream = args != nullptr && args->stream != kAbsent ? args->stream : kAbsent;
  const std::int64_t named = NumberBehind(trace_->text(event.tid_text));
  return Track(TrackKind::kStream, args != nullptr && args->device != kAbsent ? args->device : pid,
               stream != kAbsent ? stream : (named != kAbsent ? named : tid));
}

DeviceArgsId Builder::DeviceOf(const RawArgs& args, EventKind kind) {
  DeviceArgs out;
  out.device = Int32OrUnknown(args.device);
  out.stream = Int32OrUnknown(args.stream);
  out.context = Int32OrUnknown(args.context);
  out.bytes = Known(args.bytes);
  for (std::size_t i = 0; i < 3; ++i) {
    out.grid[i] = Int32OrUnknown(args.grid[i]);
    out.block[i] = Int32OrUnknown(args.block[i]);
  }
  out.registers = Int32OrUnknown(args.registers);
  out.shared_memory = Int32OrUnknown(args.shared_memory);
  out.occupancy_percent = Int32OrUnknown(args.occupancy_percent);
  out.blocks_per_sm_millionths = Known(args.blocks_per_sm_millionths);
  out.wait_stream = Known(args.wait_stream);
  out.wait_correlation = Known(args.wait_correlation);
  if (kind == EventKind::kDeviceSync) out.sync_kind = args.label;
  return builder_.AddDeviceArgs(out);
}

void Builder::Insert(Str name, TrackId track, EventKind kind, std::int64_t begin,
                     std::int64_t duration, std::int64_t correlation, DeviceArgsId device) {
  if (builder_.AddEvent(name, track, kind, begin, duration, correlation, device)) return;
  log_->Add("trace.bad-time", Severity::kLoss, Printable(trace_->text(name)),
            "an event with a negative or impossible duration is left out");
}

// The older autograd profiler wrote no categories; its kernels stand in a process of this name,
// with the device in place of a thread.
bool Builder::IsOldKernel(const RawEvent& event) const {
  return event.category.value == 0 && trace_->text(event.pid_text) == "CUDA functions";
}

void Builder::AddComplete(const RawEvent& event, const RawArgs* args) {
  if (event.begin_ns == kAbsent || event.duration_ns == kAbsent) {
    log_->Add("trace.bad-time", Severity::kLoss, Printable(trace_->text(event.name)),
              "an event without a time or a duration is left out");
    return;
  }
  const Category category =
      IsOldKernel(event) ? Category{Role::kDevice, EventKind::kKernel} : CategoryOf(event.category);
  const bool described = category.role == Role::kDevice && args != nullptr;
  const EventKind kind = category.kind == EventKind::kOp && IsStepMark(trace_->text(event.name))
                             ? EventKind::kAnnotation
                             : category.kind;
  const std::size_t before = trace_->size();
  Insert(event.name, TrackOf(event, args, category.role), kind, event.begin_ns, event.duration_ns,
         args == nullptr ? -1 : Known(args->correlation),
         described ? DeviceOf(*args, kind) : DeviceArgsId{});
  if (!records_ || args == nullptr || trace_->size() == before) return;
  std::int64_t record = Known(args->record);
  if (record < 0) record = Known(args->external_id);  // 2022: the only number there is
  trace_->record.resize(trace_->size(), -1);
  trace_->record.back() = kind == EventKind::kOp || kind == EventKind::kAnnotation ? record : -1;
}

void Builder::AddMark(const RawEvent& event) {
  if (event.begin_ns == kAbsent) return;
  marks_.push_back({event.begin_ns, 0, TrackOf(event, nullptr, Role::kHost), event.name,
                    event.category, event.phase == 'B'});
}

// Forward op -> backward op. Those from launches to kernels say what `correlation` says.
void Builder::AddArrow(const RawEvent& event) {
  if (event.begin_ns == kAbsent || event.id == kAbsent) return;
  if (trace_->text(event.category) == "cpu_to_cuda") {
    const bool device = trace_->text(event.pid_text) == "CUDA functions";
    const TrackId track = device ? Track(TrackKind::kStream, Number(event.tid, event.tid_text), 0)
                                 : TrackOf(event, nullptr, Role::kHost);
    old_launches_.push_back(
        {event.begin_ns, event.id, track, event.name, event.category, event.phase == 's'});
  }
  if (trace_->text(event.category) != "fwdbwd") return;
  arrows_.push_back({event.begin_ns, event.id, TrackOf(event, nullptr, Role::kHost), event.name,
                     event.category, event.phase == 's'});
}

void Builder::AddMemory(const RawEvent& event, const RawArgs* args) {
  if (args == nullptr || args->bytes == kAbsent || event.begin_ns == kAbsent) return;
  if (trace_->text(event.name) != "[memory]") return;
  trace_->memory.push_back({event.begin_ns, args->bytes, Int32OrUnknown(args->device_type),
                            Int32OrUnknown(args->device_id), Known(args->total_allocated),
                            Known(args->total_reserved)});
}

void Builder::AddName(const RawEvent& event, const RawArgs* args) {
  if (args == nullptr || trace_->text(event.name) != "thread_name") return;
  thread_names_[{Number(event.pid, event.pid_text), Number(event.tid, event.tid_text)}] =
      args->label;
}

void Builder::AddOne(const RawEvent& event, const RawArgs* args) {
  switch (event.phase) {
    case 'X':
      return AddComplete(event, args);
    case 'B':
    case 'E':
      return AddMark(event);
    case 's':
    case 'f':
      return AddArrow(event);
    case 'i':
    case 'I':
      return AddMemory(event, args);
    case 'M':
      return AddName(event, args);
    default:
      return;
  }
}

void Builder::Add(const chrome::RawEvents& batch) {
  for (const RawEvent& event : batch.events)
    AddOne(event, event.args == chrome::kNoArgs ? nullptr : &batch.args[event.args]);
}

// "B" and "E" nest on each thread. What does not pair is counted, not guessed.
void Builder::PairMarks() {
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
    return std::tuple(a.track, a.at) < std::tuple(b.track, b.at);
  });
  std::vector<const Mark*> open;
  std::int64_t unpaired = 0;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const Mark& mark = marks_[i];
    if (i > 0 && mark.track != marks_[i - 1].track) {
      unpaired += static_cast<std::int64_t>(open.size());
      open.clear();
    }
    if (mark.begin) {
      open.push_back(&mark);
    } else if (open.empty()) {
      ++unpaired;
    } else {
      const Mark& begin = *open.back();
      open.pop_back();
      Insert(begin.name, begin.track, CategoryOf(begin.category).kind, begin.at, mark.at - begin.at,
             -1, DeviceArgsId{});
    }
  }
  unpaired += static_cast<std::int64_t>(open.size());
  if (unpaired > 0)
    log_->Add("trace.unpaired", Severity::kLoss, "", "a begin without its end, or an end alone",
              unpaired);
}

// An arrow begins and ends in the innermost op at its time on its thread.
void Builder::ResolveArrows() {
  const std::vector<std::uint32_t> first = FirstOfTracks(*trace_);
  const auto op_at = [&](const Mark& mark) {
    const auto begin = trace_->begin.begin() + first[mark.track.index()];
    const auto end = trace_->begin.begin() + first[mark.track.index() + 1];
    const auto behind = std::upper_bound(begin, end, mark.at);
    EventId event;
    if (behind != begin)
      event = EventId{static_cast<std::uint32_t>(behind - trace_->begin.begin() - 1)};
    constexpr int kMostLevels = 1024;  // arrows times depth must not be quadratic
    for (int level = 0; event.valid() && level < kMostLevels; ++level) {
      if (trace_->kind[event.index()] == EventKind::kOp && trace_->end[event.index()] >= mark.at)
        return event;
      event = trace_->parent_of(event.index());
    }
    return EventId{};
  };
  std::unordered_map<std::int64_t, EventId> begins;
  for (const Mark& arrow : arrows_)
    if (arrow.begin) begins[arrow.id] = op_at(arrow);
  for (const Mark& arrow : arrows_) {
    const auto from = begins.find(arrow.id);
    if (arrow.begin || from == begins.end()) continue;
    const EventId to = op_at(arrow);
    if (from->second.valid() && to.valid()) trace_->links.push_back({from->second.value, to.value});
  }
}

// The older profiler has no calls: an arrow goes from where an op begins to where a kernel of the
// same name begins, and the op stands for the call. An op has one number, a kernel as well.
void Builder::TieOldKernels() {
  if (old_launches_.empty()) return;
  const std::vector<std::uint32_t> first = FirstOfTracks(*trace_);
  const auto event_at = [&](const Mark& mark) {
    const auto begin = trace_->begin.begin() + first[mark.track.index()];
    const auto end = trace_->begin.begin() + first[mark.track.index() + 1];
    constexpr int kMostTies = 64;  // events that begin at one time
    auto at = std::lower_bound(begin, end, mark.at);
    for (int i = 0; at != end && *at == mark.at && i < kMostTies; ++at, ++i) {
      const auto event = static_cast<std::uint32_t>(at - trace_->begin.begin());
      if (trace_->name[event] == mark.name) return EventId{event};
    }
    return EventId{};
  };
  std::unordered_map<std::int64_t, EventId> ops;
  for (const Mark& mark : old_launches_)
    if (mark.begin) ops[mark.id] = event_at(mark);
  for (const Mark& mark : old_launches_) {
    const auto op = ops.find(mark.id);
    if (mark.begin || op == ops.end() || !op->second.valid()) continue;
    const EventId kernel = event_at(mark);
    if (!kernel.valid() || trace_->kind[kernel.index()] != EventKind::kKernel) continue;
    trace_->correlation[op->second.index()] = op->second.value;
    trace_->correlation[kernel.index()] = op->second.value;
  }
}

void Builder::NameTracks() {
  for (opscope::Track& track : trace_->tracks) {
    const auto name = thread_names_.find({track.pid, track.tid});
    if (track.kind == TrackKind::kThread && name != thread_names_.end()) track.name = name->second;
  }
}

void Builder::Finish() {
  PairMarks();
  if (records_) trace_->record.resize(trace_->size(), -1);
  NameTracks();
  // Ids of tracks change when they are sorted: arrows keep what their ids stood for.
  std::vector<opscope::Track> before = trace_->tracks;
  FinishScopes(*trace_);
  std::map<std::tuple<TrackKind, std::int64_t, std::int64_t>, TrackId> now;
  for (std::uint32_t i = 0; i < trace_->tracks.size(); ++i) {
    const opscope::Track& track = trace_->tracks[i];
    now[{track.kind, track.pid, track.tid}] = TrackId{i};
  }
  for (std::vector<Mark>* marks : {&arrows_, &old_launches_})
    for (Mark& arrow : *marks) {
      const opscope::Track& track = before[arrow.track.index()];
      arrow.track = now[{track.kind, track.pid, track.tid}];
    }
  ResolveArrows();
  TieOldKernels();
  std::stable_sort(trace_->memory.begin(), trace_->memory.end(),
                   [](const MemoryChange& a, const MemoryChange& b) { return a.at < b.at; });
}

}  // namespace opscope::kineto
