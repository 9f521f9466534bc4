// The op tables: complete entries, versions without gaps in meaning, every file listed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "ops/op.h"

namespace opscope {
namespace {

TEST(OpsRegistry, EntriesAreComplete) {
  for (const Dialect& dialect : Dialects()) {
    for (const auto& family : dialect.families) {
      EXPECT_FALSE(family.empty());
      for (const OpEntry& entry : family) {
        EXPECT_FALSE(entry.op.empty());
        EXPECT_NE(entry.infer, nullptr) << entry.op;
        EXPECT_NE(entry.work, nullptr) << entry.op;
        EXPECT_FALSE(entry.rule.empty()) << entry.op;
        EXPECT_FALSE(entry.roles.empty()) << entry.op;
        EXPECT_EQ(entry.roles.find_first_not_of("xwsc"), std::string_view::npos) << entry.op;
        EXPECT_LE(entry.since, entry.until) << entry.op;
      }
    }
  }
}

TEST(OpsRegistry, VersionsOfAnOpDoNotOverlap) {
  for (const Dialect& dialect : Dialects()) {
    std::map<std::string_view, std::map<int, int>> versions;  // op -> since -> until
    for (const auto& family : dialect.families) {
      for (const OpEntry& entry : family) {
        EXPECT_TRUE(versions[entry.op].emplace(entry.since, entry.until).second) << entry.op;
      }
    }
    for (const auto& [op, ranges] : versions) {
      int last = 0;
      for (const auto& [since, until] : ranges) {
        EXPECT_GT(since, last) << op;
        last = until;
      }
    }
  }
}

TEST(OpsRegistry, FindsByDomainNameAndVersion) {
  const OpEntry* old = FindOp("ai.onnx", "Softmax", 12);
  const OpEntry* now = FindOp("ai.onnx", "Softmax", 13);
  ASSERT_NE(old, nullptr);
  ASSERT_NE(now, nullptr);
  EXPECT_NE(old, now);
  EXPECT_EQ(now, FindOp("ai.onnx", "Softmax", 999));
  EXPECT_NE(FindOp("ai.onnx", "Tile", 5), FindOp("ai.onnx", "Tile", 6));
  EXPECT_NE(FindOp("com.microsoft", "Attention", 1), FindOp("ai.onnx", "Attention", 23));
  EXPECT_EQ(FindOp("com.acme", "Softmax", 13), nullptr);
  EXPECT_EQ(FindOp("ai.onnx", "softmax", 13), nullptr);
  EXPECT_NE(FindOp("ai.onnx.ml", "Scaler", 1), nullptr);
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A family that is defined and not listed would be silently unknown, and so would a dialect.
TEST(OpsRegistry, EveryFamilyAndDialectIsListed) {
  const std::filesystem::path ops = std::filesystem::path(OPSCOPE_SOURCE_DIR) / "src/ops";
  const std::string registry = ReadAll(ops / "registry.cpp");
  const std::regex definition(R"(std::span<const OpEntry> (\w+Ops)\(\) \{)");
  std::size_t families = 0;
  for (const auto& folder : std::filesystem::directory_iterator(ops)) {
    if (!folder.is_directory()) continue;
    const std::string dialect = folder.path().filename();
    EXPECT_NE(registry.find(dialect + "::Dialects()"), std::string::npos) << dialect;
    const std::string list = ReadAll(folder.path() / "dialects.cpp");
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".cpp") continue;
      const std::string text = ReadAll(file.path());
      for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at) {
        ++families;
        EXPECT_NE(list.find((*at)[1].str() + "()"), std::string::npos)
            << (*at)[1] << " of " << file.path().filename();
      }
    }
  }
  EXPECT_GT(families, 40U);
}

}  // namespace
}  // namespace opscope
