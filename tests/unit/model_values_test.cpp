// Elements of small constants, by type.
#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"

namespace opscope {
namespace {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;

Payload Of(DType dtype, std::vector<std::int64_t> dims, std::string bytes) {
  Payload payload;
  payload.dtype = dtype;
  payload.dims = std::move(dims);
  payload.small = std::move(bytes);
  return payload;
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

TEST(IntegersOf, EveryWidthAndSign) {
  EXPECT_EQ(IntegersOf(Of(DType::kInt8, {2}, Bytes({0xff, 5}))), (Integers{-1, 5}));
  EXPECT_EQ(IntegersOf(Of(DType::kUInt8, {2}, Bytes({0xff, 5}))), (Integers{255, 5}));
  EXPECT_EQ(IntegersOf(Of(DType::kInt16, {1}, Bytes({0xfe, 0xff}))), Integers{-2});
  EXPECT_EQ(IntegersOf(Of(DType::kUInt16, {1}, Bytes({1, 2}))), Integers{513});
  EXPECT_EQ(IntegersOf(Of(DType::kInt32, {1}, Bytes({0, 0, 0, 0x80}))), Integers{INT32_MIN});
  EXPECT_EQ(IntegersOf(Of(DType::kUInt32, {1}, Bytes({0, 0, 0, 0x80}))), Integers{2147483648});
  EXPECT_EQ(IntegersOf(Of(DType::kInt64, {}, Bytes({0, 0, 0, 0, 0, 0, 0, 0x80}))),
            Integers{INT64_MIN});
  EXPECT_EQ(IntegersOf(Of(DType::kUInt64, {}, Bytes({7, 0, 0, 0, 0, 0, 0, 0}))), Integers{7});
  EXPECT_EQ(IntegersOf(Of(DType::kBool, {3}, Bytes({0, 1, 2}))), (Integers{0, 1, 1}));
}

TEST(IntegersOf, PackedTypesFillTheLowBitsFirst) {
  EXPECT_EQ(IntegersOf(Of(DType::kInt4, {5}, Bytes({0xe1, 0xc3, 0x05}))),
            (Integers{1, -2, 3, -4, 5}));
  EXPECT_EQ(IntegersOf(Of(DType::kUInt4, {3}, Bytes({0xe1, 0x03}))), (Integers{1, 14, 3}));
  EXPECT_EQ(IntegersOf(Of(DType::kInt2, {4}, Bytes({0b11'10'01'00}))), (Integers{0, 1, -2, -1}));
  EXPECT_EQ(IntegersOf(Of(DType::kUInt2, {4}, Bytes({0b11'10'01'00}))), (Integers{0, 1, 2, 3}));
}

TEST(IntegersOf, WhatCannotBeSaidIsNotSaid) {
  EXPECT_FALSE(IntegersOf(Of(DType::kUInt64, {}, std::string(8, '\xff'))));
  EXPECT_FALSE(IntegersOf(Of(DType::kInt64, {2}, std::string(15, '\0'))));
  EXPECT_FALSE(IntegersOf(Of(DType::kFloat32, {1}, std::string(4, '\0'))));
  EXPECT_FALSE(IntegersOf(Of(DType::kString, {1}, "abc")));
  EXPECT_FALSE(IntegersOf(Of(DType::kInt8, {-1}, "abc")));
  EXPECT_FALSE(IntegersOf(Of(DType::kInt8, {INT64_MAX, INT64_MAX}, "abc")));
  Payload missing = Of(DType::kInt8, {1}, "a");
  missing.small.reset();
  EXPECT_FALSE(IntegersOf(missing));
  Payload sparse = Of(DType::kInt8, {1}, "a");
  sparse.sparse = true;
  EXPECT_FALSE(IntegersOf(sparse));
}

TEST(IntegersOf, EmptyTensorsHaveNoElements) {
  EXPECT_EQ(IntegersOf(Of(DType::kInt64, {0}, "")), Integers{});
  EXPECT_EQ(FloatsOf(Of(DType::kFloat32, {3, 0}, "")), Floats{});
}

TEST(FloatsOf, WideTypes) {
  EXPECT_EQ(FloatsOf(Of(DType::kFloat32, {1}, Bytes({0, 0, 0xc0, 0x3f}))), Floats{1.5});
  EXPECT_EQ(FloatsOf(Of(DType::kFloat64, {1}, Bytes({0, 0, 0, 0, 0, 0, 0xf8, 0xbf}))),
            Floats{-1.5});
  // 16256 = 0x3f80 and 49152 = 0xc000
  EXPECT_EQ(FloatsOf(Of(DType::kBFloat16, {2}, Bytes({0x80, 0x3f, 0x00, 0xc0}))),
            (Floats{1.0, -2.0}));
  EXPECT_EQ(FloatsOf(Of(DType::kFloat16, {4}, Bytes({0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b}))),
            (Floats{1.0, -2.0, std::ldexp(1.0, -24), 65504.0}));
}

double One(DType dtype, int code) { return (*FloatsOf(Of(dtype, {1}, Bytes({code}))))[0]; }

TEST(FloatsOf, EightAndFourBits) {
  EXPECT_EQ(One(DType::kFloat8E4M3FN, 0x38), 1.0);
  EXPECT_EQ(One(DType::kFloat8E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(One(DType::kFloat8E4M3FN, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(One(DType::kFloat8E4M3FNUZ, 0x40), 1.0);
  EXPECT_EQ(One(DType::kFloat8E4M3FNUZ, 0x7f), 240.0);
  EXPECT_EQ(One(DType::kFloat8E5M2, 0xc0), -2.0);
  EXPECT_EQ(One(DType::kFloat8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(One(DType::kFloat8E5M2FNUZ, 0x7f), 57344.0);
  EXPECT_EQ(One(DType::kFloat8E8M0, 127), 1.0);
  EXPECT_EQ(One(DType::kFloat8E8M0, 0), std::ldexp(1.0, -127));
  EXPECT_EQ(FloatsOf(Of(DType::kFloat4E2M1, {4}, Bytes({0x71, 0xf2}))),
            (Floats{0.5, 6.0, 1.0, -6.0}));
}

TEST(FloatsOf, InfinityAndNan) {
  EXPECT_TRUE(std::isinf(One(DType::kFloat8E5M2, 0x7c)));
  EXPECT_TRUE(std::isnan(One(DType::kFloat8E5M2, 0x7d)));
  EXPECT_TRUE(std::isnan(One(DType::kFloat8E4M3FN, 0xff)));
  EXPECT_TRUE(std::isnan(One(DType::kFloat8E4M3FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(One(DType::kFloat8E5M2FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(One(DType::kFloat8E8M0, 0xff)));
  EXPECT_EQ((*FloatsOf(Of(DType::kFloat16, {1}, Bytes({0, 0xfc}))))[0], -HUGE_VAL);
}

TEST(DTypes, NamesAreTheReportsAndReadBack) {
  for (int i = 1; i <= static_cast<int>(DType::kComplex128); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(Name(dtype)), dtype) << Name(dtype);
    EXPECT_EQ(Bits(dtype).has_value(), dtype != DType::kString) << Name(dtype);
  }
  EXPECT_EQ(Name(DType::kFloat8E4M3FNUZ), "float8e4m3fnuz");
  EXPECT_EQ(DTypeFromName("float31"), DType::kUnknown);
  EXPECT_FALSE(Bits(DType::kUnknown));
  EXPECT_EQ(Bits(DType::kInt4), 4);
  EXPECT_FALSE(IsInteger(DType::kBool));
  EXPECT_TRUE(IsFloating(DType::kBFloat16));
}

}  // namespace
}  // namespace opscope
