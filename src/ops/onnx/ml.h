// What the families of ai.onnx.ml share: rows of features, class labels in attributes.
#pragma once

#include "ops/infer.h"

namespace opscope::onnx {

// X is [N, C]; a single row may come as [C].
Dim Rows(const OpContext& op);
Dim Columns(const OpContext& op);
// Elements of a list of floats; 0 when it is absent.
std::int64_t CountOf(const OpContext& op, std::string_view attribute);

// Class labels: integers in the attribute named, or strings in classlabels_strings.
struct Labels {
  DType dtype = DType::kInt64;
  Dim count;  // unknown when there are none
};
Labels LabelsOf(const OpContext& op, std::string_view integers);

}  // namespace opscope::onnx
