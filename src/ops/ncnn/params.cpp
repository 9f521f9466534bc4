#include "ops/ncnn/params.h"

#include <algorithm>
#include <cmath>

namespace opscope::ncnn {

std::int64_t Param(const OpContext& op, std::string_view id, std::int64_t otherwise) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), id);
  if (attribute == nullptr) return otherwise;
  if (const auto* integer = std::get_if<std::int64_t>(&attribute->value))
    return std::clamp(*integer, -kMaxExtent, kMaxExtent);
  if (const auto* real = std::get_if<float>(&attribute->value))
    return std::fabs(*real) < 1e9F ? static_cast<std::int64_t>(*real) : otherwise;
  return otherwise;
}

double Real(const OpContext& op, std::string_view id, double otherwise) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), id);
  if (attribute == nullptr) return otherwise;
  if (const auto* real = std::get_if<float>(&attribute->value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&attribute->value))
    return static_cast<double>(*integer);
  return otherwise;
}

std::vector<std::int64_t> List(const OpContext& op, std::string_view id) {
  const Attribute* attribute = FindAttribute(op.model(), op.node(), id);
  std::vector<std::int64_t> out;
  if (attribute == nullptr) return out;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute->value)) out = *list;
  if (const auto* one = std::get_if<std::int64_t>(&attribute->value)) out = {*one};
  for (std::int64_t& value : out) value = std::clamp(value, -kMaxExtent, kMaxExtent);
  return out;
}

std::size_t Bottoms(const OpContext& op) {
  const auto count = static_cast<std::size_t>(Param(op, "bottoms", 1));
  return std::min(count, op.inputs());
}

Dim Scaled(const OpContext& op, Dim size, double factor) {
  DimTable& dims = op.dims();
  constexpr double kMost = 1 << 20;
  if (!(factor > 0) || factor > kMost) return {};
  if (factor == std::floor(factor)) return dims.Mul(size, static_cast<std::int64_t>(factor));
  if (size.is_number() && size.number() < kMaxExtent)
    return static_cast<std::int64_t>(static_cast<float>(size.number()) *
                                     static_cast<float>(factor));
  const double inverse = std::round(1 / factor);
  if (inverse < kMost && std::fabs(inverse * factor - 1) < 1e-6)
    return dims.FloorDiv(size, static_cast<std::int64_t>(inverse));
  return {};
}

Shape With(const Shape& shape, std::size_t axis, Dim size) {
  Shape out = shape;
  if (out.known_rank() && axis < out.rank()) (*out.dims)[axis] = size;
  return out;
}

Result<void> Same(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(0).dtype, op.in(0).shape);
  return {};
}

Result<void> SameView(OpContext& op) {
  TRY(Same(op));
  for (std::size_t i = 0; i < op.outputs(); ++i)
    if (op.has_output(i)) op.out(i).storage = op.in(0).storage;
  return {};
}

DType Floating(const OpContext& op) {
  const DType dtype = op.in(0).dtype;
  return IsFloating(dtype) ? dtype : DType::kFloat32;
}

}  // namespace opscope::ncnn
