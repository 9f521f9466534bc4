#include "trace/path_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/threads.h"

namespace opscope {

namespace {

// A place in PathGraph::events.
using Place = std::uint32_t;
constexpr Place kNowhere = 0xffffffffU;

bool OnPath(EventKind kind) { return kind == EventKind::kOp || kind == EventKind::kApi; }

// Its own time is waiting, or waiting that may hide in it: an asynchronous copy of pageable memory
// is none.
bool Blocks(std::string_view call) {
  return IsWait(call) || call.ends_with("EventQuery") ||
         call.find("MemcpyAsync") != std::string_view::npos;
}

struct LaunchInWindow {
  std::uint32_t call = 0, work = 0;  // events
  Place call_place = kNowhere, work_place = kNowhere;
  std::int64_t queued_at_launch = 0, queued_at_begin = 0;  // on its stream
};

// Work that may be the last of its stream, and how many waits for its device saw it.
struct LastWork {
  Place place = kNowhere;
  int waits = 0;
};

class GraphBuilder {
 public:
  GraphBuilder(const Trace& trace, const std::vector<DeviceWork>& work, const PathWindow& window)
      : trace_(&trace), work_(&work), window_(&window) {}

  PathGraph Build() {
    AddHostEvents();
    AddLaunches();
    if (graph_.too_large) return {{}, {}, true};
    CountQueues();
    IndexLaunches();
    for (std::size_t i = 0; i + 1 < first_of_thread_.size(); ++i)
      LinkThread(first_of_thread_[i], first_of_thread_[i + 1]);
    LinkDevices();
    return std::move(graph_);
  }

 private:
  using Stream = std::pair<std::int64_t, std::int64_t>;  // device, stream

  static std::uint32_t BeginOf(Place place) { return 2 * place; }
  static std::uint32_t EndOf(Place place) { return 2 * place + 1; }
  std::int64_t TimeOf(std::uint32_t node) const {
    const std::uint32_t event = graph_.events[node / 2];
    return node % 2 == 0 ? trace_->begin[event] : trace_->end[event];
  }
  Stream StreamOf(std::uint32_t event) const {
    const Track& track = trace_->tracks[trace_->track[event]];
    return {track.pid, track.tid};
  }
  bool InWindow(std::uint32_t event) const {
    return trace_->begin[event] >= window_->begin && trace_->begin[event] <= window_->end &&
           trace_->duration(event) > 0;
  }
  void Link(std::uint32_t from, std::uint32_t to, PathPart part, EventId event) {
    const std::int64_t ns = std::max<std::int64_t>(0, TimeOf(to) - TimeOf(from));
    graph_.edges.push_back({from, to, ns, event, part});
  }
  void Depend(std::uint32_t from, std::uint32_t to) {
    graph_.edges.push_back({from, to, 0, {}, PathPart::kCpu});
  }

  bool IsFull() { return graph_.too_large |= graph_.events.size() >= kMostPathEvents; }

  // Events without a duration are left out: they cannot make a path longer.
  void AddHostEvents() {
    std::uint32_t track = kNowhere;
    for (std::uint32_t event = 0; event < trace_->size() && !IsFull(); ++event) {
      if (!OnPath(trace_->kind[event]) || !InWindow(event)) continue;
      if (trace_->track[event] != track)
        first_of_thread_.push_back(static_cast<Place>(graph_.events.size()));
      track = trace_->track[event];
      if (trace_->kind[event] == EventKind::kApi)
        place_of_call_.emplace(event, static_cast<Place>(graph_.events.size()));
      if (trace_->kind[event] == EventKind::kApi && trace_->correlation[event] >= 0)
        AddCorrelation(event);
      graph_.events.push_back(event);
    }
    first_of_thread_.push_back(static_cast<Place>(graph_.events.size()));
  }

  // Of several calls with one number the first in time counts, as for launches.
  void AddCorrelation(std::uint32_t event) {
    const auto [at, is_new] = call_of_correlation_.emplace(trace_->correlation[event], event);
    if (!is_new && trace_->begin[event] < trace_->begin[at->second]) at->second = event;
  }

  void AddLaunches() {
    for (const DeviceWork& item : *work_) {
      if (!item.call.valid() || IsFull()) continue;
      const auto call = place_of_call_.find(item.call.value);
      if (call == place_of_call_.end()) continue;
      launches_.push_back({item.call.value, item.event, call->second,
                           static_cast<Place>(graph_.events.size()), 0, 0});
      graph_.events.push_back(item.event);
    }
  }

