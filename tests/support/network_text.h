// Networks with free dims, as exporters write them, in the text form of graph_text.h: sizes are
// computed with Shape, Gather, Concat …; weights have dims and no data.
#pragma once

#include <string>

namespace opscope {

// batch, seq. 4 layers of width 256: MACs batch*seq*3145728 + batch*seq*seq*2048 + batch*65536.
std::string DynamicBert();
// batch, seq, past: a decoder with key and value caches and a mask cut from a table of 1024 x 1024.
std::string DynamicGpt2();
// batch, seq, past: grouped-query attention, rotary positions, RMS norms of primitive ops.
std::string DynamicLlama();
// batch.
std::string DynamicVit();
// N, H, W: strided convolutions, pooling with ceil_mode, upsampling, a crop by Shape and Slice.
std::string DynamicSegmenter();
// N, H, W, and count(NMS): TopK with a computed k, NonMaxSuppression, Gather of what is left.
std::string DynamicDetector();

}  // namespace opscope
