#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/source.h"
#include "support/packed.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

std::string All(Source& source) {
  std::string out;
  while (out.size() < source.size()) out += std::string(*source.Window(out.size(), 1 << 20));
  return out;
}

// Text that packs well but not absurdly.
std::string Lines(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i)
    out += "event " + std::to_string(i * 2654435761U) + "\n";
  return out;
}

class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("opscope-source-" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }

  fs::path folder_;
};

TEST_F(SourceTest, ReadsAFileByWindows) {
  const std::string text = Lines(300'000);
  auto source = Source::Open(Write("a.json", text));
  ASSERT_TRUE(source);
  Source file = std::move(*source);
  EXPECT_EQ(file.name(), Path("a.json"));
  EXPECT_EQ(file.file_name(), "a.json");
  EXPECT_EQ(file.size(), text.size());
  EXPECT_EQ(file.stored_bytes(), text.size());
  EXPECT_FALSE(file.truncated());
  EXPECT_EQ(*file.Window(0, 10), text.substr(0, 10));
  EXPECT_EQ(file.Buffered(3).substr(0, 4), text.substr(3, 4));
  EXPECT_EQ(*file.Window(200'000, 90'000), text.substr(200'000, 90'000));
  EXPECT_EQ(*file.Window(5, 5), text.substr(5, 5));  // backwards
  EXPECT_EQ(*file.Window(text.size() - 3, 100), text.substr(text.size() - 3));
  EXPECT_EQ(*file.Window(text.size(), 1), "");
  EXPECT_EQ(*file.Window(~0ULL, 1), "");
  EXPECT_EQ(file.Buffered(~0ULL), "");
  EXPECT_EQ(All(file), text);
}

TEST_F(SourceTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(Source::Open(Path("none")).error().code, "input.missing");
  EXPECT_EQ(Source::Open(Write("file", "x") + "/below").error().code, "input.missing");
  EXPECT_EQ(Source::Open(folder_.string()).error().code, "input.directory");
  EXPECT_EQ(Source::Open(Path("none")).error().place, Path("none"));
  if (::geteuid() == 0) return;  // root reads everything
  fs::permissions(Write("secret", "x"), fs::perms(0));
  EXPECT_EQ(Source::Open(Path("secret")).error().code, "input.unreadable");
}

TEST_F(SourceTest, AnEmptyFileIsAnInput) {
  auto source = Source::Open(Write("empty", ""));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->size(), 0U);
  EXPECT_EQ(*source->Window(0, 10), "");
}

TEST_F(SourceTest, UnpacksByContent) {
  const std::string text = Lines(100'000);
  const std::pair<const char*, std::string> cases[] = {
      {"a.json", text},
      {"gzip.json", Gzip(text)},
      {"members.gz", Gzip(text.substr(0, 70'000)) + Gzip("") + Gzip(text.substr(70'000))},
      {"padded.gz", Gzip(text) + std::string(512, '\0')},
      {"a.zst", Zstd(text)},
      {"frames.zst", std::string("\x50\x2a\x4d\x18\x03\0\0\0abc", 11) +
                         Zstd(text.substr(0, 70'000)) + Zstd(text.substr(70'000))},
      {"deflated.zip", Zip({{"trace.json", text}})},
      {"stored.zip", Zip({{"trace.json", text, true}}, "a comment")},
      {"zip64.zip", Zip({{"trace.json", text, false, true}})},
      {"folder.zip", Zip({{"out/", ""}, {"out/trace.json", text}, {"__MACOSX/._x", "junk"}})},
      {"nested.zip", Zip({{"trace.json.gz", Gzip(text), true}})},
  };
  for (const auto& [name, bytes] : cases) {
    auto source = Source::Open(Write(name, bytes));
    ASSERT_TRUE(source) << name << ": " << source.error().ToString();
    EXPECT_TRUE(All(*source) == text) << name;
    EXPECT_EQ(source->size(), text.size()) << name;
    EXPECT_EQ(source->file_name(), name);
  }
  EXPECT_EQ(All(*Source::OpenRaw(Path("a.zst"))), Zstd(text));
}

TEST_F(SourceTest, LargeDataGoesToATemporaryFile) {
  const std::string text = Lines(3 << 20);
  const UnpackLimits limits{.memory_bytes = 1 << 20};
  for (const std::string& packed : {Gzip(text), Zstd(text), Zip({{"x", text}})}) {
    auto source = Source::Open(Write("large", packed), limits);
    ASSERT_TRUE(source) << source.error().ToString();
    EXPECT_TRUE(All(*source) == text);
  }
}

TEST_F(SourceTest, MembersAreNamedBehindAMark) {
  const std::string path = Write("two!.zip", Zip({{"a.json", "A"}, {"b/c.json", "C"}}));
  EXPECT_EQ(All(*Source::Open(path + "!b/c.json")), "C");
  EXPECT_EQ(Source::Open(path + "!b/c.json")->file_name(), "c.json");
  EXPECT_EQ(Source::Open(path + "!none").error().code, "input.missing");
  const auto several = Source::Open(path);
  EXPECT_EQ(several.error().code, "input.archive");
  EXPECT_EQ(several.error().message,
            "holds 2 files (a.json, b/c.json); name one as '" + path + "!a.json'");
  EXPECT_EQ(Source::Open(Write("empty.zip", Zip({}))).error().message, "holds no file");
}

TEST_F(SourceTest, BombsAreStoppedWhileUnpacking) {
  const std::string zeros(8 << 20, '\0');
  const UnpackLimits limits{.max_bytes = 100ULL << 20, .max_ratio = 100, .keep_partial = true};
  for (const std::string& bomb :
       {Gzip(zeros), Zstd(zeros), Zip({{"x", zeros}}), Zip({{"x.gz", Gzip(zeros)}})}) {
    const auto source = Source::Open(Write("bomb", bomb), limits);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().code, "input.too-large");
  }
  const UnpackLimits small{.max_bytes = 1000};
  EXPECT_EQ(Source::Open(Write("x.gz", Gzip(Lines(2000))), small).error().code, "input.too-large");
}

