#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/decimal.h"

namespace opscope {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Case {
  std::string text;
  std::int64_t unit;
  std::optional<std::int64_t> nanos;
};

// Eight digits are taken at once: whatever stands among the first eight, and just behind them.
TEST(ParseDecimalTime, EveryCharacterAtEveryPlace) {
  const std::string number = "9876543210.125";
  for (std::size_t at = 0; at < number.size(); ++at)
    for (int c = 1; c < 256; ++c) {
      std::string text = number;
      text[at] = static_cast<char>(c);
      const bool digit = c >= '0' && c <= '9';
      if (digit && number[at] != '.') {
        std::int64_t value = 0;
        for (const char d : text)
          if (d != '.') value = value * 10 + (d - '0');
        ASSERT_EQ(ParseDecimalTime(text, kUs), Nanos{value}) << text;
      } else if (!digit && std::string(".eE+-").find(text[at]) == std::string::npos) {
        EXPECT_FALSE(ParseDecimalTime(text, kUs)) << text;
      }
    }
  for (std::size_t length = 1; length <= 18; ++length)
    EXPECT_EQ(ParseIntegral(std::string("123456789012345678").substr(0, length)),
              123456789012345678 / static_cast<std::int64_t>(std::pow(10, 18 - length)));
}

TEST(ParseDecimalTime, IsExact) {
  const Case cases[] = {
      {"12.345", kMs, 12'345'000},
      {"1428625758214.125", kUs, 1'428'625'758'214'125},  // a double would still hold this one,
      {"9007199254740993.001", kUs, 9'007'199'254'740'993'001},  // but not this
      {"0", kUs, 0},
      {"-0.5", kUs, -500},
      {"+3", kUs, 3'000},
      {".5", kUs, 500},
      {"5.", kUs, 5'000},
      {"1e3", kUs, 1'000'000},
      {"1.5E-3", kMs, 1'500},
      {"0.000000000000000000000000000001e30", 1, 1},
      {"9223372036854775807", 1, kMax},
      {"-9223372036854775808", 1, std::numeric_limits<std::int64_t>::min()},
  };
  for (const Case& c : cases) {
    const auto time = ParseDecimalTime(c.text, c.unit);
    ASSERT_TRUE(time.has_value()) << c.text;
    EXPECT_EQ(time->value, *c.nanos) << c.text;
  }
}

TEST(ParseDecimalTime, RoundsBelowANanosecond) {
  const Case cases[] = {
      {"0.0004", kUs, 0},
      {"0.0005", kUs, 1},
      {"0.00049999999999", kUs, 0},
      {"-0.0005", kUs, -1},
      {"1.9999", kUs, 2'000},
      {"0.4999999999999999999999999999999", 1, 0},
      {"1e-40", kUs, 0},
      {"5e-1", 1, 1},
      {"5e-2", 1, 0},
      {"1e-999999999999999999999", kUs, 0},
      {"0.50000000000000000000000000000001", 1, 1},
  };
  for (const Case& c : cases) {
    const auto time = ParseDecimalTime(c.text, c.unit);
    ASSERT_TRUE(time.has_value()) << c.text;
    EXPECT_EQ(time->value, *c.nanos) << c.text;
  }
}

TEST(ParseDecimalTime, RefusesTheRest) {
  for (const char* text : {"", ".", "-", "e3", "1e", "1e+", "1.2.3", "0x1", "1 ", " 1", "nan",
                           "inf", "1,5", "9223372036854775808", "1e40", "1e999999999999999999999"})
    EXPECT_FALSE(ParseDecimalTime(text, 1).has_value()) << text;
  EXPECT_FALSE(ParseDecimalTime("9223372036854775807", kUs).has_value());
}

TEST(ParseDecimalTime, LongTextsAreCheap) {
  const std::string zeros(1'000'000, '0');
  EXPECT_EQ(ParseDecimalTime(zeros + "7." + zeros, kUs)->value, 7'000);
  EXPECT_EQ(ParseDecimalTime("0." + zeros + "7e1000001", kUs)->value, 7'000);
  EXPECT_FALSE(ParseDecimalTime("1" + zeros, kUs).has_value());
}

TEST(ParseIntegral, TakesOnlyIntegers) {
  EXPECT_EQ(ParseIntegral("1.20e1"), 12);
  EXPECT_EQ(ParseIntegral("120e-1"), 12);
  EXPECT_EQ(ParseIntegral("-3.0"), -3);
  EXPECT_EQ(ParseIntegral("1.5"), std::nullopt);
  EXPECT_EQ(ParseIntegral("1e-1"), std::nullopt);
  EXPECT_EQ(ParseIntegral("5e-40"), std::nullopt);
  EXPECT_EQ(ParseIntegral("1.00000000000000000000000000000000000001"), std::nullopt);
  EXPECT_EQ(ParseIntegral("1e19"), std::nullopt);
}

}  // namespace
}  // namespace opscope
