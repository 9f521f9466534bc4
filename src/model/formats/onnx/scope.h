// From names to tensors. The walk over the file keeps names; when all of it is read, every graph's
// names are bound in order: inputs and initializers first, then node by node. A body sees the names
// of the graphs around it.
#pragma once

#include <vector>

#include "base/import_log.h"
#include "model/formats/onnx/tensor.h"
#include "model/model.h"

namespace opscope::onnx {

struct NamedType {
  Str name{0};
  TypeInfo type;
};

// What is known of a graph before its names are bound. Its nodes are in the model already, with
// names in place of tensors (NameAsTensor).
struct GraphDraft {
  std::vector<NamedType> inputs;
  std::vector<NamedType> outputs;
  std::vector<NamedType> values;  // value_info
  std::vector<NamedPayload> initializers;
};

// A name that stands where a tensor's id will be.
inline TensorId NameAsTensor(Str name) { return {name.value}; }
inline Str NameOf(TensorId name) { return {name.value}; }

// Binds the names of the main graph, of all bodies and functions. `drafts` is by GraphId.
// Logged, never fatal: a name used before it is made (onnx.order), made twice (onnx.not-ssa),
// never made (onnx.undefined), or that hides one of an outer graph (onnx.shadowed). Free input dims
// without a name get one of their own, `<input>_d<axis>`; a 0 among them is noted (onnx.zero-dim).
void BindNames(Model& model, const std::vector<GraphDraft>& drafts, ImportLog& log);

}  // namespace opscope::onnx
