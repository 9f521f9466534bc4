// Building blocks of shape functions, for every dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/op.h"

namespace opscope {

using Dims = std::vector<Dim>;

inline Shape ShapeOf(Dims dims) { return Shape{std::move(dims)}; }
inline Shape UnknownDims(std::size_t rank) { return Shape{Dims(rank)}; }

// Sets an output that owns its bytes.
void SetOutput(OpContext& op, std::size_t output, DType dtype, Shape shape);
// Output 0 with the dtype and shape of input 0.
Result<void> SameAsInput(OpContext& op);
// The first known dtype among the inputs from `first` on.
DType CommonDType(const OpContext& op, std::size_t first = 0);

// Broadcasting (both sides aligned at the last dim). A number above 1 beats a symbol, a symbol
// beats 1; two different expressions are taken to be equal (OpContext::TakeEqual). Two
// different numbers, neither of them 1, are an error.
Result<Shape> Broadcast(const OpContext& op, const Shape& a, const Shape& b);
// The shape that all inputs from `first` to `last` broadcast to.
Result<Shape> BroadcastInputs(const OpContext& op, std::size_t first, std::size_t last);
// Of two dims that a valid model makes equal the better known one: a number, else the simpler
// expression ("seq" rather than "min(seq, 512)").
Dim BetterKnown(const OpContext& op, Dim a, Dim b);
// The same, but different numbers are an error that mentions `what`, and an assumption is noted.
Result<Dim> SameDim(const OpContext& op, Dim a, Dim b, std::string_view what);

// An axis in [-rank, rank) as an index.
Result<std::size_t> AxisOf(const OpContext& op, std::int64_t axis, std::size_t rank);
// Several axes, sorted; a repeated one is an error.
Result<std::vector<std::size_t>> AxesOf(const OpContext& op, std::span<const std::int64_t> axes,
                                        std::size_t rank);

// The elements when all of them are numbers.
std::optional<std::vector<std::int64_t>> KnownIntegers(const TensorFact& fact);
// The single element of a scalar (or of a tensor of one element) as a Dim; unknown otherwise.
Dim SingleDim(const TensorFact& fact);
// … as a number.
std::optional<std::int64_t> SingleInteger(const TensorFact& fact);
std::optional<double> SingleFloat(const TensorFact& fact);
// The elements of a floating tensor when all of them are numbers, whichever way they are kept.
std::optional<std::vector<double>> KnownFloats(const TensorFact& fact);
// How many elements a 1-D tensor has, when that is known.
std::optional<std::size_t> KnownLength(const TensorFact& fact);

// A list that older opsets give as an attribute and newer ones as an input.
struct ListArgument {
  bool given = false;
  std::optional<std::vector<std::int64_t>> values;  // nullopt while given = known only at run time
};
ListArgument ListOf(const OpContext& op, std::string_view attribute, std::size_t input);

// Products of parts of a shape; unknown when the rank is.
Dim ProductOf(const OpContext& op, const Shape& shape, std::size_t begin, std::size_t end);
Dim ElementsOf(const OpContext& op, const Shape& shape);
// The product of the dims of a shape from axis 2 on: the spatial points of NC… layouts.
Dim PointsOf(const OpContext& op, const Shape& shape);
// Dim `axis` of a shape; unknown when there is none.
Dim DimAt(const Shape& shape, std::size_t axis);

}  // namespace opscope
