// What several ONNX families share: dtypes by their number in the format, frequent Work.
#pragma once

#include <cstdint>

#include "ops/fold.h"
#include "ops/infer.h"

namespace opscope::onnx {

// TensorProto.DataType as attributes carry it (Cast's `to`, RandomNormal's `dtype`).
DType DTypeFromNumber(std::int64_t number);
// The dtype an attribute names, or `otherwise` when it is absent.
DType DTypeAttribute(const OpContext& op, std::string_view name, DType otherwise);

// A floating tensor for floating inputs (statistics, scales); else the input's own dtype.
Work ElementwiseWork(const OpContext& op);  // one application per element of output 0
Work PointwiseWork(const OpContext& op);    // the same, from the elements at its place alone
Work MovementWork(const OpContext& op);     // input 0 is read as a whole
Work CastWork(const OpContext& op);         // pointwise
Work ReadOutputWork(const OpContext& op);   // only as many bytes are read as written
Work ViewWork(const OpContext& op);
Work NoWork(const OpContext& op);

// Output 0 shows the bytes of input 0.
void ShareInput(OpContext& op);

}  // namespace opscope::onnx
