// Arguments of PyTorch's ops as nodes carry them (model/aten/call.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/infer.h"

namespace opscope::aten {

// A whole number: stated, or computed at run time. Nullopt = not given.
std::optional<Dim> DimArg(const OpContext& op, std::string_view name);
Dim DimArg(const OpContext& op, std::string_view name, Dim otherwise);
// … that has to be stated.
std::optional<std::int64_t> IntArg(const OpContext& op, std::string_view name);
std::int64_t IntArg(const OpContext& op, std::string_view name, std::int64_t otherwise);
bool FlagArg(const OpContext& op, std::string_view name, bool otherwise = false);
// A list of whole numbers; also one that stands alone. Nullopt = not given, or of unknown length.
std::optional<Dims> DimsArg(const OpContext& op, std::string_view name);
// … that are all stated.
std::optional<std::vector<std::int64_t>> IntsArg(const OpContext& op, std::string_view name);
// Given at all, in whichever form.
bool Given(const OpContext& op, std::string_view name);
std::optional<std::vector<float>> FloatsArg(const OpContext& op, std::string_view name);
std::string_view TextArg(const OpContext& op, std::string_view name, std::string_view otherwise);
DType DTypeArg(const OpContext& op, std::string_view name, DType otherwise);
// The inputs of a list of tensors; nullopt inside = left out. Also of one tensor behind a list.
std::vector<std::optional<std::size_t>> TensorsArg(const OpContext& op, std::string_view name);
// The fact of a tensor behind a list of tensors (values of index_put).
const TensorFact& TensorArg(const OpContext& op, std::string_view name);

// An axis argument in [-rank, rank) as an index; a tensor of no axes has one that may be named.
Result<std::size_t> AxisArg(const OpContext& op, std::string_view name, std::int64_t otherwise,
                            std::size_t rank);
// The axes named by an argument that is a number or a list; all axes when there is none.
Result<std::vector<std::size_t>> AxesArg(const OpContext& op, std::string_view name,
                                         std::size_t rank);

// What PyTorch makes of operands of several types: the highest kind, tensors of no axes and plain
// numbers counting only by their kind.
DType Promoted(const OpContext& op, std::size_t tensors);
DType Wider(DType a, DType b);

}  // namespace opscope::aten
