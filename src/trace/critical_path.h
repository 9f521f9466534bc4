// The critical path of a window: the chain of ops, launches, kernels and waits that nothing but a
// shorter link of itself would have made end earlier.
//
// Nodes are the begins and ends of events. Edges:
//   - on a thread, from each node to the next in time: the time between them belongs to the
//     innermost op or call that is open (cpu). Between outermost events it is a dependency of
//     length 0, and so is the inside of a call that waits: what it waits for is on the path
//     instead;
//   - kernels, copies and memsets from begin to end (kernel, copy);
//   - from the begin of a launch to its kernel (launch), when the stream was empty at the launch;
//     else from the work before it on the stream (wait);
//   - of length 0, from work to the end of the call that waited for it, and from work to the work
//     of another stream that waits for its event.
// The rules are those of HolisticTraceAnalysis, so graphs and paths can be compared with it; like
// there, a wait binds only where the recording says so (cuda_sync rows). Two things differ: time is
// int64 nanoseconds, and edges on a thread follow time even where events cross.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

enum class PathPart : std::uint8_t { kCpu, kKernel, kCopy, kLaunch, kWait };
constexpr std::size_t kPathParts = 5;
std::string_view Name(PathPart part);  // "cpu", "kernel", "copy", "launch", "wait"

struct PathWindow {
  std::string name;  // of the range; "trace" for all of it
  std::int64_t begin = 0, end = 0;
};

// What one op, call or kernel has of the path.
struct PathRow {
  Str name{0};
  PathPart part = PathPart::kCpu;
  std::int64_t calls = 0, ns = 0;
};

struct CriticalPath {
  PathWindow window;
  std::int64_t ns = 0;                           // length of the path
  std::array<std::int64_t, kPathParts> parts{};  // they sum to ns
  std::int64_t graph_nodes = 0, graph_edges = 0;
  std::int64_t path_nodes = 0, path_edges = 0, path_events = 0;
  std::vector<PathRow> rows;  // by falling time; launches and what is of nobody have none
};

// The range with this name, the `which`-th (from 0) by time; where none is called so, of those
// whose name contains it: "ProfilerStep" finds steps.
std::optional<PathWindow> FindWindow(const Trace& trace, std::string_view name, std::size_t which);
// The same from "NAME" or "NAME#WHICH".
std::optional<PathWindow> FindWindow(const Trace& trace, std::string_view text);

// Of what begins in the window, both ends included, and of device work launched there. Nothing: no
// event is in it, the file's times do not fit, or it holds more than kMostPathEvents.
constexpr std::size_t kMostPathEvents = 4'000'000;
std::optional<CriticalPath> FindCriticalPath(const Trace& trace,
                                             const std::vector<DeviceWork>& work,
                                             const PathWindow& window);

}  // namespace opscope
