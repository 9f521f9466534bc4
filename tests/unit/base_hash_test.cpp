#include <gtest/gtest.h>

#include "base/hash.h"

namespace opscope {
namespace {

TEST(Hasher, IsXxh3Of128Bits) {
  // xxhsum -H128 of nothing and of "a".
  EXPECT_EQ(Hasher().Hex(), "99aa06d3014798d86001c324468d497f");
  Hasher hasher;
  hasher.Add("a");
  EXPECT_EQ(hasher.Hex(), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Hasher, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  Hasher whole;
  whole.Add(text);
  Hasher pieces;
  for (std::size_t at = 0; at < text.size(); at += 777) pieces.Add(text.substr(at, 777));
  EXPECT_EQ(whole.Hex(), pieces.Hex());
  Source source = Source::FromBytes("x", text);
  EXPECT_EQ(*HashSource(source), whole.Hex());
  pieces.Add("x");
  EXPECT_NE(whole.Hex(), pieces.Hex());
}

}  // namespace
}  // namespace opscope
