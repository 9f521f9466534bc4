#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "document/messages.h"
#include "support/golden.h"

namespace opscope {
namespace {

std::set<std::string> Placeholders(std::string_view text) {
  static const std::regex kPlaceholder(R"(\{[a-z0-9_]+(:[a-z]+)?\})");
  std::set<std::string> out;
  const std::string copy(text);
  for (std::sregex_iterator at(copy.begin(), copy.end(), kPlaceholder), end; at != end; ++at)
    out.insert(at->str());
  return out;
}

// Every "area.name" that stands as a literal in the sources; names of files look alike.
std::set<std::string> LiteralIds() {
  static const std::regex kId(R"re("([a-z]+\.[a-z0-9-]*)")re");
  std::set<std::string> out;
  for (const char* folder : {"src", "cli", "include"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(testing::RepositoryPath(folder))) {
      const std::string name = entry.path().filename().string();
      const std::string ending = entry.path().extension().string();
      if (name == "messages_table.cpp" || (ending != ".cpp" && ending != ".h")) continue;
      const std::string text = testing::ReadRepositoryFile(
          std::filesystem::relative(entry.path(), testing::RepositoryPath("")).string());
      for (std::sregex_iterator at(text.begin(), text.end(), kId), end; at != end; ++at)
        out.insert((*at)[1].str());
    }
  }
  for (const char* file : {"model.bin", "model.json", "model.xml"}) out.erase(file);
  return out;
}

TEST(Messages, SortedUniqueAndWhole) {
  std::string_view last;
  for (const MessageEntry& entry : Messages()) {
    EXPECT_LT(last, entry.id);
    last = entry.id;
    EXPECT_FALSE(entry.english.empty()) << entry.id;
    EXPECT_FALSE(entry.chinese.empty()) << entry.id;
    EXPECT_EQ(Placeholders(entry.english), Placeholders(entry.chinese)) << entry.id;
    for (const char c : entry.english)
      EXPECT_TRUE(c >= ' ' && c <= '~') << entry.id << ": English must be plain ASCII";
  }
}

// Words that the sources ask for are there, and nothing is there that nobody asks for. Ids put
// together from a beginning ("bound." + …) and reasons, which are found by wording, are left out.
TEST(Messages, CatalogueAndSourcesAgree) {
  const std::set<std::string> used = LiteralIds();
  std::set<std::string> areas;
  std::set<std::string> known;
  for (const MessageEntry& entry : Messages()) {
    const std::string id(entry.id);
    const std::string area = id.substr(0, id.find('.') + 1);
    areas.insert(area);
    known.insert(id);
    if (area == "reason." || used.count(area) > 0) continue;
    EXPECT_EQ(used.count(id), 1u) << id << " is not used";
  }
  for (const std::string& id : used) {
    const std::string area = id.substr(0, id.find('.') + 1);
    // Codes of ImportLog and Error look alike; those areas are not the catalogue's.
    if (id == area || areas.count(area) == 0) continue;
    EXPECT_EQ(known.count(id), 1u) << id << " is not in the catalogue";
  }
}

TEST(Messages, ValuesAreShownAsThePlaceholderSays) {
  const doc::Text text = Say("line.median", {{"median", std::int64_t{24'120'000}}});
  EXPECT_EQ(text.text, "median 24.12 ms");
  EXPECT_EQ(Render(text, Language::kChinese), "中位数 24.12 ms");
  // Read back from JSON, integers beyond 2^53 are text.
  EXPECT_EQ(Render({"", "line.median", {{"median", "24120000"}}}, Language::kChinese),
            "中位数 24.12 ms");
}

TEST(Messages, PlainReasonsAreRecognisedByTheirWording) {
  const doc::Text plain("runs vary by 17.0 % (limit 15.0 %)");
  EXPECT_EQ(Render(plain, Language::kEnglish), plain.text);
  EXPECT_EQ(Render(plain, Language::kChinese), "各次相差 17.0 %（上限 15.0 %）");
  EXPECT_EQ(Render(doc::Text("only 2 runs, 3 needed; something new"), Language::kChinese),
            "仅 2 次，需要 3 次；something new");
  EXPECT_EQ(Render(doc::Text("something new"), Language::kChinese), "something new");
}

TEST(Messages, AnIdOfALaterVersionLeavesTheEnglishText) {
  EXPECT_EQ(Render({"as it stands", "reason.of-tomorrow", {}}, Language::kChinese), "as it stands");
  EXPECT_EQ(Render({"as it stands", "line.median", {}}, Language::kChinese), "as it stands");
}

}  // namespace
}  // namespace opscope
