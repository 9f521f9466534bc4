// RunAnalysis: one recorded run, summed into rows, and, when a model is at hand, its rows placed
// on the model's layers. Every nanosecond of wall time has a named owner:
//
//   wall = layers + runtime + unmatched + gap, exactly, over the used iterations.
//
// Without a model no row can be placed on a layer: rows of the graph keep kind kLayer with match
// method kNone and no layers, their time counts in `layers_ns`, and a note says so. Rows that the
// runtime made (ReorderInput, fences, MemcpyFromHost …) are kRuntime with and without a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "cost/static_analysis.h"
#include "trace/trace.h"

namespace opscope {

enum class RowKind : std::uint8_t { kLayer, kRuntime, kContainer, kUnmatched };
// "layer", "runtime", "container", "unmatched".
std::string_view Name(RowKind kind);

// How a row found its layers, most precise first.
enum class MatchMethod : std::uint8_t {
  kName,            // the row carries the node's name
  kOutputTensor,    // renamed after the tensor it writes: r1_nchwc
  kOptimizedModel,  // through the saved optimised model
  kFusedName,       // a generated name that quotes the model: x/MatMulAddFusion, fused gemm_3
  kRegion,          // all layers between the row's neighbours
  kOpOrder,         // op type and order
  kRuntimeName,     // a name that only the runtime gives: ReorderInput_token_3
  kNone
};
// "name", "output-tensor", "optimized-model", "fused-name", "region", "op-order", "runtime-name",
// "none".
std::string_view Name(MatchMethod method);

enum class Confidence : std::uint8_t { kExact, kStrong, kEstimated, kNone };
std::string_view Name(Confidence confidence);

struct Iterations {
  std::int64_t found = 0;   // complete runs in the file
  std::int64_t warmup = 0;  // the first of each thread; 0 when the file has a single run
  std::int64_t used = 0;
  std::string unit;          // "model_run"; "execution" or "span" without one
  std::int64_t partial = 0;  // cut off at the end of the file and dropped
  std::string why;           // which runs were cut, and why; empty = none
};

// Sums over the used iterations. Only Make builds one, and one that does not add up fails a CHECK.
class Reconciliation {
 public:
  Reconciliation() = default;
  static Reconciliation Make(std::int64_t wall_ns, std::int64_t layers_ns, std::int64_t runtime_ns,
                             std::int64_t unmatched_ns, std::int64_t gap_ns);
  std::int64_t wall_ns() const { return wall_ns_; }
  std::int64_t layers_ns() const { return layers_ns_; }
  std::int64_t runtime_ns() const { return runtime_ns_; }
  std::int64_t unmatched_ns() const { return unmatched_ns_; }
  std::int64_t gap_ns() const { return gap_ns_; }

 private:
  std::int64_t wall_ns_ = 0, layers_ns_ = 0, runtime_ns_ = 0, unmatched_ns_ = 0, gap_ns_ = 0;
};

// A row's part for one layer. wall_ns of a row's shares sum to the row's wall_ns exactly.
struct LayerShare {
  LayerId layer;
  double weight = 1.0;  // by modelled cost: MACs, else bytes, else equal parts
  std::int64_t wall_ns = 0;
};

constexpr std::uint32_t kNoRow = 0xffffffffU;

// One node of the graph that ran (or one piece of runtime work), over all used iterations.
struct Row {
  RowKind kind = RowKind::kUnmatched;
  std::string name;  // without "_kernel_time"
  std::string op;
  std::string provider;              // "CPUExecutionProvider"; empty = the file does not say
  std::string dtype;                 // of the first input (else output), "float32"; empty = unknown
  std::string inputs, outputs;       // "float32[1,3,224,224] …" as first seen; empty = unknown
  std::uint32_t container = kNoRow;  // the row of the If, Loop … around it
  std::vector<std::string> path;     // names of the containers around it, outermost first
  std::int64_t calls = 0;
  std::int64_t busy_ns = 0;               // plain sum of durations
  std::int64_t wall_ns = 0;               // its part of the wall
  double share = 0;                       // wall_ns / wall
  std::vector<std::int64_t> samples_ns;   // wall per used iteration; empty = too many to keep
  std::optional<std::int64_t> device_ns;  // of the kernels it launched (GPU providers)
  std::int64_t parameter_bytes = -1, activation_bytes = -1, output_bytes = -1;  // -1 = unknown
  std::vector<LayerShare> layers;
  MatchMethod method = MatchMethod::kNone;
  Confidence confidence = Confidence::kNone;
  std::string because;  // why unmatched, why estimated, what the runtime row does; empty = plain
};

// What the run says of one layer. Every layer of the static analysis has one, in its order.
enum class LayerRun : std::uint8_t {
  kMeasured,   // rows of its own
  kEstimated,  // a part of a row that covers several layers
  kFolded,     // the engine computed or removed it before the run: no time of its own
  kNotRun,     // its branch was not taken, or it was not in the recorded window
  kUnknown     // no row names it and nothing tells where it went
};
std::string_view Name(LayerRun state);

struct LayerTime {
  LayerId layer;
  LayerRun state = LayerRun::kUnknown;
  std::int64_t wall_ns = 0;          // sum over used iterations
  std::int64_t median_ns = 0;        // of one iteration
  double share = 0;                  // of the wall
  std::vector<LayerId> shared_with;  // other layers of its rows, ascending
  std::vector<std::uint32_t> rows;   // indices into RunAnalysis::rows
  std::string because;               // why there is no time, why estimated; empty = plain
};

struct ProviderPlacement {
  std::string provider;
  std::int64_t layers = 0;
  std::optional<double> macs_share;  // nullopt when a layer's MACs are unknown
  double wall_share = 0;             // of layers_ns
};

// "100 % of rows placed": rows are distinct row names, time is wall time without gaps.
struct Coverage {
  std::int64_t rows = 0;
  std::int64_t placed = 0;     // on layers, or named runtime rows
  std::int64_t placed_ns = 0;  // layers + runtime
  std::int64_t rows_ns = 0;    // layers + runtime + unmatched
};

// Time of one op type: sums of rows of the same op, largest first.
struct OpTime {
  std::string op;
  std::int64_t rows = 0, calls = 0, busy_ns = 0, wall_ns = 0;
};

// A thread that ran the model.
struct ThreadTime {
  std::int64_t pid = 0, tid = 0;
  std::int64_t runs = 0;
  std::int64_t busy_ns = 0;  // of the used runs
  std::int64_t span_ns = 0;  // first run's begin to last run's end
};

struct RunAnalysis {
  std::string format;  // "ort-profile"
  std::string file;
  Producer producer;
  Iterations iterations;
  std::vector<std::int64_t> samples_ns;  // wall of every used iteration, in time order
  std::optional<std::int64_t> setup_ns;  // model loading and session initialisation
  std::optional<GivenLatency> latency;   // where the file gives that instead of samples
  Reconciliation reconciliation;
  bool sums_only = false;         // the file holds no times of runs: there is no wall, and no gap
  std::vector<Row> rows;          // by first appearance in time
  std::vector<LayerTime> layers;  // by LayerId; empty without a model
  std::vector<ProviderPlacement> placement;  // by wall share, largest first
  std::vector<OpTime> ops;
  std::vector<ThreadTime> threads;
  Coverage coverage;
  std::vector<std::string> notes;  // what a reader of the figures must know, in English
};

}  // namespace opscope
