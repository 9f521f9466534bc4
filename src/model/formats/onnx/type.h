// TypeProto and element types.
#pragma once

#include "model/formats/onnx/walker.h"

namespace opscope::onnx {

// TensorProto.DataType to DType; kUnknown, with a note, for what this build does not know.
DType ElementType(Walker& walker, std::uint64_t code, std::uint64_t offset);

// A TypeProto. Dims: a number (0 as it stands), a symbol by its name, else unknown. Sequences,
// optionals and maps show the tensor type inside them.
Result<TypeInfo> ReadType(Walker& walker, WireReader message);

}  // namespace opscope::onnx
