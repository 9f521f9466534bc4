// Schedule: which node runs when, and how long every tensor is needed.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// A tensor with bytes of its own that somebody reads: from the step that makes it (0 for an input
// of the graph, which is there from the start) to the last one that reads it.
struct Lifetime {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t last = 0;
  bool from_start = false;
  bool to_end = false;  // an output of the graph; `last` is then its last step
};

// The main graph or a body of control flow: its nodes in the order in which they run, those of
// called functions in place, and its tensors in the order in which they appear.
struct GraphRun {
  GraphId graph;
  std::size_t parent = kNever;     // the run its container stands in
  std::size_t container_step = 0;  // there
  std::vector<NodeId> steps = {};
  std::vector<Lifetime> lifetimes = {};
};

struct Schedule {
  std::vector<GraphRun> runs;                    // the main graph first, a body after its container
  std::vector<std::vector<std::size_t>> bodies;  // by NodeId: runs of its bodies

  NodeId Container(const GraphRun& run) const { return runs[run.parent].steps[run.container_step]; }
};

// Views share storage: what reads a view reads the tensor behind it. What a body reads of an outer
// graph is read by its container. Weights and tensors that nobody reads are left out. `kept`: of
// KeptTensors. Bodies that are never run have none.
Schedule MakeSchedule(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                      const std::vector<bool>& kept, const StaticAnalysis& analysis);

// The tensor whose bytes `tensor` shows: itself unless it is a view.
inline TensorId StorageOf(const StaticAnalysis& analysis, TensorId tensor) {
  const TensorId storage = analysis.fact(tensor).storage;
  return storage.valid() ? storage : tensor;
}

}  // namespace opscope
