// Internal to the critical path: its graph.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/critical_path.h"

namespace opscope {

// A node is the begin (2 * i) or the end (2 * i + 1) of PathGraph::events[i].
struct PathEdge {
  std::uint32_t from = 0, to = 0;
  std::int64_t ns = 0;
  EventId event;  // whose time this is; invalid where ns is of nobody
  PathPart part = PathPart::kCpu;
};

struct PathGraph {
  std::vector<std::uint32_t> events;
  std::vector<PathEdge> edges;
  bool too_large = false;  // nothing was built
};

PathGraph BuildPathGraph(const Trace& trace, const std::vector<DeviceWork>& work,
                         const PathWindow& window);

}  // namespace opscope
