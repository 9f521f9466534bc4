// StaticAnalysis: what the model computes, moves and keeps, per layer and in total, without
// running it. Every number is a Dim: known, a formula in the model's symbols, or unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "cost/counts.h"
#include "model/model.h"
#include "ops/propagate.h"

namespace opscope {

using LayerId = Id<struct LayerTag>;

enum class LayerStatus : std::uint8_t { kCounted, kView, kFree, kConstant, kContainer, kUnknown };
std::string_view Name(LayerStatus status);

// One node: in file order; the nodes of a body follow their container.
struct Layer {
  NodeId node;
  LayerId container;  // the If, Loop, function call … it stands in; none = main graph
  std::vector<std::string> scope;  // module path from the node's name or metadata
  std::vector<std::string> path;   // body or function nest: {"If_0", "then_branch"}
  Dim times = 1;                   // trips of the enclosing loops; 0 = the branch not taken
  LayerStatus status = LayerStatus::kUnknown;
  std::string because;  // why a number is unknown; empty = none is
  std::string_view rule;
  std::string formula;  // the rule with its factors: "1*64*112*112 * 3 * 7*7"
  bool runtime = false;
  bool dead = false;  // in a branch that is never taken: times is 0 for sure
  Counts counts = kNoCounts;
  Dim flops = 0, operations = 0;  // 2 * macs; flops + the four other columns
  // Constants this layer is the first reader of; 0 for those of an earlier layer (shared_with).
  Dim parameters = 0, statistics = 0, constants = 0, parameter_bytes = 0;
  LayerId shared_with;
  Dim weight_bytes = 0, read_bytes = 0, write_bytes = 0;  // traffic of one execution, unfused
  Dim moved_bytes = 0;                                    // the sum of the three
  LayerId group;  // the first layer of the group it is fused with (fusion.h); none = in no group
  DType mac_activation = DType::kUnknown, mac_weight = DType::kUnknown,
        mac_accumulator = DType::kUnknown;
};

// Where something lies in the arenas of its graph, and from which layer to which it is needed.
struct ArenaBlock {
  TensorId tensor;      // none: the largest body of layer `first`, as large as that body's arena
  LayerId first, last;  // none: there from the start; kept to the end
  std::int64_t bytes = 0, offset = 0, inplace_offset = 0;
};

// Why there is no arena: a size hangs on a free symbol, is not known, or is beyond all memory.
enum class NoArena : std::uint8_t { kNone, kFreeSize, kUnknownSize, kTooLarge };

// What the main graph, or a body of control flow, needs while it runs.
struct RunMemory {
  std::vector<std::string> path;  // of a body, as its layers have it
  LayerId container;              // of a body
  Dim live_peak_bytes;
  std::string live_peak_because;  // when unknown
  std::optional<std::int64_t> arena_bytes, arena_inplace_bytes;
  NoArena no_arena = NoArena::kNone;
  std::vector<ArenaBlock> plan;  // in the order in which the blocks are needed
};

struct MemoryPlan : RunMemory {
  std::vector<RunMemory> bodies;  // after those of the graphs around them
  LayerId live_peak_at;
  std::vector<TensorId> live_tensors;  // largest first
  Dim naive_bytes;                     // activation bytes with views taken out
};

// Traffic after the usual fusions: what crosses the borders of groups (fusion.h).
struct FusedTraffic {
  std::int64_t groups = 0;
  Dim read_bytes = 0, write_bytes = 0, weight_bytes = 0;
};

struct UncountedOp {
  std::string op;  // with its domain unless ai.onnx
  std::int64_t nodes = 0;
  std::string because;
};

struct MacsByType {
  DType activation, weight, accumulator;
  Dim macs;
};

// Exact sums of the layers: counts and traffic times their `times`; parameters, statistics and
// constants once, whatever branch they stand in. What is unknown in a layer is left out (then
// `complete` is false and the sums are lower bounds). A sum is itself unknown only when its formula
// outgrows the limits of DimTable.
struct StaticTotals {
  std::int64_t nodes = 0, runtime_nodes = 0, counted = 0;
  bool complete = true;
  std::vector<UncountedOp> uncounted;
  Counts counts = kNoCounts;
  Dim flops = 0, operations = 0;  // 2 * macs; flops + the four other columns
  Dim parameters = 0, statistics = 0, constants = 0, parameter_bytes = 0;
  Dim read_bytes = 0, write_bytes = 0, weight_bytes = 0, activation_bytes = 0;
  FusedTraffic fused;
  MemoryPlan memory;
  std::vector<MacsByType> macs_by_type;
};

struct StaticAnalysis {
  Propagation propagation;
  std::vector<Layer> layers;
  std::vector<LayerId> layer_of;  // by NodeId
  // By GraphId: a branch whose condition is known not to hold, or that contradicts the shapes given
  // while the other does not.
  std::vector<bool> dead;
  StaticTotals totals;

  const Layer& layer(LayerId id) const { return layers[id.index()]; }
  const TensorFact& fact(TensorId id) const { return propagation.facts[id.index()]; }
};

// Expands functions, propagates, counts. The model gains expanded bodies and interned expressions.
Result<StaticAnalysis> AnalyzeStatic(Model& model, const PropagateOptions& options, ImportLog& log);

}  // namespace opscope
