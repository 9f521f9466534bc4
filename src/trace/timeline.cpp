#include "trace/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/beside.h"

namespace opscope {

namespace {

constexpr std::size_t kGapsKept = 100;

std::vector<KernelRow> KernelRows(const Trace& trace, const std::vector<DeviceWork>& work) {
  std::map<std::pair<std::int64_t, Str>, std::size_t> place;
  std::vector<KernelRow> rows;
  std::vector<std::unordered_map<std::uint32_t, std::int64_t>> by_op;
  for (const DeviceWork& item : work) {
    if (trace.kind[item.event] != EventKind::kKernel) continue;
    const std::int64_t device = DeviceOf(trace, item.event);
    const auto [at, is_new] = place.try_emplace({device, trace.name[item.event]}, rows.size());
    if (is_new) {
      const DeviceArgs* args = trace.device_of(item.event);
      rows.push_back({device, trace.name[item.event], Str{0}, 0, 0,
                      std::numeric_limits<std::int64_t>::max(), 0,
                      args == nullptr ? -1 : args->occupancy_percent});
      by_op.emplace_back();
    }
    KernelRow& row = rows[at->second];
    const std::int64_t duration = trace.duration(item.event);
    ++row.calls;
    row.ns += duration;
    row.shortest_ns = std::min(row.shortest_ns, duration);
    row.longest_ns = std::max(row.longest_ns, duration);
    if (item.op.valid()) by_op[at->second][trace.name[item.op.index()].value] += duration;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int64_t most = -1;
    for (const auto& [op, ns] : by_op[i])
      if (std::tuple(ns, rows[i].op.value) > std::tuple(most, op)) {
        most = ns;
        rows[i].op = Str{op};
      }
  }
  std::sort(rows.begin(), rows.end(), [&](const KernelRow& a, const KernelRow& b) {
    return std::tuple(-a.ns, a.device, trace.text(a.name)) <
           std::tuple(-b.ns, b.device, trace.text(b.name));
  });
  return rows;
}

// Sums of all gaps, and the longest of them.
class GapSums {
 public:
  explicit GapSums(Timeline& out) : out_(&out) {}

  void Add(const Gap& gap) {
    GapSum& sum = out_->gap_sums[static_cast<std::size_t>(gap.kind)];
    ++sum.count;
    sum.ns += gap.end - gap.begin;
    longest_.push_back(gap);
    if (longest_.size() >= 64 * kGapsKept) Shorten();
  }
  void Finish() {
    Shorten();
    out_->gaps = std::move(longest_);
  }

 private:
  void Shorten() {
    const std::size_t kept = std::min(kGapsKept, longest_.size());
    const auto longer = [](const Gap& a, const Gap& b) {
      return std::tuple(b.end - b.begin, a.device, a.begin) <
             std::tuple(a.end - a.begin, b.device, b.begin);
    };
    std::partial_sort(longest_.begin(), longest_.begin() + static_cast<std::ptrdiff_t>(kept),
                      longest_.end(), longer);
    longest_.resize(kept);
  }

  Timeline* out_;
  std::vector<Gap> longest_;
};

void SumGaps(const Trace& trace, Timeline& out) {
  GapSums sums(out);
  FindGaps(trace, out.work, HostActivity(trace), [&](const Gap& gap) { sums.Add(gap); });
  sums.Finish();
}

TrackId MainThread(const Trace& trace, const Timeline& timeline) {
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    if (trace.kind[event] == EventKind::kAnnotation && IsStepMark(trace.name_of(event)))
      return TrackId{trace.track[event]};
  std::vector<std::int64_t> launches(trace.tracks.size());
  for (const DeviceWork& item : timeline.work)
    if (item.call.valid()) ++launches[trace.track[item.call.index()]];
  TrackId main;
  std::pair<std::int64_t, std::int64_t> best(0, 0);
  for (const HostThreadTime& thread : timeline.threads) {
    const std::pair score(launches[thread.track.index()], thread.busy_ns);
    if (main.valid() && score <= best) continue;
    best = score;
    main = thread.track;
  }
  return main;
}

void SetSpan(const Trace& trace, Timeline& out) {
  bool any = false;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (trace.kind[event] == EventKind::kRecording || trace.kind[event] == EventKind::kOverhead)
      continue;
    out.first_ns = any ? std::min(out.first_ns, trace.begin[event]) : trace.begin[event];
    out.last_ns = any ? std::max(out.last_ns, trace.end[event]) : trace.end[event];
    any = true;
  }
}

std::optional<PathWindow> WindowOf(const Trace& trace, const Timeline& timeline,
                                   std::string_view text) {
  constexpr std::size_t kLongTrace = 1'000'000;  // events
  if (!text.empty()) return FindWindow(trace, text);
  if (!timeline.steps.steps.empty())
    return FindWindow(trace, trace.text(timeline.steps.steps.back().name), 0);
  if (trace.size() > kLongTrace) return std::nullopt;
  return PathWindow{"trace", timeline.first_ns, timeline.last_ns};
}

}  // namespace

Timeline BuildTimeline(Trace& trace, std::string_view window) {
  Timeline out;
  out.work = FindLaunches(trace);
  SetSpan(trace, out);
  // The only name that the tables add: here, so that names are only read below.
  trace.strings.Intern(kAllSteps);
  Beside(
      trace.size(),
      [&] {
        out.steps = FindSteps(trace, out.work);
        std::vector<Interval> steps;
        for (const Step& step : out.steps.steps) steps.push_back({step.begin, step.end, 0});
        out.devices = DeviceTimes(trace, out.work, steps);
        // A path through stacks that have no order would mean nothing.
        const auto found = trace.laid_out ? std::nullopt : WindowOf(trace, out, window);
        if (found) out.critical_path = FindCriticalPath(trace, out.work, *found);
        out.kernels = KernelRows(trace, out.work);
        out.copies = CopyRows(trace, out.work);
        out.uploads = RepeatedUploads(trace, out.work);
        out.memory = MemoryCurves(trace);
        out.ranges = FindRanges(trace, out.work);
      },
      [&] {
        out.threads = HostThreadTimes(trace);
        out.main_thread = MainThread(trace, out);
        SumGaps(trace, out);
        out.ops = OpTable(trace, out.work);
        out.op_shapes = OpShapeTable(trace, out.work);
        out.sums = SumByName(trace);
      });
  return out;
}

}  // namespace opscope
