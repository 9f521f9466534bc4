#include "join/analysis.h"

#include "base/check.h"

namespace opscope {

std::string_view Name(RowKind kind) {
  switch (kind) {
    case RowKind::kLayer:
      return "layer";
    case RowKind::kRuntime:
      return "runtime";
    case RowKind::kContainer:
      return "container";
    case RowKind::kUnmatched:
      return "unmatched";
  }
  return "";
}

std::string_view Name(MatchMethod method) {
  switch (method) {
    case MatchMethod::kName:
      return "name";
    case MatchMethod::kOutputTensor:
      return "output-tensor";
    case MatchMethod::kOptimizedModel:
      return "optimized-model";
    case MatchMethod::kFusedName:
      return "fused-name";
    case MatchMethod::kRegion:
      return "region";
    case MatchMethod::kOpOrder:
      return "op-order";
    case MatchMethod::kRuntimeName:
      return "runtime-name";
    case MatchMethod::kNone:
      return "none";
  }
  return "";
}

std::string_view Name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kExact:
      return "exact";
    case Confidence::kStrong:
      return "strong";
    case Confidence::kEstimated:
      return "estimated";
    case Confidence::kNone:
      return "none";
  }
  return "";
}

std::string_view Name(LayerRun state) {
  switch (state) {
    case LayerRun::kMeasured:
      return "measured";
    case LayerRun::kEstimated:
      return "estimated";
    case LayerRun::kFolded:
      return "folded";
    case LayerRun::kNotRun:
      return "not-run";
    case LayerRun::kUnknown:
      return "unknown";
  }
  return "";
}

Reconciliation Reconciliation::Make(std::int64_t wall_ns, std::int64_t layers_ns,
                                    std::int64_t runtime_ns, std::int64_t unmatched_ns,
                                    std::int64_t gap_ns) {
  CHECK(layers_ns >= 0 && runtime_ns >= 0 && unmatched_ns >= 0 && gap_ns >= 0);
  CHECK(layers_ns + runtime_ns + unmatched_ns + gap_ns == wall_ns);
  Reconciliation sums;
  sums.wall_ns_ = wall_ns;
  sums.layers_ns_ = layers_ns;
  sums.runtime_ns_ = runtime_ns;
  sums.unmatched_ns_ = unmatched_ns;
  sums.gap_ns_ = gap_ns;
  return sums;
}

}  // namespace opscope
