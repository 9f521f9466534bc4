// The cache of keys and values: graph inputs that come back, longer, as graph outputs.
#pragma once

#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

struct CacheTensor {
  TensorId past, present;
  TensorId joined;            // what attention reads: `present` before casts and copies
  Dim batch, kv_heads, head;  // heads and head are unknown where the layout does not tell
  Dim past_length, length;    // tokens before and after
  Dim bytes_per_token;        // of one sequence
  Dim bytes;                  // of `present`
  int tensors = 1;            // 2: keys and values in one
  bool latent = false;        // one vector a token, of which keys and values are made
};

// Found by structure: an input that is joined with new entries (Concat) or written into
// (ScatterND, ScatterElements) or read by an attention op, whose result is an output of the same
// rank and type. In the order of the outputs.
std::vector<CacheTensor> FindCache(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
