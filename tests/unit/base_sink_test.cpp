#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sink.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

class WriteFileAtomicallyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("opscope-sink-" + std::to_string(::getpid()));
    fs::create_directory(folder_);
    old_mask_ = ::umask(022);
  }
  void TearDown() override {
    ::umask(old_mask_);
    fs::remove_all(folder_);
  }

  std::string Path(const char* name) const { return (folder_ / name).string(); }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string Content(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static Result<void> Write(const std::string& path, const std::string& text) {
    return WriteFileAtomically(path, [&](Sink& sink) -> Result<void> {
      sink.Append(text);
      return {};
    });
  }

  fs::path folder_;
  mode_t old_mask_ = 0;
};

TEST(Sink, BuffersAndFinishes) {
  std::string out;
  Sink sink(out);
  sink.Append("ab");
  sink.Append('c');
  EXPECT_TRUE(sink.Finish());
  EXPECT_EQ(out, "abc");
  sink.Append(std::string(200'000, 'x'));
  sink.Append("y");
  EXPECT_TRUE(sink.Finish());
  EXPECT_EQ(out, "abc" + std::string(200'000, 'x') + "y");
}

TEST(Sink, RemembersTheFirstFailure) {
  int calls = 0;
  Sink sink([&](std::string_view) -> Result<void> {
    ++calls;
    return Error{"output.unwritable", "full", "x"};
  });
  for (int i = 0; i < 10; ++i) sink.Append(std::string(100'000, 'x'));
  EXPECT_EQ(sink.Finish().error().message, "full");
  EXPECT_EQ(calls, 1);
}

TEST_F(WriteFileAtomicallyTest, WritesAndReplaces) {
  const std::string path = Path("out.json");
  ASSERT_TRUE(Write(path, "one"));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0644));
  ASSERT_TRUE(Write(path, std::string(300'000, 'x')));
  EXPECT_EQ(Content(path), std::string(300'000, 'x'));
  EXPECT_EQ(Files(), 1U);
}

TEST_F(WriteFileAtomicallyTest, AFailureLeavesTheOldFile) {
  const std::string path = Path("out.json");
  ASSERT_TRUE(Write(path, "old"));
  const auto done = WriteFileAtomically(path, [](Sink& sink) -> Result<void> {
    sink.Append(std::string(300'000, 'x'));
    return Error{"x.failed", "halfway", ""};
  });
  EXPECT_EQ(done.error().code, "x.failed");
  EXPECT_EQ(Content(path), "old");
  EXPECT_EQ(Files(), 1U);
}

// Where the file system has files without a name; tmpfs, ext4, xfs, btrfs and overlayfs do.
TEST_F(WriteFileAtomicallyTest, AKillLeavesNothing) {
  const int probe = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (probe < 0) GTEST_SKIP() << "no files without a name here";
  ::close(probe);
  const auto killed = [&] {
    static_cast<void>(WriteFileAtomically(Path("out.json"), [](Sink& sink) -> Result<void> {
      sink.Append(std::string(300'000, 'x'));
      ::raise(SIGKILL);
      return {};
    }));
  };
  EXPECT_EXIT(killed(), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(Files(), 0U);
}

TEST_F(WriteFileAtomicallyTest, RefusesFoldersAndMissingOnes) {
  EXPECT_EQ(Write(folder_.string(), "x").error().code, "output.unwritable");
  const auto missing = Write(Path("none/out.json"), "x");
  EXPECT_EQ(missing.error().code, "output.unwritable");
  EXPECT_EQ(missing.error().place, Path("none/out.json"));
  EXPECT_EQ(Files(), 0U);
}

TEST_F(WriteFileAtomicallyTest, LinksStayLinks) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink("sub/real.json", Path("link.json"));  // dangling at first
  ASSERT_TRUE(Write(Path("link.json"), "one"));
  EXPECT_TRUE(fs::is_symlink(Path("link.json")));
  EXPECT_EQ(Content(Path("sub/real.json")), "one");
  ASSERT_TRUE(Write(Path("link.json"), "two"));
  EXPECT_TRUE(fs::is_symlink(Path("link.json")));
  EXPECT_EQ(Content(Path("sub/real.json")), "two");
  fs::create_symlink("loop", Path("loop"));
  EXPECT_EQ(Write(Path("loop"), "x").error().code, "output.unwritable");
}

TEST_F(WriteFileAtomicallyTest, KeepsTheModeOfTheFileItReplaces) {
  const std::string path = Path("private.json");
  ASSERT_TRUE(Write(path, "one"));
  fs::permissions(path, fs::perms(0600));
  ASSERT_TRUE(Write(path, "two"));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
}

TEST_F(WriteFileAtomicallyTest, DevicesAreWrittenNotReplaced) {
  EXPECT_TRUE(Write("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace opscope
