#include <gtest/gtest.h>

#include "base/shard_name.h"

namespace opscope {
namespace {

TEST(ShardName, ReadsWhatItWrites) {
  for (const char* name : {"model-00002-of-00003.safetensors", "llama-3-8b-00001-of-00009.gguf",
                           "a-of-b-00000-of-00000.x.y"}) {
    const auto shard = ParseShardName(name);
    ASSERT_TRUE(shard.has_value()) << name;
    EXPECT_EQ(ToText(*shard), name);
  }
  const ShardName shard = *ParseShardName("模型-00012-of-00130.gguf");
  EXPECT_EQ(shard.stem, "模型");
  EXPECT_EQ(shard.number, 12);
  EXPECT_EQ(shard.of, 130);
  EXPECT_EQ(shard.ending, ".gguf");
}

TEST(ShardName, OtherNamesAreWhole) {
  for (const char* name :
       {"", "model.safetensors", "-of-", "model-00001-of-00002", "-00001-of-2.gguf",
        "model-0001-of-00002.gguf", "model_00001-of-00002.gguf", "model--0001-of-00002.gguf",
        "model-00001-of-000o2.gguf", "model-00001-of-00002."})
    EXPECT_FALSE(ParseShardName(name).has_value()) << name;
}

}  // namespace
}  // namespace opscope