  // +1 when work is launched onto a stream, -1 when it begins. Work that began before the window
  // or was launched after it all changes nothing.
  void CountQueues() {
    struct Change {
      Stream stream;
      std::int64_t at;
      int by;
      std::uint32_t launch;  // in launches_, or kNowhere
    };
    std::int64_t last = window_->end;
    std::unordered_map<std::uint32_t, std::uint32_t> launch_of_work;
    for (std::uint32_t i = 0; i < launches_.size(); ++i) {
      last = std::max(last, trace_->begin[launches_[i].work]);
      launch_of_work.emplace(launches_[i].work, i);
    }
    std::vector<Change> changes;
    for (const DeviceWork& item : *work_) {
      if (!item.call.valid()) continue;
      const std::int64_t launched = trace_->begin[item.call.index()],
                         begun = trace_->begin[item.event];
      const auto known = launch_of_work.find(item.event);
      const std::uint32_t launch = known == launch_of_work.end() ? kNowhere : known->second;
      if (launch == kNowhere &&
          (std::max(launched, begun) < window_->begin || std::min(launched, begun) > last))
        continue;
      changes.push_back({StreamOf(item.event), launched, 1, launch});
      changes.push_back({StreamOf(item.event), begun, -1, launch});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return std::tie(a.stream, a.at) < std::tie(b.stream, b.at);
    });
    std::int64_t queued = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const Change& change = changes[i];
      if (i > 0 && changes[i - 1].stream != change.stream) queued = 0;
      queued += change.by;
      if (change.launch == kNowhere) continue;
      LaunchInWindow& launch = launches_[change.launch];
      (change.by > 0 ? launch.queued_at_launch : launch.queued_at_begin) = queued;
    }
  }

