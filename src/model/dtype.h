// Element types, with their size in bits: sub-byte types are packed. Types of ggml (from kQ4_0 on)
// come in blocks: some elements and the scales that they share.
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
  kComplex128,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ8_1,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ5K,
  kQ6K,
  kQ8K,
  kIQ1S,
  kIQ1M,
  kIQ2XXS,
  kIQ2XS,
  kIQ2S,
  kIQ3XXS,
  kIQ3S,
  kIQ4NL,
  kIQ4XS,
  kTQ1_0,
  kTQ2_0,
  kQ1_0,
  kMXFP4,
  kNVFP4
};

// Q4_K: 256 elements of 4 bits in 144 bytes, of which 8 are scales and 8 minima.
struct BlockLayout {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::int64_t bits = 0;  // of one element, without its share of the scales
  std::int64_t scale_bytes = 0;
  std::int64_t minimum_bytes = 0;  // what is added to every element of a block
};

// "float32" …, as reports spell them; "unknown" for kUnknown.
std::string_view Name(DType dtype);
DType DTypeFromName(std::string_view name);  // kUnknown when there is no such name
// Bits of one element; nullopt for strings, unknown types and types that come in blocks.
std::optional<std::int64_t> Bits(DType dtype);
// nullptr for types that do not come in blocks.
const BlockLayout* BlockOf(DType dtype);
// Bytes of so many elements, packed; the last block is whole. Nullopt for strings, unknown types,
// and beyond 63 bits.
std::optional<std::int64_t> PackedBytes(DType dtype, std::int64_t elements);
bool IsFloating(DType dtype);  // float and bfloat kinds, also 8 and 4 bit
bool IsInteger(DType dtype);   // signed and unsigned, not bool

}  // namespace opscope
