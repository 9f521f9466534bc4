#include "model/dtype.h"

#include <array>
#include <limits>

#include "opscope/int128.h"

namespace opscope {

namespace {

enum class Kind : std::uint8_t { kOther, kFloating, kInteger };

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::int64_t bits;  // 0 = no fixed size
  Kind kind;
  BlockLayout block = {};
};

// Elements, bytes, bits, bytes of scales, bytes of minima (of Q8_1 and Q8_K: of sums).
constexpr DTypeRow Block(DType dtype, std::string_view name, BlockLayout layout,
                         Kind kind = Kind::kInteger) {
  return {dtype, name, 0, kind, layout};
}

// In the order of the enumeration.
constexpr std::array kDTypes = {
    DTypeRow{DType::kUnknown, "unknown", 0, Kind::kOther},
    DTypeRow{DType::kFloat64, "float64", 64, Kind::kFloating},
    DTypeRow{DType::kFloat32, "float32", 32, Kind::kFloating},
    DTypeRow{DType::kFloat16, "float16", 16, Kind::kFloating},
    DTypeRow{DType::kBFloat16, "bfloat16", 16, Kind::kFloating},
    DTypeRow{DType::kFloat8E4M3FN, "float8e4m3fn", 8, Kind::kFloating},
    DTypeRow{DType::kFloat8E4M3FNUZ, "float8e4m3fnuz", 8, Kind::kFloating},
    DTypeRow{DType::kFloat8E5M2, "float8e5m2", 8, Kind::kFloating},
    DTypeRow{DType::kFloat8E5M2FNUZ, "float8e5m2fnuz", 8, Kind::kFloating},
    DTypeRow{DType::kFloat8E8M0, "float8e8m0", 8, Kind::kFloating},
    DTypeRow{DType::kFloat4E2M1, "float4e2m1", 4, Kind::kFloating},
    DTypeRow{DType::kInt64, "int64", 64, Kind::kInteger},
    DTypeRow{DType::kInt32, "int32", 32, Kind::kInteger},
    DTypeRow{DType::kInt16, "int16", 16, Kind::kInteger},
    DTypeRow{DType::kInt8, "int8", 8, Kind::kInteger},
    DTypeRow{DType::kInt4, "int4", 4, Kind::kInteger},
    DTypeRow{DType::kInt2, "int2", 2, Kind::kInteger},
    DTypeRow{DType::kUInt64, "uint64", 64, Kind::kInteger},
    DTypeRow{DType::kUInt32, "uint32", 32, Kind::kInteger},
    DTypeRow{DType::kUInt16, "uint16", 16, Kind::kInteger},
    DTypeRow{DType::kUInt8, "uint8", 8, Kind::kInteger},
    DTypeRow{DType::kUInt4, "uint4", 4, Kind::kInteger},
    DTypeRow{DType::kUInt2, "uint2", 2, Kind::kInteger},
    DTypeRow{DType::kBool, "bool", 8, Kind::kOther},
    DTypeRow{DType::kString, "string", 0, Kind::kOther},
    DTypeRow{DType::kComplex64, "complex64", 64, Kind::kOther},
    DTypeRow{DType::kComplex128, "complex128", 128, Kind::kOther},
    Block(DType::kQ4_0, "Q4_0", {32, 18, 4, 2, 0}),
    Block(DType::kQ4_1, "Q4_1", {32, 20, 4, 2, 2}),
    Block(DType::kQ5_0, "Q5_0", {32, 22, 5, 2, 0}),
    Block(DType::kQ5_1, "Q5_1", {32, 24, 5, 2, 2}),
    Block(DType::kQ8_0, "Q8_0", {32, 34, 8, 2, 0}),
    Block(DType::kQ8_1, "Q8_1", {32, 36, 8, 2, 2}),
    Block(DType::kQ2K, "Q2_K", {256, 84, 2, 10, 10}),
    Block(DType::kQ3K, "Q3_K", {256, 110, 3, 14, 0}),
    Block(DType::kQ4K, "Q4_K", {256, 144, 4, 8, 8}),
    Block(DType::kQ5K, "Q5_K", {256, 176, 5, 8, 8}),
    Block(DType::kQ6K, "Q6_K", {256, 210, 6, 18, 0}),
    Block(DType::kQ8K, "Q8_K", {256, 292, 8, 4, 32}),
    Block(DType::kIQ1S, "IQ1_S", {256, 50, 1, 2, 0}),
    Block(DType::kIQ1M, "IQ1_M", {256, 56, 1, 8, 0}),
    Block(DType::kIQ2XXS, "IQ2_XXS", {256, 66, 2, 2, 0}),
    Block(DType::kIQ2XS, "IQ2_XS", {256, 74, 2, 10, 0}),
    Block(DType::kIQ2S, "IQ2_S", {256, 82, 2, 10, 0}),
    Block(DType::kIQ3XXS, "IQ3_XXS", {256, 98, 3, 2, 0}),
    Block(DType::kIQ3S, "IQ3_S", {256, 110, 3, 6, 0}),
    Block(DType::kIQ4NL, "IQ4_NL", {32, 18, 4, 2, 0}),
    Block(DType::kIQ4XS, "IQ4_XS", {256, 136, 4, 8, 0}),
    Block(DType::kTQ1_0, "TQ1_0", {256, 54, 2, 2, 0}),
    Block(DType::kTQ2_0, "TQ2_0", {256, 66, 2, 2, 0}),
    Block(DType::kQ1_0, "Q1_0", {128, 18, 1, 2, 0}),
    Block(DType::kMXFP4, "MXFP4", {32, 17, 4, 1, 0}, Kind::kFloating),
    Block(DType::kNVFP4, "NVFP4", {64, 36, 4, 4, 0}, Kind::kFloating),
};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i)
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  return kDTypes.size() == static_cast<std::size_t>(DType::kNVFP4) + 1;
}
static_assert(InOrder());

const DTypeRow& Row(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::string_view Name(DType dtype) { return Row(dtype).name; }

DType DTypeFromName(std::string_view name) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return row.dtype;
  return DType::kUnknown;
}

std::optional<std::int64_t> Bits(DType dtype) {
  const std::int64_t bits = Row(dtype).bits;
  return bits == 0 ? std::nullopt : std::optional<std::int64_t>(bits);
}

const BlockLayout* BlockOf(DType dtype) {
  const BlockLayout& block = Row(dtype).block;
  return block.elements == 0 ? nullptr : &block;
}

std::optional<std::int64_t> PackedBytes(DType dtype, std::int64_t elements) {
  const BlockLayout* block = BlockOf(dtype);
  const std::int64_t bits = block == nullptr ? Row(dtype).bits : block->bytes * 8;
  const std::int64_t per = block == nullptr ? 1 : block->elements;
  if (bits == 0 || elements < 0) return std::nullopt;
  const std::int64_t units = elements / per + (elements % per == 0 ? 0 : 1);
  const Int128 bytes = (static_cast<Int128>(units) * bits + 7) / 8;
  if (bytes > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

bool IsFloating(DType dtype) { return Row(dtype).kind == Kind::kFloating; }
bool IsInteger(DType dtype) { return Row(dtype).kind == Kind::kInteger; }

}  // namespace opscope
