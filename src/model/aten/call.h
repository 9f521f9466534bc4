// Calls of PyTorch's ops as nodes of a model, whichever file they come from.
//
// The node's inputs are the tensors of its arguments in the order of the schema: one for each
// argument that is a tensor (invalid when it is left out), as many as there are for a list of
// tensors. Then follow the whole numbers that are computed at run time. Every other argument is an
// attribute of its name; element types are attributes of text ("float32"). Where an input's place
// does not follow from the schema alone, an attribute says it:
//   "size" = [1, 0, 768] with "size.inputs" = [-1, 3, -1]   element 1 is input 3
//   "dim.inputs" = [2]                                      an integer that is input 2
//   "tensors.inputs" = [0, 1, -1]                           a list of tensors, -1 = left out
//   "size.list" = 4                                         the whole list is the 1-D input 4
// and "values.inputs" = [5] for a tensor that stands behind a list of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/aten/schema.h"
#include "model/model.h"

namespace opscope::aten {

struct Argument {
  enum class Kind : std::uint8_t {
    kNone,
    kTensor,   // tensors[0]
    kTensors,  // tensors, some of them perhaps invalid
    kInteger,  // integers[0]; a value of run time when tensors[0] is valid
    kIntegers,
    kList,   // integers that tensors[0] holds, a 1-D value of run time
    kFloat,  // floats[0]
    kFloats,
    kText,
    kTexts,
    kGraph
  };
  std::string name;  // empty = the one at its place in the schema
  Kind kind = Kind::kNone;
  std::vector<TensorId> tensors;
  std::vector<std::int64_t> integers;
  std::vector<float> floats;
  std::vector<std::string> texts;
  GraphId graph;
};

struct Call {
  std::string domain;  // "aten"
  std::string op;      // "conv2d"
  std::string overload;
  std::string name;
  std::string module;  // dotted path, "" for the model itself
  std::string type;    // class of the innermost module, "torch.nn.modules.conv.Conv2d"; or unknown
  std::string function;  // what was called in it, "torch.nn.functional.relu"; or unknown
  std::vector<Argument> arguments;
  std::vector<TensorId> outputs;
};

// Splits "torch.ops.aten.conv2d.default", "aten::conv2d", "_operator.mul", "torch.sym_max" into
// domain, op and overload. Python's arithmetic on sizes has the domain "operator".
void SetTarget(std::string_view target, Call& call);

// The dtype by its number as c10 counts (Byte = 0) or as archives of torch.export do (Byte = 1).
DType DTypeOfScalarType(std::int64_t c10);
DType DTypeOfSerialized(std::int64_t number);

// Adds the node to `graph`. Outputs that are valid get it as their producer.
NodeId AddCall(Model& model, GraphId graph, const Schemas& schemas, Call call);

// A value that a node will write, or an input; declared as given.
TensorId AddValue(Model& model, GraphId graph, std::string_view name, TypeInfo declared = {});
GraphId AddBody(Model& model, GraphId parent, std::string_view name);

}  // namespace opscope::aten