  void IndexLaunches() {
    for (std::uint32_t i = 0; i < launches_.size(); ++i) {
      const Stream stream = StreamOf(launches_[i].work);
      by_stream_[stream].push_back(i);
      by_thread_[{trace_->track[launches_[i].call], stream}].push_back(i);
    }
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(LaunchedAt(a), trace_->begin[launches_[a].work], a) <
             std::tuple(LaunchedAt(b), trace_->begin[launches_[b].work], b);
    };
    for (auto& [stream, list] : by_stream_) std::sort(list.begin(), list.end(), earlier);
    for (auto& [key, list] : by_thread_) std::sort(list.begin(), list.end(), earlier);
  }
  std::int64_t LaunchedAt(std::uint32_t launch) const {
    return trace_->begin[launches_[launch].call];
  }

  // The nodes of a thread in the order of time: of what shares an instant, ends come first, inner
  // ones before outer ones, then begins, outer ones first.
  void LinkThread(Place begin, Place end) {
    std::vector<std::uint32_t> nodes;
    for (Place place = begin; place < end; ++place) {
      nodes.push_back(BeginOf(place));
      nodes.push_back(EndOf(place));
    }
    std::sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::int64_t left = TimeOf(a), right = TimeOf(b);
      if (left != right) return left < right;
      if (a % 2 != b % 2) return a % 2 == 1;
      return a % 2 == 1 ? a > b : a < b;
    });
    std::vector<Place> open;
    std::vector<bool> closed(end - begin);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) LinkNext(nodes[i - 1], nodes[i], open);
      const Place place = nodes[i] / 2;
      if (nodes[i] % 2 == 0) {
        open.push_back(place);
        continue;
      }
      closed[place - begin] = true;
      while (!open.empty() && closed[open.back() - begin]) open.pop_back();
    }
  }

  void LinkNext(std::uint32_t from, std::uint32_t to, const std::vector<Place>& open) {
    const std::uint32_t event = graph_.events[to / 2];
    if (open.empty() ||
        (to % 2 == 1 && trace_->kind[event] == EventKind::kApi && Blocks(trace_->name_of(event))))
      return Depend(from, to);
    Link(from, to, PathPart::kCpu, EventId{graph_.events[open.back()]});
  }

  // Device work by begin, waits by end: a wait knows all that ran before it was over.
  void LinkDevices() {
    struct Row {
      std::int64_t at;
      std::uint32_t event;
      std::uint32_t launch;  // kNowhere: a wait
    };
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < launches_.size(); ++i)
      rows.push_back({trace_->begin[launches_[i].work], launches_[i].work, i});
    for (std::uint32_t event = 0; event < trace_->size(); ++event)
      if (trace_->kind[event] == EventKind::kDeviceSync && CallOf(event) != kNowhere)
        rows.push_back({trace_->end[event], event, kNowhere});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::tie(a.at, a.event) < std::tie(b.at, b.event);
    });
    for (const Row& row : rows) {
      if (row.launch != kNowhere)
        LinkWork(row.launch);
      else
        LinkWait(row.event);
    }
  }

  // The call in the window with this row's number.
  std::uint32_t CallOf(std::uint32_t event) const {
    const auto call = call_of_correlation_.find(trace_->correlation[event]);
    return call == call_of_correlation_.end() ? kNowhere : call->second;
  }

  void LinkWork(std::uint32_t index) {
    const LaunchInWindow& launch = launches_[index];
    const Place place = launch.work_place;
    const EventId event{launch.work};
    Link(BeginOf(place), EndOf(place),
         trace_->kind[launch.work] == EventKind::kKernel ? PathPart::kKernel : PathPart::kCopy,
         event);
    const auto sync = waits_for_.find(place);
    if (sync != waits_for_.end()) Depend(EndOf(sync->second), BeginOf(place));
    const std::int64_t synced_at =
        sync == waits_for_.end() ? window_->begin - 1 : TimeOf(EndOf(sync->second));
    const auto [last, is_first] = last_of_stream_.try_emplace(StreamOf(launch.work), kNowhere);
    const std::int64_t launched = trace_->begin[launch.call];
    const bool alone = launch.queued_at_launch == 1 && launch.queued_at_begin == 0;
    if (alone && (is_first || TimeOf(EndOf(last->second)) < launched) && synced_at < launched)
      Link(BeginOf(launch.call_place), BeginOf(place), PathPart::kLaunch, EventId{});
    else if (!is_first && synced_at < TimeOf(EndOf(last->second)))
      Link(EndOf(last->second), BeginOf(place), PathPart::kWait,
           EventId{graph_.events[last->second]});
    last->second = place;
    last_of_device_[StreamOf(launch.work).first].push_back({place, 0});
  }

  void LinkWait(std::uint32_t event) {
    const std::string_view name = trace_->name_of(event);
    const std::uint32_t call = CallOf(event);
    const std::uint32_t end = EndOf(place_of_call_.at(call));
    if (name == "Context Sync") {
      WaitForDevice(StreamOf(event).first, end);
    } else if (name == "Stream Sync") {
      const auto last = last_of_stream_.find(StreamOf(event));
      if (last != last_of_stream_.end()) Depend(EndOf(last->second), end);
    } else if (name == "Event Sync" || name == "Stream Wait Event") {
      const Place source = RecordedWork(event);
      if (source == kNowhere) return;
      if (name == "Event Sync") return Depend(EndOf(source), end);
      const Place next = NextWork(event, call);
      if (next != kNowhere && next != source) waits_for_[next] = source;
    }
  }

  // A wait for all streams of a device. Work that many such waits have seen is not linked again, so
  // that streams times waits stay bounded.
  void WaitForDevice(std::int64_t device, std::uint32_t end) {
    constexpr int kMostWaits = 64;
    std::vector<LastWork>& last = last_of_device_[device];
    std::size_t kept = 0;
    for (LastWork work : last) {
      const bool followed = last_of_stream_.at(StreamOf(graph_.events[work.place])) != work.place;
      if (followed || work.waits == kMostWaits) continue;
      Depend(EndOf(work.place), end);
      ++work.waits;
      last[kept++] = work;
    }
    last.resize(kept);
  }

  // What was launched last onto the event's stream before the event was recorded.
  Place RecordedWork(std::uint32_t event) const {
    const DeviceArgs* args = trace_->device_of(event);
    if (args == nullptr || args->wait_correlation < 0) return kNowhere;
    const auto record = call_of_correlation_.find(args->wait_correlation);
    const auto list = by_stream_.find({StreamOf(event).first, args->wait_stream});
    if (record == call_of_correlation_.end() || list == by_stream_.end()) return kNowhere;
    const auto behind = std::lower_bound(
        list->second.begin(), list->second.end(), trace_->begin[record->second],
        [&](std::uint32_t launch, std::int64_t at) { return LaunchedAt(launch) < at; });
    return behind == list->second.begin() ? kNowhere : launches_[*(behind - 1)].work_place;
  }

  // What the waiting thread launched next onto the waiting stream.
  Place NextWork(std::uint32_t event, std::uint32_t call) const {
    const auto list = by_thread_.find({trace_->track[call], StreamOf(event)});
    if (list == by_thread_.end()) return kNowhere;
    const auto next = std::upper_bound(
        list->second.begin(), list->second.end(), trace_->begin[call],
        [&](std::int64_t at, std::uint32_t launch) { return at < LaunchedAt(launch); });
    return next == list->second.end() ? kNowhere : launches_[*next].work_place;
  }

  const Trace* trace_;
  const std::vector<DeviceWork>* work_;
  const PathWindow* window_;
  PathGraph graph_;
  std::vector<Place> first_of_thread_;  // one more than there are threads
  std::unordered_map<std::uint32_t, Place> place_of_call_;
  std::unordered_map<std::int64_t, std::uint32_t> call_of_correlation_;
  std::vector<LaunchInWindow> launches_;
  std::map<Stream, std::vector<std::uint32_t>> by_stream_;
  std::map<std::pair<std::uint32_t, Stream>, std::vector<std::uint32_t>> by_thread_;
  std::map<Stream, Place> last_of_stream_;
  std::map<std::int64_t, std::vector<LastWork>> last_of_device_;  // may hold work that is followed
  std::unordered_map<Place, Place> waits_for_;
};

}  // namespace

PathGraph BuildPathGraph(const Trace& trace, const std::vector<DeviceWork>& work,
                         const PathWindow& window) {
  return GraphBuilder(trace, work, window).Build();
}

}  // namespace opscope
