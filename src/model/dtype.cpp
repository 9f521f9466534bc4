#include "model/dtype.h"

#include <array>

namespace opscope {

namespace {

enum class Kind : std::uint8_t { kOther, kFloating, kInteger };

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::int64_t bits;  // 0 = no fixed size
  Kind kind;
};

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
};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i)
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  return kDTypes.size() == static_cast<std::size_t>(DType::kComplex128) + 1;
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

bool IsFloating(DType dtype) { return Row(dtype).kind == Kind::kFloating; }
bool IsInteger(DType dtype) { return Row(dtype).kind == Kind::kInteger; }

}  // namespace opscope
