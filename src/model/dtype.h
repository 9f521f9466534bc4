// Element types, with their size in bits: sub-byte types are packed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opscope {

enum class DType : std::uint8_t {
  kUnknown,
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8E4M3FN,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kFloat8E8M0,
  kFloat4E2M1,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kInt4,
  kInt2,
  kUInt64,
  kUInt32,
  kUInt16,
  kUInt8,
  kUInt4,
  kUInt2,
  kBool,
  kString,
  kComplex64,
  kComplex128
};

// "float32" …, as reports spell them; "unknown" for kUnknown.
std::string_view Name(DType dtype);
DType DTypeFromName(std::string_view name);  // kUnknown when there is no such name
// Bits of one element; nullopt for strings and unknown types.
std::optional<std::int64_t> Bits(DType dtype);
bool IsFloating(DType dtype);  // float and bfloat kinds, also 8 and 4 bit
bool IsInteger(DType dtype);   // signed and unsigned, not bool

}  // namespace opscope
