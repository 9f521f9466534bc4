// Attention wherever it stands in a graph: one op, or queries times keys, softmax, times values.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

struct AttentionLayer {
  LayerId scores;  // queries times keys; the op itself where it is one
  LayerId values;  // probabilities times values; invalid where it is one op
  // The tensor of keys and of values as the products read them, heads already repeated; invalid
  // for one op.
  TensorId keys, value_tensor;
  bool causal = false;  // known to look only back
  Dim batch, heads, kv_heads, q_length, kv_length, head, value_head;
  Dim macs;         // of all executions, full square, without projections
  Dim macs_causal;  // the same with what lies after the query left out; unknown if not causal

  bool fused() const { return !values.valid(); }
};

// In file order; those that are never run are left out.
std::vector<AttentionLayer> FindAttention(Model& model, const StaticAnalysis& analysis);

// MACs of a layer that looks only back: a query of q at the end of kv sees the kv - q keys before
// all of them and those up to itself: q*(kv - q) + q*(q + 1)/2 pairs.
// 12 heads, q 96, kv 96, 32 + 32: 12 * (96*97/2) * 64 = 3,575,808 (full square 7,077,888).
Dim CausalMacs(DimTable& dims, const AttentionLayer& layer);

}  // namespace opscope
