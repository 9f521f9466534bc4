#include <gtest/gtest.h>

#include <limits>

#include "document/format.h"

namespace opscope {
namespace {

TEST(Format, Time) {
  EXPECT_EQ(FormatTime(0), "0 ns");
  EXPECT_EQ(FormatTime(850), "850 ns");
  EXPECT_EQ(FormatTime(1'000), "1.000 us");
  EXPECT_EQ(FormatTime(24'124'999), "24.12 ms");
  EXPECT_EQ(FormatTime(999'999'999), "1.000 s");
  EXPECT_EQ(FormatTime(3'600'000'000'000), "3600 s");
  EXPECT_EQ(FormatTime(-1'500), "-1.500 us");
  EXPECT_EQ(FormatTime(std::numeric_limits<std::int64_t>::max()), "9223372037 s");
}

TEST(Format, OneUnitForAColumn) {
  const TimeUnit unit = TimeUnitFor(3'412'000);
  EXPECT_EQ(unit.name, "ms");
  EXPECT_EQ(TimeIn(unit, 3'412'000), "3.412");
  EXPECT_EQ(TimeIn(unit, 12'000), "0.012");
  EXPECT_EQ(TimeIn(TimeUnitFor(24'600'000), 24'600'000), "24.60");
  EXPECT_EQ(TimeIn(TimeUnitFor(900), 12), "12");
}

TEST(Format, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1'000), "1.00 k");
  EXPECT_EQ(FormatCount(999'999), "1.00 M");
  EXPECT_EQ(FormatCount(1'090'000'000, "MAC"), "1.09 GMAC");
  EXPECT_EQ(FormatCount(212'400'000), "212 M");
  EXPECT_EQ(FormatCount(7, "MAC"), "7 MAC");
  EXPECT_EQ(FormatCount(Int128{1} << 100), "1267650600228 E");
}

TEST(Format, Bytes) {
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(1'023), "1023 B");
  EXPECT_EQ(FormatBytes(1'024), "1.0 KiB");
  EXPECT_EQ(FormatBytes(6'308'352), "6.0 MiB");
  EXPECT_EQ(FormatBytes(102'400), "100 KiB");
  EXPECT_EQ(FormatBytes(1'048'575), "1.0 MiB");
}

TEST(Format, AllDigits) {
  EXPECT_EQ(FormatInteger(0), "0");
  EXPECT_EQ(FormatInteger(999), "999");
  EXPECT_EQ(FormatInteger(1'235'496), "1,235,496");
  EXPECT_EQ(FormatInteger(-1'000), "-1,000");
  EXPECT_EQ(FormatInteger(-100), "-100");
}

TEST(Format, SharesAndChanges) {
  EXPECT_EQ(FormatPercent(0.1392), "13.9 %");
  EXPECT_EQ(FormatPercent(1, 0), "100 %");
  EXPECT_EQ(FormatPercent(-0.0001), "0.0 %");
  EXPECT_EQ(FormatChange(0.021), "+2 %");
  EXPECT_EQ(FormatChange(-0.021), "-2 %");
  EXPECT_EQ(FormatPercent(std::numeric_limits<double>::quiet_NaN()), "n/a %");
}

TEST(Format, Numbers) {
  EXPECT_EQ(FormatNumber(0), "0");
  EXPECT_EQ(FormatNumber(124.44), "124.4");
  EXPECT_EQ(FormatNumber(0.03123, 3), "0.0312");
  EXPECT_EQ(FormatNumber(393.2), "393.2");
  EXPECT_EQ(FormatNumber(2), "2");
  EXPECT_EQ(FormatNumber(123456.7), "123457");
  EXPECT_EQ(FormatFixed(-0.001, 2), "0.00");
}

}  // namespace
}  // namespace opscope
