// Value propagation: the elements of small tensors, on which shapes may hang.
//
// The output's dtype and shape are set before any of these is called. Whatever is not known stays
// unset; nothing here is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/infer.h"

namespace opscope {

// The dims when all are numbers and the tensor has at most kMaxPropagated elements.
std::optional<std::vector<std::int64_t>> SmallShape(const Shape& shape);
// Row-major strides, in elements.
std::vector<std::int64_t> Strides(std::span<const std::int64_t> dims);
// For each element of an output of shape `dims`, row-major: offset + sum(index[i] * strides[i]).
std::vector<std::size_t> StridedSource(std::span<const std::int64_t> dims,
                                       std::span<const std::int64_t> strides,
                                       std::int64_t offset = 0);
// Where each element of the shape `to` comes from when `from` is broadcast to it.
std::vector<std::size_t> BroadcastSource(std::span<const std::int64_t> from,
                                         std::span<const std::int64_t> to);

inline bool HasElements(const TensorFact& fact) {
  return fact.ints.has_value() || fact.floats.has_value();
}
// The output has the elements of the input in the same order (Reshape, Identity).
void CopyElements(const TensorFact& from, TensorFact& to);
// Element i of the output is element source[i] of the input.
void MoveElements(const TensorFact& from, TensorFact& to, std::span<const std::size_t> source);
// All elements as Dims: also those of a floating tensor whose values are whole numbers.
std::optional<std::vector<Dim>> WholeElements(const TensorFact& fact);
// `value` as the dtype can hold it (float32 loses digits where the engine's does).
double RoundTo(DType dtype, double value);

// One elementwise function on what elements can be. A null member: not followed.
struct Fold1 {
  Dim (*integer)(DimTable&, Dim) = nullptr;
  double (*real)(double) = nullptr;
  Dim (*whole)(DimTable&, Dim) = nullptr;  // on a floating tensor of whole numbers
};
struct Fold2 {
  Dim (*integer)(DimTable&, Dim, Dim) = nullptr;
  double (*real)(double, double) = nullptr;
  Dim (*whole)(DimTable&, Dim, Dim) = nullptr;
};
void FoldUnary(OpContext& op, const Fold1& fold);
// Output 0 from inputs `a` and `b`, broadcast. `b` may be an output-shaped fact of its own, so
// that variadic ops fold from the left.
void FoldBinary(OpContext& op, const TensorFact& a, const TensorFact& b, TensorFact& out,
                const Fold2& fold);
// Output 0 = input 0 as another dtype.
void FoldCast(OpContext& op);
// Output 0 = input 1 where input 0 holds, else input 2.
void FoldWhere(OpContext& op);
// Output 0 = input 0 with `axes` folded together by an associative function.
void FoldReduce(OpContext& op, std::span<const std::size_t> axes, const Fold2& fold, Dim start);

// Integer arithmetic of the formats on Dims.
namespace fold {
Dim Add(DimTable& dims, Dim a, Dim b);
Dim Sub(DimTable& dims, Dim a, Dim b);
Dim Mul(DimTable& dims, Dim a, Dim b);
Dim Min(DimTable& dims, Dim a, Dim b);
Dim Max(DimTable& dims, Dim a, Dim b);
Dim Truncate(DimTable& dims, Dim a, Dim b);     // a / b rounded to zero, as C does
Dim Exact(DimTable& dims, Dim a, Dim b);        // a / b where that is whole, else unknown
Dim FloorMod(DimTable& dims, Dim a, Dim b);     // the sign of b
Dim TruncateMod(DimTable& dims, Dim a, Dim b);  // the sign of a
// 1 or 0, or a formula that is 1 or 0 where it depends on the symbols.
Dim Equal(DimTable& dims, Dim a, Dim b);
Dim Less(DimTable& dims, Dim a, Dim b);
Dim LessOrEqual(DimTable& dims, Dim a, Dim b);
// `yes` where the condition holds, else `no`; the condition is 1 or 0.
Dim Select(DimTable& dims, Dim condition, Dim yes, Dim no);
}  // namespace fold

}  // namespace opscope
