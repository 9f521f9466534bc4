// TensorFact: what is known of a tensor after propagation. Declared types stay in Model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/model.h"

namespace opscope {

struct SequenceFact;

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
  // How many elements there are, where that is known and the shape does not tell it: the branches
  // of an If may differ in the rank alone (torch squeezes an axis when its size is 1).
  Dim elements;
  std::shared_ptr<const SequenceFact> sequence;  // of a sequence
  bool runtime = false;  // hangs on a graph input; false = a constant of the model
  TensorId storage;      // the tensor whose bytes this one shows (views share storage); valid once
                         // the tensor is computed, itself when it owns its bytes
};
// What is known of the tensors of a sequence beside the dtype and shape that all of them share.
struct SequenceFact {
  Dim length;
  std::optional<std::vector<TensorFact>> items;  // each of them, when they are at most kMaxItems
};
constexpr std::size_t kMaxItems = 64;
Dim LengthOf(const TensorFact& fact);
constexpr std::size_t kMaxPropagated = 4096;
constexpr std::size_t kMaxPropagatedFloats = 64;
// So many elements are always followed; more only until kMaxKept of a model are.
constexpr std::size_t kFewElements = 64;
constexpr std::size_t kMaxKept = 4'000'000;

// What a constant tells: dtype, shape and, when it is small, its elements.
TensorFact FactOf(const Payload& payload);

// What two shapes, and two tensors, have in common: what differs is unknown.
Shape Common(const Shape& a, const Shape& b);
TensorFact Common(const TensorFact& a, const TensorFact& b);

// Elements of a shape: unknown when the rank or a dim is.
Dim Elements(DimTable& dims, const Shape& shape);
Dim Elements(DimTable& dims, const TensorFact& fact);
// ceil(elements * bits / 8), or whole blocks: packed sub-byte types included; unknown for strings.
Dim BytesOf(DimTable& dims, const TensorFact& fact);

}  // namespace opscope
