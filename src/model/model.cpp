#include "model/model.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/checked.h"

namespace opscope {

namespace {

// The number of elements, when the payload's bytes hold that many.
std::optional<std::size_t> ElementsAtHand(const Payload& payload) {
  const auto bits = Bits(payload.dtype);
  if (!payload.small || !bits || payload.sparse) return std::nullopt;
  std::int64_t elements = 1;
  for (const std::int64_t dim : payload.dims) {
    const auto product = CheckedMul(elements, dim);
    if (!product || dim < 0) return std::nullopt;
    elements = *product;
  }
  const auto held = static_cast<std::int64_t>(payload.small->size()) * 8 / *bits;
  return elements <= held ? std::optional<std::size_t>(elements) : std::nullopt;
}

// Element `index` as raw bits: little-endian, the first of a packed byte in its low bits.
std::uint64_t RawBits(const std::string& bytes, std::size_t index, std::size_t bits) {
  if (bits < 8) {
    const std::size_t in_byte = 8 / bits;
    const auto byte = static_cast<unsigned char>(bytes[index / in_byte]);
    return (byte >> (index % in_byte * bits)) & ((1U << bits) - 1);
  }
  std::uint64_t raw = 0;
  for (std::size_t i = bits / 8; i-- > 0;)
    raw = raw << 8 | static_cast<unsigned char>(bytes[index * (bits / 8) + i]);
  return raw;
}

bool IsSigned(DType dtype) {
  return dtype == DType::kInt64 || dtype == DType::kInt32 || dtype == DType::kInt16 ||
         dtype == DType::kInt8 || dtype == DType::kInt4 || dtype == DType::kInt2;
}

// What the topmost codes of a floating type stand for.
enum class Special : std::uint8_t {
  kIeee,     // exponent all ones: infinity and NaN
  kNanOnly,  // all ones but the sign: NaN, no infinity
  kNegativeZeroIsNan,
  kNone,
};

struct FloatLayout {
  DType dtype;
  unsigned exponent_bits;
  unsigned mantissa_bits;
  int bias;
  Special special;
};

// ONNX specification, "Float stored in 8 bits" and "4 bit types"; float16 and bfloat16 as in IEEE.
constexpr std::array kFloatLayouts = {
    FloatLayout{DType::kFloat16, 5, 10, 15, Special::kIeee},
    FloatLayout{DType::kBFloat16, 8, 7, 127, Special::kIeee},
    FloatLayout{DType::kFloat8E4M3FN, 4, 3, 7, Special::kNanOnly},
    FloatLayout{DType::kFloat8E4M3FNUZ, 4, 3, 8, Special::kNegativeZeroIsNan},
    FloatLayout{DType::kFloat8E5M2, 5, 2, 15, Special::kIeee},
    FloatLayout{DType::kFloat8E5M2FNUZ, 5, 2, 16, Special::kNegativeZeroIsNan},
    FloatLayout{DType::kFloat4E2M1, 2, 1, 1, Special::kNone},
};

// Example: float16 0x3C00: sign 0, exponent 15, mantissa 0: 2^(15-15) * (1 + 0/1024) = 1.
double Decode(const FloatLayout& layout, std::uint64_t raw) {
  const std::uint64_t mantissa = raw & ((1U << layout.mantissa_bits) - 1);
  const std::uint64_t top = (1U << layout.exponent_bits) - 1;
  const std::uint64_t exponent = raw >> layout.mantissa_bits & top;
  const bool negative = (raw >> (layout.mantissa_bits + layout.exponent_bits) & 1) != 0;
  const std::uint64_t all_ones = (top << layout.mantissa_bits) | ((1U << layout.mantissa_bits) - 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double sign = negative ? -1.0 : 1.0;
  if (layout.special == Special::kIeee && exponent == top)
    return mantissa != 0 ? nan : sign * std::numeric_limits<double>::infinity();
  if (layout.special == Special::kNanOnly && (raw & all_ones) == all_ones) return nan;
  if (layout.special == Special::kNegativeZeroIsNan && negative && (raw & all_ones) == 0)
    return nan;
  // Exponent 0 is that of 1, without the leading one.
  const double fraction =
      std::ldexp(static_cast<double>(mantissa), -static_cast<int>(layout.mantissa_bits));
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - layout.bias;
  return sign * std::ldexp(exponent == 0 ? fraction : 1.0 + fraction, power);
}

double DecodeFloat(DType dtype, std::uint64_t raw) {
  if (dtype == DType::kFloat64) return __builtin_bit_cast(double, raw);
  if (dtype == DType::kFloat32)
    return static_cast<double>(__builtin_bit_cast(float, static_cast<std::uint32_t>(raw)));
  // A bare exponent: 2^(raw - 127), 255 = NaN.
  if (dtype == DType::kFloat8E8M0)
    return raw == 255 ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(raw) - 127);
  for (const FloatLayout& layout : kFloatLayouts)
    if (layout.dtype == dtype) return Decode(layout, raw);
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::optional<std::vector<std::int64_t>> IntegersOf(const Payload& payload) {
  if (!IsInteger(payload.dtype) && payload.dtype != DType::kBool) return std::nullopt;
  const auto elements = ElementsAtHand(payload);
  if (!elements) return std::nullopt;
  const auto bits = static_cast<std::size_t>(*Bits(payload.dtype));
  std::vector<std::int64_t> values;
  values.reserve(*elements);
  for (std::size_t i = 0; i < *elements; ++i) {
    std::uint64_t raw = RawBits(*payload.small, i, bits);
    if (IsSigned(payload.dtype)) {
      const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
      raw = (raw ^ sign) - sign;
    } else if (raw > std::uint64_t{INT64_MAX}) {
      return std::nullopt;
    }
    if (payload.dtype == DType::kBool) raw = raw != 0;
    values.push_back(static_cast<std::int64_t>(raw));
  }
  return values;
}

std::optional<std::vector<double>> FloatsOf(const Payload& payload) {
  if (!IsFloating(payload.dtype)) return std::nullopt;
  const auto elements = ElementsAtHand(payload);
  if (!elements) return std::nullopt;
  const auto bits = static_cast<std::size_t>(*Bits(payload.dtype));
  std::vector<double> values;
  values.reserve(*elements);
  for (std::size_t i = 0; i < *elements; ++i)
    values.push_back(DecodeFloat(payload.dtype, RawBits(*payload.small, i, bits)));
  return values;
}

const Attribute* FindAttribute(const Model& model, const Node& node, std::string_view name) {
  for (const Attribute& attribute : node.attributes)
    if (model.text(attribute.name) == name) return &attribute;
  return nullptr;
}

}  // namespace opscope
