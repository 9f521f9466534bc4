// What a model is run with: shapes for free dims by their role, value ranges for inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/model.h"

namespace opscope {

// A free dim and the size that was taken for it.
struct GuessedDim {
  std::string input;
  std::size_t axis = 0;
  std::string symbol;  // its name in the model
  std::string role;    // "batch", "image", "sequence", "size"
  std::int64_t size = 0;
};

struct RunShapes {
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of every tensor input
  std::vector<GuessedDim> guesses;                          // one a symbol, in input order
};

// Free dims that neither `bindings` nor `shapes` fix: a batch becomes 1; others follow their role
// (sequence 128, image side 224, anything else 1). A symbol gets the same size wherever it occurs.
RunShapes ChooseRunShapes(const Model& model, const Bindings& bindings,
                          const std::map<std::string, std::vector<std::int64_t>>& shapes);

// "1x3x224x224".
std::string ShapeText(const std::vector<std::int64_t>& dims);
// "--shape x=1x3x224x224": the inputs with a guess, as an option to change.
std::string ShapeOptionExample(const RunShapes& chosen);

// Integer inputs that end as the indices of a Gather: the number of rows it can address, so that
// made-up token ids lie inside the vocabulary.
std::map<std::string, std::int64_t> IndexBounds(const Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
