#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/string_pool.h"

namespace opscope {
namespace {

TEST(StringPool, TheSameTextIsTheSameId) {
  StringPool pool;
  const Str conv = pool.Intern("Conv");
  EXPECT_EQ(pool.Intern(std::string("Conv")), conv);
  EXPECT_NE(pool.Intern("conv"), conv);
  EXPECT_EQ(pool.View(conv), "Conv");
  EXPECT_EQ(pool.Find("Conv"), conv);
  EXPECT_FALSE(pool.Find("Relu").valid());
  EXPECT_EQ(pool.size(), 3U);
}

TEST(StringPool, IdZeroIsTheEmptyText) {
  StringPool pool;
  EXPECT_EQ(pool.Intern(""), Str{0});
  EXPECT_EQ(pool.View(Str{0}), "");
}

TEST(StringPool, TextsMayHoldAnything) {
  StringPool pool;
  const std::string zero("a\0b", 3);
  EXPECT_NE(pool.Intern(zero), pool.Intern("a"));
  EXPECT_EQ(pool.View(pool.Intern(zero)), zero);
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(pool.View(pool.Intern(large)), large);
}

TEST(StringPool, ViewsAndIdsOutliveGrowth) {
  StringPool pool;
  const std::string_view first = pool.View(pool.Intern("first"));
  std::vector<Str> ids;
  for (int i = 0; i < 100'000; ++i) ids.push_back(pool.Intern("name_" + std::to_string(i)));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(pool.View(pool.Find("first")).data(), first.data());
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(pool.Find("name_" + std::to_string(i)), ids[static_cast<std::size_t>(i)]);
  StringPool moved = std::move(pool);
  EXPECT_EQ(moved.View(ids[7]), "name_7");
}

}  // namespace
}  // namespace opscope
