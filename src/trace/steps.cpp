#include "trace/steps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "trace/name_test.h"
#include "trace/threads.h"

namespace opscope {

namespace {

struct Launch {
  std::int64_t begin, end;   // of the call
  std::int64_t first, last;  // of the work
};

// What the calls inside a step launched.
struct StepWork {
  std::optional<std::int64_t> first, last;
  std::int64_t pieces = 0;
};

std::vector<Step> Marks(const Trace& trace) {
  std::vector<Step> steps;
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    if (trace.kind[event] == EventKind::kAnnotation && IsStepMark(trace.name_of(event)))
      steps.push_back({trace.name[event], trace.begin[event], trace.end[event], {}});
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.begin < b.begin; });
  return steps;
}

// Calls that have work, by begin.
std::vector<Launch> LaunchesOf(const Trace& trace, const std::vector<DeviceWork>& work) {
  std::vector<Launch> launches;
  for (const DeviceWork& item : work)
    if (item.call.valid())
      launches.push_back({trace.begin[item.call.index()], trace.end[item.call.index()],
                          trace.begin[item.event], trace.end[item.event]});
  std::sort(launches.begin(), launches.end(),
            [](const Launch& a, const Launch& b) { return a.begin < b.begin; });
  return launches;
}

struct WorkOfSteps {
  std::vector<StepWork> steps;
  std::vector<Launch> outside;  // of any step
};

WorkOfSteps Sort(const std::vector<Step>& steps, const std::vector<Launch>& launches) {
  WorkOfSteps out;
  out.steps.resize(steps.size());
  std::size_t step = 0;
  for (const Launch& launch : launches) {
    while (step < steps.size() && steps[step].end <= launch.begin) ++step;
    if (step == steps.size() || launch.begin < steps[step].begin || launch.end > steps[step].end) {
      out.outside.push_back(launch);
      continue;
    }
    StepWork& work = out.steps[step];
    work.first = std::min(work.first.value_or(launch.first), launch.first);
    work.last = std::max(work.last.value_or(launch.last), launch.last);
    ++work.pieces;
  }
  return out;
}

// Where the first step begins: not before the device has done what was launched ahead of it.
std::int64_t FirstBegin(const std::vector<Step>& steps, const WorkOfSteps& work) {
  std::int64_t begin = steps.front().begin;
  if (!work.steps.front().first) return begin;
  for (const Launch& launch : work.outside)
    if (launch.last < *work.steps.front().first) begin = std::max(begin, launch.last);
  return begin;
}

void FollowDevice(std::vector<Step>& steps, const WorkOfSteps& work) {
  std::int64_t previous = FirstBegin(steps, work);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].begin = std::max(previous, steps[i].begin);
    steps[i].end =
        std::max({steps[i].end, steps[i].begin, work.steps[i].last.value_or(steps[i].begin)});
    previous = steps[i].end;
  }
}

void CutTail(std::vector<Step>& steps, const std::vector<StepWork>& work) {
  std::size_t keep = steps.size();
  while (keep > 0 && work[keep - 1].pieces == 0) --keep;
  if (keep == 0) return;
  // work < 0.8 * work of the one before, in integers
  if (keep > 1 && work[keep - 1].pieces * 5 < work[keep - 2].pieces * 4) --keep;
  steps.resize(keep);
}

class PartFinder {
 public:
  explicit PartFinder(const Trace& trace)
      : trace_(&trace), communicates_(trace, &IsCommunication), loads_(trace, &IsDataLoading) {}

  std::optional<StepPart> PartOf(std::uint32_t event) {
    switch (trace_->kind[event]) {
      case EventKind::kKernel:
        return communicates_(event) ? StepPart::kCommunication : StepPart::kKernel;
      case EventKind::kCopy:
        return StepPart::kCopy;
      case EventKind::kMemset:
        return StepPart::kMemset;
      case EventKind::kApi:
        return StepPart::kRuntime;
      case EventKind::kOp:
        return loads_(event) ? StepPart::kDataLoader : StepPart::kCpu;
      case EventKind::kAnnotation:  // a range is no work; what runs in it has rows of its own
        if (loads_(event)) return StepPart::kDataLoader;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  const Trace* trace_;
  NameTest communicates_, loads_;
};

using Parts = std::array<std::vector<Interval>, kStepParts - 1>;

Parts PartsOf(const Trace& trace) {
  std::array<UnionBuilder, kStepParts - 1> unions;
  PartFinder finder(trace);
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    if (const auto part = finder.PartOf(event))
      unions[static_cast<std::size_t>(*part)].Add({trace.begin[event], trace.end[event], event});
  Parts parts;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = unions[i].Take();
  return parts;
}

// What is on the host is worked on or waited for: a call that waits for the device is no work.
std::vector<Interval> HostWork(const Trace& trace) {
  UnionBuilder work;
  NameTest waits(trace, &IsWait);
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const EventKind kind = trace.kind[event];
    if (kind != EventKind::kOp && kind != EventKind::kApi && kind != EventKind::kPython) continue;
    if (kind == EventKind::kApi && waits(event)) continue;
    work.Add({trace.begin[event], trace.end[event], event});
  }
  return work.Take();
}

void AddSides(const Trace& trace, std::vector<Step>& steps) {
  std::vector<Interval> whole;
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    whole.push_back({steps[i].begin, steps[i].end, i});
  for (const Interval& host : Intersect(whole, HostWork(trace)))
    steps[host.row].host_ns += host.end - host.begin;
  constexpr std::array kDevice = {StepPart::kKernel, StepPart::kCopy, StepPart::kMemset,
                                  StepPart::kCommunication};
  // They come first of all parts: what they hold is the union of the device's work.
  for (Step& step : steps)
    for (const StepPart part : kDevice)
      step.device_ns += step.parts_ns[static_cast<std::size_t>(part)];
}

// What is left of the steps goes to the first part that goes on, and from there to the next.
void Share(const Trace& trace, std::vector<Step>& steps) {
  std::vector<Interval> left;
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    left.push_back({steps[i].begin, steps[i].end, i});
  const Parts parts = PartsOf(trace);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Interval& taken : Intersect(left, parts[part]))
      steps[taken.row].parts_ns[part] += taken.end - taken.begin;
    left = Without(left, parts[part]);
  }
  for (const Interval& other : left)
    steps[other.row].parts_ns[kStepParts - 1] += other.end - other.begin;
}

}  // namespace

Steps FindSteps(const Trace& trace, const std::vector<DeviceWork>& work) {
  Steps out;
  out.steps = Marks(trace);
  out.found = static_cast<std::int64_t>(out.steps.size());
  if (out.steps.empty()) return out;
  const WorkOfSteps of_steps = Sort(out.steps, LaunchesOf(trace, work));
  const bool device = std::any_of(of_steps.steps.begin(), of_steps.steps.end(),
                                  [](const StepWork& step) { return step.pieces > 0; });
  if (device) {
    FollowDevice(out.steps, of_steps);
    CutTail(out.steps, of_steps.steps);
  } else {
    // Marks of several threads may overlap: an instant belongs to the first.
    for (std::size_t i = 1; i < out.steps.size(); ++i) {
      out.steps[i].begin = std::max(out.steps[i].begin, out.steps[i - 1].end);
      out.steps[i].end = std::max(out.steps[i].begin, out.steps[i].end);
    }
  }
  Share(trace, out.steps);
  AddSides(trace, out.steps);
  return out;
}

}  // namespace opscope
