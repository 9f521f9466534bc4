#include <gtest/gtest.h>

#include <limits>

#include "base/checked.h"

namespace opscope {
namespace {

constexpr Int128 kMin = static_cast<Int128>(1) << 127;
constexpr Int128 kMax = ~kMin;

TEST(Checked, SaysWhenItOverflows) {
  constexpr std::int64_t kBig = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(CheckedAdd<std::int64_t>(kBig, 0), kBig);
  EXPECT_EQ(CheckedAdd<std::int64_t>(kBig, 1), std::nullopt);
  EXPECT_EQ(CheckedSub<std::uint64_t>(1, 2), std::nullopt);
  EXPECT_EQ(CheckedMul<std::int64_t>(kBig, 2), std::nullopt);
  EXPECT_EQ(CheckedMul<std::int64_t>(-3, 5), -15);
}

TEST(Decimal, Int128BothWays) {
  EXPECT_EQ(ToDecimal(0), "0");
  EXPECT_EQ(ToDecimal(-7), "-7");
  EXPECT_EQ(ToDecimal(kMax), "170141183460469231731687303715884105727");
  EXPECT_EQ(ToDecimal(kMin), "-170141183460469231731687303715884105728");
  for (const Int128 value : {Int128{0}, Int128{-1}, Int128{9'300'000'000'000'000'000U}, kMax, kMin})
    EXPECT_TRUE(ParseInt128(ToDecimal(value)) == value);
}

TEST(Decimal, RefusesWhatIsNotOneInteger) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "--1"}) {
    EXPECT_FALSE(ParseInt128(text).has_value()) << text;
    EXPECT_FALSE(ParseInt64(text).has_value()) << text;
  }
  EXPECT_FALSE(ParseInt128("170141183460469231731687303715884105728").has_value());
  EXPECT_FALSE(ParseInt64("9223372036854775808").has_value());
  EXPECT_EQ(ParseInt64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

}  // namespace
}  // namespace opscope
