// The op tables: complete entries, versions without gaps in meaning, every file listed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
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

// A family that is defined and not listed would be silently unknown.
TEST(OpsRegistry, EveryFamilyIsListed) {
  const std::filesystem::path folder = std::filesystem::path(OPSCOPE_SOURCE_DIR) / "src/ops";
  const std::string registry = ReadAll(folder / "registry.cpp");
  ASSERT_FALSE(registry.empty());
  const std::regex definition(R"(std::span<const OpEntry> (\w+Ops)\(\) \{)");
  std::set<std::string> families;
  for (const std::string dialect : {"aten", "contrib", "coreml", "ncnn", "onnx", "openvino",
                                    "tensorrt", "tflite", "transformer"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / dialect)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = ReadAll(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at) {
        const std::string family = dialect + "::" + (*at)[1].str() + "()";
        families.insert(family);
        EXPECT_NE(registry.find(family), std::string::npos)
            << family << " of " << entry.path().filename();
      }
    }
  }
  EXPECT_GT(families.size(), 40U);
}

}  // namespace
}  // namespace opscope