TEST_F(SourceTest, ACutStreamIsDamagedOrKeptInPart) {
  const std::string text = Lines(1'000'000);
  for (const std::string& whole : {Gzip(text), Zstd(text)}) {
    const std::string path = Write("cut", whole.substr(0, whole.size() / 2));
    const auto refused = Source::Open(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "input.damaged");
    EXPECT_EQ(refused.error().place, path + ": byte " + std::to_string(whole.size() / 2));

    auto kept = Source::Open(path, {.keep_partial = true});
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->truncated());
    EXPECT_EQ(kept->damage()->code, "input.damaged");
    EXPECT_EQ(kept->damage()->place, "byte " + std::to_string(whole.size() / 2));
    EXPECT_GT(kept->size(), text.size() / 4);
    EXPECT_EQ(All(*kept), text.substr(0, static_cast<std::size_t>(kept->size())));
  }
}

TEST_F(SourceTest, DamageIsNoticed) {
  const std::string text = Lines(10'000);
  std::string flipped = Gzip(text);
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x10);
  std::string cut_zip = Zip({{"x", text}});
  cut_zip.resize(cut_zip.size() - 30);
  const std::pair<const char*, std::string> cases[] = {
      {"flipped.gz", flipped},
      {"junk.gz", Gzip(text) + "junk"},
      {"crc.zip", Zip({{.name = "x", .content = text, .crc_flip = 1}})},
      {"stored-crc.zip", Zip({{.name = "x", .content = text, .stored = true, .crc_flip = 1}})},
      {"cut.zip", cut_zip},
  };
  for (const auto& [name, bytes] : cases) {
    const auto source = Source::Open(Write(name, bytes));
    ASSERT_FALSE(source) << name;
    EXPECT_EQ(source.error().code, "input.damaged") << name;
  }
  const auto locked = Source::Open(Write("x.zip", Zip({{.name = "x", .content = "", .flags = 1}})));
  EXPECT_EQ(locked.error().code, "input.archive");
}

TEST_F(SourceTest, ReadsPipes) {
  const std::string text = Lines(500'000);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(Path("pipe"), std::ios::binary) << Gzip(text); });
  auto source = Source::Open(Path("pipe"));
  writer.join();
  ASSERT_TRUE(source);
  EXPECT_TRUE(All(*source) == text);
}

TEST_F(SourceTest, ReadsFilesThatClaimToBeEmpty) {
  auto source = Source::Open("/proc/self/status");
  ASSERT_TRUE(source);
  EXPECT_GT(source->size(), 0U);
}

TEST_F(SourceTest, AFileThatShrinksIsAnError) {
  const std::string path = Write("shrinks", Lines(1'000'000));
  auto source = Source::Open(path);
  fs::resize_file(path, 100);
  EXPECT_EQ(source->Window(900'000, 10).error().code, "input.damaged");
}

TEST(ListZip, TellsWhatIsInside) {
  Source archive = Source::FromBytes(
      "m.npz", Zip({{"x.npy", "1234", true}, {"dir/", ""}, {"y.npy", std::string(1000, 'y')}}));
  const auto members = ListZip(archive);
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 2U);
  EXPECT_EQ((*members)[0].name, "x.npy");
  EXPECT_EQ((*members)[0].method, 0);
  EXPECT_EQ((*members)[1].unpacked_bytes, 1000U);
  EXPECT_EQ((*members)[1].method, 8);
  auto member = OpenZipMember(archive, (*members)[1]);
  ASSERT_TRUE(member);
  EXPECT_EQ(All(*member), std::string(1000, 'y'));
  EXPECT_EQ(member->name(), "m.npz!y.npy");
}

}  // namespace
}  // namespace opscope
