#include "ops/aten/args.h"

#include <algorithm>

namespace opscope::aten {

namespace {

template <class T>
const T* Value(const OpContext& op, std::string_view name) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), name);
  return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

const std::vector<std::int64_t>* Places(const OpContext& op, std::string_view name) {
  return Value<std::vector<std::int64_t>>(op, std::string(name) + ".inputs");
}

std::optional<std::size_t> Input(const OpContext& op, std::int64_t place) {
  const bool fits = place >= 0 && place < static_cast<std::int64_t>(op.inputs());
  return fits ? std::optional(static_cast<std::size_t>(place)) : std::nullopt;
}

int Kind(DType dtype) {
  if (dtype == DType::kBool) return 0;
  if (IsInteger(dtype)) return 1;
  if (IsFloating(dtype)) return 2;
  return dtype == DType::kComplex64 || dtype == DType::kComplex128 ? 3 : -1;
}

}  // namespace

std::optional<Dims> DimsArg(const OpContext& op, std::string_view name) {
  if (const auto* list = Value<std::int64_t>(op, std::string(name) + ".list")) {
    const auto input = Input(op, *list);
    if (!input.has_value()) return std::nullopt;
    const TensorFact& fact = op.in(*input);
    if (fact.ints.has_value()) return fact.ints;
    const auto length = KnownLength(fact);
    if (!length.has_value() || *length > kMaxPropagated) return std::nullopt;
    return Dims(*length);
  }
  Dims out;
  if (const auto* values = Value<std::vector<std::int64_t>>(op, name)) {
    out.assign(values->begin(), values->end());
  } else if (const auto* value = Value<std::int64_t>(op, name)) {
    out.push_back(*value);
  } else {
    return std::nullopt;
  }
  if (const auto* places = Places(op, name)) {
    for (std::size_t i = 0; i < std::min(out.size(), places->size()); ++i)
      if (const auto input = Input(op, (*places)[i])) out[i] = SingleDim(op.in(*input));
  }
  return out;
}

std::optional<Dim> DimArg(const OpContext& op, std::string_view name) {
  const std::optional<Dims> values = DimsArg(op, name);
  if (values.has_value() && values->size() == 1) return values->front();
  return Given(op, name) ? std::optional(Dim()) : std::nullopt;
}

Dim DimArg(const OpContext& op, std::string_view name, Dim otherwise) {
  return DimArg(op, name).value_or(otherwise);
}

std::optional<std::vector<std::int64_t>> IntsArg(const OpContext& op, std::string_view name) {
  const std::optional<Dims> values = DimsArg(op, name);
  if (!values.has_value()) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const Dim value : *values) {
    if (!value.is_number()) return std::nullopt;
    out.push_back(value.number());
  }
  return out;
}

std::optional<std::int64_t> IntArg(const OpContext& op, std::string_view name) {
  const auto values = IntsArg(op, name);
  return values.has_value() && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

std::int64_t IntArg(const OpContext& op, std::string_view name, std::int64_t otherwise) {
  return IntArg(op, name).value_or(otherwise);
}

bool FlagArg(const OpContext& op, std::string_view name, bool otherwise) {
  return IntArg(op, name, otherwise ? 1 : 0) != 0;
}

bool Given(const OpContext& op, std::string_view name) {
  return FindAttribute(op.model(), op.node(), name) != nullptr || Places(op, name) != nullptr ||
         FindAttribute(op.model(), op.node(), std::string(name) + ".list") != nullptr;
}

std::optional<std::vector<float>> FloatsArg(const OpContext& op, std::string_view name) {
  if (const auto* values = Value<std::vector<float>>(op, name)) return *values;
  if (const auto* value = Value<float>(op, name)) return std::vector<float>{*value};
  return std::nullopt;
}

std::string_view TextArg(const OpContext& op, std::string_view name, std::string_view otherwise) {
  const auto* text = Value<std::string>(op, name);
  return text == nullptr ? otherwise : std::string_view(*text);
}

DType DTypeArg(const OpContext& op, std::string_view name, DType otherwise) {
  const auto* text = Value<std::string>(op, name);
  return text == nullptr ? otherwise : DTypeFromName(*text);
}

std::vector<std::optional<std::size_t>> TensorsArg(const OpContext& op, std::string_view name) {
  std::vector<std::optional<std::size_t>> out;
  if (const auto* places = Places(op, name))
    for (const std::int64_t place : *places) out.push_back(Input(op, place));
  return out;
}

const TensorFact& TensorArg(const OpContext& op, std::string_view name) {
  const auto places = TensorsArg(op, name);
  return op.in(places.size() == 1 && places[0].has_value() ? *places[0] : op.inputs());
}

Result<std::size_t> AxisArg(const OpContext& op, std::string_view name, std::int64_t otherwise,
                            std::size_t rank) {
  TRY_ASSIGN(const std::size_t axis,
             AxisOf(op, IntArg(op, name, otherwise), std::max<std::size_t>(rank, 1)));
  return axis;
}

Result<std::vector<std::size_t>> AxesArg(const OpContext& op, std::string_view name,
                                         std::size_t rank) {
  const auto axes = IntsArg(op, name);
  if (!axes.has_value() || axes->empty()) {
    std::vector<std::size_t> all(rank);
    for (std::size_t i = 0; i < rank; ++i) all[i] = i;
    return all;
  }
  if (rank == 0) return std::vector<std::size_t>{};
  return AxesOf(op, *axes, rank);
}

DType Wider(DType a, DType b) {
  if (a == DType::kUnknown || a == b) return b;
  if (b == DType::kUnknown) return a;
  if (Kind(a) != Kind(b)) return Kind(a) > Kind(b) ? a : b;
  const auto width = [](DType dtype) { return Bits(dtype).value_or(0); };
  if (width(a) != width(b)) return width(a) > width(b) ? a : b;
  if (Kind(a) == 2) return DType::kFloat32;  // float16 and bfloat16
  const bool either_signed = a == DType::kInt8 || b == DType::kInt8;
  return either_signed ? DType::kInt16 : a;
}

DType Promoted(const OpContext& op, std::size_t tensors) {
  DType full = DType::kUnknown, scalar = DType::kUnknown;
  for (std::size_t i = 0; i < std::min(tensors, op.inputs()); ++i) {
    if (!op.has(i)) continue;
    const TensorFact& fact = op.in(i);
    const bool no_axes = fact.shape.known_rank() && fact.shape.rank() == 0;
    DType& group = no_axes ? scalar : full;
    group = Wider(group, fact.dtype);
  }
  if (full == DType::kUnknown) return scalar;
  return Kind(scalar) > Kind(full) ? scalar : full;
}

}  // namespace opscope::aten
