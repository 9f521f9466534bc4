#include "trace/trace.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "base/checked.h"
#include "trace/columns.h"

namespace opscope {

namespace {

// 73 years either side of the clock's zero: what lies beyond is damage, and differences of what
// lies within never overflow.
constexpr std::int64_t kMaxTime = std::int64_t{1} << 61;
constexpr std::int64_t kMaxTotal = std::int64_t{1} << 62;

// How many open events are searched for a holder, and how deep nests go; recorders nest a few
// levels. What lies deeper has no parent.
constexpr std::size_t kMaxOpen = 256;
constexpr std::size_t kMaxDepth = 64;

std::size_t HashArgs(const OpArgs& args) {
  std::size_t hash = 0;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ std::hash<std::uint64_t>()(value)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  };
  for (const Str text : {args.op, args.provider, args.inputs, args.outputs, args.parent_name})
    mix(text.value);
  mix(static_cast<std::uint64_t>(args.node_index));
  mix(static_cast<std::uint64_t>(args.output_bytes));
  mix(static_cast<std::uint64_t>(args.activation_bytes));
  mix(static_cast<std::uint64_t>(args.parameter_bytes));
  return hash;
}

std::size_t HashArgs(const DeviceArgs& args) {
  std::size_t hash = 0;
  const auto mix = [&](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  };
  for (const std::int32_t value : {args.device, args.stream, args.context, args.registers,
                                   args.shared_memory, args.occupancy_percent})
    mix(value);
  for (const auto& extent : {args.grid, args.block})
    for (const std::int32_t value : extent) mix(value);
  for (const std::int64_t value : {args.bytes, args.blocks_per_sm_millionths, args.wait_stream,
                                   args.wait_correlation, std::int64_t{args.sync_kind.value}})
    mix(value);
  return hash;
}

// The id of `args` in `pool`, where equal ones stand once. `places`: ids + 1 by hash, 0 = free; a
// power of two, at most half full.
template <class ArgsId, class Args>
ArgsId AddOnce(const Args& args, std::vector<Args>& pool, std::vector<std::uint32_t>& places) {
  const auto place_of = [&](const Args& wanted) {
    const std::size_t mask = places.size() - 1;
    std::size_t at = HashArgs(wanted) & mask;
    while (places[at] != 0 && !(pool[places[at] - 1] == wanted)) at = (at + 1) & mask;
    return at;
  };
  if (places.size() <= 2 * pool.size()) {
    constexpr std::size_t kFirstPlaces = 256;
    places.assign(std::max(kFirstPlaces, 2 * places.size()), 0);
    for (std::uint32_t i = 0; i < pool.size(); ++i) places[place_of(pool[i])] = i + 1;
  }
  std::uint32_t& place = places[place_of(args)];
  if (place == 0) {
    pool.push_back(args);
    place = static_cast<std::uint32_t>(pool.size());
  }
  return ArgsId{place - 1};
}

void Sort(Trace& trace) {
  std::vector<std::uint32_t> order(trace.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto node_index = [&](std::uint32_t event) {
    const OpArgs* args = trace.args_of(event);
    return args == nullptr ? -1 : args->node_index;
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (trace.track[a] != trace.track[b]) return trace.track[a] < trace.track[b];
    if (trace.begin[a] != trace.begin[b]) return trace.begin[a] < trace.begin[b];
    if (trace.end[a] != trace.end[b]) return trace.end[a] > trace.end[b];
    if (trace.kind[a] != trace.kind[b]) return trace.kind[a] < trace.kind[b];
    if (node_index(a) != node_index(b)) return node_index(a) < node_index(b);
    if (trace.name[a] != trace.name[b]) return trace.name_of(a) < trace.name_of(b);
    return a < b;
  };
  std::sort(order.begin(), order.end(), before);
  PermuteEvents(trace, order);
}

// Finds holders while the sorted events of one track are entered.
class Nester {
 public:
  Nester(const Trace& trace, const NestingRule& rule) : trace_(&trace), rule_(&rule) {}

  EventId Enter(std::uint32_t event) {
    while (!open_.empty() && Ended(open_.back().event, event)) open_.pop_back();
    const Open* holder = Holder(event);
    const EventId parent = holder == nullptr ? EventId{} : EventId{holder->event};
    open_.push_back({event, holder == nullptr ? 0 : holder->depth + 1});
    return parent;
  }
  void NextTrack() { open_.clear(); }

  // Of events that share one interval, the kind to enter next: what the innermost open event may
  // hold goes first, so that Execute > If > Execute > op come out in this order.
  std::size_t Next(const std::vector<std::vector<std::uint32_t>>& by_kind,
                   const std::vector<std::size_t>& taken) const {
    std::vector<std::size_t> left;
    for (std::size_t kind = 0; kind < by_kind.size(); ++kind)
      if (taken[kind] < by_kind[kind].size()) left.push_back(kind);
    if (left.size() == 1) return left.front();
    for (std::size_t i = open_.size(); i > Bottom(); --i)
      for (const std::size_t kind : left)
        if (BeginsIn(open_[i - 1].event, by_kind[kind][taken[kind]])) return kind;
    return left.front();
  }

 private:
  struct Open {
    std::uint32_t event;
    std::size_t depth;
  };

  bool Ended(std::uint32_t open, std::uint32_t event) const {
    return trace_->end[open] + rule_->tolerance_ns < trace_->begin[event];
  }

  std::size_t Bottom() const { return open_.size() > kMaxOpen ? open_.size() - kMaxOpen : 0; }

  // The innermost that the event begins in; one that ends where the event begins only when there is
  // no other: what follows a body begins there too.
  const Open* Holder(std::uint32_t event) const {
    const Open* touching = nullptr;
    for (std::size_t i = open_.size(); i > Bottom(); --i) {
      const Open& outer = open_[i - 1];
      if (outer.depth >= kMaxDepth || !MayHold(outer.event, event)) continue;
      if (BeginsIn(outer.event, event)) return &outer;
      if (touching == nullptr) touching = &outer;
    }
    return touching;
  }

  bool BeginsIn(std::uint32_t outer, std::uint32_t event) const {
    return MayHold(outer, event) && (trace_->begin[event] < trace_->end[outer] ||
                                     trace_->begin[event] == trace_->begin[outer]);
  }

  bool MayHold(std::uint32_t outer, std::uint32_t event) const {
    return rule_->may_hold(trace_->kind[outer], trace_->kind[event]) &&
           trace_->begin[event] <= trace_->end[outer] &&
           trace_->end[event] <= trace_->end[outer] + rule_->tolerance_ns;
  }

  const Trace* trace_;
  const NestingRule* rule_;
  std::vector<Open> open_;
};

// The order in which events are entered, holders before what they hold; sets `parent` to places in
// the old order.
std::vector<std::uint32_t> Nest(Trace& trace, const NestingRule& rule) {
  std::vector<std::uint32_t> order;
  order.reserve(trace.size());
  Nester nester(trace, rule);
  std::vector<std::vector<std::uint32_t>> by_kind(kEventKinds);
  std::vector<std::size_t> taken(kEventKinds);
  for (std::uint32_t from = 0, to = 0; from < trace.size(); from = to) {
    if (from > 0 && trace.track[from] != trace.track[from - 1]) nester.NextTrack();
    for (auto& events : by_kind) events.clear();
    std::fill(taken.begin(), taken.end(), 0);
    for (to = from; to < trace.size() && trace.track[to] == trace.track[from] &&
                    trace.begin[to] == trace.begin[from] && trace.end[to] == trace.end[from];
         ++to)
      by_kind[static_cast<std::size_t>(trace.kind[to])].push_back(to);
    for (std::uint32_t i = from; i < to; ++i) {
      const std::size_t kind = nester.Next(by_kind, taken);
      order.push_back(by_kind[kind][taken[kind]++]);
      trace.parent[order.back()] = nester.Enter(order.back()).value;
    }
  }
  return order;
}

void SortAndNest(Trace& trace, const NestingRule& rule) {
  Sort(trace);
  trace.parent.assign(trace.size(), EventId{}.value);
  const std::vector<std::uint32_t> order = Nest(trace, rule);
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  PermuteEvents(trace, order);
  Permute(trace.parent, order);
  for (std::uint32_t& parent : trace.parent)
    if (EventId{parent}.valid()) parent = place[parent];
}

}  // namespace

void TraceBuilder::Reserve(std::size_t events) {
  trace_->name.reserve(events);
  trace_->track.reserve(events);
  trace_->kind.reserve(events);
  trace_->begin.reserve(events);
  trace_->end.reserve(events);
  trace_->event_args.reserve(events);
  trace_->correlation.reserve(events);
  trace_->event_device.reserve(events);
}

TrackId TraceBuilder::AddTrack(TrackKind kind, std::int64_t pid, std::int64_t tid) {
  const auto [place, is_new] = tracks_.try_emplace({kind, pid, tid});
  if (is_new) {
    place->second = TrackId{static_cast<std::uint32_t>(trace_->tracks.size())};
    trace_->tracks.push_back({kind, pid, tid, Str{0}});
  }
  return place->second;
}

ArgsId TraceBuilder::AddArgs(const OpArgs& args) {
  return AddOnce<ArgsId>(args, trace_->args, args_);
}

DeviceArgsId TraceBuilder::AddDeviceArgs(const DeviceArgs& args) {
  return AddOnce<DeviceArgsId>(args, trace_->device_args, device_args_);
}

bool TraceBuilder::AddEvent(Str name, TrackId track, EventKind kind, std::int64_t begin_ns,
                            std::int64_t duration_ns, ArgsId args) {
  if (duration_ns < 0 || duration_ns > kMaxTime) return false;
  if (begin_ns < -kMaxTime || begin_ns > kMaxTime - duration_ns) return false;
  if (duration_ns > kMaxTotal - total_ns_) return false;
  total_ns_ += duration_ns;
  trace_->name.push_back(name);
  trace_->track.push_back(track.value);
  trace_->kind.push_back(kind);
  trace_->begin.push_back(begin_ns);
  trace_->end.push_back(begin_ns + duration_ns);
  trace_->event_args.push_back(args.value);
  return true;
}

bool TraceBuilder::AddEvent(Str name, TrackId track, EventKind kind, std::int64_t begin_ns,
                            std::int64_t duration_ns, std::int64_t correlation,
                            DeviceArgsId device) {
  if (!AddEvent(name, track, kind, begin_ns, duration_ns, ArgsId{})) return false;
  trace_->correlation.push_back(correlation);
  trace_->event_device.push_back(device.value);
  return true;
}

void Finish(Trace& trace, const NestingRule& rule) {
  CHECK(trace.size() < EventId{}.value);
  SortTracks(trace);
  SortAndNest(trace, rule);
}

std::string_view Name(EventKind kind) {
  switch (kind) {
    case EventKind::kSetup:
      return "setup";
    case EventKind::kRun:
      return "run";
    case EventKind::kExecute:
      return "execute";
    case EventKind::kContainer:
      return "container";
    case EventKind::kOp:
      return "op";
    case EventKind::kSync:
      return "sync";
    case EventKind::kApi:
      return "api";
    case EventKind::kKernel:
      return "kernel";
    case EventKind::kCopy:
      return "copy";
    case EventKind::kMemset:
      return "memset";
    case EventKind::kAnnotation:
      return "annotation";
    case EventKind::kPython:
      return "python";
    case EventKind::kDeviceAnnotation:
      return "device annotation";
    case EventKind::kDeviceSync:
      return "device wait";
    case EventKind::kOverhead:
      return "profiler overhead";
    case EventKind::kRecording:
      return "recording";
    case EventKind::kSystem:
      return "system call";
  }
  return "";
}

}  // namespace opscope
