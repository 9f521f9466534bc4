// The options of operators: which fields a table of the unions BuiltinOptions and BuiltinOptions2
// has. Fields become attributes under the schema's names; enums become their names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/formats/tflite/flat.h"
#include "model/model.h"

namespace opscope::tflite {

// How a field is stored, and what it becomes.
enum class FieldKind : std::uint8_t {
  kInt,         // int32
  kLong,        // int64
  kUInt,        // uint32
  kBool,        // byte
  kFloat,       // float32
  kText,        // string
  kInts,        // [int32]
  kLongs,       // [int64]
  kBytes,       // [ubyte], also [bool]
  kPadding,     // enum Padding: "SAME", "VALID"
  kActivation,  // enum ActivationFunctionType: "RELU6"; "NONE" is left out
  kType,        // enum TensorType: "float32"
  kMirror,      // enum MirrorPadMode
  kWeights,     // enum FullyConnectedOptionsWeightsFormat
  kWindow,      // enum ReduceWindowFunction
  kCompare,     // enum StablehloComparisonDirection
  kSubgraph,    // int32: index of a sub-graph that runs as a body
  kRegion       // int32: index of a sub-graph of scalar arithmetic, which is part of the op
};

struct OptionField {
  std::string_view name;
  int slot;
  FieldKind kind;
  std::int64_t otherwise = 0;
};

struct OptionTable {
  std::int64_t type;
  std::span<const OptionField> fields;
};
// Of BuiltinOptions2.
std::span<const OptionTable> StableHloOptions();

// The fields of member `type` of the union, 2 for BuiltinOptions2; empty = none that are known.
std::span<const OptionField> OptionFields(int which, std::int64_t type);

// A sub-graph that an operator runs, under the name of its attribute.
struct BodyReference {
  std::string_view attribute;
  std::int64_t subgraph;
};

// Adds the attributes; bodies are left to the caller.
void ReadOptions(Flat& flat, const Table& options, std::span<const OptionField> fields,
                 Model& model, std::vector<Attribute>& attributes,
                 std::vector<BodyReference>& bodies);

// By number of the schema's TensorType; kUnknown for handles (resource, variant).
DType DTypeOf(std::int64_t type);

}  // namespace opscope::tflite
