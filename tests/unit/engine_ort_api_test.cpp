// The positions in engines/ort/ort_api.h against a header of the runtime. No package of this
// project carries one: OPSCOPE_ORT_HEADER names a file (the wheel of amd-quark has that of
// release 1.17).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "engines/ort/ort_api.h"

namespace opscope::ort {
namespace {

// Names of the function pointers of `struct OrtApi`, in order.
std::vector<std::string> NamesOfTable(std::string header) {
  header = std::regex_replace(header, std::regex("//[^\\n]*"), "");
  const std::size_t begin = header.find("struct OrtApi {");
  const std::size_t end = header.find("\n};", begin);
  std::vector<std::string> out;
  if (begin == std::string::npos || end == std::string::npos) return out;
  const std::string body = header.substr(begin, end - begin);
  const std::regex entry(
      R"(ORT_API2_STATUS\(\s*(\w+)|ORT_CLASS_RELEASE2?\(\s*(\w+)|ORT_API_CALL\s*\*\s*(\w+)\))");
  for (std::sregex_iterator match(body.begin(), body.end(), entry), last; match != last; ++match) {
    if ((*match)[2].matched) {
      out.push_back("Release" + (*match)[2].str());
    } else {
      out.push_back((*match)[(*match)[1].matched ? 1 : 3].str());
    }
  }
  return out;
}

TEST(OrtApi, PositionsOfAPublishedHeader) {
  const char* path = std::getenv("OPSCOPE_ORT_HEADER");
  if (!path) GTEST_SKIP() << "OPSCOPE_ORT_HEADER does not name an onnxruntime_c_api.h";
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // Block comments hold examples that look like entries.
  for (std::size_t at; (at = text.find("/*")) != std::string::npos;)
    text.erase(at, text.find("*/", at) + 2 - at);
  const std::vector<std::string> names = NamesOfTable(text);
  ASSERT_GT(names.size(), 200U);
  for (const EntryInfo& entry : kEntries) {
    const auto position = static_cast<std::size_t>(entry.position);
    if (position >= names.size()) continue;  // newer than this header
    EXPECT_EQ(names[position], entry.name);
  }
}

TEST(OrtApi, TheListIsInOrder) {
  EXPECT_TRUE(std::is_sorted(
      std::begin(kEntries), std::end(kEntries),
      [](const EntryInfo& a, const EntryInfo& b) { return a.position < b.position; }));
  // The table only grows: a later position is never older.
  EXPECT_TRUE(
      std::is_sorted(std::begin(kEntries), std::end(kEntries),
                     [](const EntryInfo& a, const EntryInfo& b) { return a.since < b.since; }));
}

TEST(OrtApi, AnEntryAboveTheVersionIsNotCalled) {
  const Api old(nullptr, 21);  // a table nobody may look into
  EXPECT_FALSE(old.Has<RegisterExecutionProviderLibrary>());
  Env* env = nullptr;
  const auto called = old.Call<RegisterExecutionProviderLibrary>(env, "name", "path");
  ASSERT_FALSE(called.has_value());
  EXPECT_EQ(called.error().message, "this needs ONNX Runtime 1.22 or newer; the library is 1.21");
}

}  // namespace
}  // namespace opscope::ort
