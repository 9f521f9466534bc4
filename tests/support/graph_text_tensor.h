// Tensors and types of the graph text as protobuf messages.
#pragma once

#include <string>

#include "base/result.h"
#include "support/graph_text_line.h"

namespace opscope {

// "w float32 [2,2] = 1 2 3 4" behind `init` or `tensor`.
struct TextTensor {
  std::string name;
  std::string bytes;  // a TensorProto, or a SparseTensorProto
  bool sparse = false;
};
Result<TextTensor> ReadTextTensor(GraphTextLine& line);
// "p float32 [4,4] nnz 3" behind `sparse-init`.
Result<TextTensor> ReadTextSparseTensor(GraphTextLine& line);
// "float32 [N,3]", "sequence(float32 [?])" … as a TypeProto.
Result<std::string> ReadTextType(GraphTextLine& line);

}  // namespace opscope
