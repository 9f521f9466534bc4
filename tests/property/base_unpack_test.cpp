// Packed inputs: whatever is cut off or changed, unpacking ends, and what it keeps is a beginning
// of what was packed.
#include <gtest/gtest.h>

#include <random>

#include "base/hash.h"
#include "base/source.h"
#include "support/packed.h"

namespace opscope {
namespace {

std::string Content() {
  std::string out;
  for (unsigned i = 0; i < 3000; ++i) out += "{\"ts\": " + std::to_string(i * 2654435761U) + "},\n";
  return out;
}

std::string All(Source& source) { return std::string(*source.Window(0, 1 << 20)); }

struct Packed {
  const char* name;
  std::string bytes;
};

std::vector<Packed> Inputs() {
  const std::string text = Content();
  const std::string half = text.substr(0, text.size() / 2);
  const std::string rest = text.substr(half.size());
  return {{"gzip", Gzip(text)},
          {"two members", Gzip(half) + Gzip(rest)},
          {"zstd", Zstd(text)},
          {"two frames", Zstd(half) + Zstd(rest)},
          {"zip", Zip({{"x.json", text}})},
          {"zip64", Zip({{"x.json", text, true, true}})}};
}

// Streams are whole between members too: a cut there loses data that nothing misses.
bool IsWhole(const std::string& kept, const std::string& content) {
  return kept.size() == content.size() || kept.size() == content.size() / 2;
}

TEST(Unpack, ACutIsNoticed) {
  const std::string content = Content();
  for (const Packed& input : Inputs()) {
    const std::size_t step = input.bytes.size() / 500 + 1;
    for (std::size_t size = 4; size < input.bytes.size(); size += step) {
      const std::string cut = input.bytes.substr(0, size);
      auto strict = Source::Unpack(Source::FromBytes("x", cut));
      EXPECT_TRUE(!strict || IsWhole(All(*strict), content)) << input.name << " " << size;
      auto kept = Source::Unpack(Source::FromBytes("x", cut), {.keep_partial = true});
      if (!kept) continue;
      EXPECT_EQ(kept->truncated(), !strict) << input.name << " " << size;
      EXPECT_TRUE(content.starts_with(All(*kept))) << input.name << " " << size;
    }
  }
}

TEST(Unpack, AChangeEnds) {
  const std::string content = Content();
  std::mt19937 random(1);
  for (const Packed& input : Inputs()) {
    for (int i = 0; i < 400; ++i) {
      std::string changed = input.bytes;
      changed[random() % changed.size()] = static_cast<char>(random());
      auto kept = Source::Unpack(Source::FromBytes("x", changed), {.keep_partial = true});
      if (!kept) continue;
      EXPECT_LE(kept->size(), changed.size() * UnpackLimits().max_ratio);
      EXPECT_TRUE(HashSource(*kept));
    }
  }
}

}  // namespace
}  // namespace opscope
