// TensorFact: what is known of a tensor after propagation. Declared types stay in Model.
#pragma once

#include <optional>
#include <vector>

#include "model/model.h"

namespace opscope {

struct TensorFact {
  ValueKind kind = ValueKind::kTensor;
  DType dtype = DType::kUnknown;
  Shape shape;
  // Elements in row-major order of a small integer or bool tensor (shape arithmetic), or of a
  // floating one whose elements are whole numbers with a symbol among them (Cast of a Shape). Each
  // may be an expression or unknown. At most kMaxPropagated elements.
  std::optional<std::vector<Dim>> ints;
  // Elements of a small floating constant (Resize scales, Range limits); at most
  // kMaxPropagatedFloats.
  std::optional<std::vector<double>> floats;
  bool runtime = false;  // hangs on a graph input; false = a constant of the model
  TensorId storage;      // the tensor whose bytes this one shows (views share storage); valid once
                         // the tensor is computed, itself when it owns its bytes
};
constexpr std::size_t kMaxPropagated = 4096;
constexpr std::size_t kMaxPropagatedFloats = 64;
// So many elements are always followed; more only until kMaxKept of a model are.
constexpr std::size_t kFewElements = 64;
constexpr std::size_t kMaxKept = 4'000'000;

// What a constant tells: dtype, shape and, when it is small, its elements.
TensorFact FactOf(const Payload& payload);

// Elements of a shape: unknown when the rank or a dim is.
Dim Elements(DimTable& dims, const Shape& shape);
// ceil(elements * bits / 8): packed sub-byte types included; unknown for strings.
Dim BytesOf(DimTable& dims, const TensorFact& fact);

}  // namespace opscope
