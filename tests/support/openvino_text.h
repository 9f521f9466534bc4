// OpenVINO networks from a few words: a layer a line, edges by name.
//
//   Parameter x -> f32 [1,3,8,8]          (? for a dim that is not fixed)
//   Const w -> f32 [4,3,3,3]              numbers behind it are its elements (i64)
//   Convolution c (x, w) strides="1, 1" -> f32 [1,4,6,6]
//   Result r (c)
#pragma once

#include <string>

namespace opscope::testing {

struct OpenVinoFiles {
  std::string xml;
  std::string bin;
};

// The network and its weights.
OpenVinoFiles OpenVinoNet(const std::string& lines, int version = 11);

}  // namespace opscope::testing
