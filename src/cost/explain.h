// Explanation: how the numbers of one layer come about (`opscope explain MODEL NODE`): shapes, the
// rule with its source, the rule with this layer's sizes, the number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

struct ExplainedTensor {
  TensorId tensor;
  std::size_t index = 0;  // of the inputs or outputs
  bool output = false;
  bool constant = false;  // of the model, not computed in a run
  std::string dtype;      // "float32"
  std::string shape;      // "1x64x112x112", "?" for an unknown rank or dim
  Dim bytes;
};

// One number. Empty texts where a part has nothing to say.
struct ExplainedNumber {
  std::string_view column;  // the key of the report: "macs", "read_bytes" …
  std::string_view rule;    // in words, English: the catalogue knows the sentence
  std::string general;      // the rule in names: "N*Cout*out * Cin/g * kernel"
  std::string formula;      // with this layer's sizes: "1*64*112*112 * 3 * 7*7"
  Dim value;
  std::string_view source;  // what the rule is taken from
};

struct Explanation {
  LayerId layer;
  std::vector<ExplainedTensor> tensors;
  std::vector<ExplainedNumber> numbers;  // of one execution; in the order of the report's columns
};

Explanation Explain(Model& model, const StaticAnalysis& analysis, LayerId layer);

}  // namespace opscope
