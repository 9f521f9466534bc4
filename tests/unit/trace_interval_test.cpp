#include <gtest/gtest.h>

#include <numeric>

#include "trace/interval.h"

namespace opscope {
namespace {

using Times = std::vector<std::int64_t>;

TEST(Interval, UnionCountsOverlapOnce) {
  // A kernel may begin before the one in front of it has ended: 3.776 + 2 long, 4.0 busy.
  EXPECT_EQ(UnionLength({{3000, 6776, 0}, {5000, 7000, 1}}), 4000);
  EXPECT_EQ(UnionLength({{0, 10, 0}, {10, 20, 0}, {30, 40, 0}}), 30);
  EXPECT_EQ(UnionLength({}), 0);
  EXPECT_EQ(UnionLength({{5, 5, 0}, {9, 3, 0}}), 0);
}

TEST(Interval, SubtractLeavesWhatNoHoleCovers) {
  const auto left = Subtract({10, 100, 7}, {{20, 30, 0}, {25, 40, 0}, {90, 200, 0}, {0, 12, 0}});
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].begin, 12);
  EXPECT_EQ(left[0].end, 20);
  EXPECT_EQ(left[1].begin, 40);
  EXPECT_EQ(left[1].end, 90);
  EXPECT_EQ(left[1].row, 7U);
  EXPECT_TRUE(Subtract({10, 20, 0}, {{0, 50, 0}}).empty());
}

TEST(Interval, AnInstantIsSharedInEqualParts) {
  //  0        10        20        30
  //  |== a ===========|
  //            |== b ===========|
  EXPECT_EQ(ShareEqually({{0, 20, 0}, {10, 30, 1}}), (Times{15, 15}));
  // Three rows for 10 ns: 3 each, and the odd nanosecond to the lowest row.
  EXPECT_EQ(ShareEqually({{0, 10, 5}, {0, 10, 2}, {0, 10, 9}}), (Times{3, 4, 3}));
  // Two events of one row at a time share as two.
  EXPECT_EQ(ShareEqually({{0, 10, 1}, {0, 10, 1}}), (Times{5, 5}));
  EXPECT_EQ(ShareEqually({{3, 3, 0}}), (Times{0}));
  EXPECT_EQ(ShareEqually({}), Times{});
}

TEST(Interval, TheLowestRowOfTheMomentGetsTheRemainder) {
  // Row 0 ends at 5; from then on row 1 is the lowest.
  EXPECT_EQ(ShareEqually({{0, 5, 0}, {0, 10, 1}, {0, 10, 2}}), (Times{3, 1 + 3, 1 + 2}));
}

TEST(Interval, SplitIsExactAndByWeight) {
  EXPECT_EQ(SplitByWeight(100, {1, 3}), (Times{25, 75}));
  EXPECT_EQ(SplitByWeight(10, {1, 1, 1}), (Times{4, 3, 3}));
  EXPECT_EQ(SplitByWeight(10, {0, 5, 0}), (Times{0, 10, 0}));
  EXPECT_EQ(SplitByWeight(7, {0, 0}), (Times{4, 3}));
  EXPECT_EQ(SplitByWeight(0, {}), Times{});
  // 2/3 of 10 is nearer to 7 than 1/3 is to 4.
  EXPECT_EQ(SplitByWeight(10, {1, 2}), (Times{3, 7}));
  const std::int64_t huge = std::int64_t{1} << 62;
  const Times parts = SplitByWeight(huge, {huge, huge, 1});
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), huge);
}

}  // namespace
}  // namespace opscope
